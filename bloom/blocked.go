package bloom

import (
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// Blocked is a blocked Bloom filter: all bits of a key lie in one block of 64 bytes, a cache line,
// so that every verb costs one cache miss. It needs more bits than a [Filter] of the same rate. Make
// one with [NewBlocked]: inserts into the zero Blocked and lookups in it panic.
//
// Any number of goroutines may read a Blocked at once, but none while another one changes it.
type Blocked struct {
	base[blocked]
}

// table returns the table as the verbs see it.
func (f *Blocked) table() *bloomcore.BlockTable { return (*bloomcore.BlockTable)(&f.t) }

// NewBlocked returns an empty blocked filter. An error is [ErrConfig] or [ErrTooLarge], and then
// nothing was allocated. There are at most 2^32 blocks (256 GiB), so that enough of the digest is
// left for the positions in the block.
func NewBlocked(c Config) (*Blocked, error) {
	f := new(Blocked)
	if err := f.init(c); err != nil {
		return nil, err
	}
	return f, nil
}

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches one cache line.
func (f *Blocked) InsertHash(h uint64) {
	f.table().Set(h)
	f.t.Keys++
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *Blocked) InsertHashes(hs []uint64) {
	f.table().SetAll(hs)
	f.t.Keys += uint64(len(hs))
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. It costs what [Blocked.InsertHash] does.
func (f *Blocked) InsertUniqueHash(h uint64) bool {
	added := f.table().Set(h)
	if added {
		f.t.Keys++
	}
	return added
}

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true
// is wrong for a share of [Stats].FalsePositiveRate of the keys that were not inserted. It touches
// one cache line, and takes the same time whatever the answer.
func (f *Blocked) ContainsHash(h uint64) bool {
	return f.table().Has(h)
}

// ContainsHashes writes to dst[i] what [Blocked.ContainsHash] says of hs[i]. On tables larger than the caches
// it is faster than calls of ContainsHash, because it asks for the lines of many keys before it looks
// into the first. It panics if dst is shorter than hs.
func (f *Blocked) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	f.table().HasEach(hs, dst)
}

// Clone returns a copy that shares nothing with f.
func (f *Blocked) Clone() *Blocked { return &Blocked{f.clone()} }

// Equal tells whether f and g have the same bits, hashes, hash and table, so that they answer alike.
// Len may differ, and MaxBytes may too.
func (f *Blocked) Equal(g *Blocked) bool { return f.t.Equal(&g.t) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not
// changed. Len becomes the sum of both; Stats.EstimatedCount counts keys of both once. Filters of
// different bits, hashes or hash give [ErrMismatch], and f is as it was.
func (f *Blocked) Merge(g *Blocked) error { return f.merge(&g.base) }

// measureBlocked is kind.measure: the mean over all blocks of their load factor to the power of k.
func measureBlocked(t *bloomcore.Table) (c content) {
	var blocks blockCounts
	for w := t.Words; len(w) > 0; w = w[bloomcore.BlockWords:] {
		blocks.add((*[bloomcore.BlockWords]uint64)(w))
	}
	return blocks.content(t)
}

// blockCounts is how many blocks have so many bits set.
type blockCounts [bloomcore.BlockBits + 1]int

// add counts a block.
func (blocks *blockCounts) add(words *[bloomcore.BlockWords]uint64) {
	set := 0
	for _, word := range words {
		set += bits.OnesCount64(word)
	}
	blocks[set]++
}

// content returns what the blocks of t tell.
func (blocks *blockCounts) content(t *bloomcore.Table) (c content) {
	for set, n := range blocks {
		if n > 0 {
			c.rate += float64(n) * math.Pow(float64(set)/bloomcore.BlockBits, float64(t.Hashes))
			c.used += uint64(set * n)
		}
	}
	c.rate /= float64(t.Blocks)
	return c
}
