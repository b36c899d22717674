package counting

import (
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
	// max is the largest value of a counter, and the mask of one.
	max uint64
}

// New returns an empty filter. An error is [ErrConfig] or [ErrTooLarge], and then nothing was
// allocated.
func New(c Config) (*Filter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	width := uint(c.CounterBits)
	if width == 0 {
		width = DefaultCounterBits
	}
	shape, err := c.sizing().Resolve(bloomcore.Rate, uint64(width), 1)
	if err != nil {
		return nil, err
	}
	return &Filter{t: bloomcore.NewTable(shape, width, c.Hash, c.MaxBytes), max: 1<<width - 1}, nil
}

// InsertHash inserts the key with digest h. It cannot fail: beyond its capacity a filter takes keys
// at a rising false-positive rate. It touches k words of the table.
//
// Where two of a key's k positions coincide, that counter counts it twice, and a delete takes both
// back. Equal keys are counted once for each insert, so that 2^CounterBits-1 of one key saturate its
// counters.
func (f *Filter) InsertHash(h uint64) {
	f.add(h)
	f.t.Keys++
}

// InsertHashes inserts every one of the digests hs. Their cache misses overlap.
func (f *Filter) InsertHashes(hs []uint64) {
	for _, h := range hs {
		f.add(h)
	}
	f.t.Keys += uint64(len(hs))
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

// add adds 1 to the counters of h that are not saturated.
func (f *Filter) add(h uint64) {
	f.t.Made()
	words, slots, width, top := f.t.Words, f.t.Slots, uint64(f.t.CellBits), f.max
	for range f.t.Hashes {
		bit := bloomcore.Reduce(h, slots) * width
		word := &words[bit>>6]
		counter := *word >> (bit & 63) & top
		*word += (counter - top) >> 63 << (bit & 63) // the difference is negative below top
		h = bloomcore.Next(h)
	}
}

// DeleteHash deletes one insert of the key with digest h and tells whether it did: false, with
// nothing changed, if the key is absent because one of its counters is zero. It touches k words.
//
// Delete only keys that were inserted. The filter cannot check that: the delete of a false positive takes
// from the counters of other keys, which may then be reported absent. Saturated counters stay as they are,
// so a key of nothing but saturated counters is never gone.
func (f *Filter) DeleteHash(h uint64) bool {
	if !f.ContainsHash(h) {
		return false
	}
	words, slots, width, top := f.t.Words, f.t.Slots, uint64(f.t.CellBits), f.max
	for range f.t.Hashes {
		bit := bloomcore.Reduce(h, slots) * width
		word := &words[bit>>6]
		// A counter that was 1 can be 0 here if a key that was never inserted hits it twice.
		if counter := *word >> (bit & 63) & top; counter != 0 && counter != top {
			*word -= 1 << (bit & 63)
		}
		h = bloomcore.Next(h)
	}
	if f.t.Keys != 0 {
		f.t.Keys--
	}
	return true
}

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
	return f.t.ContainsHash(h)
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. Where many keys are
// absent it is faster than calls of ContainsHash: it tests one counter of many keys, then the next counter of
// those that remain. It panics if dst is shorter than hs.
func (f *Filter) ContainsHashes(hs []uint64, dst []bool) { f.t.ContainsHashes(hs, dst) }

// CountHash returns an upper bound of how often the key with digest h is present: the smallest of
// its counters. It is too large where every counter of the key is also hit by other keys, which
// happens about as often as a false positive. The largest value, 2^CounterBits-1, means that number
// or any larger one. It touches up to k words.
func (f *Filter) CountHash(h uint64) int {
	words, slots, width, top := f.t.Words, f.t.Slots, uint64(f.t.CellBits), f.max
	least := top
	for range f.t.Hashes {
		bit := bloomcore.Reduce(h, slots) * width
		least = min(least, words[bit>>6]>>(bit&63)&top)
		if least == 0 {
			break
		}
		h = bloomcore.Next(h)
	}
	return int(least)
}

// Reset removes every key, saturated counters included. The memory is kept.
func (f *Filter) Reset() { f.t.Reset() }

// Clone returns a copy that shares nothing with f.
func (f *Filter) Clone() *Filter {
	c := *f
	c.t = f.t.Clone()
	return &c
}

// Equal tells whether f and g have the same counters, hashes, widths, hash and table, so that they
// answer alike. Len may differ where counters are saturated, and MaxBytes may too.
func (f *Filter) Equal(g *Filter) bool { return f.t.Equal(&g.t) }

// Merge adds every counter of g to that of f, as if every key of g had been inserted into f; g is
// not changed. Sums that do not fit saturate. Filters of different counters, hashes, widths or hash
// give [ErrMismatch], and f is as it was.
func (f *Filter) Merge(g *Filter) error {
	if err := f.t.Match(pkg, &g.t); err != nil {
		return err
	}
	f.t.AddSaturating(&g.t)
	f.t.Merge(&g.t)
	return nil
}
