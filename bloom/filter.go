package bloom

import (
	"math"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// Filter is a classic Bloom filter: every key sets k bits anywhere in a table of m bits. It takes
// the least memory of the filters in this package and a cache miss for every bit that it looks at.
// Make one with [New]: the zero Filter is empty, and inserts into it panic.
//
// Any number of goroutines may read a Filter at once, but none while another one changes it.
type Filter struct {
	base[classic]
}

// New returns an empty filter. An error is [ErrConfig] or [ErrTooLarge], and then nothing was
// allocated.
func New(c Config) (*Filter, error) {
	f := new(Filter)
	if err := f.init(c); err != nil {
		return nil, err
	}
	return f, nil
}

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches k words of the table.
func (f *Filter) InsertHash(h uint64) {
	f.set(h)
	f.t.Keys++
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *Filter) InsertHashes(hs []uint64) {
	for _, h := range hs {
		f.set(h)
	}
	f.t.Keys += uint64(len(hs))
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. It costs what [Filter.InsertHash] does.
func (f *Filter) InsertUniqueHash(h uint64) bool {
	added := f.set(h)
	if added {
		f.t.Keys++
	}
	return added
}

// set sets the bits of h and tells whether one of them was clear.
func (f *Filter) set(h uint64) bool {
	words, slots := f.t.Words, f.t.Slots
	f.t.Made()
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

// ContainsHash reports whether the key with digest h may have been inserted. False is certain; true
// is wrong for a share of [Stats].FalsePositiveRate of the keys that were not inserted. It touches
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
// absent it is faster than calls of ContainsHash: it tests one bit of many keys, then the next bit of
// those that remain, so that cache misses overlap and no branch depends on a bit. It panics if dst
// is shorter than hs.
func (f *Filter) ContainsHashes(hs []uint64, dst []bool) {
	f.t.ContainsHashes(hs, dst)
}

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter { return &Filter{f.clone()} }

// Equal tells whether f and g have the same bits, hashes, hash and table, so that they answer alike.
// Len may differ, and MaxBytes may too.
func (f *Filter) Equal(g *Filter) bool { return f.t.Equal(&g.t) }

// Merge makes f the union of f and g, as if every key of g had been inserted into f; g is not
// changed. Len becomes the sum of both; Stats.EstimatedCount counts keys of both once. Filters of
// different bits, hashes or hash give [ErrMismatch], and f is as it was.
func (f *Filter) Merge(g *Filter) error { return f.merge(&g.base) }

// measureClassic is kind.measure: the rate that follows from the load.
func measureClassic(t *bloomcore.Table) content {
	used := t.Ones()
	return content{used: used, rate: math.Pow(t.Share(used), float64(t.Hashes))}
}
