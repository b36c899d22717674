package nest

import (
	"errors"
	"math"
)

// bestWidth returns the plan for s of its width or, where it has a rate or bits, the best from narrowest to widest.
func bestWidth(s Spec, narrowest, widest int, ofWidth func(Spec) (Plan, error)) (Plan, error) {
	if s.FingerprintBits != 0 {
		return ofWidth(s)
	}
	var best, nearest Plan // nearest is the smallest that would do except for MaxBytes
	var refusal error
	lowest, least := math.Inf(1), math.Inf(1)
	for s.FingerprintBits = narrowest; s.FingerprintBits <= widest; s.FingerprintBits++ {
		p, err := ofWidth(s)
		switch {
		case errors.Is(err, ErrTooLarge):
			// Wider fingerprints can need a smaller table, as narrow ones fill less of it.
			refusal = err
			unlimited := s
			unlimited.MaxBytes = math.MaxInt
			p, err := ofWidth(unlimited)
			if err == nil && s.keeps(p) && (nearest.SizeBytes == 0 || p.SizeBytes < nearest.SizeBytes) {
				nearest = p
			}
			continue
		case err != nil:
			return Plan{}, err
		}
		lowest = min(lowest, p.FalsePositiveRate)
		least = min(least, 8*float64(p.SizeBytes)/float64(s.Capacity))
		if s.keeps(p) && (best.SizeBytes == 0 || s.cost(p) < s.cost(best)) {
			best = p
		}
	}
	switch {
	case best.SizeBytes != 0:
		return best, nil
	case nearest.SizeBytes != 0:
		return Plan{}, pkg.Errorf(ErrTooLarge, "of the widths that will do, %d bits need least for Kind %s "+
			"and a Capacity of %d, which is %d bytes and beyond MaxBytes",
			nearest.Spec.FingerprintBits, s.Kind, s.Capacity, nearest.SizeBytes)
	case refusal != nil && math.IsInf(lowest, 1):
		return Plan{}, refusal
	case s.BitsPerItem != 0:
		return Plan{}, pkg.Errorf(ErrConfig, "BitsPerItem is %v, but Kind %s for a Capacity of %d needs at least %.4g",
			s.BitsPerItem, s.Kind, s.Capacity, least)
	default:
		return Plan{}, pkg.Errorf(ErrConfig, "FalsePositiveRate is %v, but the lowest that Kind %s for a Capacity "+
			"of %d reaches within MaxBytes is %.3g", s.FalsePositiveRate, s.Kind, s.Capacity, lowest)
	}
}
