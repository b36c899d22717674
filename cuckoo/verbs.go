package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// The digest form of each verb stands here; bytes and strings are one line over it, in key_verbs.go.
//
// A verb chooses by the layout of the table: what it does with a bucket is in the files layout_*.go, one a layout, in
// functions small enough to be inlined. Buckets of the layout packed.Wide, and whatever has no file of its own, take
// the methods of packed.Table for buckets of any kind.
//
// Each verb stays one body, the commonest layout first, as the inliner takes no whole insert or delete of a layout: a call
// adds .7 to 1.8 ns to an insert (10 to 28%) and up to .8 ns to a delete (1 to 8%; load .4, 2^10 and 2^17 slots). It needs
// a frame too, 4 to 8% of a lookup (12 bits, b = 4). ContainsHash has none up to 17 bits: it keeps nothing on the stack.
//
// The width w is that of the type, and 0 for fingerprint.Any, which takes none of the paths whose masks are
// constants of the width.
//
// Each form finds its buckets with Scheme.Pair and, where one word load holds a bucket, works on the two words without
// a call. Those methods live in other packages, and the compiler inlines them into a verb that another package
// instantiates only because this package inlines them somewhere in code that is not generic: inlined, below. A test in
// experiments/bench looks for calls in the machine code.

// ContainsHash tells whether a key with digest h may have been inserted. It never says no of a key
// that is in the filter; it says yes of others at the rate that [Filter.FalsePositiveRate]
// predicts. It touches two buckets and changes nothing.
func (f *reader[F]) ContainsHash(h uint64) bool {
	t, w := &f.engine.Table, fingerprint.WidthOf[F]()
	fp := fingerprint.Of(h, widthIn(t, w))
	i, j := f.engine.Scheme.Pair(h, fp)
	if isQuad(t, w) {
		return quadOf(t, w).has(t, i, j, fp)
	}
	if t.Layout == packed.Word {
		return wordEqual(t, i, fp)|wordEqual(t, j, fp) != 0 // both are loaded before either is looked at
	}
	if isSorted(t, w) {
		p, x := sortedDiffer(sortedWord(t, i, w), fp, w)
		q, y := sortedDiffer(sortedWord(t, j, w), fp, w)
		slim, wide := sortedSlim(w), sortedWide(w)
		return sortedHas(sortedSpread(p, slim, wide)|x, sortedSpread(q, slim, wide)|y, wide)
	}
	if isPaired(t, w) {
		q, v, k := pairedOf(t, w), t.Windows, f.engine.Scheme.Place(h, fp)
		if t.Lanes() == 4 {
			return q.has(q.of4(t, i, q.low*fp, v.Blocked[0][k]), q.of4(t, j, q.low*fp, v.Blocked[1][k]))
		}
		return q.has(
			q.of8(t, i, v.Byte[0][k], v.Shift[0][k], q.low*fp, v.Blocked[0][k]),
			q.of8(t, j, v.Byte[1][k], v.Shift[1][k], q.low*fp, v.Blocked[1][k]),
		)
	}
	if t.Layout == packed.Wide {
		flags, bit := t.EqualGroups(0, i, fp)
		flags, last := t.EqualGroups(flags, j, fp)
		return flags|t.EqualLast(bit, fp)|t.EqualLast(last, fp) != 0
	}
	if t.Layout == packed.Paired {
		k := f.engine.Scheme.Place(h, fp)
		a, b := t.PairLanes(k)
		c, d := t.PairLanes(t.Across(k))
		return min(t.Get(i, a)^fp, t.Get(i, b)^fp, t.Get(j, c)^fp, t.Get(j, d)^fp) == 0
	}
	return isOpened(w) && t.HasEither(i, j, fp)
}

// Contains is [Filter.ContainsHash] of the key's digest. With keys of 16 bytes under XXH3 and four lanes in whole bytes
// all of it stands here, which takes 3 to 6% less time than with the call.
func (f *reader[F]) Contains(key []byte) bool {
	if len(key) == 16 {
		if s, ok := f.hash.Of16(); ok {
			h := s.Sum64((*[16]byte)(key))
			t, w := &f.engine.Table, fingerprint.WidthOf[F]()
			if !isQuad(t, w) {
				return f.ContainsHash(h)
			}
			fp := fingerprint.Of(h, widthIn(t, w))
			i, j := f.engine.Scheme.Pair(h, fp)
			if w == 8 { // in ContainsHash it would cost more than a program's profile may inline
				return hasBytes(t, i, j, fp)
			}
			return quadOf(t, w).has(t, i, j, fp)
		}
	}
	return f.ContainsHash(f.hash.Sum64(key))
}

