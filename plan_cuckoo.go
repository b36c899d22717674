package nest

import (
	"errors"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// minWidth is the narrowest fingerprint that is planned. Below it tables refuse early, because few
// fingerprints reach few buckets; who wants one sets FingerprintBits.
const minWidth = 6

// cuckooVariants returns the specs among which Best chooses.
func cuckooVariants(s Spec) (variants []Spec) {
	sorted := s.SemiSort
	for _, placement := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, b := range []int{2, 4, 8} {
			s.Placement, s.BucketSize, s.SemiSort = placement, b, false
			variants = append(variants, s)
		}
		if sorted {
			s.BucketSize, s.SemiSort = 4, true
			variants = append(variants, s)
		}
	}
	return variants
}

// planCuckoo returns the best cuckoo filter for s among those with fingerprints of one width.
func planCuckoo(s Spec) (Plan, error) {
	if s.FingerprintBits != 0 {
		return cuckooOfWidth(s, s.FingerprintBits)
	}
	return bestWidth(s, minWidth, fingerprint.MaxWidth, cuckooOfWidth)
}

// bestWidth returns the best plan for s, which has a rate or bits, among those that ofWidth makes of
// the widths from the narrowest to the widest.
func bestWidth(s Spec, narrowest, widest int, ofWidth func(Spec, int) (Plan, error)) (Plan, error) {
	var best, nearest Plan // nearest is the smallest that would do but for MaxBytes
	var refusal error
	lowest, least := math.Inf(1), math.Inf(1)
	unlimited := s
	unlimited.MaxBytes = math.MaxInt
	for width := narrowest; width <= widest; width++ {
		p, err := ofWidth(s, width)
		switch {
		case errors.Is(err, ErrTooLarge):
			// Wider fingerprints can need a smaller table, as narrow ones fill less of it.
			refusal = err
			if p, err := ofWidth(unlimited, width); err == nil && s.will(p) && (nearest.SizeBytes == 0 || p.SizeBytes < nearest.SizeBytes) {
				nearest = p
			}
			continue
		case err != nil:
			return Plan{}, err
		}
		lowest = min(lowest, p.FalsePositiveRate)
		least = min(least, 8*float64(p.SizeBytes)/float64(s.Capacity))
		if s.will(p) && (best.SizeBytes == 0 || s.better(p, best)) {
			best = p
		}
	}
	switch {
	case best.SizeBytes != 0:
		return best, nil
	case nearest.SizeBytes != 0:
		return Plan{}, errorf(ErrTooLarge, "of the widths that will do, %d bits need least for Kind %s and a Capacity of %d, which is %d bytes and beyond MaxBytes",
			nearest.Spec.FingerprintBits, s.Kind, s.Capacity, nearest.SizeBytes)
	case refusal != nil && math.IsInf(lowest, 1):
		return Plan{}, refusal
	case s.BitsPerItem != 0:
		return Plan{}, errorf(ErrConfig, "BitsPerItem is %v, but Kind %s for a Capacity of %d needs at least %.4g", s.BitsPerItem, s.Kind, s.Capacity, least)
	default:
		return Plan{}, errorf(ErrConfig, "FalsePositiveRate is %v, but the lowest that Kind %s for a Capacity of %d reaches within MaxBytes is %.3g",
			s.FalsePositiveRate, s.Kind, s.Capacity, lowest)
	}
}

// cuckooOfWidth returns the cuckoo filter for s with fingerprints of width bits, at whatever rate.
func cuckooOfWidth(s Spec, width int) (Plan, error) {
	c, err := s.cuckooConfig()
	if err != nil {
		return Plan{}, err
	}
	c, size, err := cuckoo.Plan(c, uint(width))
	if err != nil {
		return Plan{}, fmt.Errorf("nest: %w", err)
	}
	p := Plan{
		Spec: s.resolved(c.Buckets * c.BucketSize), SizeBytes: size, LinesHit: 2, LinesMiss: 2,
		FalsePositiveRate: cuckoo.PredictRate(uint(width), c.BucketSize, c.Buckets, s.Capacity),
	}
	p.Spec.FingerprintBits, p.Spec.BucketSize = width, c.BucketSize
	p.Spec.Kick, p.Spec.MaxKicks = c.Kick.Recipe(), c.MaxKicks
	return p, nil
}

// cuckooConfig returns the configuration of the cuckoo filter that s describes.
func (s Spec) cuckooConfig() (cuckoo.Config, error) {
	h, err := s.hasher()
	if err != nil {
		return cuckoo.Config{}, err
	}
	policy, err := s.kickPolicy()
	if err != nil {
		return cuckoo.Config{}, err
	}
	return cuckoo.Config{
		Capacity: s.Capacity, Buckets: s.Slots / s.bucketSize(), FingerprintBits: s.FingerprintBits, BucketSize: s.BucketSize, SemiSort: s.SemiSort, Hash: h,
		Placement: s.Placement, Kick: policy, MaxKicks: s.MaxKicks, Seed: s.Seed, MaxBytes: s.MaxBytes,
	}, nil
}
