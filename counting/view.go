package counting

import (
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// View answers queries from the bytes of a filter's file, where they are: a mapped file, an embedded
// asset. The filter is a [Filter] or a [DLeft], and cannot be changed. Make one with [OpenView].
//
// It copies nothing, except under the build tag purego and on machines that are not little-endian or have
// no unaligned loads: there it copies the table of a Filter.
//
// Any number of goroutines may query a View at once. Its bytes must not change as long as it is used, or answers become
// wrong. If a mapped file shrinks, the operating system ends the program at the next query that reads the lost part.
type View struct {
	reader[eitherKind]
	file container.View
}

// OpenView returns a view of the filter in b. Hashers that are not built in, or that hold a secret, are
// found by their recipe among known. So is hashing.DigestsOnly, under
// which verbs that take keys panic: it is used only if known has it.
//
// It checks the header, and that b has the length that the header says. It does not read the table, so it
// takes about a microsecond whatever the size; [View.VerifyChecksum] checks the table. Queries of a damaged
// table give wrong answers but do not panic. The errors are those of [Filter.UnmarshalBinary].
func OpenView(b []byte, known ...hashing.Hasher) (*View, error) {
	opened, err := container.NewView(b, known...)
	if err != nil {
		return nil, file.Wrap(err)
	}
	v := &View{file: opened}
	switch opened.Type {
	case container.Counting:
		v.t, err = bloomcore.Counting.View(&opened)
	case container.DLeft:
		var d dleftSize
		if v.dleftTable, d, err = dleftIn(&opened.Header); err == nil {
			v.over(opened.Table[:d.remainders], opened.Table[d.remainders+d.gap:])
		}
	default:
		err = fmt.Errorf("%w: a %v, want a counting filter", ErrMismatch, opened.Type)
	}
	if err != nil {
		return nil, file.Wrap(err)
	}
	return v, nil
}

// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the file says.
func (v *View) VerifyChecksum() error { return file.Wrap(v.file.VerifyChecksum()) }

// Config returns the configuration that the file says where the filter is a [Filter], and whether it is one.
func (v *View) Config() (c Config, ok bool) { return configOf(&v.t), !v.isDLeft() }

// DLeftConfig returns the configuration that the file says where the filter is a [DLeft], and whether it is one.
func (v *View) DLeftConfig() (c DLeftConfig, ok bool) { return v.config, v.isDLeft() }
