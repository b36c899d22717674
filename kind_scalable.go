package nest

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

var scalableKind = kind{
	name: Scalable, file: container.Scalable, deletes: true, grows: true,
	fields:   []string{"FingerprintBits", "BucketSize", "Kick", "MaxKicks", "Seed", "MaxDoublings"},
	check:    checkScalable,
	validate: validateScalable,
	plan:     planScalable,
	make:     maker(Spec.scalableConfig, cuckoo.NewScalable[fingerprint.Any], wrapScalable),
	load:     loader(wrapScalable, describeScalable),
	view:     viewScalable,
}

// anyScalable is of type Any as anyCuckoo is.
type anyScalable = cuckoo.Scalable[fingerprint.Any]

type scalableVerbs struct{ *anyScalable }

// A scalableFilter is a Filter of kind Scalable.
type scalableFilter struct {
	scalableVerbs
	handle[*anyScalable]
}

func wrapScalable(f *anyScalable, s Spec) Filter {
	return &scalableFilter{scalableVerbs{f}, handleOf(f, keptRates, s, wrapScalable, describeScalable)}
}

func describeScalable(f *anyScalable) Spec { return scalableSpec(f.Config()) }

func viewScalable(b []byte, known []hashing.Hasher) (View, error) {
	v, err := cuckoo.OpenScalableView[fingerprint.Any](b, known...)
	if err != nil {
		return nil, err
	}
	c := v.Config()
	return newView(v, keptRates, scalableSpec(c), c.Hash), nil
}

// checkScalable reports sizes, which a growing filter does not have.
func checkScalable(s Spec, p *problems) {
	for _, f := range []config.Field{s.field("Slots"), s.field("BitsPerItem")} {
		if f.Set() {
			p.wrong("%v is set, and Kind %s grows; want FalsePositiveRate or FingerprintBits, and Capacity for a first size", f, Scalable)
		}
	}
}

// validateScalable reports what cuckoo.NewScalable would refuse.
func validateScalable(s Spec) error {
	c, err := s.scalableConfig()
	if err != nil {
		return err
	}
	if err := c.Validate(); err != nil {
		return fmt.Errorf("nest: %w", err)
	}
	return nil
}

// growingBits is the width of a growing filter whose Spec has neither a rate nor a width: four such
// fingerprints are a word, and the filter keeps a rate of 0.29%.
const growingBits = 16

// planScalable returns the growing filter for s: with the narrowest fingerprints that keep the rate for as many
// doublings as there can be. The size is that of its first table.
func planScalable(s Spec) (Plan, error) {
	c, err := s.scalableConfig()
	if err != nil {
		return Plan{}, err
	}
	if s.FingerprintBits == 0 && s.FalsePositiveRate == 0 {
		c.FingerprintBits = growingBits
	}
	c, size, err := cuckoo.PlanScalable(c)
	if err != nil {
		return Plan{}, fmt.Errorf("nest: %w", err)
	}
	p := Plan{Spec: s, SizeBytes: size, FalsePositiveRate: c.FalsePositiveRate, LinesHit: 2, LinesMiss: 2}
	p.Spec.Capacity, p.Spec.FalsePositiveRate, p.Spec.FingerprintBits = c.Capacity, c.FalsePositiveRate, c.FingerprintBits
	p.Spec.BucketSize, p.Spec.MaxDoublings = c.BucketSize, c.MaxDoublings
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
		Capacity: s.Capacity, FalsePositiveRate: s.FalsePositiveRate, MaxDoublings: s.MaxDoublings,
		FingerprintBits: s.FingerprintBits, BucketSize: s.BucketSize, Hash: h, Kick: policy,
		MaxKicks: s.MaxKicks, Seed: s.Seed, MaxBytes: s.MaxBytes,
	}, err
}

// scalableSpec is scalableConfig the other way round, as cuckooSpec is.
func scalableSpec(c cuckoo.ScalableConfig) Spec {
	s := Spec{
		Kind: Scalable, Capacity: c.Capacity, FalsePositiveRate: c.FalsePositiveRate, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize,
		MaxKicks: c.MaxKicks, Seed: c.Seed, MaxDoublings: c.MaxDoublings, MaxBytes: c.MaxBytes,
		KickPolicy: c.Kick,
	}
	return s.hashed(c.Hash)
}
