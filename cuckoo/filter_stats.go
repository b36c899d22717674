package cuckoo

import (
	"math"

	"github.com/nestfilter/nest/fingerprint"
)

// Len returns the number of fingerprints stored: keys inserted less keys deleted.
func (f *reader[F]) Len() int { return f.len }

// Slots returns the number of slots of the table.
func (f *reader[F]) Slots() int { return f.config.Buckets * f.config.BucketSize }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1; of the zero Filter it is 0.
func (f *reader[F]) LoadFactor() float64 { return float64(f.len) / float64(max(f.Slots(), 1)) }

// SizeBytes returns the size of the table in bytes, including 8 bytes of padding at its end. It does
// not include the scratch memory of the kick policy, which by default is at most about 16 KiB, and 450 KiB under the layout PairedSlots.
func (f *reader[F]) SizeBytes() int { return len(f.engine.Table.Data()) }

// FalsePositiveRate returns the predicted false-positive rate at the present load, 1 -
// exp(-2*b*alpha/(2^f-1)), or 1 - exp(-4*alpha/(2^f-1)) under the layout PairedSlots: the share of keys that were never inserted to
// which Contains says yes.
//
// It follows from the number of classes. m buckets and 2^f-1 fingerprints make m*(2^f-1)/2 classes, and
// a new key is a false positive unless all stored keys miss its class. (The usual bound
// 1-(1-1/2^f)^(2b) of Fan et al. 2014, section 5.1, supposes a full table and no reserved 0.)
//
// The prediction is for well-mixed digests and is an average over hash seeds: one set of queries can
// see a higher or a lower rate. In a table of few buckets the share of pairs that coincide is not
// exactly 1/m, which changes the rate by a few percent of its value.
func (f *reader[F]) FalsePositiveRate() float64 {
	return f.config.PredictRate(f.width(), f.len)
}

// PredictRate returns the false-positive rate that [Filter.FalsePositiveRate] predicts for n keys in a filter of
// a configuration that [Plan] or [Filter.Config] returned, with fingerprints of width bits. It is 0 if n, Buckets or
// BucketSize is below 1, and else NaN for a Layout that is unknown or a width that is not 1 to fingerprint.MaxWidth.
func (c Config) PredictRate(width uint, n int) float64 {
	switch {
	case c.Buckets < 1 || c.BucketSize < 1 || n < 1:
		return 0
	case c.Layout >= layouts || width < 1 || width > fingerprint.MaxWidth:
		return math.NaN()
	}
	// The share 1/m of pairs coincides: they look into one bucket where others look into two.
	among, looked, shared := float64(c.Buckets), 2.0, 1.0
	if layoutTable[c.Layout].paired {
		// Of four slots that a key looks into, those of both buckets are the same two for 2/b of these pairs.
		among, looked, shared = among*float64(c.BucketSize), 4, 4
	}
	keys := (looked - shared/among) * float64(n) / among
	return -math.Expm1(-keys / (math.Ldexp(1, int(width)) - 1))
}

// Stats counts what the inserts of a filter did since it was made, read from a file, or Reset. It is
// the same for a [Filter] and a [Scalable]. Lookups and deletes are not counted, as counting would slow
// them down.
type Stats struct {
	// Kicks is the number of fingerprints that successful inserts moved.
	Kicks uint64
	// LongestPath is the largest number of kicks of one successful insert.
	LongestPath uint64
	// Refusals is the number of inserts that returned ErrFull. A Merge that did counts as one.
	Refusals uint64
}

// Stats returns what the filter has counted.
func (f *Filter[F]) Stats() Stats { return Stats(f.engine.Stats) }
