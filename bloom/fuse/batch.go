package fuse

import "github.com/nestfilter/nest/internal/simd"

// hasEach is ContainsHashes. dst is as long as hs.
func (t *table) hasEach(hs []uint64, dst []bool) {
	if t.keys == 0 {
		clear(dst)
		return
	}
	p := simd.FuseProbe{
		Seed: t.seed, Span: t.span, Segment: t.segment, Inner: t.segment - 1, Width: t.width,
		Factor1: factor1, Factor2: factor2, Factor3: factor3, Mask: 1<<t.width - 1, Offset: 7,
	}
	if t.width&(t.width-1) == 0 {
		p.Offset = 63 // no fingerprint straddles two words
	}
	answered := simd.ContainsFuse(&p, int(t.arity()-3), t.data, hs, dst)
	hs, dst = hs[answered:], dst[answered:]
	// The loop is the portable twin of the kernels. No branch depends on a key, so cache misses overlap.
	for i, h := range hs {
		x := mix(h + t.seed)
		p0, p1, p2 := t.three(x)
		sum := x ^ x>>32 ^ t.atAny(p0) ^ t.atAny(p1) ^ t.atAny(p2)
		if t.four {
			sum ^= t.atAny(t.fourth(x, p0))
		}
		dst[i] = sum&p.Mask == 0
	}
}
