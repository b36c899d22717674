package counting

import (
	"cmp"

	"github.com/nestfilter/nest/internal/bloomcore"
)

// Filter is a counting Bloom filter: a Bloom filter with a small counter in place of every bit, so
// that keys can be deleted. An insert adds 1 to the k counters of the key, a delete subtracts 1.
//
// A counter at its maximum is saturated. It does not know how many keys it stands for, so it is sticky:
// only Reset changes it. Keys that are present are therefore always found, but keys may still be reported
// present after they were deleted.
//
// Make one with [New]: the zero Filter is empty, and inserts into it panic.
//
// Any number of goroutines may read a Filter at once, but none while another one changes it.
type Filter struct {
	t bloomcore.Table
}

// New returns an empty filter. An error is [ErrConfig] or [ErrTooLarge], and then nothing was allocated.
func New(c Config) (*Filter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	width := uint(cmp.Or(c.CounterBits, DefaultCounterBits))
	shape, err := bloomcore.Counting.Resolve(c.sizing(), uint64(width))
	if err != nil {
		return nil, err
	}
	return &Filter{bloomcore.Counting.New(shape, width, c.Hash, c.MaxBytes)}, nil
}

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches k words of the table.
//
// Where two of a key's k positions coincide, that counter counts it twice, and a delete takes both
// back. Equal keys are counted once for each insert, so that 2^CounterBits-1 of one key saturate its
// counters.
func (f *Filter) InsertHash(h uint64) { f.t.Count(h) }

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *Filter) InsertHashes(hs []uint64) {
	for _, h := range hs {
		f.t.Count(h)
	}
}

// InsertUniqueHash inserts the key with digest h if Contains says no, and tells whether it did.
// A false positive refuses a new key. It costs what [Filter.InsertHash] does.
func (f *Filter) InsertUniqueHash(h uint64) bool {
	added := !f.ContainsHash(h)
	if added {
		f.InsertHash(h)
	}
	return added
}

// DeleteHash deletes one insert of the key with digest h and tells whether it did: false, with
// nothing changed, if the key is absent because one of its counters is zero. It touches k words.
//
// Delete only keys that were inserted. The filter cannot check that: the delete of a false positive takes
// from the counters of other keys, which may then be reported absent. Saturated counters stay as they are,
// so a key of nothing but saturated counters is never gone.
func (f *Filter) DeleteHash(h uint64) bool { return f.t.Uncount(h) }

// DeleteHashes deletes each of the digests hs as [Filter.DeleteHash] does and returns how many were
// found and deleted.
func (f *Filter) DeleteHashes(hs []uint64) (n int) {
	for _, h := range hs {
		if f.DeleteHash(h) {
			n++
		}
	}
	return n
}

// ContainsHash reports whether the key with digest h may be present. False is certain; true is
// wrong for a share of [Stats].FalsePositiveRate of the keys that were not inserted. It touches k
// words for a key that is present and stops at the first counter of zero for one that is absent,
// after two words on average at the best k.
func (f *Filter) ContainsHash(h uint64) bool {
	return bloomcore.Has[[bloomcore.Counters]struct{}](&f.t, h)
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. Where many keys are
// absent it is faster than calls of ContainsHash: it tests one counter of many keys, then the next counter of
// those that remain. It panics if dst is shorter than hs.
func (f *Filter) ContainsHashes(hs []uint64, dst []bool) { f.t.HasEach(hs, dst) }

// CountHash returns an upper bound of how often the key with digest h is present: the smallest of
// its counters. It is too large where every counter of the key is also hit by other keys, which
// happens about as often as a false positive. The largest value, 2^CounterBits-1, means that number
// or any larger one. It touches up to k words.
func (f *Filter) CountHash(h uint64) int { return f.t.CountOf(h) }

// Reset removes every key, saturated counters included. The memory is kept.
func (f *Filter) Reset() { f.t.Reset() }

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter { return &Filter{f.t.Clone()} }

// Equal tells whether f and g have the same counters, hashes, widths, hash and table, so that they
// answer alike. Len may differ where counters are saturated, and MaxBytes may too.
func (f *Filter) Equal(g *Filter) bool { return f.t.Equal(&g.t) }

// Merge adds every counter of g to that of f, as if every key of g had been inserted into f; g is
// not changed. Sums that do not fit saturate. Filters of different counters, hashes, widths or hash
// give [ErrMismatch], and f is as it was.
func (f *Filter) Merge(g *Filter) error { return f.t.Sum(pkg, &g.t) }
