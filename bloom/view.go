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
// It copies nothing, but where the build cannot see bytes as the words of a table, under the tag purego
// and on machines that are not little-endian or have no unaligned loads: there it copies the table.
//
// Any number of goroutines may query a View at once. Its bytes must stay as they are as long as it is
// used: where they change, so do its answers, and where a file that was mapped shrinks, the next query
// of what is gone ends the program, as the system has no other way to say so.
type View struct {
	file container.View
	hash hashing.Digester
	// One of them is the filter. A call through an interface would make the caller's batch escape.
	classic *Filter
	blocked *Blocked
	split   *SplitBlock
}

// OpenView returns a view of the filter in b. Hashers that are not built in, or that hold a secret, are
// found by their recipe among known. So is hashing.DigestsOnly, under
// which key verbs panic: a file alone does not bring it in.
//
// It reads the header and checks it, and that b has the length that the header says. It does not read
// the table, so it takes about a microsecond whatever its size: [View.VerifyChecksum] checks the table. No table, however
// damaged, makes a query panic; it makes answers wrong. The errors are those of [Filter.UnmarshalBinary].
func OpenView(b []byte, known ...hashing.Hasher) (*View, error) {
	opened, err := container.NewView(b)
	if err != nil {
		return nil, file.Wrap(err)
	}
	v := &View{file: opened}
	var t bloomcore.Table
	switch opened.Type {
	case container.Bloom:
		t, err = classicFile.View(&opened, known)
		v.classic = &Filter{t}
	case container.BlockedBloom:
		t, err = blockedFile.View(&opened, known)
		v.blocked = &Blocked{bloomcore.NewBlockTable(t)}
	case container.SplitBlock:
		t, err = splitBlockFile.View(&opened, known)
		v.split = &SplitBlock{bloomcore.NewSplitTable(t)}
	default:
		err = fmt.Errorf("%w: a %v, want a Bloom filter", ErrMismatch, opened.Type)
	}
	if err != nil {
		return nil, file.Wrap(err)
	}
	v.hash = t.Hash
	return v, nil
}

// VerifyChecksum reads the whole table and returns an [ErrCorrupt] unless it has the checksum that the
// file says.
func (v *View) VerifyChecksum() error { return file.Wrap(v.file.VerifyChecksum()) }

// table returns the table, whichever filter it is of.
func (v *View) table() *bloomcore.Table {
	switch {
	case v.classic != nil:
		return &v.classic.t
	case v.blocked != nil:
		return &v.blocked.t.Table
	}
	return &v.split.t.Table
}

// Contains is [View.ContainsHash] of the key's digest.
func (v *View) Contains(key []byte) bool { return v.ContainsHash(v.hash.Sum64(key)) }

// ContainsString is [View.ContainsHash] of the key's digest.
func (v *View) ContainsString(key string) bool { return v.ContainsHash(v.hash.Sum64String(key)) }

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
func (v *View) Len() int { return v.table().Len }

// Slots returns the number of bits of the table.
func (v *View) Slots() int { return int(v.table().Slots) }

// LoadFactor returns the share of bits that are set, 0 to 1. It reads the whole table.
func (v *View) LoadFactor() float64 {
	t := v.table()
	return float64(t.Nonzero()) / float64(t.Slots)
}

// SizeBytes returns the size of the table in bytes.
func (v *View) SizeBytes() int { return v.table().SizeBytes() }

// FalsePositiveRate returns the rate to expect of the filter as it is. It reads the whole table.
func (v *View) FalsePositiveRate() float64 {
	switch {
	case v.classic != nil:
		return v.classic.FalsePositiveRate()
	case v.blocked != nil:
		return v.blocked.FalsePositiveRate()
	}
	return v.split.FalsePositiveRate()
}

// Config returns the configuration that the file says.
func (v *View) Config() Config { return configOf(v.table()) }
