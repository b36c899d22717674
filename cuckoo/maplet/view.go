package maplet

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// View answers lookups from the bytes of a map's file, where they are, as cuckoo.View does from those of a filter; that
// type says what holds of goroutines and of bytes that change. Make one with [OpenView].
type View[F fingerprint.Width] struct {
	table
	file container.View
}

// OpenView returns a view of the map in b, as cuckoo.OpenView does of a filter. It does not read the table, so it takes
// about a microsecond whatever the size: [View.VerifyChecksum] checks it. The errors are those of
// [Map.UnmarshalBinary].
func OpenView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*View[F], error) {
	return container.Opened(pkg, b, known, func(v *View[F], file *container.View) error {
		c, err := configIn(&file.Header, fingerprint.WidthOf[F]())
		if err == nil {
			v.over(c, c.lanesOver(file.Table))
			v.file, v.len = *file, int(file.Len)
		}
		return err
	})
}

// VerifyChecksum reads the whole table and returns [ErrCorrupt] if its checksum is not the one in the file.
func (v *View[F]) VerifyChecksum() error { return pkg.Wrap(v.file.VerifyChecksum()) }
