package bloom

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// Filter is a classic Bloom filter: every key sets k bits anywhere in a table of m bits. It takes
// the least memory of the filters in this package and a cache miss for every bit that it looks at.
// Make one with [New]: the zero Filter has no table and contains every key.
//
// Any number of goroutines may read a Filter at once, but none while another one changes it.
type Filter struct {
	t bloomcore.Table
}

// New returns an empty filter. An error is [ErrConfig] or [ErrTooLarge], and then nothing was
// allocated.
func New(c Config) (*Filter, error) {
	t, err := newTable(c, classic)
	if err != nil {
		return nil, err
	}
	return &Filter{t}, nil
}

// Insert is [Filter.InsertHash] of the key's digest.
func (f *Filter) Insert(key []byte) { f.InsertHash(f.t.Hash.Sum64(key)) }

// InsertString is [Filter.InsertHash] of the key's digest.
func (f *Filter) InsertString(key string) { f.InsertHash(f.t.Hash.Sum64String(key)) }

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches k words of the table.
func (f *Filter) InsertHash(h uint64) {
	f.set(h)
	f.t.Count(1)
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *Filter) InsertHashes(hs []uint64) {
	for _, h := range hs {
		f.set(h)
	}
	f.t.Count(len(hs))
}

// InsertUnique is [Filter.InsertUniqueHash] of the key's digest.
func (f *Filter) InsertUnique(key []byte) bool { return f.InsertUniqueHash(f.t.Hash.Sum64(key)) }

// InsertUniqueString is [Filter.InsertUniqueHash] of the key's digest.
func (f *Filter) InsertUniqueString(key string) bool {
	return f.InsertUniqueHash(f.t.Hash.Sum64String(key))
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. It costs what [Filter.InsertHash] does.
func (f *Filter) InsertUniqueHash(h uint64) bool {
	added := f.set(h)
	f.t.CountUnique(added)
	return added
}

// set sets the bits of h and tells whether one of them was clear.
func (f *Filter) set(h uint64) bool {
	words, slots := f.t.Words, f.t.Slots
	var unset uint64
	for range f.t.Hashes {
		p := bloomcore.Reduce(h, slots)
		word, bit := &words[p>>6], uint64(1)<<(p&63)
		unset |= bit &^ *word
		*word |= bit
		h = bloomcore.Next(h)
	}
	return unset != 0
}

// Contains is [Filter.ContainsHash] of the key's digest.
func (f *Filter) Contains(key []byte) bool { return f.ContainsHash(f.t.Hash.Sum64(key)) }

// ContainsString is [Filter.ContainsHash] of the key's digest.
func (f *Filter) ContainsString(key string) bool { return f.ContainsHash(f.t.Hash.Sum64String(key)) }

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true
// is wrong for a share of [Filter.FalsePositiveRate] of the keys that were not inserted. It touches
// k words for a key that is present and stops at the first clear bit for one that is absent, after
// two words on average at the best k.
func (f *Filter) ContainsHash(h uint64) bool {
	words, slots := f.t.Words, f.t.Slots
	for range f.t.Hashes {
		p := bloomcore.Reduce(h, slots)
		if words[p>>6]>>(p&63)&1 == 0 {
			return false
		}
		h = bloomcore.Next(h)
	}
	return len(words) != 0 // as in the zero Filter, which has nothing
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. Where many keys are
// absent it is faster than one call each: it tests one bit of many keys, then the next bit of those
// that remain, so that cache misses overlap and no branch depends on a bit. It panics, as copying
// into an array does, if dst is shorter than hs.
func (f *Filter) ContainsHashes(hs []uint64, dst []bool) {
	f.t.ContainsHashes(hs, dst)
}

// Len returns the number of inserts: calls of the Insert verbs, digests of InsertHashes, and calls
// of the InsertUnique verbs that returned true. A key inserted twice by Insert counts twice; see
// [Filter.EstimatedCount]. It ends at math.MaxInt.
func (f *Filter) Len() int { return f.t.Len }

// EstimatedCount returns an estimate of the number of distinct keys inserted, from the number of
// set bits, so that duplicates and merges do not disturb it. In a filter at its capacity the
// standard error is below sqrt(bits)/hashes keys. It is +Inf for a filter with every bit set. It
// reads the whole table.
func (f *Filter) EstimatedCount() float64 {
	return bloomcore.EstimateKeys(f.t.Nonzero(), f.t.Slots, f.t.Hashes, 1)
}

// Slots returns the number of bits of the table, m.
func (f *Filter) Slots() int { return int(f.t.Slots) }

// Hashes returns the number of bits that a key sets, k.
func (f *Filter) Hashes() int { return f.t.Hashes }

// LoadFactor returns the share of bits that are set, 0 to 1. It reads the whole table.
func (f *Filter) LoadFactor() float64 { return float64(f.t.Nonzero()) / float64(f.t.Slots) }

// SizeBytes returns the size of the table in bytes.
func (f *Filter) SizeBytes() int { return f.t.SizeBytes() }

// FalsePositiveRate returns the rate to expect of the filter as it is now: the load factor to the
// power of k, which is the probability that k independent positions all hit set bits. It reads the
// whole table; [PredictRate] needs none.
func (f *Filter) FalsePositiveRate() float64 {
	return math.Pow(f.LoadFactor(), float64(f.t.Hashes))
}

// Stats returns counts and rates of the filter as it is now. It reads the whole table.
func (f *Filter) Stats() Stats { return statsOf(&f.t, f.FalsePositiveRate(), f.EstimatedCount()) }

// Config returns the resolved configuration: Bits and Hashes instead of Capacity and
// FalsePositiveRate, and the Hash in use. New makes an empty filter of it that f can be merged with.
func (f *Filter) Config() Config { return configOf(&f.t) }

// Reset removes every key. The memory is kept.
func (f *Filter) Reset() { f.t.Reset() }

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter { return &Filter{f.t.Clone()} }

// Equal tells whether f and g have the same bits, hashes, hash and table, so that they answer alike.
// Len may differ, and MaxBytes does not count.
func (f *Filter) Equal(g *Filter) bool { return f.t.Equal(&g.t) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not
// changed. Len becomes the sum of both; EstimatedCount counts keys of both once. Filters of
// different bits, hashes or hash give [ErrMismatch], and f is as it was.
func (f *Filter) Merge(g *Filter) error { return merge(&f.t, &g.t) }

// String returns a short description: kind, shape and number of inserts.
func (f *Filter) String() string { return describe("Filter", &f.t) }

// GoString is String: %#v of a filter does not print its table.
func (f *Filter) GoString() string { return f.String() }

func describe(kind string, t *bloomcore.Table) string {
	return fmt.Sprintf("bloom.%s{%s, len %d, %d bytes}", kind, configOf(t), t.Len, t.SizeBytes())
}
