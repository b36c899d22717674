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
		s.prefetch(hs[end:min(end+kick.PrefetchAhead, len(hs))])
		for ; n < end; n++ {
			if err := s.InsertHash(hs[n]); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// prefetch asks the memory for the buckets on side 0 of up to kick.PrefetchAhead digests, if the table is large.
func (s *Scalable[F]) prefetch(hs []uint64) {
	if !kick.CanPrefetch || s.SizeBytes() < farTable {
		return
	}
	var buckets [kick.PrefetchAhead]uint64
	for k, h := range hs {
		buckets[k], _ = s.place.pair(h)
	}
	s.engine.PrefetchBuckets(buckets[:len(hs)])
}

// InsertUniqueHashes does what [Scalable.InsertUniqueHash] does with each of the digests hs in turn,
// until one is refused. It writes to added[i] whether hs[i] was added, and returns the number of
// digests before the refused one; none of hs[n:] was added. The error is nil exactly if n = len(hs). It
// is faster than one call each, because the cache misses of many lookups overlap. It panics, as copying
// into an array does, if added is shorter than hs.
func (s *Scalable[F]) InsertUniqueHashes(hs []uint64, added []bool) (n int, err error) {
	return insertUnique(hs, added, s.insertUniqueChunk)
}

// insertUniqueChunk is InsertUniqueHashes of up to chunk digests, as it is for a Filter.
func (s *Scalable[F]) insertUniqueChunk(hs []uint64, added []bool) (n int, err error) {
	s.ContainsHashes(hs, added)
	for k, h := range hs {
		if found := added[k]; found {
			added[k] = false
		} else if added[k], err = s.InsertUniqueHash(h); err != nil {
			clear(added[k:])
			return k, err
		}
	}
	return len(hs), nil
}

// ContainsHashes writes to dst[i] what [Scalable.ContainsHash] says of hs[i]. It is faster than one
// call each, because the cache misses of neighbouring digests overlap. It panics, as copying into an
// array does, if dst is shorter than hs.
func (s *Scalable[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	t := &s.engine.Table
	if t.Layout != packed.Word {
		for k, h := range hs {
			dst[k] = s.ContainsHash(h)
		}
		return
	}
	p, tail, low, high := s.place, s.tailIn(), t.Last.Low, t.Last.High
	answered := simd.ContainsPrefix(&simd.PrefixProbe{
		Shift: uint64(p.shift), Left: uint64(p.log()), Right: uint64(63 - tail), Tail: uint64(tail + 1),
		BucketBits: t.BucketBits(), Low: low, High: high, Spread: apartSpread,
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

// DeleteHashes deletes each of the digests hs as [Scalable.DeleteHash] does and returns how many were found and
// deleted.
func (s *Scalable[F]) DeleteHashes(hs []uint64) (n int) {
	for _, h := range hs {
		if s.DeleteHash(h) {
			n++
		}
	}
	return n
}
