package cuckoo

import (
	"github.com/nestfilter/nest/fingerprint"
)

// InsertHashes inserts the digests hs in order, as [Filter.InsertHash] does, until one is refused.
// It returns how many were inserted: hs[:n] are in the filter and hs[n:] are not. The error is nil
// exactly if n = len(hs).
func (f *Filter[F]) InsertHashes(hs []uint64) (n int, err error) {
	for n, h := range hs {
		if err := f.InsertHash(h); err != nil {
			return n, err
		}
	}
	return len(hs), nil
}

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. It is faster than one
// call each, because the cache misses of neighbouring digests overlap. It panics, as copying into
// an array does, if dst is shorter than hs.
func (f *Filter[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	t, s := &f.engine.Table, &f.engine.Scheme
	if t.Groups != 1 {
		for k, h := range hs {
			dst[k] = f.ContainsHash(h)
		}
		return
	}
	for k, h := range hs {
		fp := fingerprint.Of(h, fingerprint.WidthOf[F]())
		i, j := s.Pair(h, fp)
		dst[k] = t.Last.Equal(t.Word(i), fp)|t.Last.Equal(t.Word(j), fp) != 0
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
