package claims

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ExactRate returns the false-positive rate of a cuckoo filter of f-bit fingerprints and buckets of b slots at load
// alpha: 1 - exp(-2*b*alpha/(2^f - 1)), where fingerprint 0 marks an empty slot. f need not be whole.
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

// FuseBits returns 1.075 log2(1/rate), the bits per item of a binary fuse filter with four segments and many keys (Graf
// and Lemire 2022, section 4). Between powers of two it is the line that whole bits are on.
func FuseBits(rate float64) float64 { return 1.075 * LowerBound(rate) }

// BloomBits returns log2(1/rate)/ln 2, the bits per item of a Bloom filter with the best number of hashes.
func BloomBits(rate float64) float64 { return -math.Log2(rate) / math.Ln2 }

// DrawnLoad is the load factor of the paper's Table 2, at which its figure 4 is drawn.
const DrawnLoad = 0.955

// CuckooBits returns the line that the paper's figure 4 draws for b = 4: (log2(1/rate) + log2(8/alpha))/alpha with
// alpha = .955. Its Table 2 has 3 in place of log2(8/alpha) = 3.066.
func CuckooBits(rate float64) float64 { return drawnBits(rate, 8) }

// SemiSortedBits returns the same for the semi-sorted filter, which saves one bit of each fingerprint: log2(4/alpha).
func SemiSortedBits(rate float64) float64 { return drawnBits(rate, 4) }

func drawnBits(rate, candidates float64) float64 {
	return (math.Log2(candidates/DrawnLoad) - math.Log2(rate)) / DrawnLoad
}

// ExactCuckooBits returns the bits per item by the exact law at load alpha, saved bits of each fingerprint being stored
// for nothing (1 with semi-sorting).
func ExactCuckooBits(rate float64, b int, alpha, saved float64) float64 {
	return (ExactWidth(rate, b, alpha) - saved) / alpha
}

// Crossover returns the false-positive rate between lo and hi at which the two lines take as many bits per item, and
// those bits, by bisection of the rate's logarithm. If they do not cross, or more than once, ok is false or the result
// is one of the crossings.
func Crossover(f, g func(rate float64) float64, lo, hi float64) (rate, bits float64, ok bool) {
	above := func(x float64) bool { r := math.Exp(x); return f(r) > g(r) }
	start := above(math.Log(lo))
	if start == above(math.Log(hi)) {
		return 0, 0, false
	}
	rate = math.Exp(bisect(math.Log(lo), math.Log(hi), func(x float64) bool { return above(x) == start }))
	return rate, f(rate), true
}

// bisect is where a condition ends that is true at a and false at b.
func bisect(a, b float64, holds func(x float64) bool) float64 {
	for range 60 {
		if mid := (a + b) / 2; holds(mid) {
			a = mid
		} else {
			b = mid
		}
	}
	return (a + b) / 2
}

// PoissonFrom returns the probability that a Poisson variable of this mean is at least k > 0: the regularized lower
// incomplete gamma function P(k, mean) (DLMF 8.4.10).
func PoissonFrom(mean float64, k int) float64 { return mathext.GammaIncReg(float64(k), mean) }

// coreMean is the mean number of keys of a bucket, seen from the (b+1)-core, at the threshold: the xi > 0 with xi*P(X
// >= b) = 2b*P(X >= b+1), X being Poisson distributed with mean xi. For b = 1 it is 0, the core beginning with nothing.
func coreMean(b int) float64 {
	if b == 1 {
		return 0
	}
	return bisect(0.5, 4*float64(b), func(mean float64) bool {
		return mean*PoissonFrom(mean, b) < 2*float64(b)*PoissonFrom(mean, b+1)
	})
}

// Threshold returns the load factor up to which, in a large table, every key has a slot at all, with two choices of
// buckets of b slots: the orientability threshold of random graphs (Cain, Sanders and Wormald; Fernholz and
// Ramachandran; both SODA 2007), xi/(2b*P(Poisson(xi) >= b)) with xi from the size of the (b+1)-core. It is .5 for b =
// 1, .89701 for 2, .98037 for 4, .99785 for 8. b must be 1 or more.
func Threshold(b int) float64 {
	if b == 1 {
		return 0.5
	}
	xi := coreMean(b)
	return xi / (2 * float64(b) * PoissonFrom(xi, b))
}

// FiniteSlack is how far beyond the threshold a table of so many slots may be filled, but once in 10 000 fillings.
//
// The most keys that can be placed changes by one at most with each key, so it is above its mean by t in one of
// exp(2*t*t/keys) tables at most (McDiarmid 1989); and beyond the threshold each further key has no place at least when
// both of its buckets are in the core, which is full: a share P(Poisson(xi) >= b+1), squared.
//
// For b = 1 the core begins with nothing, and the random graph of m buckets and m/2*(1+u*m^(-1/3)) keys has no
// component of more keys than buckets with a probability below exp(-u*u*u/6) (Janson, Knuth, Luczak and Pittel 1993,
// for large u): u = 4.
func FiniteSlack(b, slots int) float64 {
	if b == 1 {
		return 2 / math.Cbrt(float64(slots))
	}
	core := PoissonFrom(coreMean(b), b+1)
	return math.Sqrt(Threshold(b)*math.Log(10_000)/2/float64(slots)) / (core * core)
}
