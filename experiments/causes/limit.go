package causes

import (
	"math"

	"github.com/nestfilter/nest/experiments/law"
)

// Overfull returns the expected number of groups of keys that have too few slots, in a table of this load: of classes, which are the
// keys of one value and one pair of buckets, and of closed parts, which no kick leads out of. The first such group refuses a
// key, however keys are inserted. Numbers of keys are taken as Poisson distributed, and the offsets of different values as
// independent.
//
// There are fewer limits than in truth: groups of several values that share buckets are left out, and what a walk of so many kicks
// does not find is not in it at all. A table is therefore refused a key sooner than this says, never later.
func (t Table) Overfull(load float64) float64 {
	keys := load * float64(t.BucketSize) // of a bucket
	groups, values, pairs := 0.0, 0, 0
	for value, chance := range t.Values.chances(t.Width) {
		if chance == 0 {
			continue
		}
		values++
		if value == 0 && t.Offsets == Multiplied {
			groups += math.Ldexp(law.PoissonFrom(keys*chance, t.BucketSize+1), t.Size)
			continue
		}
		pairs++
		groups += math.Ldexp(law.PoissonFrom(2*keys*chance, 2*t.BucketSize+1), t.Size-1)
	}
	if values > 1 && pairs < t.Size { // a single value's closed parts are its classes
		buckets := math.Exp2(float64(pairs))
		groups += math.Exp2(float64(t.Size)) / buckets * law.PoissonFrom(keys*buckets, t.BucketSize<<pairs+1)
	}
	return groups
}

// Reaches bounds the chance that the least of so many fills goes beyond this load. It is the chance that none of the groups of
// [Table.Overfull] is too large in any of them.
func (t Table) Reaches(load float64, fills int) float64 {
	return math.Exp(-float64(fills) * t.Overfull(load))
}

// LeastAtMost returns the chance that the least of so many fills is at most x, as far as the loads of fills tell
// it: with F the share of them at most x, 1-(1-F)^fills. It returns the chance that the least is at least x as well.
func LeastAtMost(loads []float64, x float64, fills int) (atMost, atLeast float64) {
	below, above := 0, 0
	for _, load := range loads {
		if load <= x {
			below++
		}
		if load >= x {
			above++
		}
	}
	n := float64(len(loads))
	return 1 - math.Pow(1-float64(below)/n, float64(fills)), math.Pow(float64(above)/n, float64(fills))
}
