package cuckoo

import (
	"math"

	"github.com/nestfilter/nest/fingerprint"
)

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
	return f.config.PredictRate(f.len)
}

// PredictRate returns the false-positive rate that [Filter.FalsePositiveRate] predicts for n keys in a filter of
// a configuration that [Plan] or [Filter.Config] returned. It is 0 if n, Buckets or BucketSize is below 1, and else NaN for a
// Layout that is unknown or FingerprintBits that are not 1 to 32.
func (c Config) PredictRate(n int) float64 {
	switch {
	case c.Buckets < 1 || c.BucketSize < 1 || n < 1:
		return 0
	case c.Layout >= layouts || c.FingerprintBits < 1 || c.FingerprintBits > fingerprint.MaxWidth:
		return math.NaN()
	}
	// The share 1/m of pairs coincides: they look into one bucket where others look into two.
	among, looked, shared := float64(c.Buckets), 2.0, 1.0
	if layoutTable[c.Layout].paired {
		// Of four slots that a key looks into, those of both buckets are the same two for 2/b of these pairs.
		among, looked, shared = among*float64(c.BucketSize), 4, 4
	}
	keys := (looked - shared/among) * float64(n) / among
	return -math.Expm1(-keys / (math.Ldexp(1, c.FingerprintBits) - 1))
}
