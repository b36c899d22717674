package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// farTable is the size of a table, in bytes, from which its buckets are mostly not in a core's own
// cache: inserts of many digests then fetch buckets ahead, and Build works piece by piece.
const farTable = 2 << 20

// InsertHashes inserts the digests hs in order, as [Filter.InsertHash] does, until one is refused.
// It returns how many were inserted: hs[:n] are in the filter and hs[n:] are not. The error is nil
// exactly if n = len(hs). In a table of several megabytes it is faster than one call each, because
// buckets are fetched ahead; [Build] is faster still.
func (f *Filter[F]) InsertHashes(hs []uint64) (n int, err error) {
	far := kick.CanPrefetch && f.SizeBytes() >= farTable
	for n < len(hs) {
		end := min(n+kick.PrefetchAhead, len(hs))
		if far {
			f.engine.Prefetch(hs[end:min(end+kick.PrefetchAhead, len(hs))])
		}
		for ; n < end; n++ {
			if err := f.InsertHash(hs[n]); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. It is faster than one
// call each, because the cache misses of neighbouring digests overlap. It panics, as copying into
// an array does, if dst is shorter than hs.
func (f *Filter[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	answered := f.engine.Contains(hs, dst)
	hs, dst = hs[answered:], dst[answered:]
	t, s := &f.engine.Table, &f.engine.Scheme
	if t.Layout != packed.Word {
		for k, h := range hs {
			dst[k] = f.ContainsHash(h)
		}
		return
	}
	for k, h := range hs {
		fp := fingerprint.Of(h, widthIn(t, fingerprint.WidthOf[F]()))
		i, j := s.Pair(h, fp)
		dst[k] = wordEqual(t, i, fp)|wordEqual(t, j, fp) != 0
	}
}

// DeleteHashes deletes each of the digests hs as [Filter.DeleteHash] does and returns how many
// were found and deleted.
func (f *Filter[F]) DeleteHashes(hs []uint64) (n int) {
	for _, h := range hs {
		if f.DeleteHash(h) {
			n++
		}
	}
	return n
}
