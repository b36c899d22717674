package cuckoo

import (
	"math"
)

// Len returns the number of fingerprints stored: keys inserted less keys deleted. While others insert and delete, each of their
// operations that has not ended when Len begins may be in it or not. It adds up 64 counters.
func (f *Concurrent[F]) Len() int { return f.shared.Len() }

// Slots returns the number of slots of the table.
func (f *Concurrent[F]) Slots() int { return f.config.Buckets * f.config.BucketSize }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1.
func (f *Concurrent[F]) LoadFactor() float64 { return float64(f.Len()) / float64(f.Slots()) }

// SizeBytes returns the size of the table in bytes, without the 16 KiB or so of locks and counters and the memory of searches.
func (f *Concurrent[F]) SizeBytes() int { return 8 * len(f.shared.Words) }

// Capacity returns the number of distinct keys that the filter promises to take, as [Filter.Capacity] does.
func (f *Concurrent[F]) Capacity() int {
	return int(min(f.config.keysFor(uint64(f.config.Buckets), f.width()), math.MaxInt))
}

// FalsePositiveRate returns the predicted false-positive rate at the present load, as [Filter.FalsePositiveRate] does.
func (f *Concurrent[F]) FalsePositiveRate() float64 {
	return f.config.PredictRate(f.width(), f.Len())
}

// Stats returns what the filter has counted since it was made, read from a file, or Reset. While others insert, its parts can be of
// different moments.
func (f *Concurrent[F]) Stats() Stats { return Stats(f.shared.Stats()) }
