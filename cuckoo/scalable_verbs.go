package cuckoo

import (
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// The digest form of each verb of a growing filter stands here, as verbs.go has those of a Filter.

// ContainsHash tells whether a key with digest h may have been inserted, as [Filter.ContainsHash] does. It reads two
// buckets, and four while the filter grows.
func (s *scalableReader[F]) ContainsHash(h uint64) bool {
	t := &s.engine.Table
	i, j := s.place.pair(h)
	lane := s.place.lane(h, s.tailIn())
	if w := fingerprint.WidthOf[F](); isQuad(t, w) && !s.moving() {
		return quadOf(t, w).hasPrefix(t, i, j, lane)
	}
	return s.containsAt(i, j, lane)
}

// tailIn returns the bits of a full tail, which are a constant where the width is.
func (s *scalableReader[F]) tailIn() uint {
	if w := fingerprint.WidthOf[F](); w != 0 {
		return (w - 1 - remainderBits) & 63
	}
	return uint(s.tail)
}

// containsAt is ContainsHash for tables of every layout, and for a filter that grows.
func (s *scalableReader[F]) containsAt(i, j, lane uint64) bool {
	t := &s.engine.Table
	if t.Layout == packed.Word {
		x, y := t.Last.Prefix(t.Word(i), lane), t.Last.Prefix(t.Word(j), lane)
		if x|y != 0 || !s.moving() {
			return x|y != 0
		}
	} else if t.IsTwo() {
		if w := twoAt(t, i, j); w.hasPrefix(t, lane) {
			return true
		}
	} else if t.HasPrefix(i, lane) || t.HasPrefix(j, lane) {
		return true
	}
	return s.moving() && s.oldHas(i, j, lane)
}

// oldHas is containsAt for the buckets that are still to be split, given those of the new table.
func (s *scalableReader[F]) oldHas(i, j, lane uint64) bool {
	wanted := s.oldLane(i, lane)
	return s.old.HasPrefix(i>>1, wanted) || s.old.HasPrefix(j>>1, wanted)
}

// oldLane returns the lane in the old table of a digest that has that lane, and that bucket on side 0, in the new one.
// The bucket's lowest bit was the first one of the tail.
func (s *scalableReader[F]) oldLane(i, lane uint64) uint64 {
	tail := uint(s.tail)
	ended := uint64(2)<<tail - 1
	return lane&^ended | i&1<<tail | lane&ended>>1&^1 | 1
}

// InsertHash adds a key with digest h, as [Filter.InsertHash] does. If there is no cuckoo path, or if 96% of the slots
// are used when both buckets are full, the table doubles. Only then does it allocate. The inserts after a doubling
// each move the entries of 32 buckets, until all have moved.
//
// It returns [ErrFull] if a doubling would break a limit: MaxDoublings, FalsePositiveRate, 2^32 buckets, or MaxBytes,
// which is [ErrTooLarge] too. It also returns ErrFull if less than half of the slots are used, and if the doubled table
// would have no room for the key either. Distinct keys do not cause that, but copies of one key do, as its buckets have
// 2*b slots: so memory follows the number of keys, whatever they are. After an error nothing has changed but [Stats]
// and the state of the kick generator.
func (s *Scalable[F]) InsertHash(h uint64) error {
	t, w := &s.engine.Table, fingerprint.WidthOf[F]()
	if !isQuad(t, w) || s.moving() {
		return s.insertOther(h)
	}
	i, j := s.place.pair(h)
	lane := s.place.lane(h, s.tailIn())
	q := quadOf(t, w)
	x, at, free := q.free(t, i)
	if 2*s.len > s.slots || free == 0 { // as in the InsertHash of a Filter
		y, other, freeY := q.free(t, j)
		if free|freeY == 0 {
			return s.kickIn(h, i, j, lane)
		}
		if free == 0 {
			x = y
			at = other
			free = freeY
		}
	}
	q.put(t, x, at, free, lane)
	s.len++
	return nil
}

// insertOther is InsertHash for a filter that grows, and for tables whose buckets are not whole bytes of one word.
func (s *Scalable[F]) insertOther(h uint64) error {
	if s.moving() && s.insertMoving(h) {
		return nil
	}
	t := &s.engine.Table
	if t.Buckets() == 0 {
		return errUnmade
	}
	i, j := s.place.pair(h)
	lane := s.place.lane(h, uint(s.tail))
	if t.Layout == packed.Word {
		free, second := wordFree(t, i), wordFree(t, j)
		if free|second == 0 {
			return s.kickIn(h, i, j, lane)
		}
		// The table is half full at least, so which of the two has room is a coin toss: no branch depends on it.
		none := uint64(int64(^free&(free-1)) >> 63)
		t.Set(i^(i^j)&none, t.Last.First(free|second&none), lane)
	} else if t.IsTwo() {
		if w := twoAt(t, i, j); !w.store(t, i, j, lane) {
			return s.kickIn(h, i, j, lane)
		}
	} else if !t.Replace(i, 0, lane) && !t.Replace(j, 0, lane) {
		return s.kickIn(h, i, j, lane)
	}
	s.len++
	return nil
}

// kickIn inserts a digest whose buckets are both full: it makes room or, where that has become expensive or there is
// none, doubles the table.
func (s *Scalable[F]) kickIn(h, i, j, lane uint64) error {
	if 100*uint64(s.entries()) >= growthLoad*uint64(s.Slots()) && s.grow(h, kick.NoPath) == nil {
		return nil
	}
	o := s.engine.Kick(i, j, 0, lane)
	if o == kick.Stored {
		s.len++
		return nil
	}
	err := s.grow(h, o)
	if err == nil {
		s.engine.Stats.Refusals-- // which the engine has counted, and the filter grew instead
	}
	return err
}

// InsertUniqueHash adds a key with digest h unless the filter contains it already, as [Filter.InsertUniqueHash] does,
// which also says why not to use it for keys that you will delete.
func (s *Scalable[F]) InsertUniqueHash(h uint64) (bool, error) {
	if t := &s.engine.Table; t.IsTwo() && !s.moving() {
		return s.insertUniqueTwo(t, h)
	}
	if s.ContainsHash(h) {
		return false, nil
	}
	err := s.InsertHash(h)
	return err == nil, err
}

// insertUniqueTwo is InsertUniqueHash where two words hold a bucket, which are read once.
func (s *Scalable[F]) insertUniqueTwo(t *packed.Table, h uint64) (bool, error) {
	i, j := s.place.pair(h)
	lane := s.place.lane(h, s.tailIn())
	w := twoAt(t, i, j)
	if w.hasPrefix(t, lane) {
		return false, nil
	}
	if w.store(t, i, j, lane) {
		s.len++
		return true, nil
	}
	err := s.kickIn(h, i, j, lane)
	return err == nil, err
}

// DeleteHash removes one copy of a key with digest h and tells whether there was one. Of the entries in the key's two
// buckets that match it, it removes one with the longest tail; the documentation of [Scalable] says why no other key is
// lost by that. Delete only keys that were inserted, and not by InsertUnique, as [Filter.DeleteHash] explains.
func (s *Scalable[F]) DeleteHash(h uint64) bool {
	i, j := s.place.pair(h)
	if s.moving() {
		s.split(i>>1, 1)
		s.split(j>>1, 1)
	}
	t, wanted := &s.engine.Table, s.place.lane(h, uint(s.tail))
	bucket, at, without, ok := longest(t, i, j, wanted)
	if !ok {
		return false
	}
	t.Set(bucket, at, 0)
	s.short[without]-- // of full tails too, which nothing counts: a branch would go wrong half of the time
	s.extraHits -= 1<<without - 1
	if s.len > 0 {
		s.len--
	} else {
		s.extra-- // the caller deletes what was not inserted
	}
	return true
}

// longest returns which lane of two buckets is the longest prefix of a lane, how many bits it is without, and whether
// there is one. Mostly it is the only one, and no branch depends on where it is.
func longest(t *packed.Table, i, j, wanted uint64) (bucket uint64, lane, without uint, ok bool) {
	if t.Layout == packed.Word {
		own, other := t.Last.Prefix(t.Word(i), wanted), t.Last.Prefix(t.Word(j), wanted)
		all := own | other>>1 // a lane has 8 bits at least
		if all == 0 {
			return 0, 0, 0, false
		}
		if all&(all-1) == 0 {
			bucket = i ^ (i^j)&uint64(int64(^own&(own-1))>>63)
			lane = t.Last.First(own | other)
			return bucket, lane, uint(bits.TrailingZeros64(t.Get(bucket, lane))), true
		}
	}
	lane, without, ok = t.LongestPrefix(i, wanted)
	if at, fewer, also := t.LongestPrefix(j, wanted); also && (!ok || fewer < without) {
		return j, at, fewer, true
	}
	return i, lane, without, ok
}

// CountHash returns how many entries in the two buckets of digest h match it: at least the number of times that a key
// with this digest was inserted and not deleted, and more if others have the same buckets, remainder and beginning of
// the tail.
func (s *scalableReader[F]) CountHash(h uint64) int {
	i, j := s.place.pair(h)
	t, wanted := &s.engine.Table, s.place.lane(h, uint(s.tail))
	n := t.CountPrefix(i, wanted) + t.CountPrefix(j, wanted)
	if s.moving() {
		wanted = s.oldLane(i, wanted)
		n += s.old.CountPrefix(i>>1, wanted) + s.old.CountPrefix(j>>1, wanted)
	}
	return n
}

// hasPrefix tells whether a lane of bucket i or j is a prefix of lane, as has does of equal lanes.
func (q quad) hasPrefix(t *packed.Table, i, j, lane uint64) bool {
	wanted := q.low * lane
	x, y := t.At(i*q.bytes), t.At(j*q.bytes)
	return packed.NoPrefix(x, wanted, q.low, q.high)&packed.NoPrefix(y, wanted, q.low, q.high)&q.high != q.high
}
