package cuckoo

import "slices"

// InsertHashes inserts the digests hs in order, as [Scalable.InsertHash] does, until one is refused. It
// returns how many were inserted: hs[:n] are in the filter and hs[n:] are not. The error is nil exactly
// if n = len(hs). With large sub-filters it is faster than one call each, because buckets are fetched
// ahead.
func (s *Scalable[F]) InsertHashes(hs []uint64) (n int, err error) {
	var own [chunk]uint64
	if len(s.levels) == 0 && len(hs) > 0 {
		return 0, errUnmade
	}
	for n < len(hs) {
		l := &s.levels[len(s.levels)-1]
		part := hs[n:min(n+chunk, n+max(0, l.full-l.len), len(hs))]
		for k, h := range part {
			own[k] = l.digest(h)
		}
		took, _ := l.InsertHashes(own[:len(part)])
		n += took
		if took == len(part) && took > 0 {
			continue
		}
		// The newest takes no more: this one goes elsewhere, or the filter grows.
		if err := s.InsertHash(hs[n]); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// InsertUniqueHashes does what [Scalable.InsertUniqueHash] does with each of the digests hs in turn,
// until one is refused. It writes to added[i] whether hs[i] was added, and returns the number of
// digests before the refused one; none of hs[n:] was added. The error is nil exactly if n = len(hs). It
// is faster than one call each, because the cache misses of many lookups overlap. It panics, as copying
// into an array does, if added is shorter than hs.
func (s *Scalable[F]) InsertUniqueHashes(hs []uint64, added []bool) (n int, err error) {
	return insertUnique(hs, added, s.insertUniqueChunk)
}

// insertUniqueChunk is InsertUniqueHashes of up to chunk digests.
func (s *Scalable[F]) insertUniqueChunk(hs []uint64, added []bool) (int, error) {
	s.containsChunk(hs, added)
	changed := len(s.levels) // sub-filters from here on may have what the lookup did not find
	for k, h := range hs {
		if added[k] || s.containsFrom(changed, h) {
			added[k] = false
			continue
		}
		at, err := s.insert(h)
		if err != nil {
			clear(added[k:])
			return k, err
		}
		added[k], changed = true, min(changed, at)
	}
	return len(hs), nil
}

// ContainsHashes writes to dst[i] what [Scalable.ContainsHash] says of hs[i]. It is faster than one
// call each, because each sub-filter is asked for many digests at once and their cache misses overlap.
// It panics, as copying into an array does, if dst is shorter than hs.
func (s *Scalable[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	for len(hs) > 0 {
		n := min(chunk, len(hs))
		s.containsChunk(hs[:n], dst[:n])
		hs, dst = hs[n:], dst[n:]
	}
}

// containsChunk is ContainsHashes of up to chunk digests. What one sub-filter has, the next is not asked for.
func (s *Scalable[F]) containsChunk(hs []uint64, dst []bool) {
	var open, own [chunk]uint64 // the digests that no sub-filter had, and as a sub-filter knows them
	var place [chunk]uint8      // where they stand in hs
	var found [chunk]bool
	left := copy(open[:], hs)
	for k := range left {
		place[k] = uint8(k)
	}
	clear(dst)
	for n := len(s.levels) - 1; n >= 0 && left > 0; n-- {
		l := &s.levels[n]
		for k, h := range open[:left] {
			own[k] = l.digest(h)
		}
		l.ContainsHashes(own[:left], found[:left])
		if !slices.Contains(found[:left], true) {
			continue // as nearly always for absent keys
		}
		still := 0
		for k, yes := range found[:left] {
			at := place[k]
			dst[at] = yes
			open[still], place[still] = open[k], at
			if !yes {
				still++
			}
		}
		left = still
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
