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
// Any number of goroutines may query a View at once. Its bytes must not change as long as it is used, or
// answers become wrong. If a mapped file shrinks, the operating system ends the program at the next query
// that reads the lost part.
type View struct {
	file container.View
	hash hashing.Digester
	// One of them is the filter. A call through an interface would make the caller's batch escape.
	bloom *Filter
	dleft *DLeft
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
		err = v.openFilter()
	case container.DLeft:
		err = v.openDLeft()
	default:
		err = fmt.Errorf("%w: a %v, want a counting filter", ErrMismatch, opened.Type)
	}
	if err != nil {
		return nil, file.Wrap(err)
	}
	return v, nil
}

func (v *View) openFilter() error {
	t, err := bloomcore.Counting.View(&v.file)
	v.hash, v.bloom = t.Hash, &Filter{t}
	return err
}

func (v *View) openDLeft() error {
	d, err := dleftIn(&v.file.Header)
	if err != nil {
		return err
	}
	table := v.file.Table
	f := d.over(table[:d.remainders], table[d.remainders+d.gap:])
	v.hash, v.dleft = f.hash, &f
	return nil
}

// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the
// file says.
func (v *View) VerifyChecksum() error { return file.Wrap(v.file.VerifyChecksum()) }

// ContainsHash is [Filter.ContainsHash] or [DLeft.ContainsHash].
func (v *View) ContainsHash(h uint64) bool {
	if v.dleft != nil {
		return v.dleft.ContainsHash(h)
	}
	return v.bloom.ContainsHash(h)
}

// ContainsHashes is [Filter.ContainsHashes] or [DLeft.ContainsHashes].
func (v *View) ContainsHashes(hs []uint64, dst []bool) {
	if v.dleft != nil {
		v.dleft.ContainsHashes(hs, dst)
		return
	}
	v.bloom.ContainsHashes(hs, dst)
}

// CountHash is [Filter.CountHash] or [DLeft.CountHash].
func (v *View) CountHash(h uint64) int {
	if v.dleft != nil {
		return v.dleft.CountHash(h)
	}
	return v.bloom.CountHash(h)
}

// Len returns the number of keys, as the file says it.
func (v *View) Len() int {
	if v.dleft != nil {
		return v.dleft.Len()
	}
	return v.bloom.Len()
}

// Slots returns the number of slots or counters of the table.
func (v *View) Slots() int {
	if v.dleft != nil {
		return v.dleft.Slots()
	}
	return v.bloom.Slots()
}

// SizeBytes returns the size of the table in bytes.
func (v *View) SizeBytes() int {
	if v.dleft != nil {
		return v.dleft.SizeBytes()
	}
	return v.bloom.SizeBytes()
}

// ScanStats returns counts and rates of the filter. It reads the whole table of a [Filter] once, and all counters of a
// [DLeft].
func (v *View) ScanStats() Stats {
	if v.dleft != nil {
		return v.dleft.ScanStats()
	}
	return v.bloom.ScanStats()
}

// Config returns the configuration that the file says where the filter is a [Filter], and whether it is one.
func (v *View) Config() (c Config, ok bool) {
	if v.bloom == nil {
		return c, false
	}
	return v.bloom.Config(), true
}

// DLeftConfig returns the configuration that the file says where the filter is a [DLeft], and whether it
// is one.
func (v *View) DLeftConfig() (c DLeftConfig, ok bool) {
	if v.dleft == nil {
		return c, false
	}
	return v.dleft.Config(), true
}
