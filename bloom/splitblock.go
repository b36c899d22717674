package bloom

import (
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// SplitBlock is the split-block Bloom filter of Apache Parquet: a key sets one bit in each of the
// eight 32-bit lanes of one block of 32 bytes. It is the fastest filter of this package at rates around
// 0.01, and far from there it takes much memory: see the package documentation. Make one with
// [NewSplitBlock] or [SplitBlockFromBitset]: the verbs of the zero SplitBlock panic.
//
// With the default Hash, [SplitBlock.Bitset] has the bytes that Parquet writes for the same keys and
// size, a key being a value in Parquet's plain encoding: a string as its bytes without their length,
// an integer as its 4 or 8 bytes, lowest first. A digest made by hashing.Mix64 is none of Parquet's.
//
// Any number of goroutines may read a SplitBlock at once, but none while another one changes it.
type SplitBlock struct {
	t bloomcore.SplitTable
}

// lanes is one block of the table. Lane i is the low half of word i/2 if i is even, else the high half.
type lanes = [bloomcore.SplitWords]uint64

// NewSplitBlock returns an empty split-block filter of Capacity and FalsePositiveRate, or of Bits,
// rounded up to whole blocks of 256. Hashes is 8, and 0 stands for it. An error is [ErrConfig] or
// [ErrTooLarge], and then nothing was allocated. There are at most 2^32 blocks (128 GiB).
func NewSplitBlock(c Config) (*SplitBlock, error) {
	t, err := newSplitTable(c)
	if err != nil {
		return nil, err
	}
	return &SplitBlock{bloomcore.NewSplitTable(t)}, nil
}

// Insert is [SplitBlock.InsertHash] of the key's digest.
func (f *SplitBlock) Insert(key []byte) { f.InsertHash(f.t.Hash.Sum64(key)) }

// InsertString is [SplitBlock.InsertHash] of the key's digest.
func (f *SplitBlock) InsertString(key string) { f.InsertHash(f.t.Hash.Sum64String(key)) }

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches one cache line.
func (f *SplitBlock) InsertHash(h uint64) {
	f.t.Set(h)
	f.t.Count(1)
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *SplitBlock) InsertHashes(hs []uint64) {
	f.t.SetAll(hs)
	f.t.Count(len(hs))
}

// InsertUnique is [SplitBlock.InsertUniqueHash] of the key's digest.
func (f *SplitBlock) InsertUnique(key []byte) bool { return f.InsertUniqueHash(f.t.Hash.Sum64(key)) }

// InsertUniqueString is [SplitBlock.InsertUniqueHash] of the key's digest.
func (f *SplitBlock) InsertUniqueString(key string) bool {
	return f.InsertUniqueHash(f.t.Hash.Sum64String(key))
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. It costs what [SplitBlock.InsertHash] does.
func (f *SplitBlock) InsertUniqueHash(h uint64) bool {
	added := f.t.Set(h)
	f.t.CountUnique(added)
	return added
}

// Contains is [SplitBlock.ContainsHash] of the key's digest.
func (f *SplitBlock) Contains(key []byte) bool { return f.ContainsHash(f.t.Hash.Sum64(key)) }

// ContainsString is [SplitBlock.ContainsHash] of the key's digest.
func (f *SplitBlock) ContainsString(key string) bool {
	return f.ContainsHash(f.t.Hash.Sum64String(key))
}

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true
// is wrong for a share of [SplitBlock.FalsePositiveRate] of the keys that were not inserted. It
// touches one cache line, and takes the same time whatever the answer.
func (f *SplitBlock) ContainsHash(h uint64) bool {
	return f.t.Has(h)
}

// ContainsHashes writes to dst[i] what [SplitBlock.ContainsHash] says of hs[i]. No branch depends on
// a key, so the cache misses of several keys overlap. It panics, as copying into an array does, if
// dst is shorter than hs.
func (f *SplitBlock) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	f.t.HasEach(hs, dst)
}

// Len returns the number of inserts: calls of the Insert verbs, digests of InsertHashes, and calls
// of the InsertUnique verbs that returned true. A key inserted twice by Insert counts twice, and the
// keys of a bitset do not count; see [SplitBlock.EstimatedCount]. It ends at math.MaxInt.
func (f *SplitBlock) Len() int { return f.t.Len }

// EstimatedCount returns an estimate of the number of distinct keys inserted, from the number of
// set bits, so that duplicates, merges and bitsets do not disturb it. It is +Inf for a filter with
// every bit set. It reads the whole table.
func (f *SplitBlock) EstimatedCount() float64 {
	// A key leaves a given bit as it is with probability 1-1/s, s being the bits of all blocks that
	// have the bit's lane.
	s := float64(f.t.Slots / bloomcore.SplitLanes)
	return math.Log1p(-f.LoadFactor()) / math.Log1p(-1/s)
}

// Slots returns the number of bits of the table, a multiple of 256.
func (f *SplitBlock) Slots() int { return int(f.t.Slots) }

// Hashes returns the number of bits that a key sets, 8, which never coincide.
func (f *SplitBlock) Hashes() int { return f.t.Hashes }

// LoadFactor returns the share of bits that are set, 0 to 1. It reads the whole table.
func (f *SplitBlock) LoadFactor() float64 { return float64(f.t.Nonzero()) / float64(f.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (f *SplitBlock) SizeBytes() int { return f.t.SizeBytes() }

// FalsePositiveRate returns the rate to expect of the filter as it is now: the mean over all blocks
// of the product of the load factors of their lanes. A table does not show the keys that agree with
// a query in block and low digest half, 2^-32 for each key of a block, which only
// [PredictSplitBlockRate] counts. It reads the whole table.
func (f *SplitBlock) FalsePositiveRate() float64 {
	rate, _ := f.perBlock()
	return rate
}

// perBlock returns the rate to expect and the number of set bits in the fullest block.
func (f *SplitBlock) perBlock() (rate float64, fullest int) {
	const queries = 1 << 40 // the choices of one bit in each lane of a block
	for w := f.t.Words; len(w) > 0; w = w[bloomcore.SplitWords:] {
		set, product := 0, uint64(1)
		for _, word := range (*lanes)(w) {
			even, odd := bits.OnesCount32(uint32(word)), bits.OnesCount32(uint32(word>>32))
			set += even + odd
			product *= uint64(even * odd)
		}
		fullest = max(fullest, set)
		rate += float64(product)
	}
	return rate / float64(f.t.Blocks) / queries, fullest
}

// Stats returns counts and rates of the filter as it is now. It reads the whole table.
func (f *SplitBlock) Stats() Stats {
	rate, fullest := f.perBlock()
	s := statsOf(&f.t.Table, rate, f.EstimatedCount())
	s.FullestBlock = fullest
	return s
}

// Config returns the resolved configuration: Bits and Hashes instead of Capacity and
// FalsePositiveRate, and the Hash in use. NewSplitBlock makes an empty filter of it that f can be
// merged with.
func (f *SplitBlock) Config() Config { return configOf(&f.t.Table) }

// Reset removes every key. The memory is kept.
func (f *SplitBlock) Reset() { f.t.Reset() }

// Clone returns a copy that shares nothing with f.
func (f *SplitBlock) Clone() *SplitBlock { return &SplitBlock{bloomcore.NewSplitTable(f.t.Clone())} }

// Equal tells whether f and g have the same bits, hash and table, so that they answer alike. Len may
// differ, and MaxBytes does not count.
func (f *SplitBlock) Equal(g *SplitBlock) bool { return f.t.Equal(&g.t.Table) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not
// changed. Len becomes the sum of both; EstimatedCount counts keys of both once. Filters of
// different bits or hash give [ErrMismatch], and f is as it was.
func (f *SplitBlock) Merge(g *SplitBlock) error { return merge(&f.t.Table, &g.t.Table) }

// String returns a short description: kind, shape and number of inserts.
func (f *SplitBlock) String() string { return describe("SplitBlock", &f.t.Table) }

// GoString is String: %#v of a filter does not print its table.
func (f *SplitBlock) GoString() string { return f.String() }
