package filtertest

import "fmt"

// checkRate measures the false-positive rate of filters filled to capacity, over several builds with
// keys of their own, and compares it with the predicted and the claimed one.
func checkRate(r *run) Finding {
	s := sample{queries: r.Queries}
	var predicted []float64
	refused := 0
	for build := range r.Builds {
		f, err := r.open()
		if err != nil {
			return failed("%v", err)
		}
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
			// Asked for last: there are filters that it empties.
			p := f.Rate()
			if !(p >= 0 && p <= 1) {
				return failed("the predicted rate is %v", p)
			}
			predicted = append(predicted, p)
		}
	}
	out := r.judgeRate(s, predicted).with("rate", s.mean()).with("hits", float64(s.total())).
		with("queries", float64(len(s.hits)*s.queries)).with("refused", float64(refused))
	if predicted != nil {
		out = out.with("predicted", mean(predicted))
	}
	return out
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
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
		evidence += fmt.Sprintf(", %s predicted, gate %.2g", oneIn(mean(predicted)), v.gate)
		if v.above {
			wrong = ": more than predicted"
		} else if v.below {
			wrong = ": less than predicted"
		}
	}
	if r.TargetRate != 0 {
		claimed := make([]float64, len(s.hits))
		for i := range claimed {
			claimed[i] = r.TargetRate
		}
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
