package window

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
)

// View answers lookups from the bytes of a filter's file, where they are: in a mapped file, or an embedded asset. It
// copies nothing and cannot change the filter. So it answers as of the generation in which the file was written. Make
// one with [OpenView]. It looks up as the [Filter] does, by the same methods; Len is as the file says it.
//
// Any number of goroutines may use a View at once. Its bytes must stay as they are meanwhile. If a file that was mapped
// is made shorter, the next lookup in the missing part ends the program with a fault (SIGBUS).
type View[F fingerprint.Width] struct {
	table
	file container.View
}

// OpenView returns a view of the filter in b. Hashers that are not built in, or that hold a secret, are found by their
// recipe among known, and so is hashing.DigestsOnly.
//
// It checks the header, and that b has the length that the header says. It does not read the table, so it takes about a
// microsecond whatever the size: [View.VerifyChecksum] checks the table. No table, however damaged, makes a lookup
// panic; a damaged one gives wrong answers. The errors are those of [Filter.UnmarshalBinary].
func OpenView[F fingerprint.Width](b []byte, known ...hashing.Hasher) (*View[F], error) {
	return container.Opened(pkg, b, known, func(v *View[F], file *container.View) error {
		c, err := configIn(&file.Header, fingerprint.WidthOf[F]())
		if v.file = *file; err == nil {
			v.overFile(c, &file.Header, file.Table)
		}
		return err
	})
}

// VerifyChecksum reads the whole table and returns [ErrCorrupt] if its checksum is not the one in the file.
func (v *View[F]) VerifyChecksum() error { return pkg.Wrap(v.file.VerifyChecksum()) }
