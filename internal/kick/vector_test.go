package kick

import (
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// TestContains_OfARuleWithoutKernel makes up rules, one with the arithmetic of another one and one with its own: no kernel
// answers for them, as they name none.
func TestContains_OfARuleWithoutKernel(t *testing.T) {
	const m, width = 1 << 10, 12
	own := NewForeign(m, func(i, fp uint64) uint64 { return (7*fp - i) % m })
	turned := NewScheme(XOR, m)
	turned.kernel, turned.spread = simd.None, Multiplier>>5
	for _, s := range []Scheme{own, turned} {
		e, r := new(Engine), rand.New(rand.NewPCG(1, 0x5eed))
		e.Init(packed.Plain.New(width, 4, m), s, BreadthFirst, 100, 1)
		hs := make([]uint64, 3*m)
		for k := range hs {
			hs[k] = r.Uint64()
			i, fp := fingerprint.Bucket(hs[k], m), fingerprint.Of(hs[k], width)
			if o := e.Insert(i, s.Alternate(i, fp), 0, fp); o != Stored {
				t.Fatalf("key %d is refused", k)
			}
		}
		dst := make([]bool, len(hs))
		answered := e.Contains(hs, dst)
		if answered != 0 {
			t.Errorf("%d digests were answered by the kernel of another rule", answered)
		}
		for k, h := range hs {
			i, fp := fingerprint.Bucket(h, m), fingerprint.Of(h, width)
			if k >= answered {
				dst[k] = e.Table.HasEither(i, s.Alternate(i, fp), fp)
			}
			if !dst[k] {
				t.Fatalf("key %d of %d is lost, %d answered by a kernel", k, len(hs), answered)
			}
		}
	}
}

// TestContains_OfEveryRule holds the kernel that a rule names to its scalar arithmetic.
func TestContains_OfEveryRule(t *testing.T) {
	if !simd.Available {
		t.Skip("no kernel here")
	}
	const m, width = 1 << 10, 9
	for _, rule := range native {
		e, r := new(Engine), rand.New(rand.NewPCG(1, 0x5eed))
		e.Init(packed.Plain.New(width, 4, m), NewScheme(rule, m), BreadthFirst, 100, 1)
		for range 3 * m {
			h := r.Uint64()
			fp := fingerprint.Of(h, width)
			i, j := e.Scheme.Pair(h, fp)
			e.Insert(i, j, 0, fp)
		}
		hs := make([]uint64, 1<<14)
		for k := range hs {
			hs[k] = r.Uint64()
		}
		dst := make([]bool, len(hs))
		for k, got := range dst[:e.Contains(hs, dst)] {
			fp := fingerprint.Of(hs[k], width)
			if i, j := e.Scheme.Pair(hs[k], fp); got != e.Table.HasEither(i, j, fp) {
				t.Fatalf("%s: digest %#x: %t", ruleNames[rule], hs[k], got)
			}
		}
	}
}
