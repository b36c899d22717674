package cuckoo

import "math"

// Len returns the number of fingerprints stored: keys inserted less keys deleted.
func (f *Filter[F]) Len() int { return f.len }

// Slots returns the number of slots of the table.
func (f *Filter[F]) Slots() int { return f.config.Buckets * f.config.BucketSize }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1.
func (f *Filter[F]) LoadFactor() float64 { return float64(f.len) / float64(f.Slots()) }

// SizeBytes returns the size of the table in bytes, with the 8 bytes of padding behind it. The
// scratch memory of the kick policy is not part of it: some 16 KiB at most by default.
func (f *Filter[F]) SizeBytes() int { return len(f.engine.Table.Data()) }

// FalsePositiveRate returns the predicted share of keys that were never inserted for which Contains
// says yes, at the present load: 1 - exp(-2*b*alpha/(2^f-1)).
//
// It follows from the number of classes: m buckets and 2^f-1 fingerprints make m*(2^f-1)/2 of them,
// and a new key hits one that is taken unless all stored keys miss its class. (The usual bound
// 1-(1-1/2^f)^(2b) of Fan et al. 2014, section 5.1, supposes a full table and no reserved 0.)
// The rate holds for keys that the hash maps to well-mixed digests, and on average over hash
// seeds; a set of queries of its own may fare better or worse. In a table of few buckets the share
// of pairs that coincide is not exactly 1/m, which moves the rate by some percent of itself.
func (f *Filter[F]) FalsePositiveRate() float64 {
	return PredictRate(f.width(), f.config.BucketSize, f.config.Buckets, f.len)
}

// PredictRate returns the false-positive rate that [Filter.FalsePositiveRate] predicts for n keys
// in the given number of buckets of b slots with fingerprints of width bits. It is 0 where b, buckets
// or n is below 1. For a given n it does not depend on b, as b*alpha is the keys a bucket holds.
func PredictRate(width uint, b, buckets, n int) float64 {
	if buckets < 1 || b < 1 || n < 1 {
		return 0
	}
	m := float64(buckets)
	// The share 1/m of pairs coincides: they look into one bucket where others look into two.
	looked := (2 - 1/m) * float64(n) / m
	return -math.Expm1(-looked / (math.Ldexp(1, int(width)) - 1))
}

// Stats counts what the inserts of a filter did since it was made or Reset.
type Stats struct {
	// Kicks is the number of fingerprints that successful inserts moved.
	Kicks uint64
	// LongestPath is the largest number of kicks of one successful insert.
	LongestPath uint64
	// Refusals is the number of inserts that returned ErrFull; a Merge that did counts as one.
	Refusals uint64
}

// Stats returns the counters of the filter. Lookups and deletes count nothing.
func (f *Filter[F]) Stats() Stats { return Stats(f.engine.Stats) }
