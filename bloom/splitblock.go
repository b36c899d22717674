package bloom

import (
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
)

// SplitBlock is the split-block Bloom filter of Apache Parquet: a key sets one bit in each of the
// eight 32-bit lanes of one block of 32 bytes. It is the fastest filter of this package at rates around
// 0.01. At rates far from that it takes much memory: see the package documentation. Make one with
// [NewSplitBlock] or [SplitBlockFromBitset]: inserts into the zero SplitBlock and lookups in it
// panic.
//
// With the default Hash, [SplitBlock.Bitset] has the bytes that Parquet writes for the same keys and
// size, a key being a value in Parquet's plain encoding: a string as its bytes without their length,
// an integer as its 4 or 8 bytes, lowest first. Digests made by hashing.Mix64 differ from Parquet's.
//
// Any number of goroutines may read a SplitBlock at once, but none while another one changes it.
type SplitBlock struct {
	base[splitBlock]
}

// table returns the table as the verbs see it.
func (f *SplitBlock) table() *bloomcore.SplitTable { return (*bloomcore.SplitTable)(&f.t) }

// lanes is one block of the table. Lane i is the low half of word i/2 if i is even, else the high half.
type lanes = [bloomcore.SplitWords]uint64

// NewSplitBlock returns an empty split-block filter of Capacity and FalsePositiveRate, or of Bits,
// rounded up to whole blocks of 256. Hashes is 8, and 0 stands for it. An error is [ErrConfig] or
// [ErrTooLarge], and then nothing was allocated. There are at most 2^32 blocks (128 GiB).
func NewSplitBlock(c Config) (*SplitBlock, error) {
	problems := config.Problems{Package: pkg}
	if c.Hashes != 0 && c.Hashes != bloomcore.SplitLanes {
		problems.Wrong("Hashes is %d, want %d, or 0 for it", c.Hashes, bloomcore.SplitLanes)
	}
	c.Hashes = 0
	if c.Capacity == 0 && c.FalsePositiveRate == 0 && c.Bits != 0 {
		c.Hashes = bloomcore.SplitLanes
	}
	if !problems.None() {
		problems.Add(c.Validate())
		return nil, problems.Err()
	}
	f := new(SplitBlock)
	if err := f.init(c); err != nil {
		return nil, err
	}
	return f, nil
}

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches one cache line.
func (f *SplitBlock) InsertHash(h uint64) {
	f.table().Set(h)
	f.t.Keys++
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *SplitBlock) InsertHashes(hs []uint64) {
	f.table().SetAll(hs)
	f.t.Keys += uint64(len(hs))
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. It costs what [SplitBlock.InsertHash] does.
func (f *SplitBlock) InsertUniqueHash(h uint64) bool {
	added := f.table().Set(h)
	if added {
		f.t.Keys++
	}
	return added
}

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true
// is wrong for a share of [Stats].FalsePositiveRate of the keys that were not inserted. It
// touches one cache line, and takes the same time whatever the answer.
func (f *SplitBlock) ContainsHash(h uint64) bool {
	return f.table().Has(h)
}

// ContainsHashes writes to dst[i] what [SplitBlock.ContainsHash] says of hs[i]. No branch depends on
// a key, so the cache misses of several keys overlap. It panics if dst is shorter
// than hs.
func (f *SplitBlock) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	f.table().HasEach(hs, dst)
}

// Clone returns a copy that shares nothing with f.
func (f *SplitBlock) Clone() *SplitBlock { return &SplitBlock{f.clone()} }

// Equal tells whether f and g have the same bits, hash and table, so that they answer alike. Len may
// differ, and MaxBytes may too.
func (f *SplitBlock) Equal(g *SplitBlock) bool { return f.t.Equal(&g.t) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not
// changed. Len becomes the sum of both; Stats.EstimatedCount counts keys of both once. Filters of
// different bits or hash give [ErrMismatch], and f is as it was.
func (f *SplitBlock) Merge(g *SplitBlock) error { return f.merge(&g.base) }

// measureSplit is kind.measure: the mean over all blocks of the product of the load factors of their lanes.
func measureSplit(t *bloomcore.Table) (c content) {
	const queries = 1 << 40 // the choices of one bit in each lane of a block
	for w := t.Words; len(w) > 0; w = w[bloomcore.SplitWords:] {
		product := uint64(1)
		for _, word := range (*lanes)(w) {
			even, odd := bits.OnesCount32(uint32(word)), bits.OnesCount32(uint32(word>>32))
			c.used += uint64(even + odd)
			product *= uint64(even * odd)
		}
		c.rate += float64(product)
	}
	c.rate = c.rate / float64(t.Blocks) / queries
	return c
}

// estimateSplit is kind.estimate. A key leaves a given bit as it is with probability 1-1/s, s being the bits of all
// blocks that have the bit's lane.
func estimateSplit(t *bloomcore.Table, used uint64) float64 {
	if used == 0 {
		return 0 // of the zero filter too
	}
	s := float64(t.Slots / bloomcore.SplitLanes)
	return math.Log1p(-t.Share(used)) / math.Log1p(-1/s)
}
