package bloomcore

import "math"

// EstimateKeys returns the number of distinct keys that leave, on average, the given number of m
// cells nonzero: the inverse of the expected fill (Swamidass and Baldi, "Mathematical correction
// for fingerprint similarity measures to improve chemical retrieval", 2007). A cell of one of the
// given blocks of m/blocks cells stays empty with probability 1-(1-q)/blocks under each key, q being
// the probability that none of k throws into its block hits it. It is +Inf if all cells are nonzero.
func EstimateKeys(nonzero, m uint64, k int, blocks uint64) float64 {
	switch {
	case nonzero == 0:
		return 0
	case nonzero >= m:
		return math.Inf(1)
	}
	hit := -math.Expm1(float64(k) * math.Log1p(-float64(blocks)/float64(m)))
	return math.Log1p(-float64(nonzero)/float64(m)) / math.Log1p(-hit/float64(blocks))
}
