package nest

import (
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
	validate: validator(scalableConfig),
	plan:     planScalable,
	make:     scalableFace.make, load: loader(scalableFace),
	view: viewer(scalableFace, cuckoo.OpenScalableView[fingerprint.Any],
		(*cuckoo.ScalableView[fingerprint.Any]).Config),
}

// anyScalable is of type Any as anyCuckoo is.
type anyScalable = cuckoo.Scalable[fingerprint.Any]

type scalableVerbs struct{ *anyScalable }

// A scalableFilter is a Filter of kind Scalable.
type scalableFilter struct {
	scalableVerbs
	handle[*anyScalable, cuckoo.ScalableConfig]
}

var scalableFace = &face[*anyScalable, cuckoo.ScalableConfig]{
	config: scalableConfig, empty: cuckoo.NewScalable[fingerprint.Any], spec: scalableSpec,
	hash: func(c cuckoo.ScalableConfig) hashing.Hasher { return c.Hash },
	wrap: func(h handle[*anyScalable, cuckoo.ScalableConfig]) Filter {
		return &scalableFilter{scalableVerbs{h.filter}, h}
	},
}

// checkScalable reports sizes, which a growing filter does not have.
func checkScalable(s Spec, p *config.Problems) {
	for _, name := range []string{"Slots", "BitsPerItem"} {
		if f := s.field(name); f.Set() {
			p.Wrong("%v is set, and Kind %s grows; want FalsePositiveRate or FingerprintBits, "+
				"and Capacity for a first size", f, Scalable)
		}
	}
}

// growingBits is the width where a Spec has neither a rate nor a width: it keeps a rate of 0.29%, and 4 are a word.
const growingBits = 16

// planScalable returns the growing filter for s, and the size of its first table.
func planScalable(s Spec) (Plan, error) {
	if s.FingerprintBits == 0 && s.FalsePositiveRate == 0 {
		s.FingerprintBits = growingBits
	}
	rate := func(c cuckoo.ScalableConfig) float64 { return c.FalsePositiveRate }
	return scalableFace.planned(s, cuckoo.PlanScalable, 2, rate)
}

// scalableConfig returns the configuration of the growing filter that s, which is valid, describes.
func scalableConfig(s Spec, h hashing.Hasher) cuckoo.ScalableConfig {
	kick, _ := s.policy()
	return cuckoo.ScalableConfig{
		Capacity: s.Capacity, FalsePositiveRate: s.FalsePositiveRate, MaxDoublings: s.MaxDoublings,
		FingerprintBits: s.FingerprintBits, BucketSize: s.BucketSize, Hash: h, Kick: kick,
		MaxKicks: s.MaxKicks, Seed: s.Seed, MaxBytes: s.MaxBytes,
	}
}

// scalableSpec is scalableConfig the other way round, as cuckooSpec is.
func scalableSpec(c cuckoo.ScalableConfig) Spec {
	return Spec{
		Kind: Scalable, Capacity: c.Capacity, FalsePositiveRate: c.FalsePositiveRate, MaxDoublings: c.MaxDoublings,
		FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize, Hash: recipe(c.Hash), Kick: recipe(c.Kick),
		MaxKicks: c.MaxKicks, Seed: c.Seed, MaxBytes: c.MaxBytes,
	}
}
