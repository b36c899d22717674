package foreign

import "github.com/nestfilter/nest/internal/kick"

// far tells whether batches fetch buckets ahead.
func (f *Filter) far() bool { return kick.IsFar(f.SizeBytes()) }

// InsertHashes inserts the digests hs in order, as [Filter.InsertHash] does, until one is refused. It returns
// how many were inserted: hs[:n] are in the filter and hs[n:] are not. The error is nil exactly if n = len(hs). Under
// Config.Lossy the insert of hs[n] fails as that field says, and those after it are not tried. In a table of several
// megabytes it is faster than one call each, because buckets are fetched ahead.
func (f *Filter) InsertHashes(hs []uint64) (n int, err error) {
	for n < len(hs) {
		for end := f.fetch(hs, n); n < end; n++ {
			if err := f.InsertHash(hs[n]); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. In a table of several megabytes it
// is faster than one call each, because the cache misses of neighbouring digests overlap. It panics, as copying
// into an array does, if dst is shorter than hs.
func (f *Filter) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	if f.far() {
		for len(hs) > 0 {
			n := min(len(hs), kick.PrefetchAhead)
			f.containsFar(hs[:n], dst)
			hs, dst = hs[n:], dst[n:]
		}
	}
	for n, h := range hs {
		dst[n] = f.ContainsHash(h)
	}
}

// containsFar answers up to kick.PrefetchAhead digests, after it has asked the memory for the buckets of all.
func (f *Filter) containsFar(hs []uint64, dst []bool) {
	var pairs [kick.PrefetchAhead]struct{ i, j, fp uint64 }
	var buckets [2 * kick.PrefetchAhead]uint64
	for n, h := range hs {
		p := &pairs[n]
		p.i, p.j, p.fp = f.pair(h)
		buckets[2*n], buckets[2*n+1] = p.i, p.j
	}
	f.engine.PrefetchBuckets(buckets[:2*len(hs)])
	for n, p := range pairs[:len(hs)] {
		dst[n] = f.holds(p.i, p.j, p.fp)
	}
}

// DeleteHashes deletes each of the digests hs as [Filter.DeleteHash] does and returns how many were found and
// deleted. In a table of several megabytes it is faster than one call each.
func (f *Filter) DeleteHashes(hs []uint64) (deleted int) {
	for n := 0; n < len(hs); {
		for end := f.fetch(hs, n); n < end; n++ {
			if f.DeleteHash(hs[n]) {
				deleted++
			}
		}
	}
	return deleted
}

// fetch returns the end of the next few digests from n on, and fetches the primary buckets of those behind them.
func (f *Filter) fetch(hs []uint64, n int) (end int) {
	end = min(n+kick.PrefetchAhead, len(hs))
	if f.far() {
		ahead := hs[end:min(end+kick.PrefetchAhead, len(hs))]
		var buckets [kick.PrefetchAhead]uint64
		for k, h := range ahead {
			buckets[k], _ = f.format.split(h, f.mask)
		}
		f.engine.PrefetchBuckets(buckets[:len(ahead)])
	}
	return end
}
