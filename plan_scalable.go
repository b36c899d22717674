package nest

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// growingBits is the width of a growing filter of which neither the rate nor the width is said: four of its
// fingerprints are a word, and the rate that it keeps is 0.29%.
const growingBits = 16

// planScalable returns the growing filter for s: with the narrowest fingerprints that keep the rate for as many
// sub-filters as there can be, and within MaxBytes. The size is that of its first sub-filter.
func planScalable(s Spec) (Plan, error) {
	c, err := s.scalableConfig()
	if err != nil {
		return Plan{}, err
	}
	switch {
	case s.FingerprintBits != 0:
		return scalableOfWidth(s, c, uint(s.FingerprintBits))
	case s.FalsePositiveRate == 0:
		return scalableOfWidth(s, c, growingBits)
	}
	narrowest, err := cuckoo.ScalableWidth(c)
	if err != nil {
		return Plan{}, fmt.Errorf("nest: %w", err)
	}
	for width := max(narrowest, minWidth); width <= fingerprint.MaxWidth; width++ {
		// A table of wider fingerprints can be smaller.
		if p, err := scalableOfWidth(s, c, width); !errors.Is(err, ErrTooLarge) {
			return p, err
		}
	}
	return scalableOfWidth(s, c, narrowest)
}

// scalableOfWidth returns the growing filter for s, whose configuration is c, with fingerprints of width bits.
func scalableOfWidth(s Spec, c cuckoo.ScalableConfig, width uint) (Plan, error) {
	c, err := cuckoo.PlanScalable(c, width)
	if err != nil {
		return Plan{}, fmt.Errorf("nest: %w", err)
	}
	_, size, err := cuckoo.Plan(cuckoo.Config{
		Capacity: c.Capacity, BucketSize: c.BucketSize, SemiSort: c.SemiSort, Placement: cuckoo.XOR, Kick: c.Kick, MaxBytes: c.MaxBytes,
	}, width)
	if err != nil {
		return Plan{}, fmt.Errorf("nest: %w", err)
	}
	p := Plan{Spec: s, SizeBytes: size, FalsePositiveRate: c.FalsePositiveRate, LinesHit: 2, LinesMiss: 2}
	p.Spec.Capacity, p.Spec.FalsePositiveRate, p.Spec.FingerprintBits = c.Capacity, c.FalsePositiveRate, int(width)
	p.Spec.BucketSize, p.Spec.GrowthFactor, p.Spec.MaxSubFilters = c.BucketSize, c.GrowthFactor, c.MaxSubFilters
	p.Spec.Kick, p.Spec.MaxKicks = c.Kick.Recipe(), c.MaxKicks
	return p, nil
}

// scalableConfig returns the configuration of the growing filter that s describes.
func (s Spec) scalableConfig() (cuckoo.ScalableConfig, error) {
	h, err := s.hasher()
	if err != nil {
		return cuckoo.ScalableConfig{}, err
	}
	policy, err := s.kickPolicy()
	return cuckoo.ScalableConfig{
		Capacity: s.Capacity, GrowthFactor: s.GrowthFactor, FalsePositiveRate: s.FalsePositiveRate, MaxSubFilters: s.MaxSubFilters,
		FingerprintBits: s.FingerprintBits, BucketSize: s.BucketSize, SemiSort: s.SemiSort, Hash: h, Kick: policy, MaxKicks: s.MaxKicks, Seed: s.Seed, MaxBytes: s.MaxBytes,
	}, err
}
