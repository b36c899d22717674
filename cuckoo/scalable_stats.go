package cuckoo

import "math"

// FalsePositiveRate returns the predicted false-positive rate at the present load, 1 - exp(-hits): the
// share of keys that were never inserted to which Contains says yes. An entry whose tail is t bits short
// counts for 2^t hits of 2^(k+f-1), where a side has 2^k buckets. It is never above
// Config().FalsePositiveRate. The prediction is for well-mixed digests.
func (s *scalableReader[F]) FalsePositiveRate() float64 {
	return -math.Expm1(-s.hits(uint64(s.entries()) + s.excess))
}
