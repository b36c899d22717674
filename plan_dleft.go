package nest

import (
	"fmt"

	"github.com/nestfilter/nest/counting"
)

// dleftGranule is what the slots of a d-left filter are a multiple of: a bucket in each table.
const dleftGranule = counting.DLeftTables * counting.DLeftBucketSize

// planDLeft returns the d-left filter for s. Its size for a rate is that of counting.NewDLeft.
func planDLeft(s Spec) (Plan, error) {
	if s.BitsPerItem != 0 {
		return bestWidth(s, counting.MinRemainderBits, counting.MaxRemainderBits, dleftOfWidth)
	}
	return dleftOfWidth(s, s.FingerprintBits)
}

// dleftOfWidth returns the d-left filter for s with remainders of width bits, or, where width is 0,
// with the fewest that keep the rate.
func dleftOfWidth(s Spec, width int) (Plan, error) {
	s.FingerprintBits = width
	c, err := s.dleftConfig()
	if err != nil {
		return Plan{}, err
	}
	c, size, err := counting.PlanDLeft(c)
	if err != nil {
		return Plan{}, fmt.Errorf("nest: %w", err)
	}
	p := Plan{
		Spec: s.resolved(c.Buckets * dleftGranule), SizeBytes: size,
		// A lookup loads all four buckets before it looks at any.
		LinesHit: counting.DLeftTables, LinesMiss: counting.DLeftTables,
		FalsePositiveRate: counting.PredictDLeftRate(c.Buckets, c.RemainderBits, s.Capacity),
	}
	p.Spec.FingerprintBits, p.Spec.CounterBits = c.RemainderBits, c.CounterBits
	return p, nil
}

// dleftConfig returns the configuration of the d-left filter that s describes.
func (s Spec) dleftConfig() (counting.DLeftConfig, error) {
	h, err := s.hasher()
	c := counting.DLeftConfig{
		Capacity: s.Capacity, Buckets: s.Slots / dleftGranule, FalsePositiveRate: s.FalsePositiveRate,
		RemainderBits: s.FingerprintBits, CounterBits: s.CounterBits, Hash: h, MaxBytes: s.MaxBytes,
	}
	if c.RemainderBits != 0 {
		c.FalsePositiveRate = 0
	}
	return c, err
}
