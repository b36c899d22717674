package cuckoo

import "math"

// Len returns the number of keys: those inserted less those deleted.
func (s *scalableReader[F]) Len() int { return s.len }

// Slots returns the number of slots of the table.
func (s *scalableReader[F]) Slots() int { return int(s.engine.Table.Buckets()) * s.config.BucketSize }

// SizeBytes returns the size of the table in bytes, including 8 bytes of padding at its end. While the filter grows
// there is the old table too, which is half as large. It does not include the scratch memory of the kick
// policy, which by default is at most about 16 KiB.
func (s *scalableReader[F]) SizeBytes() int { return len(s.engine.Table.Data()) }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1. A key whose tail has ended can use
// several. Of the zero Scalable it is 0.
func (s *scalableReader[F]) LoadFactor() float64 {
	return float64(s.entries()) / float64(max(s.Slots(), 1))
}

// FalsePositiveRate returns the predicted false-positive rate at the present load, 1 - exp(-hits): the
// share of keys that were never inserted to which Contains says yes. An entry whose tail is t bits short
// counts for 2^t hits of 2^(k+f-1), where a side has 2^k buckets. It is never above
// Config().FalsePositiveRate. The prediction is for well-mixed digests.
func (s *scalableReader[F]) FalsePositiveRate() float64 {
	return -math.Expm1(-s.hits(uint64(s.entries()) + s.excess))
}

// Stats returns what the filter has counted. The kicks of Compact and Merge are included. Refusals are
// keys that the filter did not take: one that made it grow is none.
func (s *Scalable[F]) Stats() Stats {
	all := Stats(s.engine.Stats)
	all.Refusals = s.refusals
	return all
}
