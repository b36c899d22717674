package nest

import (
	"cmp"
	"math"

	"github.com/nestfilter/nest/bloom/fuse"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/packed"
)

var fuseKind = kind{
	name: Fuse, file: container.Fuse, static: true,
	fields: []string{"FingerprintBits", "Segments"},
	plan:   func(s Spec) (Plan, error) { return bestWidth(s, 1, fingerprint.MaxWidth, fuseOfWidth) },
	make: func(Spec, hashing.Hasher) (Filter, error) {
		return nil, pkg.Errorf(ErrConfig,
			"Kind is %s, whose filters have all their keys when they are made: call Build", Fuse)
	},
	build: buildFuse, load: loader(fuseFace),
	view: viewer(fuseFace, fuse.OpenView[fingerprint.Any], func(v *fuse.View[fingerprint.Any]) fuseShape {
		return fuseShape{v.Config(), v.Slots()}
	}),
}

// staticFuse is a fuse filter with what the front needs of any.
type staticFuse struct{ fuse.Filter[fingerprint.Any] }

// A fuseShape is the configuration of a filter and the slots that its keys need.
type fuseShape struct {
	fuse.Config
	slots int
}

// Config returns the shape of the filter.
func (f *staticFuse) Config() fuseShape { return fuseShape{f.Filter.Config(), f.Slots()} }

// Clone returns a copy that shares nothing with f.
func (f *staticFuse) Clone() *staticFuse { return &staticFuse{*f.Filter.Clone()} }

// Merge returns an [ErrMismatch].
func (f *staticFuse) Merge(*staticFuse) error {
	return pkg.Errorf(ErrMismatch, "filters of Kind %s cannot be merged: Build one of the keys of both", Fuse)
}

type fuseVerbs struct{ *staticFuse }

// A fuseFilter is a Filter of kind Fuse.
type fuseFilter struct {
	fuseVerbs
	refusals
	handle[*staticFuse, fuseShape]
}

// Unwrap is [Filter.Unwrap].
func (f *fuseFilter) Unwrap() any { return &f.filter.Filter }

// Merge is [Filter.Merge], which no filter of this kind has.
func (f *fuseFilter) Merge(Filter) error { return f.filter.Merge(nil) }

// fuseFace makes no filters: buildFuse does.
var fuseFace = &face[*staticFuse, fuseShape]{
	spec: fuseSpec, hash: func(c fuseShape) hashing.Hasher { return c.Hash },
	wrap: func(h handle[*staticFuse, fuseShape]) Filter { return &fuseFilter{fuseVerbs{h.filter}, refusals{}, h} },
}

// fuseOfWidth returns the fuse filter for s with fingerprints of its width. Of one with Slots, which was built, the
// number of keys is not known.
func fuseOfWidth(s Spec) (p Plan, err error) {
	s.Segments = cmp.Or(s.Segments, 4)
	p.LinesHit, p.LinesMiss = s.Segments, s.Segments
	c, slots := fuseConfig(s, nil), s.Slots
	if s.Capacity != 0 {
		p.FalsePositiveRate = math.Ldexp(1, -s.FingerprintBits)
		if slots, p.SizeBytes, err = fuse.Plan(c, s.Capacity); err != nil {
			return Plan{}, pkg.Wrap(err)
		}
	} else {
		size, ok := packed.Plain.Size(uint(s.FingerprintBits), 1, uint64(slots))
		if limit := config.MaxBytes(s.MaxBytes); !ok || size > limit || uint64(slots) > fuse.MaxSlots {
			return Plan{}, pkg.Errorf(ErrTooLarge,
				"Slots is %d, which Kind %s does not have or MaxBytes %d does not admit", slots, Fuse, limit)
		}
		p.SizeBytes = size
	}
	p.Spec = fuseSpec(fuseShape{c, slots})
	return p, nil
}

// buildFuse returns the fuse filter of a resolved Spec for the digests hs.
func buildFuse(s Spec, h hashing.Hasher, hs []uint64) (Filter, error) {
	f, err := fuse.Build[fingerprint.Any](fuseConfig(s, h), hs)
	if err != nil {
		return nil, pkg.Wrap(err)
	}
	return fuseFace.wrap(handleOf(&staticFuse{*f}, fuseFace)), nil
}

// fuseConfig returns the configuration of the fuse filter that s describes.
func fuseConfig(s Spec, h hashing.Hasher) fuse.Config {
	return fuse.Config{FingerprintBits: s.FingerprintBits, Segments: s.Segments, Hash: h, MaxBytes: s.MaxBytes}
}

// fuseSpec is fuseConfig the other way round.
func fuseSpec(c fuseShape) Spec {
	return Spec{
		Kind: Fuse, Slots: c.slots, FingerprintBits: c.FingerprintBits, Segments: c.Segments,
		MaxBytes: c.MaxBytes, Hash: recipe(c.Hash),
	}
}

// refusals are the insert verbs of a filter that takes no keys.
type refusals struct{}

// errStatic is what they say.
var errStatic = pkg.Errorf(ErrFull, "a filter of Kind %s takes no key after it is made: Build another", Fuse)

func (refusals) Insert([]byte) error                     { return errStatic }
func (refusals) InsertString(string) error               { return errStatic }
func (refusals) InsertHash(uint64) error                 { return errStatic }
func (refusals) InsertUnique([]byte) (bool, error)       { return false, errStatic }
func (refusals) InsertUniqueString(string) (bool, error) { return false, errStatic }
func (refusals) InsertUniqueHash(uint64) (bool, error)   { return false, errStatic }

func (refusals) InsertHashes(hs []uint64) (int, error) {
	if len(hs) == 0 {
		return 0, nil
	}
	return 0, errStatic
}
