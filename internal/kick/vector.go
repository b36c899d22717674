package kick

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/le"
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// Contains answers the first digests of hs with vector instructions, as many as it returns, which is
// none where the processor or the shape of the table does not allow them or the rule names no kernel: dst[k] becomes whether the
// table holds the fingerprint that package fingerprint takes from hs[k]. dst must not be shorter
// than hs.
func (e *Engine) Contains(hs []uint64, dst []bool) (answered int) {
	t, s := &e.Table, &e.Scheme
	if !simd.Available || s.kernel == simd.None || len(hs) < simd.Lanes || t.Layout != packed.Word && t.Windows == nil || s.Buckets >= 1<<32 {
		return 0
	}
	p := simd.Probe{
		Buckets: s.Buckets, BucketBits: t.BucketBits(), Scale: 1<<t.Width() - 1,
		Low: t.Last.Low, High: t.Last.High,
		Spread: s.spread, Last: s.mask, Arithmetic: s.kernel,
	}
	if t.Windows != nil {
		p.Paired = &t.Windows.Vector
	}
	return simd.Contains(&p, t.Data(), hs, dst)
}

// PrefetchAhead is the most digests that one call of Prefetch takes: what the memory system of a core
// can have under way, more or less.
const PrefetchAhead = 32

// CanPrefetch tells whether Prefetch does anything.
const CanPrefetch = simd.CanPrefetch

// Prefetch asks the memory for the primary buckets of up to [PrefetchAhead] digests and does not
// wait.
//
// Asking for the alternate buckets too was measured slower at 8 million slots, and no faster at 64
// million: most keys never look at theirs.
func (e *Engine) Prefetch(hs []uint64) {
	var buckets [PrefetchAhead]uint64
	for k, h := range hs {
		buckets[k] = fingerprint.Bucket(h, e.Scheme.Buckets)
	}
	e.PrefetchBuckets(buckets[:len(hs)])
}

// PrefetchBuckets is Prefetch of buckets, which it overwrites.
func (e *Engine) PrefetchBuckets(buckets []uint64) {
	for k, bucket := range buckets {
		buckets[k] = e.Table.Offset(bucket)
	}
	e.prefetch(buckets)
}

// prefetch asks the memory for buckets at offsets, which it overwrites: of each for its first byte and, where a bucket is so wide that
// it often lies in two cache lines, for its last one.
func (e *Engine) prefetch(offs []uint64) {
	data := e.Table.Data()
	simd.Prefetch(data, offs)
	if e.Table.Layout != packed.Wide {
		return
	}
	last := (e.Table.BucketBits() - 1) >> 3
	for k := range offs {
		offs[k] += last
	}
	simd.Prefetch(data, offs)
}

// PrefetchAlternates asks the memory for the other buckets of all fingerprints of a bucket that is at hand, up to [PrefetchAhead] of
// them, and does not wait: those that [Engine.Kick] looks at first.
func (e *Engine) PrefetchAlternates(bucket uint64) {
	t := &e.Table
	var offs [PrefetchAhead]uint64
	lanes := min(t.Lanes(), PrefetchAhead)
	for lane := range lanes {
		offs[lane] = t.Offset(e.Scheme.Alternate(bucket, t.Get(bucket, lane)))
	}
	e.prefetch(offs[:lanes])
}

// Prefetch is [Engine.Prefetch] of a table that is shared.
func (s *Shared) Prefetch(hs []uint64) {
	var offs [PrefetchAhead]uint64
	for k, h := range hs {
		offs[k] = 8 * fingerprint.Bucket(h, s.Scheme.Buckets)
	}
	if data, ok := le.Bytes(s.Words); ok {
		simd.Prefetch(data, offs[:len(hs)])
	}
}
