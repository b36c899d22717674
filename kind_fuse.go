package nest

import (
	"cmp"
	"fmt"
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
	plan:   planFuse,
	make: func(Spec) (Filter, error) {
		return nil, errorf(ErrConfig,
			"Kind is %s, whose filters have all their keys when they are made: call Build", Fuse)
	},
	build: buildFuse,
	load:  loader(wrapFuse, describeFuse),
	view:  viewFuse,
}

// staticFuse is a fuse filter with what handle needs of any.
type staticFuse struct{ fuse.Filter[fingerprint.Any] }

// Clone returns a copy that shares nothing with f.
func (f *staticFuse) Clone() *staticFuse { return &staticFuse{*f.Filter.Clone()} }

// Merge returns an [ErrMismatch].
func (f *staticFuse) Merge(*staticFuse) error {
	return errorf(ErrMismatch, "filters of Kind %s cannot be merged: Build one of the keys of both", Fuse)
}

type fuseVerbs struct{ *staticFuse }

// A fuseFilter is a Filter of kind Fuse.
type fuseFilter struct {
	fuseVerbs
	refusals
	handle[*staticFuse]
}

// Unwrap is [Filter.Unwrap].
func (f *fuseFilter) Unwrap() any { return &f.filter.Filter }

// Merge is [Filter.Merge], which no filter of this kind has.
func (f *fuseFilter) Merge(Filter) error { return f.filter.Merge(nil) }

// Reset is [Filter.Reset]. The table of no keys has another size.
func (f *fuseFilter) Reset() {
	f.filter.Reset()
	f.resolved.Slots = f.filter.Slots()
}

func wrapFuse(f *staticFuse, s Spec) Filter {
	return &fuseFilter{fuseVerbs{f}, refusals{}, handleOf(f, keptRates, s, wrapFuse, describeFuse)}
}

func describeFuse(f *staticFuse) Spec { return fuseSpec(f.Config(), f.Slots()) }

func viewFuse(b []byte, known []hashing.Hasher) (View, error) {
	v, err := fuse.OpenView[fingerprint.Any](b, known...)
	if err != nil {
		return nil, err
	}
	c := v.Config()
	return newView(v, keptRates, fuseSpec(c, v.Slots()), c.Hash), nil
}

// planFuse returns the fuse filter for s: of the fewest bits that keep its rate, or of the most that fit.
func planFuse(s Spec) (Plan, error) {
	if s.FingerprintBits == 0 {
		return bestWidth(s, 1, fingerprint.MaxWidth, fuseOfWidth)
	}
	return fuseOfWidth(s, s.FingerprintBits)
}

// fuseOfWidth returns the fuse filter for s with fingerprints of width bits. Of one with Slots, which was built, the
// number of keys is not known.
func fuseOfWidth(s Spec, width int) (Plan, error) {
	s.FingerprintBits, s.Segments = width, cmp.Or(s.Segments, 4)
	c, err := s.fuseConfig()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{LinesHit: s.Segments, LinesMiss: s.Segments}
	slots := s.Slots
	if s.Capacity != 0 {
		p.FalsePositiveRate = math.Ldexp(1, -width)
		if slots, p.SizeBytes, err = fuse.Plan(c, s.Capacity); err != nil {
			return Plan{}, fmt.Errorf("nest: %w", err)
		}
	} else {
		size, ok := packed.Size(uint(width), 1, uint64(slots))
		if limit := config.MaxBytes(s.MaxBytes); !ok || size > limit || uint64(slots) > fuse.MaxSlots {
			return Plan{}, errorf(ErrTooLarge,
				"Slots is %d, which Kind %s does not have or MaxBytes %d does not admit", slots, Fuse, limit)
		}
		p.SizeBytes = size
	}
	p.Spec = s.resolved(slots)
	return p, nil
}

// buildFuse returns the fuse filter of a resolved Spec for the digests hs.
func buildFuse(s Spec, hs []uint64) (Filter, error) {
	c, err := s.fuseConfig()
	if err != nil {
		return nil, err
	}
	f, err := fuse.Build[fingerprint.Any](c, hs)
	if err != nil {
		return nil, fmt.Errorf("nest: %w", err)
	}
	g := &staticFuse{*f}
	return wrapFuse(g, describeFuse(g)), nil
}

// fuseConfig returns the configuration of the fuse filter that s describes.
func (s Spec) fuseConfig() (fuse.Config, error) {
	h, err := s.hasher()
	return fuse.Config{FingerprintBits: s.FingerprintBits, Segments: s.Segments, Hash: h, MaxBytes: s.MaxBytes}, err
}

// fuseSpec is fuseConfig the other way round.
func fuseSpec(c fuse.Config, slots int) Spec {
	return Spec{
		Kind: Fuse, Slots: slots, FingerprintBits: c.FingerprintBits, Segments: c.Segments, MaxBytes: c.MaxBytes,
	}.hashed(c.Hash)
}

// refusals are the insert verbs of a filter that takes no keys.
type refusals struct{}

// errStatic is what they say.
var errStatic = errorf(ErrFull, "a filter of Kind %s takes no key after it is made: Build another", Fuse)

// Insert is [Filter.Insert].
func (refusals) Insert([]byte) error { return errStatic }

// InsertString is [Filter.InsertString].
func (refusals) InsertString(string) error { return errStatic }

// InsertHash is [Filter.InsertHash].
func (refusals) InsertHash(uint64) error { return errStatic }

// InsertHashes is [Filter.InsertHashes].
func (refusals) InsertHashes(hs []uint64) (int, error) {
	if len(hs) == 0 {
		return 0, nil
	}
	return 0, errStatic
}

// InsertUnique is [Filter.InsertUnique].
func (refusals) InsertUnique([]byte) (bool, error) { return false, errStatic }

// InsertUniqueString is [Filter.InsertUniqueString].
func (refusals) InsertUniqueString(string) (bool, error) { return false, errStatic }

// InsertUniqueHash is [Filter.InsertUniqueHash].
func (refusals) InsertUniqueHash(uint64) (bool, error) { return false, errStatic }
