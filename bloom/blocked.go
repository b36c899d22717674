package bloom

import (
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// Blocked is a blocked Bloom filter: all bits of a key lie in one block of 64 bytes, a cache line,
// so that every verb costs one cache miss. It needs more bits than [Filter] for the same rate. Make
// one with [NewBlocked]: the verbs of the zero Blocked panic.
//
// Any number of goroutines may read a Blocked at once, but none while another one changes it.
type Blocked struct {
	t bloomcore.BlockTable
}

// NewBlocked returns an empty blocked filter. An error is [ErrConfig] or [ErrTooLarge], and then
// nothing was allocated. There are at most 2^32 blocks (256 GiB), so that enough of the digest is
// left for the positions in the block.
func NewBlocked(c Config) (*Blocked, error) {
	t, err := newTable(c, blocked)
	if err != nil {
		return nil, err
	}
	return &Blocked{bloomcore.NewBlockTable(t)}, nil
}

// Insert is [Blocked.InsertHash] of the key's digest.
func (f *Blocked) Insert(key []byte) { f.InsertHash(f.t.Hash.Sum64(key)) }

// InsertString is [Blocked.InsertHash] of the key's digest.
func (f *Blocked) InsertString(key string) { f.InsertHash(f.t.Hash.Sum64String(key)) }

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches one cache line.
func (f *Blocked) InsertHash(h uint64) {
	f.t.Set(h)
	f.t.Count(1)
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *Blocked) InsertHashes(hs []uint64) {
	f.t.SetAll(hs)
	f.t.Count(len(hs))
}

// InsertUnique is [Blocked.InsertUniqueHash] of the key's digest.
func (f *Blocked) InsertUnique(key []byte) bool { return f.InsertUniqueHash(f.t.Hash.Sum64(key)) }

// InsertUniqueString is [Blocked.InsertUniqueHash] of the key's digest.
func (f *Blocked) InsertUniqueString(key string) bool {
	return f.InsertUniqueHash(f.t.Hash.Sum64String(key))
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. It costs what [Blocked.InsertHash] does.
func (f *Blocked) InsertUniqueHash(h uint64) bool {
	added := f.t.Set(h)
	f.t.CountUnique(added)
	return added
}

// Contains is [Blocked.ContainsHash] of the key's digest.
func (f *Blocked) Contains(key []byte) bool { return f.ContainsHash(f.t.Hash.Sum64(key)) }

// ContainsString is [Blocked.ContainsHash] of the key's digest.
func (f *Blocked) ContainsString(key string) bool { return f.ContainsHash(f.t.Hash.Sum64String(key)) }

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true
// is wrong for a share of [Blocked.FalsePositiveRate] of the keys that were not inserted. It touches
// one cache line, and takes the same time whatever the answer.
func (f *Blocked) ContainsHash(h uint64) bool {
	return f.t.Has(h)
}

// ContainsHashes writes to dst[i] what [Blocked.ContainsHash] says of hs[i]. It is faster than one
// call each on tables beyond the caches, because it asks for the lines of many keys before it looks
// into the first. It panics, as copying into an array does, if dst is shorter than hs.
func (f *Blocked) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	f.t.HasEach(hs, dst)
}

// Len returns the number of inserts: calls of the Insert verbs, digests of InsertHashes, and calls
// of the InsertUnique verbs that returned true. A key inserted twice by Insert counts twice; see
// [Blocked.EstimatedCount]. It ends at math.MaxInt.
func (f *Blocked) Len() int { return f.t.Len }

// EstimatedCount returns an estimate of the number of distinct keys inserted, from the number of
// set bits, so that duplicates and merges do not disturb it. It is +Inf for a filter with every bit
// set. It reads the whole table.
func (f *Blocked) EstimatedCount() float64 {
	return bloomcore.EstimateKeys(f.t.Nonzero(), f.t.Slots, f.t.Hashes, f.t.Blocks)
}

// Slots returns the number of bits of the table, a multiple of 512.
func (f *Blocked) Slots() int { return int(f.t.Slots) }

// Hashes returns the number of bits that a key sets, k. Two of them may coincide, as in a [Filter].
func (f *Blocked) Hashes() int { return f.t.Hashes }

// LoadFactor returns the share of bits that are set, 0 to 1. It reads the whole table.
func (f *Blocked) LoadFactor() float64 { return float64(f.t.Nonzero()) / float64(f.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (f *Blocked) SizeBytes() int { return f.t.SizeBytes() }

// FalsePositiveRate returns the rate to expect of the filter as it is now: the mean over all blocks
// of their load factor to the power of k. It reads the whole table; [PredictBlockedRate] needs none.
func (f *Blocked) FalsePositiveRate() float64 {
	rate, _ := f.perBlock()
	return rate
}

// perBlock returns the rate to expect and the number of set bits in the fullest block.
func (f *Blocked) perBlock() (rate float64, fullest int) {
	var blocks [bloomcore.BlockBits + 1]int // how many blocks have so many bits set
	for w := f.t.Words; len(w) > 0; w = w[bloomcore.BlockWords:] {
		set := 0
		for _, word := range (*[bloomcore.BlockWords]uint64)(w) {
			set += bits.OnesCount64(word)
		}
		blocks[set]++
	}
	for set, n := range blocks {
		if n > 0 {
			rate += float64(n) * math.Pow(float64(set)/bloomcore.BlockBits, float64(f.t.Hashes))
			fullest = set
		}
	}
	return rate / float64(f.t.Blocks), fullest
}

// Stats returns counts and rates of the filter as it is now. It reads the whole table.
func (f *Blocked) Stats() Stats {
	rate, fullest := f.perBlock()
	s := statsOf(&f.t.Table, rate, f.EstimatedCount())
	s.FullestBlock = fullest
	return s
}

// Config returns the resolved configuration: Bits and Hashes instead of Capacity and
// FalsePositiveRate, and the Hash in use. NewBlocked makes an empty filter of it that f can be
// merged with.
func (f *Blocked) Config() Config { return configOf(&f.t.Table) }

// Reset removes every key. The memory is kept.
func (f *Blocked) Reset() { f.t.Reset() }

// Clone returns a copy that shares nothing with f.
func (f *Blocked) Clone() *Blocked { return &Blocked{bloomcore.NewBlockTable(f.t.Clone())} }

// Equal tells whether f and g have the same bits, hashes, hash and table, so that they answer alike.
// Len may differ, and MaxBytes does not count.
func (f *Blocked) Equal(g *Blocked) bool { return f.t.Equal(&g.t.Table) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not
// changed. Len becomes the sum of both; EstimatedCount counts keys of both once. Filters of
// different bits, hashes or hash give [ErrMismatch], and f is as it was.
func (f *Blocked) Merge(g *Blocked) error { return merge(&f.t.Table, &g.t.Table) }

// String returns a short description: kind, shape and number of inserts.
func (f *Blocked) String() string { return describe("Blocked", &f.t.Table) }

// GoString is String: %#v of a filter does not print its table.
func (f *Blocked) GoString() string { return f.String() }
