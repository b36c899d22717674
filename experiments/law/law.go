package law

import (
	"math"
)

// ExactRate returns the false-positive rate of a cuckoo filter of f-bit fingerprints and buckets of
// b slots at load alpha: 1 - exp(-2*b*alpha/(2^f - 1)), where fingerprint 0 marks an empty slot.
// f need not be whole.
func ExactRate(f float64, b int, alpha float64) float64 {
	return -math.Expm1(-2 * float64(b) * alpha / (math.Exp2(f) - 1))
}

// ExactWidth is the inverse of ExactRate in f.
func ExactWidth(rate float64, b int, alpha float64) float64 {
	return math.Log2(1 + 2*float64(b)*alpha/-math.Log1p(-rate))
}

// RateBound returns the paper's bound of the rate, 2b/2^f (section 5.1).
func RateBound(f float64, b int) float64 { return 2 * float64(b) / math.Exp2(f) }

// LowerBound returns log2(1/rate): no filter without false negatives takes fewer bits per item.
func LowerBound(rate float64) float64 { return -math.Log2(rate) }

// BloomBits returns log2(1/rate)/ln 2, the bits per item of a Bloom filter with the best number of
// hashes.
func BloomBits(rate float64) float64 { return -math.Log2(rate) / math.Ln2 }

// DrawnLoad is the load factor of the paper's Table 2, at which its figure 4 is drawn.
const DrawnLoad = 0.955

// CuckooBits returns the line that the paper's figure 4 draws for b = 4: (log2(1/rate) +
// log2(8/alpha))/alpha with alpha = .955. Its Table 2 has 3 in place of log2(8/alpha) = 3.066.
func CuckooBits(rate float64) float64 { return drawnBits(rate, 8) }

// SemiSortedBits returns the same for the semi-sorted filter, which saves one bit of each
// fingerprint: log2(4/alpha).
func SemiSortedBits(rate float64) float64 { return drawnBits(rate, 4) }

func drawnBits(rate, candidates float64) float64 {
	return (math.Log2(candidates/DrawnLoad) - math.Log2(rate)) / DrawnLoad
}

// ExactCuckooBits returns the bits per item by the exact law at load alpha, saved bits of each
// fingerprint being stored for nothing (1 with semi-sorting).
func ExactCuckooBits(rate float64, b int, alpha, saved float64) float64 {
	return (ExactWidth(rate, b, alpha) - saved) / alpha
}

// Crossover returns the false-positive rate between lo and hi at which the two lines take as many
// bits per item, and those bits, by bisection of the rate's logarithm. If they do not cross, or
// more than once, ok is false or the result is one of the crossings.
func Crossover(f, g func(rate float64) float64, lo, hi float64) (rate, bits float64, ok bool) {
	a, b := math.Log(lo), math.Log(hi)
	above := func(x float64) bool { r := math.Exp(x); return f(r) > g(r) }
	start := above(a)
	if start == above(b) {
		return 0, 0, false
	}
	for range 60 {
		if mid := (a + b) / 2; above(mid) == start {
			a = mid
		} else {
			b = mid
		}
	}
	rate = math.Exp((a + b) / 2)
	return rate, f(rate), true
}
