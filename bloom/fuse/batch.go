package fuse

import "github.com/nestfilter/nest/internal/simd"

// ahead is the number of digests for whose slots the memory is asked ahead, where a table is far.
const ahead = 16

// ContainsHashes writes to dst[i] what [Filter.ContainsHash] says of hs[i]. It is faster than one call each: the
// cache misses of neighbouring digests overlap. It panics, as copying into an array does, if dst is shorter than hs.
func (f *reader[F]) ContainsHashes(hs []uint64, dst []bool) {
	dst = dst[:len(hs):len(dst)] // the third index: spare capacity is not room
	if simd.Available && len(hs) >= simd.Lanes && f.t.keys > 0 {
		n := f.t.look(hs, dst)
		hs, dst = hs[n:], dst[n:]
	}
	far := simd.CanPrefetch && len(f.t.data) >= simd.FarBytes
	for i, h := range hs {
		if far && i%ahead == 0 {
			f.t.prefetch(hs[min(i+ahead, len(hs)):min(i+2*ahead, len(hs))])
		}
		dst[i] = f.ContainsHash(h)
	}
}

// look answers the first digests of hs by a vector kernel, as many as it returns: all but up to 7.
func (t *table) look(hs []uint64, dst []bool) (answered int) {
	p := simd.FuseProbe{
		Seed: t.seed, Span: t.span, Segment: t.segment, Inner: t.segment - 1, Width: t.width,
		Factor1: factor1, Factor2: factor2, Factor3: factor3, Mask: 1<<t.width - 1, Offset: 7,
		Far: uint64(len(t.data)) / simd.FarBytes,
	}
	if t.width&(t.width-1) == 0 {
		p.Offset = 63 // no fingerprint straddles two words
	}
	return simd.ContainsFuse(&p, int(t.arity()-3), t.data, hs, dst)
}

// prefetch asks the memory for the slots of up to ahead digests and does not wait.
func (t *table) prefetch(hs []uint64) {
	var offs [4 * ahead]uint64
	for k, h := range hs {
		x := mix(h + t.seed)
		p0, p1, p2 := t.three(x)
		p3 := p0
		if t.four {
			p3 = t.fourth(x, p0)
		}
		to := offs[4*k:][:4]
		to[0], to[1], to[2], to[3] = p0*t.width>>3, p1*t.width>>3, p2*t.width>>3, p3*t.width>>3
	}
	simd.Prefetch(t.data, offs[:4*len(hs)])
}
