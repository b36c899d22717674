package counting

import "math"

// PredictSaturated returns the number of counters, of that many in all, to expect at their maximum
// of 2^counterBits-1 after n distinct keys of that many hashes were inserted and none deleted: a
// counter is hit by a number of positions that is nearly Poisson with mean hashes*n/counters (Fan,
// Cao, Almeida and Broder, "Summary cache", 2000, section V-C). Duplicates saturate counters sooner.
// It is 0 where counters, hashes or n is below 1, and else NaN for counterBits that no counter has.
func PredictSaturated(counters, hashes, counterBits, n int) float64 {
	switch {
	case counters < 1 || hashes < 1 || n < 1:
		return 0
	case !isCounterBits(counterBits):
		return math.NaN()
	}
	mean := float64(hashes) * float64(n) / float64(counters)
	least := math.Exp2(float64(counterBits)) - 1
	logs, _ := math.Lgamma(least + 1)
	term := math.Exp(least*math.Log(mean) - mean - logs) // exactly that many hits
	if mean >= least {
		// The tail is most of the distribution: add up the rest instead.
		below := 0.0
		for hits := least; hits > 0 && term > 0; hits-- {
			term *= hits / mean
			below += term
		}
		return float64(counters) * max(0, 1-below)
	}
	sum := 0.0
	for hits := least; term > sum*1e-17; hits++ {
		sum += term
		term *= mean / (hits + 1)
	}
	return float64(counters) * sum
}
