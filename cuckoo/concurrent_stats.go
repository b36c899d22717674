package cuckoo

// Len returns the number of fingerprints stored: keys inserted less keys deleted. While others insert and delete, each of their
// operations that has not ended when Len begins may be in it or not. It adds up 64 counters.
func (f *Concurrent[F]) Len() int { return f.shared.Len() }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1.
func (f *Concurrent[F]) LoadFactor() float64 { return float64(f.Len()) / float64(max(f.slots, 1)) }

// FalsePositiveRate returns the predicted false-positive rate at the present load, as [Filter.FalsePositiveRate] does.
func (f *Concurrent[F]) FalsePositiveRate() float64 {
	return f.config.PredictRate(f.Len())
}

// Stats returns what the filter has counted since it was made, read from a file, or Reset. While others insert, its parts can be of
// different moments.
func (f *Concurrent[F]) Stats() Stats { return Stats(f.shared.Stats()) }
