package nest

import (
	"cmp"
	"time"

	"github.com/nestfilter/nest/cuckoo/window"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
)

// An Advancer is a [Filter] that forgets: of kind [Window]. Insert remembers a key from the latest AdvanceTo on, for a
// window; InsertUnique does so for a key that is not remembered, and the time of one that is goes on.
type Advancer interface {
	Filter
	// Touch is Insert, and tells whether the key was not remembered.
	Touch(key []byte) (added bool, err error)
	// TouchString is Touch of a string.
	TouchString(key string) (added bool, err error)
	// TouchHash is Touch of the key with digest h.
	TouchHash(h uint64) (added bool, err error)
	// Advance ends a generation: keys that were not touched in this one and as many before it as Spec.Generations says
	// are forgotten.
	Advance()
	// AdvanceTo tells the filter the time, if Spec.Window is set, and has it forget what is due. Call it before each
	// insert, or each batch of them. An earlier time than the latest does nothing.
	AdvanceTo(now time.Time)
}

var windowKind = kind{
	name: Window, file: container.Window, asked: true,
	fields: []string{"FingerprintBits", "BucketSize", "Generations", "Window", "Keys", "ForgetEarly"},
	check:  checkWindow, validate: validator(windowConfig),
	plan: func(s Spec) (Plan, error) { return bestWidth(s, minWidth, fingerprint.MaxWidth, windowOfWidth) },
	make: windowFace.make, load: loader(windowFace),
	view: viewer(windowFace, window.OpenView[fingerprint.Any], (*window.View[fingerprint.Any]).Config),
}

type anyWindow = window.Filter[fingerprint.Any]

type windowVerbs struct{ *anyWindow }

// A windowFilter is a Filter of kind Window.
type windowFilter struct {
	windowVerbs
	handle[*anyWindow, window.Config]
}

var windowFace = &face[*anyWindow, window.Config]{
	config: windowConfig, empty: window.New[fingerprint.Any], spec: windowSpec,
	hash: func(c window.Config) hashing.Hasher { return c.Hash },
	wrap: func(h handle[*anyWindow, window.Config]) Filter { return &windowFilter{windowVerbs{h.filter}, h} },
}

// checkWindow reports slots that are no whole number of buckets, and bits for each of keys whose number is not said.
func checkWindow(s Spec, p *config.Problems) {
	if b := s.bucketSize(); s.Slots%b != 0 {
		p.Wrong("Slots is %d, want a multiple of %d, the slots of a bucket", s.Slots, b)
	}
	if s.BitsPerItem != 0 && s.Capacity == 0 {
		p.Wrong("BitsPerItem is %v and Capacity is 0, want both", s.BitsPerItem)
	}
}

// windowOfWidth returns the window filter for s with fingerprints of its width.
func windowOfWidth(s Spec) (Plan, error) {
	keys := cmp.Or(s.Capacity, s.Keys)
	if s.Slots != 0 {
		keys = 0
	}
	return windowFace.planned(s, window.Plan, 2, func(c window.Config) float64 {
		return c.PredictRate(keys + (keys+c.Generations-1)/c.Generations) // with those of a generation more
	})
}

// windowConfig returns the configuration of the window filter that s, which is valid, describes.
func windowConfig(s Spec, h hashing.Hasher) window.Config {
	return window.Config{
		PerWindow: s.Capacity, Buckets: s.Slots / s.bucketSize(),
		FingerprintBits: s.FingerprintBits, BucketSize: s.BucketSize,
		Generations: s.Generations, Window: s.Window, Keys: s.Keys, ForgetEarly: s.ForgetEarly,
		Hash: h, MaxBytes: s.MaxBytes,
	}
}

// windowSpec is windowConfig the other way round.
func windowSpec(c window.Config) Spec {
	return Spec{
		Kind: Window, Slots: c.Buckets * c.BucketSize, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize,
		Generations: c.Generations, Window: c.Window, Keys: c.Keys, ForgetEarly: c.ForgetEarly,
		Hash: recipe(c.Hash), MaxBytes: c.MaxBytes,
	}
}
