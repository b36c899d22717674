package quotient

import "math"

// expectedCluster returns the mean length of a cluster, in slots, at load factor alpha in a large
// table: alpha/((1-alpha)*(exp(alpha)-1)). It is 1 at load 0 and +Inf at load 1.
//
// It follows from the number of fingerprints of one quotient being Poisson with mean alpha. A slot is
// free, which has chance 1-alpha, if nothing is pushed into it and nothing has its quotient, which
// has exp(-alpha): so nothing is pushed into it with chance (1-alpha)*exp(alpha). It begins a cluster
// if nothing is pushed into it and something has its quotient.
func expectedCluster(alpha float64) float64 {
	if alpha == 0 {
		return 1
	}
	return alpha / ((1 - alpha) * math.Expm1(alpha))
}

// expectedReach returns the mean number of slots from one to the next free slot, both included, at load factor alpha
// in a large table: (1+1/(1-alpha)^2)/2, the count of an unsuccessful search in linear probing
// (Knuth, The Art of Computer Programming, volume 3, section 6.4, theorem K).
func expectedReach(alpha float64) float64 {
	return (1 + 1/((1-alpha)*(1-alpha))) / 2
}
