package cuckoo

import (
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// InsertHashes inserts the digests hs in order until one is refused, and returns how many were inserted, as
// [Filter.InsertHashes] does.
func (s *Scalable[F]) InsertHashes(hs []uint64) (n int, err error) {
	for n < len(hs) {
		end := min(n+kick.PrefetchAhead, len(hs))
		next := min(end+kick.PrefetchAhead, len(hs))
		if s.isFar() {
			s.prefetch(hs[next:min(next+kick.PrefetchAhead, len(hs))], s.isCrowded())
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

// prefetch asks the memory for the buckets of up to kick.PrefetchAhead digests on side 0 and, if it is both, on side 1.
func (s *scalableReader[F]) prefetch(hs []uint64, both bool) {
	var memory [2 * kick.PrefetchAhead]uint64
	buckets := memory[:0]
	for _, h := range hs {
		i, j := s.place.pair(h)
		if buckets = append(buckets, i); both {
			buckets = append(buckets, j)
		}
	}
	s.engine.PrefetchBuckets(buckets)
}

// prefetchRoom asks the memory for the buckets to which an insert of each of the digests, except those that are to be
// skipped, would kick first, if the buckets of the digest are full. These are at hand.
func (s *scalableReader[F]) prefetchRoom(hs []uint64, skip []bool) {
	if s.moving() || !s.isCrowded() {
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

// InsertUniqueHashes does what [Scalable.InsertUniqueHash] does with each of the digests hs in turn, and returns what
// [Filter.InsertUniqueHashes] does.
func (s *Scalable[F]) InsertUniqueHashes(hs []uint64, added []bool) (n int, err error) {
	return insertUnique(hs, added, s.insertUniqueChunk)
}

// insertUniqueChunk is InsertUniqueHashes of up to chunk digests. Where a vector kernel looks them up, it does what
// that of a Filter does. Else the buckets are fetched ahead.
func (s *Scalable[F]) insertUniqueChunk(hs []uint64, added []bool) (n int, err error) {
	far, kernel := s.isFar(), s.engine.Table.Layout == packed.Word
	if kernel {
		s.ContainsHashes(hs, added)
	} else if clear(added); far {
		s.prefetch(hs[:min(kick.PrefetchAhead, len(hs))], true)
	}
	for k, h := range hs {
		if far && k%kick.PrefetchAhead == 0 {
			end := min(k+kick.PrefetchAhead, len(hs))
			if !kernel {
				s.prefetch(hs[end:min(end+kick.PrefetchAhead, len(hs))], true)
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

// ContainsHashes writes to dst[i] what [Scalable.ContainsHash] says of hs[i], as [Filter.ContainsHashes] does.
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
	if !s.moving() {
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
			s.prefetch(hs[k:end], true)
		}
		dst[k] = s.ContainsHash(h)
	}
}

// DeleteHashes deletes each of the digests hs in order, as [Scalable.DeleteHash] does, and returns how many were found.
// In a table of several megabytes it is faster than one call each, because buckets are fetched ahead.
func (s *Scalable[F]) DeleteHashes(hs []uint64) (n int) {
	far := s.isFar()
	for k, h := range hs {
		if end := min(k+kick.PrefetchAhead, len(hs)); far && k%kick.PrefetchAhead == 0 {
			s.prefetch(hs[k:end], true)
		}
		if s.DeleteHash(h) {
			n++
		}
	}
	return n
}
