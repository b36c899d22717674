package cuckoo

import (
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// InsertHashes inserts the digests hs in order, as [Scalable.InsertHash] does, until one is refused. It
// returns how many were inserted: hs[:n] are in the filter and hs[n:] are not. The error is nil exactly
// if n = len(hs). In a table of several megabytes it is faster than one call each, because buckets are fetched
// ahead.
func (s *Scalable[F]) InsertHashes(hs []uint64) (n int, err error) {
	for n < len(hs) {
		end := min(n+kick.PrefetchAhead, len(hs))
		next := min(end+kick.PrefetchAhead, len(hs))
		if s.isFar() {
			s.prefetch(hs[next:min(next+kick.PrefetchAhead, len(hs))])
			s.prefetchRoom(hs[end:next], nil)
		}
		for ; n < end; n++ {
			if err := s.InsertHash(hs[n]); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// isFar tells whether it pays to ask the memory for buckets ahead.
func (s *scalableReader[F]) isFar() bool { return kick.IsFar(s.SizeBytes()) }

// isCrowded tells whether so many slots are used that an insert often has to look at its second bucket, and to kick.
func (s *scalableReader[F]) isCrowded() bool { return 4*uint64(s.entries()) >= 3*uint64(s.Slots()) }

// prefetch asks the memory for the buckets of up to kick.PrefetchAhead digests that an insert looks at first: those on side 0 and, in a
// crowded table, those on side 1.
func (s *scalableReader[F]) prefetch(hs []uint64) {
	var buckets [kick.PrefetchAhead]uint64
	for k, h := range hs {
		buckets[k], _ = s.place.pair(h)
	}
	s.engine.PrefetchBuckets(buckets[:len(hs)])
	if !s.isCrowded() {
		return
	}
	for k, h := range hs {
		_, buckets[k] = s.place.pair(h)
	}
	s.engine.PrefetchBuckets(buckets[:len(hs)])
}

// prefetchPairs asks the memory for both buckets of up to kick.PrefetchAhead digests.
func (s *scalableReader[F]) prefetchPairs(hs []uint64) {
	var buckets [2 * kick.PrefetchAhead]uint64
	for k, h := range hs {
		buckets[2*k], buckets[2*k+1] = s.place.pair(h)
	}
	s.engine.PrefetchBuckets(buckets[:2*len(hs)])
}

// prefetchRoom asks the memory for the buckets to which an insert of each of the digests, but for those that are to be skipped, would
// kick first, if the buckets of the digest are full. These are at hand.
func (s *scalableReader[F]) prefetchRoom(hs []uint64, skip []bool) {
	if s.moving || !s.isCrowded() {
		return
	}
	t := &s.engine.Table
	for k, h := range hs {
		if skip != nil && skip[k] {
			continue
		}
		i, j := s.place.pair(h)
		if !t.Has(i, 0) && !t.Has(j, 0) {
			s.engine.PrefetchAlternates(i)
			s.engine.PrefetchAlternates(j)
		}
	}
}

// InsertUniqueHashes does what [Scalable.InsertUniqueHash] does with each of the digests hs in turn,
// until one is refused. It writes to added[i] whether hs[i] was added, and returns the number of
// digests before the refused one; none of hs[n:] was added, and added[n:] is false. The error is nil
// exactly if n = len(hs). It is faster than one call each, because the cache misses of many lookups overlap. It
// panics, as copying into an array does, if added is shorter than hs.
func (s *Scalable[F]) InsertUniqueHashes(hs []uint64, added []bool) (n int, err error) {
	return insertUnique(hs, added, s.insertUniqueChunk)
}

// insertUniqueChunk is InsertUniqueHashes of up to chunk digests. Where a vector kernel looks them up, it does what that of a Filter
// does. Else the buckets are fetched ahead.
func (s *Scalable[F]) insertUniqueChunk(hs []uint64, added []bool) (n int, err error) {
	far, kernel := s.isFar(), s.engine.Table.Layout == packed.Word
	if kernel {
		s.ContainsHashes(hs, added)
	} else if clear(added); far {
		s.prefetchPairs(hs[:min(kick.PrefetchAhead, len(hs))])
	}
	for k, h := range hs {
		if far && k%kick.PrefetchAhead == 0 {
			end := min(k+kick.PrefetchAhead, len(hs))
			if !kernel {
				s.prefetchPairs(hs[end:min(end+kick.PrefetchAhead, len(hs))])
			}
			s.prefetchRoom(hs[k:end], added[k:end])
		}
		if found := added[k]; found {
			added[k] = false
		} else if added[k], err = s.InsertUniqueHash(h); err != nil {
			return k, err
		}
	}
	return len(hs), nil
}

// ContainsHashes writes to dst[i] what [Scalable.ContainsHash] says of hs[i]. It is faster than one
// call each, because the cache misses of neighbouring digests overlap. It panics, as copying into an
// array does, if dst is shorter than hs.
func (s *scalableReader[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	t := &s.engine.Table
	if t.Layout != packed.Word {
		s.containsEach(hs, dst)
		return
	}
	p, tail, low, high := s.place, s.tailIn(), t.Last.Low, t.Last.High
	answered := simd.ContainsPrefix(&simd.PrefixProbe{
		Shift: uint64(p.shift), Left: uint64(p.log()), Right: uint64(63 - tail), Tail: uint64(tail + 1),
		BucketBits: t.BucketBits(), Low: low, High: high, Spread: kick.Multiplier,
	}, t.Data(), hs, dst)
	for k, h := range hs[answered:] {
		i, j := p.pair(h)
		wanted := low * p.lane(h, tail)
		x, y := t.Word(i), t.Word(j)
		dst[answered+k] = packed.NoPrefix(x, wanted, low, high)&packed.NoPrefix(y, wanted, low, high)&high != high
	}
	if !s.moving {
		return
	}
	for k, found := range dst {
		if !found {
			dst[k] = s.ContainsHash(hs[k]) // in the buckets that are still to be split
		}
	}
}

// containsEach is ContainsHashes without a kernel.
func (s *scalableReader[F]) containsEach(hs []uint64, dst []bool) {
	far := s.isFar()
	for k, h := range hs {
		if end := min(k+kick.PrefetchAhead, len(hs)); far && k%kick.PrefetchAhead == 0 {
			s.prefetchPairs(hs[k:end])
		}
		dst[k] = s.ContainsHash(h)
	}
}

// DeleteHashes deletes each of the digests hs in order, as [Scalable.DeleteHash] does, and returns how many were found and
// deleted. In a table of several megabytes it is faster than one call each, because buckets are fetched ahead.
func (s *Scalable[F]) DeleteHashes(hs []uint64) (n int) {
	far := s.isFar()
	for k, h := range hs {
		if end := min(k+kick.PrefetchAhead, len(hs)); far && k%kick.PrefetchAhead == 0 {
			s.prefetchPairs(hs[k:end])
		}
		if s.DeleteHash(h) {
			n++
		}
	}
	return n
}