// ContainsString is [Filter.ContainsHash] of the key's digest.
func (f *reader[F]) ContainsString(key string) bool { return f.ContainsHash(f.hash.Sum64String(key)) }

// InsertHash adds a key with digest h. If a slot of its two buckets is free, it touches no more than those. If both are
// full, the kick policy searches for a cuckoo path, examining at most Config.MaxKicks buckets.
//
// If there is none, InsertHash returns [ErrFull], and table and Len are as they were: no key inserted
// earlier is lost. Equal keys are stored once for each insert. So the copy after 2*b (b where the buckets
// coincide) is ErrFull at any load, and so is a different key of the same class.
//
// Small integers are no digests: their high bits, which choose the bucket, are all 0. hashing.Mix makes
// digests of integers. The error for the zero Filter is [ErrConfig].
func (f *Filter[F]) InsertHash(h uint64) error {
	t, w := &f.engine.Table, fingerprint.WidthOf[F]()
	fp := fingerprint.Of(h, widthIn(t, w))
	i, j := f.engine.Scheme.Pair(h, fp)
	if isQuad(t, w) {
		q := quadOf(t, w)
		x, at, free := q.free(t, i)
		// While most buckets have a free slot, the other one is not loaded. From half full on both are: which of the
		// two takes the key is then a coin toss, and the compiler makes moves of it, not branches.
		if uint64(f.len) > halfQuad(t, w)*f.engine.Scheme.Buckets || free == 0 {
			y, other, freeY := q.free(t, j)
			if free|freeY == 0 {
				return f.kickIn(f.engine.Kick(i, j, 0, fp))
			}
			if free == 0 {
				x = y
				at = other
				free = freeY
			}
		}
		q.put(t, x, at, free, fp)
		f.len++
		return nil
	}
	if t.Layout == packed.Word {
		if free := wordFree(t, i); free != 0 {
			t.Set(i, t.Last.First(free), fp)
			f.len++
			return nil
		}
		if free := wordFree(t, j); free != 0 {
			t.Set(j, t.Last.First(free), fp)
			f.len++
			return nil
		}
		return f.kickIn(f.engine.Kick(i, j, 0, fp))
	}
	if isPaired(t, w) {
		q, v, k := pairedOf(t, w), t.Windows, f.engine.Scheme.Place(h, fp)
		at, shift := q.at(t, i, 0, k)
		x := t.At(at)
		free := q.zero(x, shift, 0, v.Blocked[0][k])
		// From a quarter full on the key goes where more room is: that saves 6% of the kicks, 3% with eight lanes.
		if uint64(f.len) > f.engine.Scheme.Buckets || free == 0 {
			other, shiftY := q.at(t, j, 1, k)
			y := t.At(other)
			freeY := q.zero(y, shiftY, 0, v.Blocked[1][k])
			if free|freeY == 0 {
				return f.kickIn(f.engine.Kick(i, j, k, fp))
			}
			if q.rest(x, shift, free) > q.rest(y, shiftY, freeY) {
				x, at, shift, free = y, other, shiftY, freeY
			}
		}
		t.Put(at, x|fp<<q.lane(shift, free))
		f.len++
		return nil
	}
	return f.kickIn(f.engine.Insert(i, j, f.engine.Scheme.PairOf(h, fp), fp))
}

