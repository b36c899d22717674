package bloom

import (
	"fmt"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// View answers queries from the bytes of a filter's file, where they are: a mapped file, an embedded
// asset. The filter is a [Filter], a [Blocked] or a [SplitBlock], and cannot be changed. Make one with
// [OpenView].
//
// It copies nothing, except under the build tag purego and on machines that are not little-endian or have no
// unaligned loads: there it copies the table.
//
// Any number of goroutines may query a View at once. Its bytes must not change as long as it is used, or
// answers become wrong. If a mapped file shrinks, the operating system ends the program at the next query
// that reads the lost part.
type View struct {
	file container.View
	t    *bloomcore.Table // of the filter
	// One of them is the filter. A call through an interface would make the caller's batch escape.
	classic *Filter
	blocked *Blocked
	split   *SplitBlock
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
	case container.Bloom:
		v.classic = new(Filter)
		v.t, err = v.classic.over(&opened)
	case container.BlockedBloom:
		v.blocked = new(Blocked)
		v.t, err = v.blocked.over(&opened)
	case container.SplitBlock:
		v.split = new(SplitBlock)
		v.t, err = v.split.over(&opened)
	default:
		err = fmt.Errorf("%w: a %v, want a Bloom filter", ErrMismatch, opened.Type)
	}
	if err != nil {
		return nil, file.Wrap(err)
	}
	return v, nil
}

// over makes f the filter over the bytes of a view, and returns its table.
func (f *base[K]) over(v *container.View) (*bloomcore.Table, error) {
	t, err := f.kind().file.View(v)
	if err == nil {
		f.adopt(t)
	}
	return &f.t, err
}

// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the
// file says.
func (v *View) VerifyChecksum() error { return file.Wrap(v.file.VerifyChecksum()) }

// ContainsHash is [Filter.ContainsHash], [Blocked.ContainsHash] or [SplitBlock.ContainsHash].
func (v *View) ContainsHash(h uint64) bool {
	switch {
	case v.classic != nil:
		return v.classic.ContainsHash(h)
	case v.blocked != nil:
		return v.blocked.ContainsHash(h)
	}
	return v.split.ContainsHash(h)
}

// ContainsHashes is [Filter.ContainsHashes], [Blocked.ContainsHashes] or [SplitBlock.ContainsHashes].
func (v *View) ContainsHashes(hs []uint64, dst []bool) {
	switch {
	case v.classic != nil:
		v.classic.ContainsHashes(hs, dst)
	case v.blocked != nil:
		v.blocked.ContainsHashes(hs, dst)
	default:
		v.split.ContainsHashes(hs, dst)
	}
}

// Len returns the number of inserts, as the file says it.
func (v *View) Len() int { return v.t.Len() }

// Slots returns the number of bits of the table.
func (v *View) Slots() int { return int(v.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (v *View) SizeBytes() int { return v.t.SizeBytes() }

// Stats returns counts and rates of the filter. It reads the whole table once. Refused is 0: no file says it.
func (v *View) Stats() Stats {
	switch {
	case v.classic != nil:
		return v.classic.Stats()
	case v.blocked != nil:
		return v.blocked.Stats()
	}
	return v.split.Stats()
}

// Config returns the configuration that the file says.
func (v *View) Config() Config { return configOf(v.t) }
