package bloom_test

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/bloom"
)

// TestPredictRate_OfOverfullTablesNearsOne goes from no key far beyond every table: a rate is a number of 0 to 1 that
// does not fall as keys come, and it is 1 where every bit is set.
func TestPredictRate_OfOverfullTablesNearsOne(t *testing.T) {
	sizes := []int{math.MinInt, 0, 1, 2, 3, 7, 63, 64, 200, 511, 512, 513, 1000, 1024, 9984, 1 << 20, math.MaxInt / 1024, math.MaxInt}
	hashes := []int{math.MinInt, 0, 1, 2, 3, 7, 8, 16, bloom.MaxHashes, math.MaxInt}
	for _, kind := range kinds {
		for _, m := range sizes {
			for _, k := range hashes {
				last := 0.0
				for _, n := range loads(max(m, 1)) {
					rate := kind.predict(m, k, n)
					// The 1e-9 are rounding, and two formulas where the exact one gets too long.
					if !(rate >= last*(1-.005)-1e-9 && rate <= 1) {
						t.Errorf("%s: %d bits, %d hashes, %d keys: rate %v, after %v", kind.name, m, k, n, rate, last)
					}
					// 64 throws for each bit leave none clear, but for one in 10^27.
					if full := float64(n) >= 64*float64(max(m, 512)); full && rate < 1-1e-6 {
						t.Errorf("%s: %d bits, %d hashes, %d keys: rate %v of a full table", kind.name, m, k, n, rate)
					}
					last = max(last, rate)
				}
			}
		}
	}
}

// loads returns rising numbers of keys around those at which a table of m bits is overfull.
func loads(m int) (ns []int) {
	ns = []int{math.MinInt, 0, 1, 2, 7, 30}
	for _, share := range []float64{.01, .1, .5, 1, 2, 5, 10, 20, 30, 36, 37, 38, 40, 50, 100, 740, 1000, 1e6} {
		if n := share * float64(m); n > 30 && n < math.MaxInt {
			ns = append(ns, int(n))
		}
	}
	return append(ns, math.MaxInt)
}
