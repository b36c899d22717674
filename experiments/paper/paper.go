// Package paper has an experiment for each table and figure of "Cuckoo Filter: Practically Better Than Bloom" (Fan,
// Andersen, Kaminsky, Mitzenmacher, CoNEXT 2014).
package paper

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// All returns the experiments of this package, in the order of the report.
func All() []*lab.Experiment {
	return []*lab.Experiment{
		Properties(), LookupCost(), SpaceAndSpeed(), BlockBits(),
		LoadFactor(), RateBySpace(), SpaceByRate(),
		LookupByShare(), LookupByOccupancy(), InsertByOccupancy(), DeleteByOccupancy(),
	}
}

// A rule holds a claim against an estimate.
type rule func(claims.Claim, claims.Estimate) claims.Verdict

// within is the rule of the whole interval.
func within(low, high float64, reason string) rule {
	return func(c claims.Claim, e claims.Estimate) claims.Verdict { return c.Within(e, low, high, reason) }
}

// ofCounts is why a tolerance is as it is: chance of the counts.
var ofCounts = fmt.Sprintf("%d standard errors of the counts", claims.Deviations)

// step is the difference of two samples, with 2 standard errors.
func step(name string, a, b claims.Sample) claims.Step {
	return claims.Step{Name: name, Of: claims.Around(a.Mean-b.Mean, 2*math.Hypot(a.Err, b.Err))}
}

// rates are those from one to another, each so many times the one before.
func rates(from, to, times float64) (all []float64) {
	for rate := from; rate <= to; rate *= times {
		all = append(all, rate)
	}
	return all
}
