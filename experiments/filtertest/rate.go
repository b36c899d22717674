package filtertest

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// checkRate measures the false-positive rate of filters filled to capacity, over several builds with keys of their own,
// and compares it with the predicted and the claimed one.
func checkRate(r *run) Finding {
	s := sample{queries: r.Queries}
	var predicted []float64
	for build := range r.Builds {
		f := r.open()
		for i := range r.Capacity {
			f.Insert(r.key(builds+2*build, i))
		}
		s.hits = append(s.hits, float64(r.found(f, builds+2*build+1, r.Queries)))
		if f.Rate != nil {
			predicted = append(predicted, r.predicted(f)) // asked for last: there are filters that it empties
		}
	}
	return r.judgeRate(s, predicted).with("rate queries", s.mean(), float64(s.trials()))
}

// predicted returns what the filter predicts of its rate, or ends the check if that cannot be.
func (r *run) predicted(f *Filter) float64 {
	p := f.Rate()
	if !(p >= 0 && p <= 1) {
		r.fail("the predicted rate is %s", fmt.Sprint(p))
	}
	return p
}

// judgeRate holds a sample against the predictions for its builds, nil if there are none, and the claimed rate.
func (r *run) judgeRate(s sample, predicted []float64) Finding {
	evidence := english.Sprintf("%s measured over %d queries", oneIn(s.mean()), s.trials())
	if predicted == nil && r.TargetRate == 0 {
		return noted("%s", evidence)
	}
	wrong := ""
	if predicted != nil {
		// Half of the false alarms for each side.
		evidence += fmt.Sprintf(", %s predicted", oneIn(stat.Mean(predicted, nil)))
		if above, below := s.judge(predicted, r.FalseAlarm/2); above {
			wrong = ": more than predicted"
		} else if below {
			wrong = ": less than predicted"
		}
	}
	if r.TargetRate != 0 {
		evidence += fmt.Sprintf(", at most %.4g claimed", r.TargetRate)
		if above, _ := s.judge(slices.Repeat([]float64{r.TargetRate}, len(s.hits)), r.FalseAlarm); above {
			wrong += ": more than claimed"
		}
	}
	if wrong != "" {
		return failed("%s", evidence+wrong)
	}
	return passed("%s", evidence)
}

// oneIn writes a rate in both usual ways.
func oneIn(rate float64) string {
	if rate <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.4g (1 in %.4g)", rate, 1/rate)
}

// tail returns the probability that a binomial variable of n trials with probability p is k or more: the regularized
// incomplete beta function I_p(k, n-k+1) (DLMF 8.17.5), which interpolates between integers.
func tail(k, n, p float64) float64 {
	switch {
	case k <= 0 || p >= 1:
		return 1
	case k >= n+1 || p <= 0:
		return 0
	}
	return mathext.RegIncBeta(k, n-k+1, p)
}

// exceeds tells whether x of n is more than a share of which y of m were seen can explain, at the given false-alarm
// rate: given x+y, x is at most binomial in spread, with probability n/(n+m).
func exceeds(x, n, y, m int, alarm float64) bool {
	return tail(float64(x), float64(x+y), float64(n)/float64(n+m)) < alarm
}

// A sample is hits of false positives in several builds of queries each.
type sample struct {
	hits    []float64
	queries int
}

func (s sample) trials() int { return len(s.hits) * s.queries }

// mean returns the measured rate.
func (s sample) mean() float64 { return floats.Sum(s.hits) / float64(s.trials()) }

// dispersion returns how many times its binomial variance the hits of a build vary around their share of the total, at
// least 1: builds have luck of their own, which the queries of one share.
func (s sample) dispersion(expected []float64) float64 {
	total, squares := floats.Sum(s.hits), 0.0
	for i, h := range s.hits {
		d := h - total*expected[i]/floats.Sum(expected)
		squares += d * d
	}
	binomial := total / float64(len(s.hits)) * (1 - s.mean())
	if binomial == 0 {
		return 1
	}
	return max(1, squares/float64(len(s.hits)-1)/binomial)
}

// judge tells whether the sample is significantly above or below the rate expected of each build, at a false-alarm rate
// for each side.
//
// It is the exact binomial test of the total, with hits and queries divided by the dispersion, which is the same as a
// multiplied variance. As the dispersion is an estimate, it is multiplied by the squared ratio of Student's quantile to
// the normal one. Where hits are many, this is Student's test on the builds; where they are few, it alarms less often
// than it may.
func (s sample) judge(expected []float64, alarm float64) (above, below bool) {
	rate, hits := stat.Mean(expected, nil), floats.Sum(s.hits)
	if rate == 0 {
		return hits > 0, false // no chance is left to judge
	}
	student := distuv.StudentsT{Sigma: 1, Nu: float64(len(s.hits) - 1)}
	ratio := student.Quantile(alarm) / distuv.UnitNormal.Quantile(alarm)
	scale := s.dispersion(expected) * ratio * ratio
	trials := float64(s.trials()) / scale
	return tail(hits/scale, trials, rate) < alarm, 1-tail(hits/scale+1, trials, rate) < alarm
}
