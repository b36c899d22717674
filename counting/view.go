package counting

import (
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// View answers queries from the bytes of the file of a [Filter] or a [DLeft], as bloom.View does: without a copy, for
// any number of goroutines, as long as the bytes do not change. Under the build tag purego, and on machines that are
// not little-endian or have no unaligned loads, it copies the table of a Filter.
type View struct {
	reader[eitherKind]
	file container.View
}

// OpenView returns a view of the filter in b; known is that of [Decode]. It checks the header and the length of b, and
// takes about a microsecond whatever the size; [View.VerifyChecksum] checks the table. Queries of a damaged table give
// wrong answers but do not panic. The errors are those of [Filter.UnmarshalBinary].
func OpenView(b []byte, known ...hashing.Hasher) (*View, error) {
	return container.Opened(pkg, b, known, func(v *View, file *container.View) (err error) {
		v.file = *file
		switch file.Type {
		case container.Counting:
			v.t, err = bloomcore.Counting.View(file)
			return err
		case container.DLeft:
			var d dleftSize
			if v.dleftTable, d, err = dleftIn(&file.Header); err == nil {
				v.over(file.Table[:d.remainders], file.Table[d.remainders+d.gap:])
				v.t.Hash = hashing.NewDigester(v.config.Hash)
			}
			return err
		}
		return fmt.Errorf("%w: a %v, want a counting filter", ErrMismatch, file.Type)
	})
}

// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the file says.
func (v *View) VerifyChecksum() error { return pkg.Wrap(v.file.VerifyChecksum()) }

// Config returns the configuration that the file says where the filter is a [Filter], and whether it is one.
func (v *View) Config() (c Config, ok bool) { return configOf(&v.t), !v.isDLeft() }

// DLeftConfig returns the configuration that the file says where the filter is a [DLeft], and whether it is one.
func (v *View) DLeftConfig() (c DLeftConfig, ok bool) { return v.config, v.isDLeft() }