// kickIn counts an insert that the engine made and turns its outcome into an error.
func (f *Filter[F]) kickIn(o kick.Outcome) error {
	if o == kick.Stored {
		f.len++
		return nil
	}
	return f.outcome(o)
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already. It returns true
// if it was added, false and no error if Contains says yes, which refuses a new key at the
// false-positive rate, and [ErrFull] as [Filter.InsertHash] does.
//
// Do not use it for keys that you will delete. A new key that Contains says yes to is not added, as another key has its
// fingerprint. To delete one of the two then loses the other: at 8 bits and a load of .9, 2.8% of the deletes of new
// keys lose a key (docs/FOLKLORE.md). Insert such keys with Insert, which stores a copy for each.
func (f *Filter[F]) InsertUniqueHash(h uint64) (bool, error) {
	if f.ContainsHash(h) {
		return false, nil
	}
	err := f.InsertHash(h)
	return err == nil, err
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one. It touches two buckets.
//
// Delete only keys that were inserted. The filter cannot check that: a key that was never inserted can be of the same
// class as another key, and the delete then removes the fingerprint of that key. A key that InsertUnique did not add
// was not inserted.
func (f *Filter[F]) DeleteHash(h uint64) bool {
	t, w := &f.engine.Table, fingerprint.WidthOf[F]()
	fp := fingerprint.Of(h, widthIn(t, w))
	i, j := f.engine.Scheme.Pair(h, fp)
	if isQuad(t, w) {
		q := quadOf(t, w)
		x, at, flags := q.equal(t, i, fp)
		y, other, flagsY := q.equal(t, j, fp)
		// All ones where the first bucket has none: which of the two has it is a coin toss, which a
		// branch would guess wrong half of the time.
		second := uint64(int64(^flags&(flags-1)) >> 63)
		at ^= (at ^ other) & second
		x ^= (x ^ y) & second
		flags |= flagsY & second
		if flags == 0 {
			return false
		}
		q.clear(t, x, at, flags)
		f.len--
		return true
	}
	if t.Layout == packed.Word {
		flags := wordEqual(t, i, fp)
		if flags == 0 {
			i = j
			flags = wordEqual(t, i, fp)
		}
		if flags == 0 {
			return false
		}
		t.Set(i, t.Last.First(flags), 0)
		f.len--
		return true
	}
	if isPaired(t, w) {
		q, v, k := pairedOf(t, w), t.Windows, f.engine.Scheme.Place(h, fp)
		at, shift := q.at(t, i, 0, k)
		other, shiftY := q.at(t, j, 1, k)
		x, y := t.At(at), t.At(other)
		flags, flagsY := q.zero(x, shift, fp, v.Blocked[0][k]), q.zero(y, shiftY, fp, v.Blocked[1][k])
		second := uint64(int64(^flags&(flags-1)) >> 63) // as of quads
		bit, otherBit := at<<3|shift, other<<3|shiftY
		bit ^= (bit ^ otherBit) & second
		x ^= (x ^ y) & second
		flags |= flagsY & second
		if flags == 0 {
			return false
		}
		at, shift = bit>>3, bit&7
		t.Put(at, x&^((1<<q.width-1)<<q.lane(shift, flags)))
		f.len--
		return true
	}
	if k := f.engine.Scheme.PairOf(h, fp); t.ReplaceIn(i, k, fp, 0) || t.ReplaceIn(j, t.Across(k), fp, 0) {
		f.len--
		return true
	}
	return false
}

// CountHash returns how many fingerprints of the class of digest h are stored: at least the number
// of times a key with that digest was inserted and not deleted, and more where other keys share its
// class. It touches two buckets; a pair that coincides is counted once.
func (f *reader[F]) CountHash(h uint64) int {
	t := &f.engine.Table
	fp := fingerprint.Of(h, widthIn(t, fingerprint.WidthOf[F]()))
	i, j := f.engine.Scheme.Pair(h, fp)
	k := f.engine.Scheme.PairOf(h, fp)
	n := t.CountIn(i, k, fp)
	if i != j || !t.Fixed(k) {
		n += t.CountIn(j, t.Across(k), fp)
	}
	return n
}

var _ = inlined

// inlined uses every function that the verbs want inlined, in code that is not generic.
func inlined(e *kick.Engine, h uint64) uint64 {
	fp := fingerprint.Of(h, 12)
	i, j := e.Scheme.Pair(h, fp)
	t := &e.Table
	flags := wordEqual(t, i, fp) | wordFree(t, j)
	t.Set(i, t.Last.First(flags), fp)
	t.Put(i, t.At(j))
	flags += uint64(t.Width())
	wide, bit := t.EqualGroups(flags, i, fp)
	flags |= wide | t.EqualLast(bit, fp)
	flags |= packed.Prefixes(flags)
	if k := e.Scheme.Place(h, fp) + e.Scheme.PairOf(h, fp); !t.Fixed(k) {
		low, high := t.PairLanes(k)
		flags |= t.Across(k) | uint64(t.Lanes()) | t.Get(i, low) | t.Get(j, high)
	}
	return flags
}
