package bloom

import (
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/container"
)

// Filter is a classic Bloom filter: every key sets k bits anywhere in a table of m bits. It takes the least memory of
// the filters in this package and a cache miss for every bit that it looks at. Make one with [New].
//
// Any number of goroutines may read a Filter at once, but none while another one changes it.
type Filter struct{ base[classic] }

// New returns an empty filter. An error is [ErrConfig] or [ErrTooLarge], and then nothing was allocated.
func New(c Config) (*Filter, error) { return made(new(Filter), c) }

// Decode returns the filter in b, as [Filter.UnmarshalBinary] does. Hashers that are not built in, or that hold a
// secret, are found by their recipe among known. So is hashing.DigestsOnly, under which verbs that take keys panic: it
// is used only if known has it.
func Decode(b []byte, known ...hashing.Hasher) (*Filter, error) {
	return container.Decoded(pkg, b, (*Filter).load, known)
}

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true is wrong for a
// share of [Stats].FalsePositiveRate of the keys that were not inserted. It touches k words for a key that is present.
// For one that is absent it stops at the first clear bit, after two words on average at the best k.
func (f *Filter) ContainsHash(h uint64) bool {
	words, slots := f.t.Words, f.t.Slots // as Table.bitsHave does, which is not inlined into the caller
	for range f.t.Hashes {
		p := bloomcore.Reduce(h, slots)
		if words[p>>6]>>(p&63)&1 == 0 {
			return false
		}
		h = bloomcore.Next(h)
	}
	return len(words) != 0 // as in the zero Filter
}

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter { return &Filter{base[classic]{reader[classic]{f.t.Clone()}}} }

// Equal tells whether f and g have the same bits, hashes, hash and table, so that they answer alike. Len may differ,
// and MaxBytes may too.
func (f *Filter) Equal(g *Filter) bool { return f.t.Equal(&g.t) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not changed. Len becomes the
// sum of both. Filters of different bits, hashes or hash give [ErrMismatch], and f is as it was. It reads both tables.
func (f *Filter) Merge(g *Filter) error { return f.t.Union(pkg, &g.t) }

// Blocked is a blocked Bloom filter: all bits of a key lie in one block of 64 bytes, a cache line, so that every verb
// costs one cache miss. It needs more bits than a [Filter] of the same rate. Make one with [NewBlocked].
//
// Any number of goroutines may read a Blocked at once, but none while another one changes it.
type Blocked struct{ base[blocked] }

// NewBlocked returns an empty blocked filter. An error is [ErrConfig] or [ErrTooLarge], and then nothing was allocated.
// There are at most 2^32 blocks (256 GiB), so that enough of the digest is left for the positions in the block.
func NewBlocked(c Config) (*Blocked, error) { return made(new(Blocked), c) }

// DecodeBlocked is [Decode] of a Blocked, which the file of a [Concurrent] is too.
func DecodeBlocked(b []byte, known ...hashing.Hasher) (*Blocked, error) {
	return container.Decoded(pkg, b, (*Blocked).load, known)
}

// ContainsHash is [Filter.ContainsHash]. It touches one cache line, and takes the same time whatever the answer.
func (f *Blocked) ContainsHash(h uint64) bool { return bloomcore.Has[blocked](&f.t, h) }

// Clone returns a copy that shares nothing with f.
func (f *Blocked) Clone() *Blocked { return &Blocked{base[blocked]{reader[blocked]{f.t.Clone()}}} }

// Equal is [Filter.Equal].
func (f *Blocked) Equal(g *Blocked) bool { return f.t.Equal(&g.t) }

// Merge is [Filter.Merge].
func (f *Blocked) Merge(g *Blocked) error { return f.t.Union(pkg, &g.t) }

// Concurrent returns a [Concurrent] with the keys of f, which shares nothing with f.
func (f *Blocked) Concurrent() *Concurrent {
	return &Concurrent{base[concurrent]{reader[concurrent]{f.t.CloneTo(bloomcore.SharedBlocks)}}}
}

// Concurrent is a [Blocked] that any number of goroutines use at once, inserts included. It has the same table, the
// same rate and the same files. Make one with [NewConcurrent], or of the keys of a filter with [Blocked.Concurrent].
//
// Lookups and inserts take no lock: an insert sets bits with atomic operations in one cache line, and writes to it only
// where a bit is clear. InsertUnique takes one of 64 locks. A key is found from the moment on at which its last bit is
// set. It has no vector instructions, which have no atomic loads, so one goroutine is slower than with a Blocked. A
// Concurrent must not be copied.
type Concurrent struct{ base[concurrent] }

// NewConcurrent returns an empty filter, as [NewBlocked] does.
func NewConcurrent(c Config) (*Concurrent, error) { return made(new(Concurrent), c) }

// DecodeConcurrent is [DecodeBlocked] of a Concurrent.
func DecodeConcurrent(b []byte, known ...hashing.Hasher) (*Concurrent, error) {
	return container.Decoded(pkg, b, (*Concurrent).load, known)
}

// InsertHash inserts the key with digest h, as that of [Blocked] does: it cannot fail, so it returns no error. It
// touches one cache line.
func (f *Concurrent) InsertHash(h uint64) { f.t.AddShared(h, false) }

// InsertHashes inserts every one of the digests hs.
func (f *Concurrent) InsertHashes(hs []uint64) {
	for _, h := range hs {
		f.t.AddShared(h, false)
	}
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did. A false positive
// refuses a new key. Of goroutines that call it at the same time for one key that is not in the filter, one is told
// true. An InsertHash of that key at the same time counts as later.
func (f *Concurrent) InsertUniqueHash(h uint64) bool { return f.t.AddShared(h, true) }

// Blocked returns a [Blocked] with the keys of f, which shares nothing with f. It has every key that was inserted
// before the call. Of inserts at the same time any may be in it, or some bits of one, which does no harm.
func (f *Concurrent) Blocked() *Blocked {
	return &Blocked{base[blocked]{reader[blocked]{f.t.CloneTo(bloomcore.Blocks)}}}
}

// Clone returns a filter with the keys of f, as [Concurrent.Blocked] copies them.
func (f *Concurrent) Clone() *Concurrent {
	return &Concurrent{base[concurrent]{reader[concurrent]{f.t.CloneTo(bloomcore.SharedBlocks)}}}
}

// Equal is [Filter.Equal]. It copies both tables.
func (f *Concurrent) Equal(g *Concurrent) bool { return f.t.Equal(&g.t) }

// Merge is [Filter.Merge]. It copies the table of g. Others may use both filters meanwhile.
func (f *Concurrent) Merge(g *Concurrent) error { return f.t.Union(pkg, &g.t) }
