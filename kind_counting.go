package nest

import (
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

var countingKind = kind{
	name: Counting, file: container.Counting, deletes: true,
	fields: []string{"Hashes", "CounterBits"},
	check:  checkCounting,
	plan:   planCounting,
	make:   countingFace.make, load: loader(countingFace),
	view: viewer(countingFace, counting.OpenView, func(v *counting.View) counting.Config {
		c, _ := v.Config()
		return c
	}),
}

// counters are those of a counting Bloom filter.
var counters = cellular{resolve: bits(countingFace, counting.Plan), predict: bloom.PredictRate, granule: 1}

type countingVerbs struct{ *counting.Filter }

// A countingFilter is a Filter of kind Counting.
type countingFilter struct {
	countingVerbs
	inserts[*counting.Filter]
	handle[*counting.Filter, counting.Config]
}

var countingFace = &face[*counting.Filter, counting.Config]{
	config: countingConfig, empty: counting.New, spec: countingSpec,
	hash: func(c counting.Config) hashing.Hasher { return c.Hash },
	wrap: func(h handle[*counting.Filter, counting.Config]) Filter {
		return &countingFilter{countingVerbs{h.filter}, inserts[*counting.Filter]{h.filter}, h}
	},
}

// checkCounting reports counters of a width that there is not.
func checkCounting(s Spec, p *config.Problems) {
	if !slices.Contains([]int{0, 2, 4, 8, 16}, s.CounterBits) {
		p.Wrong("CounterBits is %d, want 2, 4, 8 or 16", s.CounterBits)
	}
}

// planCounting returns the counting filter for s.
func planCounting(s Spec) (Plan, error) {
	if s.CounterBits == 0 {
		s.CounterBits = counting.DefaultCounterBits
	}
	return counters.plan(s)
}

// countingConfig returns the configuration of the counting filter that s describes.
func countingConfig(s Spec, h hashing.Hasher) counting.Config {
	return counting.Config{
		Capacity: s.Capacity, FalsePositiveRate: s.FalsePositiveRate, Slots: s.Slots, Hashes: s.Hashes,
		CounterBits: s.CounterBits, Hash: h, MaxBytes: s.MaxBytes,
	}
}

// countingSpec is countingConfig the other way round.
func countingSpec(c counting.Config) Spec {
	return Spec{
		Kind: Counting, Slots: c.Slots, Hashes: c.Hashes, CounterBits: c.CounterBits,
		MaxBytes: c.MaxBytes, Hash: recipe(c.Hash),
	}
}
