package nest

import (
	"cmp"
	"errors"
	"slices"

	"github.com/nestfilter/nest/hashing"
)

// A Plan is one filter that was sized for a [Spec], without being made.
type Plan struct {
	// Spec is resolved: it has a kind other than Best, Slots in place of Capacity unless the kind is
	// Scalable, and every default filled in except for a secret that New draws. What the kind says, MustDelete and
	// Concurrent, is not in it. [New] of it makes the planned filter.
	Spec Spec
	// SizeBytes is the size of the table, and of Scalable that of its first one.
	SizeBytes int
	// FalsePositiveRate is the predicted rate when the filter holds Capacity distinct keys. It is 0 where the Spec has
	// Slots, which do not tell the number of keys. Scalable stays below it however many keys it holds.
	FalsePositiveRate float64
	// LinesHit and LinesMiss are the cache lines that a lookup touches, of a key that is present and of one that is
	// not, on average, when the filter is at its capacity. A bucket that straddles two lines counts as one.
	LinesHit, LinesMiss int
}

// lines is the cache lines of a hit and a miss together.
func (p Plan) lines() int { return p.LinesHit + p.LinesMiss }

// slack is how much larger than the smallest table the best one may be if it touches fewer cache
// lines per lookup: a line is a memory access, and a few per cent of memory are not.
const slack = 0.05

// Plans returns the filters that satisfy s. The first is the one that [New] makes; the others follow by size or, where
// s has BitsPerItem, by rate.
//
// A Spec of a certain kind has one plan. A Spec of kind Best has one for each kind that is for goroutines, if
// Concurrent is set, or for each other one, and of those only for kinds that can delete if MustDelete is set. Of cuckoo
// filters it has one for each combination of 2, 4 or 8 slots a bucket and placement additive or xor, and of another
// Layout, if s has one, for each combination that it admits. Without a Capacity, Best has one plan, of kind Scalable.
//
// Best takes the smallest table that keeps the rate. If others are at most 5% larger and touch fewer cache lines, of a
// hit and a miss together, it takes the one that touches fewest. With BitsPerItem it takes the lowest rate that fits.
//
// It takes some microseconds for a cuckoo filter of a given width and up to some milliseconds for Best.
// It allocates no table. The known hashers and the errors are those of [New].
func Plans(s Spec, known ...hashing.Hasher) ([]Plan, error) {
	if err := s.Validate(known...); err != nil {
		return nil, err
	}
	var plans []Plan
	var refusals []error
	for _, k := range kinds {
		found, err := k.plans(s)
		plans = append(plans, found...)
		if err != nil {
			refusals = append(refusals, err)
		}
	}
	if len(plans) == 0 {
		return nil, errors.Join(refusals...)
	}
	s.rank(plans)
	if h, err := s.hasher(known); err == nil && !(s.Hash == sipHash && !slices.Contains(known, h)) {
		s.Hash = h.Recipe()
	}
	for i := range plans {
		plans[i].Spec.Hash = s.Hash
	}
	return plans, nil
}

// plans returns the filters of the kind that will do for s, or the first reason why there is none.
func (k kind) plans(s Spec) (plans []Plan, err error) {
	v := s
	v.Kind = k.name
	variants := []Spec{v}
	switch {
	case s.Kind == k.name:
	case s.Kind != "" && s.Kind != Best, s.MustDelete && !k.deletes,
		s.Concurrent != k.concurrent, k.grows != (s.Capacity == 0), k.static, k.asked:
		return nil, nil
	case k.variants != nil:
		variants = k.variants(v)
	default:
		variants[0].Layout = 0 // a wish that is for other kinds
	}
	for _, v := range variants {
		p, planErr := k.plan(v)
		if planErr == nil {
			plans = append(plans, p)
		} else if err == nil {
			err = planErr
		}
	}
	if len(plans) > 0 {
		err = nil
	}
	return plans, err
}

// rank sorts plans for s and moves the best one to the front.
func (s Spec) rank(plans []Plan) {
	slices.SortStableFunc(plans, func(p, q Plan) int {
		return cmp.Or(cmp.Compare(s.cost(p), s.cost(q)), p.lines()-q.lines())
	})
	best := 0
	for i, p := range plans {
		if s.BitsPerItem == 0 && p.lines() < plans[best].lines() && s.cost(p) <= (1+slack)*s.cost(plans[0]) {
			best = i
		}
	}
	p := plans[best]
	copy(plans[1:], plans[:best])
	plans[0] = p
}

// cost is what a plan for s should have little of: bytes or, where the size is given, false positives.
func (s Spec) cost(p Plan) float64 {
	if s.BitsPerItem != 0 {
		return p.FalsePositiveRate
	}
	return float64(p.SizeBytes)
}

// keeps tells whether p keeps what s asks for.
func (s Spec) keeps(p Plan) bool {
	switch {
	case s.FalsePositiveRate != 0:
		return p.FalsePositiveRate <= s.FalsePositiveRate
	case s.BitsPerItem != 0:
		return 8*float64(p.SizeBytes) <= s.BitsPerItem*float64(s.Capacity)
	}
	return true
}
