package filtertest

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// checkRate measures the false-positive rate of filters filled to capacity, over several builds with
// keys of their own, and compares it with the predicted and the claimed one.
func checkRate(r *run) Finding {
	s := sample{queries: r.Queries}
	var predicted []float64
	refused := 0
	for build := range r.Builds {
		f := r.open()
		for i := range r.Capacity {
			if !f.Insert(r.key(builds+2*build, i)) {
				refused++
			}
		}
		hits := 0
		for i := range r.Queries {
			if f.Contains(r.key(builds+2*build+1, i)) {
				hits++
			}
		}
		s.hits = append(s.hits, hits)
		if f.Rate != nil {
			predicted = append(predicted, r.predicted(f)) // asked for last: there are filters that it empties
		}
	}
	out := r.judgeRate(s, predicted).with("rate", s.mean()).counts("hits queries refused", s.total(), len(s.hits)*s.queries, refused)
	if predicted != nil {
		out = out.with("predicted", stat.Mean(predicted, nil))
	}
	return out
}

// predicted returns what the filter predicts of its rate, or ends the check if that cannot be.
func (r *run) predicted(f *Filter) float64 {
	p := f.Rate()
	if !(p >= 0 && p <= 1) {
		r.fail("the predicted rate is %v", p)
	}
	return p
}

// judgeRate holds a sample against the predictions for its builds, nil if there are none, and the
// claimed rate.
func (r *run) judgeRate(s sample, predicted []float64) Finding {
	evidence := fmt.Sprintf("%s measured over %s queries", oneIn(s.mean()), thousands(len(s.hits)*s.queries))
	if predicted == nil && r.TargetRate == 0 {
		return noted("%s", evidence)
	}
	wrong := ""
	if predicted != nil {
		// Half of the false alarms for each side.
		v := s.judge(predicted, r.FalseAlarm/2)
		evidence += fmt.Sprintf(", %s predicted, gate %.2g", oneIn(stat.Mean(predicted, nil)), v.gate)
		if v.above {
			wrong = ": more than predicted"
		} else if v.below {
			wrong = ": less than predicted"
		}
	}
	if r.TargetRate != 0 {
		claimed := slices.Repeat([]float64{r.TargetRate}, len(s.hits))
		evidence += fmt.Sprintf(", at most %.4g claimed", r.TargetRate)
		if s.judge(claimed, r.FalseAlarm).above {
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
