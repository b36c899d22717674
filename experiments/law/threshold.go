package law

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// PoissonFrom returns the probability that a Poisson variable of this mean is at least k > 0: the regularized lower
// incomplete gamma function P(k, mean) (DLMF 8.4.10).
func PoissonFrom(mean float64, k int) float64 { return mathext.GammaIncReg(float64(k), mean) }

// coreMean is the mean number of keys of a bucket, seen from the (b+1)-core, at the threshold: the xi > 0 with
// xi*P(X >= b) = 2b*P(X >= b+1), X being Poisson distributed with mean xi. For b = 1 it is 0, the core beginning with nothing.
func coreMean(b int) float64 {
	if b == 1 {
		return 0
	}
	low, high := 0.5, 4*float64(b)
	for range 60 {
		mid := (low + high) / 2
		if mid*PoissonFrom(mid, b) < 2*float64(b)*PoissonFrom(mid, b+1) {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// Threshold returns the load factor up to which, in a large table, every key has a slot at all, with two choices of
// buckets of b slots: the orientability threshold of random graphs (Cain, Sanders and Wormald; Fernholz and Ramachandran;
// both SODA 2007), xi/(2b*P(Poisson(xi) >= b)) with xi from the size of the (b+1)-core. It is .5 for b = 1, .89701 for 2,
// .98037 for 4, .99785 for 8. b must be 1 or more.
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
// exp(2*t*t/keys) tables at most (McDiarmid 1989); and beyond the threshold each further key has no place at least when both of its
// buckets are in the core, which is full: a share P(Poisson(xi) >= b+1), squared.
//
// For b = 1 the core begins with nothing, and the random graph of m buckets and m/2*(1+u*m^(-1/3)) keys has no component of
// more keys than buckets with a probability below exp(-u*u*u/6) (Janson, Knuth, Luczak and Pittel 1993, for large u): u = 4.
func FiniteSlack(b, slots int) float64 {
	if b == 1 {
		return 2 / math.Cbrt(float64(slots))
	}
	core := PoissonFrom(coreMean(b), b+1)
	return math.Sqrt(Threshold(b)*math.Log(10_000)/2/float64(slots)) / (core * core)
}
