package filtertest

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// tail returns the probability that a binomial variable of n trials with probability p is k or
// more, 0 < p < 1: the regularized incomplete beta function I_p(k, n-k+1) (DLMF 8.17.5), which
// interpolates between integers.
func tail(k, n, p float64) float64 {
	switch {
	case k <= 0 || p >= 1:
		return 1
	case k >= n+1 || p <= 0:
		return 0
	}
	return mathext.RegIncBeta(k, n-k+1, p)
}

// exceeds tells whether x of n is more than a share of which y of m were seen can explain, at the
// given false-alarm rate: given x+y, x is at most binomial in spread, with probability n/(n+m).
func exceeds(x, n, y, m int, alarm float64) bool {
	return tail(float64(x), float64(x+y), float64(n)/float64(n+m)) < alarm
}

// A sample is hits of false positives in several builds of queries each.
type sample struct {
	hits    []int
	queries int
}

// mean returns the measured rate.
func (s sample) mean() float64 {
	return float64(s.total()) / float64(len(s.hits)*s.queries)
}

func (s sample) total() (sum int) {
	for _, h := range s.hits {
		sum += h
	}
	return sum
}

// A verdict compares a measured rate with an expected one.
type verdict struct {
	above, below bool    // significantly
	gate         float64 // the smallest excess of the rate that is above
}

// dispersion returns how many times its binomial variance the hits of a build vary around their
// share of the total, at least 1: builds have luck of their own, which the queries of one share.
func (s sample) dispersion(expected []float64) float64 {
	total, sum := float64(s.total()), floats.Sum(expected)
	if total == 0 || sum == 0 {
		return 1
	}
	squares := 0.0
	for i, h := range s.hits {
		d := float64(h) - total*expected[i]/sum
		squares += d * d
	}
	binomial := total / float64(len(s.hits)) * (1 - s.mean())
	if binomial == 0 {
		return 1
	}
	return max(1, squares/float64(len(s.hits)-1)/binomial)
}

// judge compares the sample with the rate expected of each build, at a false-alarm rate for each
// side.
//
// It is the exact binomial test of the total, with hits and queries divided by the dispersion, which
// is the same as a multiplied variance. As the dispersion is an estimate, it is multiplied by the
// squared ratio of Student's quantile to the normal one. Where hits are many, this is Student's
// test on the builds; where they are few, it alarms less often than it may.
func (s sample) judge(expected []float64, alarm float64) verdict {
	rate := stat.Mean(expected, nil)
	if rate == 0 {
		return verdict{above: s.total() > 0} // no chance is left to judge
	}
	student := distuv.StudentsT{Sigma: 1, Nu: float64(len(s.hits) - 1)}
	ratio := student.Quantile(alarm) / distuv.UnitNormal.Quantile(alarm)
	scale := s.dispersion(expected) * ratio * ratio
	trials := float64(len(s.hits)*s.queries) / scale
	above := func(hits float64) bool { return tail(hits/scale, trials, rate) < alarm }
	hits := float64(s.total())
	low, high := rate*trials*scale, trials*scale
	for high-low > 0.5 {
		middle := (low + high) / 2
		if above(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return verdict{
		above: above(hits),
		below: 1-tail(hits/scale+1, trials, rate) < alarm,
		gate:  high/(trials*scale) - rate,
	}
}
