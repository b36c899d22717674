package kick

import (
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// Contains answers the first digests of hs with vector instructions, as many as it returns, which is none where the
// processor or the shape of the table does not allow them or the rule names no kernel: dst[k] becomes whether the
// table holds the fingerprint that package fingerprint takes from hs[k]. dst must not be shorter than hs.
func (e *Engine) Contains(hs []uint64, dst []bool) (answered int) {
	if len(hs) < simd.Lanes || !e.hasKernel() {
		return 0
	}
	var p simd.Probe
	e.describe(&p)
	return simd.Contains(&p, e.Table.Data(), hs, dst)
}

// Locates tells whether there are kernels for Locate: where there are for Contains and slots are not paired.
func (e *Engine) Locates() bool { return e.hasKernel() && e.Table.Layout == packed.Word }

// Locate finds the lanes of the first digests of hs with vector instructions, as many as it returns: all but the last
// few. [Engine.Locates] must hold. Where a bucket of the pair of hs[k] holds the fingerprint, [packed.Table.At] of at[k]
// has its lane where lanes[k] has ones: the one that a delete empties. Where none does, lanes[k] is 0. at and lanes must
// not be shorter than hs.
func (e *Engine) Locate(hs, at, lanes []uint64) (located int) {
	var p simd.Probe
	e.describe(&p)
	return simd.Locate(&p, e.Table.Data(), hs, at, lanes)
}

// hasKernel tells whether there are kernels for the processor, the shape of the table and the rule.
func (e *Engine) hasKernel() bool {
	t, s := &e.Table, &e.Scheme
	fits := t.Layout == packed.Word || t.Layout == packed.Windowed
	return simd.Available && s.kernel != simd.None && fits && s.Buckets < 1<<32
}

// describe tells the kernels of table and scheme. A Probe that is returned would be copied, by loads of two words that
// wait until both are in the cache.
func (e *Engine) describe(p *simd.Probe) {
	t, s := &e.Table, &e.Scheme
	p.Buckets, p.BucketBits, p.Scale = s.Buckets, t.BucketBits(), 1<<t.Width()-1
	p.Low, p.High = t.Last.Low, t.Last.High
	p.Spread, p.Last, p.Arithmetic = s.spread, s.mask, s.kernel
	p.Far = uint64(len(t.Data())) / simd.FarBytes
	if t.Layout == packed.Windowed {
		p.Paired = &t.Windows.Vector
	}
}

// PrefetchAhead is the most digests that one call of Prefetch takes: what the memory system of a core
// can have under way, more or less.
const PrefetchAhead = 32

// CanPrefetch tells whether Prefetch does anything.
const CanPrefetch = simd.CanPrefetch

// Prefetch asks the memory for the primary buckets of up to [PrefetchAhead] digests and does not wait.
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

// PrefetchPairs asks the memory for both buckets of up to [PrefetchAhead] digests and does not wait. The scheme must
// be native.
func (e *Engine) PrefetchPairs(hs []uint64) {
	var buckets [2 * PrefetchAhead]uint64
	for k, h := range hs {
		buckets[2*k], buckets[2*k+1] = e.Scheme.Pair(h, fingerprint.Of(h, e.Table.Width()))
	}
	e.PrefetchBuckets(buckets[:2*len(hs)])
}

// PrefetchBuckets is Prefetch of buckets, which it overwrites.
func (e *Engine) PrefetchBuckets(buckets []uint64) {
	for k, bucket := range buckets {
		buckets[k] = e.Table.Offset(bucket)
	}
	e.prefetch(buckets)
}

// prefetch asks the memory for buckets at offsets, which it overwrites: of each for its first byte and, where a
// bucket is so wide that it often lies in two cache lines, for its last one.
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

// PrefetchAlternates asks the memory for the other buckets of all fingerprints of a bucket that is at hand, up to
// [PrefetchAhead] of them, and does not wait: those that [Engine.Kick] looks at first.
func (e *Engine) PrefetchAlternates(bucket uint64) {
	t := &e.Table
	var offs [PrefetchAhead]uint64
	lanes := min(t.Lanes(), PrefetchAhead)
	for lane := range lanes {
		offs[lane] = t.Offset(e.Scheme.Alternate(bucket, t.Get(bucket, lane)))
	}
	e.prefetch(offs[:lanes])
}

// HasKernel tells whether Look answers anything.
func (s *Shared) HasKernel() bool { return s.view != nil && s.view.hasKernel() }

// Look is [Engine.Contains] of a table that is shared, for which [Shared.HasKernel] holds. A kernel loads each word
// once and whole, those of a digest in any order, and none before Look is called or after it returns: so what Look
// misses is missing only if no move of its fingerprint passed meanwhile.
func (s *Shared) Look(hs []uint64, dst []bool) (answered int) { return s.view.Contains(hs, dst) }

// Prefetch is [Engine.Prefetch] of a table that is shared.
func (s *Shared) Prefetch(hs []uint64) { s.view.Prefetch(hs) }
