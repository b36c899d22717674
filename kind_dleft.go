package nest

import (
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

var dleftKind = kind{
	name: DLeft, file: container.DLeft, deletes: true,
	fields: []string{"FingerprintBits", "CounterBits"},
	check:  checkDLeft,
	plan:   planDLeft,
	make:   dleftFace.make, load: loader(dleftFace),
	view: viewer(dleftFace, counting.OpenView, func(v *counting.View) counting.DLeftConfig {
		c, _ := v.DLeftConfig()
		return c
	}),
}

type dleftVerbs struct{ *counting.DLeft }

// A dleftFilter is a Filter of kind DLeft.
type dleftFilter struct {
	dleftVerbs
	handle[*counting.DLeft, counting.DLeftConfig]
}

var dleftFace = &face[*counting.DLeft, counting.DLeftConfig]{
	config: dleftConfig, empty: counting.NewDLeft, spec: dleftSpec,
	hash: func(c counting.DLeftConfig) hashing.Hasher { return c.Hash },
	wrap: func(h handle[*counting.DLeft, counting.DLeftConfig]) Filter {
		return &dleftFilter{dleftVerbs{h.filter}, h}
	},
}

// checkDLeft reports what cannot be the shape of a d-left filter.
func checkDLeft(s Spec, p *config.Problems) {
	if least := counting.MinRemainderBits; s.FingerprintBits > 0 && s.FingerprintBits < least {
		p.Wrong("FingerprintBits is %d, want at least %d for Kind %s", s.FingerprintBits, least, DLeft)
	}
}

// planDLeft returns the d-left filter for s. Its size for a rate is that of counting.NewDLeft.
func planDLeft(s Spec) (Plan, error) {
	if s.BitsPerItem != 0 {
		return bestWidth(s, counting.MinRemainderBits, counting.MaxRemainderBits, dleftOfWidth)
	}
	return dleftOfWidth(s)
}

// dleftOfWidth returns the d-left filter for s with remainders of its width, of 0 as many bits as the rate takes. A
// lookup loads all four buckets before it looks at any.
func dleftOfWidth(s Spec) (Plan, error) {
	return dleftFace.planned(s, counting.PlanDLeft, 4, func(c counting.DLeftConfig) float64 {
		return counting.PredictDLeftRate(c.Slots, c.RemainderBits, s.Capacity)
	})
}

// dleftConfig returns the configuration of the d-left filter that s describes.
func dleftConfig(s Spec, h hashing.Hasher) counting.DLeftConfig {
	return counting.DLeftConfig{
		Capacity: s.Capacity, Slots: s.Slots, FalsePositiveRate: s.FalsePositiveRate,
		RemainderBits: s.FingerprintBits, CounterBits: s.CounterBits, Hash: h, MaxBytes: s.MaxBytes,
	}
}

// dleftSpec is dleftConfig the other way round.
func dleftSpec(c counting.DLeftConfig) Spec {
	return Spec{
		Kind: DLeft, Slots: c.Slots, FingerprintBits: c.RemainderBits, CounterBits: c.CounterBits,
		MaxBytes: c.MaxBytes, Hash: recipe(c.Hash),
	}
}
