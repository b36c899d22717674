package bloom

import (
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// View answers queries from the bytes of a filter's file, where they are: a mapped file, an embedded asset. The filter
// is a [Filter], a [Blocked] or a [SplitBlock], and cannot be changed. Make one with [OpenView].
//
// It copies nothing, except under the build tag purego and on machines that are not little-endian or have no unaligned
// loads: there it copies the table.
//
// Any number of goroutines may query a View at once. Its bytes must not change as long as it is used, or answers become
// wrong. If a mapped file shrinks, the operating system ends the program at the next query that reads the lost part.
type View struct {
	reader[[0]struct{}]
	file container.View
}

// OpenView returns a view of the filter in b; known is that of [Decode]. It checks the header and the length of b, and
// takes about a microsecond whatever the size; [View.VerifyChecksum] checks the table. Queries of a damaged table give
// wrong answers but do not panic. The errors are those of [Filter.UnmarshalBinary].
func OpenView(b []byte, known ...hashing.Hasher) (*View, error) {
	return container.Opened(pkg, b, known, func(v *View, file *container.View) (err error) {
		v.file = *file
		for _, k := range []*bloomcore.Kind{&bloomcore.Classic, &bloomcore.Blocked, &bloomcore.Split} {
			if file.Type == k.File {
				v.t, err = k.View(file)
				return err
			}
		}
		return fmt.Errorf("%w: a %v, want a Bloom filter", ErrMismatch, file.Type)
	})
}

// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the file says.
func (v *View) VerifyChecksum() error { return pkg.Wrap(v.file.VerifyChecksum()) }
