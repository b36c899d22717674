package claims

import (
	"math"

	"github.com/nestfilter/nest/experiments/stat"
)

// SampledBy says in a tolerance what the intervals of [Mean], [Difference] and [Quotient] are.
const SampledBy = "intervals of 4 standard errors"

// Mean is the mean of a sample, with an interval of [stat.Deviations] standard errors.
func Mean(s stat.Sample) Estimate { return Around(s.Mean, stat.Deviations*s.Err) }

// Difference is that of two means, a less b, with an interval like that of [Mean].
func Difference(a, b stat.Sample) Estimate { return Around(a.Mean-b.Mean, a.Tolerance(b)) }

// Quotient is that of two means, a over b, with an interval like that of [Mean]. The relative errors are taken to be small.
func Quotient(a, b stat.Sample) Estimate {
	q := a.Mean / b.Mean
	return Around(q, stat.Deviations*q*math.Hypot(a.Err/a.Mean, b.Err/b.Mean))
}
