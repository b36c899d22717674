package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// An ageing tells the compiler whether lanes have ages.
type (
	ageing interface{ unaged | aged }
	unaged [0]byte
	aged   [1]byte
)

// KickAged is [Engine.Kick] of a plain table under BreadthFirst and Additive whose lanes have ages. An expired lane
// counts as an empty one. took tells whether the path ended in one, which is gone then. A brief search examines few
// buckets: a refusal takes a microsecond and not fifty.
func (e *Engine) KickAged(i, j, lane uint64, ages *packed.Aged, brief bool) (o Outcome, took bool) {
	if e.Scratch.busy {
		panic(misuse)
	}
	e.Scratch.busy, e.search.ages = true, ages
	kicks, took := e.makeRoomAged(i, j, lane, brief)
	e.Scratch.busy, e.search.ages = false, nil
	if kicks == 0 {
		e.Stats.Refusals++
		return NoPath, false
	}
	return e.kicked(kicks), took
}

// makeRoomAged is makeRoom for KickAged. Without a path, it returns 0 kicks.
func (e *Engine) makeRoomAged(i, j, lane uint64, brief bool) (kicks uint64, took bool) {
	if e.quads {
		if kicks, took = e.kickQuadAged(i, j, lane, brief); kicks != 0 || brief {
			return kicks, took
		}
	}
	x, ok := e.path(i, j, 0, brief)
	if !ok {
		return 0, false
	}
	took = e.Table.Get(x.to, x.free) != 0
	return e.shift(x, lane), took
}

// kickQuadAged is kickQuad for KickAged.
func (e *Engine) kickQuadAged(i, j, lane uint64, brief bool) (kicks uint64, took bool) {
	t, queue := &e.Table, e.search.quads
	if brief {
		queue = queue[:min(fewNodes, len(queue))]
	}
	queue[0], queue[1] = quadNode{i, t.At(i * t.WholeBytes)}, quadNode{j, t.At(j * t.WholeBytes)}
	head, at, free := exitQuad[aged](e, queue)
	if free == 0 {
		return 0, false
	}
	bit := uint(bits.TrailingZeros64(free)) - (t.Width() - 1)
	old := queue[4*head+2+int(at)].word >> (bit & 63) & (1<<(t.Width()&63) - 1)
	return e.shiftQuad(queue, head, at, free, old, lane), old != 0
}

// ContainsAged is [Engine.Contains] of a table whose lanes have ages: dst[k] becomes whether a lane that is alive has
// the fingerprint of hs[k].
func (e *Engine) ContainsAged(ages *packed.Aged, hs []uint64, dst []bool) (answered int) {
	t, s := &e.Table, &e.Scheme
	if t.Layout != packed.Word || s.Buckets >= 1<<32 {
		return 0
	}
	p := simd.AgedProbe{
		Buckets: s.Buckets, BucketBits: ages.BucketBits, Scale: 1<<ages.Width - 1, Low: ages.Low, High: ages.High,
		Spread: s.spread, Last: s.mask, Fingerprints: ages.Fingerprints, Rest: ages.Rest, Dead: ages.Dead,
	}
	return simd.ContainsAged(&p, t.Data(), hs, dst)
}

// free returns a lane of a bucket that is empty or expired.
func (e *Engine) free(bucket uint64) (lane uint, ok bool) {
	if e.search.ages != nil {
		return e.search.ages.FindFree(&e.Table, bucket)
	}
	return e.Table.Find(bucket, 0)
}
