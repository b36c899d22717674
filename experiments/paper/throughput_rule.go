package paper

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/stat"
)

// timedRule is how claims about times are judged, for the methods of the experiments that have some.
const timedRule = " A claim about times is judged by the ratio of two speeds, taken round by round: it holds if the whole 95% interval " +
	"of the ratio lies within the tolerance, differs if all of it lies outside, and is undecided if it reaches over an end. " +
	"Fastest over slowest is the largest ratio of any two of at most five pieces of a line, and its interval ends at the largest lower and " +
	"the largest upper end of theirs: as the largest of several it is raised by noise, so that a line does not look flatter than it is."

// leastRounds is how many rounds have an interval of 95%: the range of six holds the median with 97%, that of
// five with 94%.
const leastRounds = 6

const (
	// notExamined is the reason of a difference in speed that nobody has looked into.
	notExamined = "Timed: this machine's result, for no reason that was examined."
	// reachesOver is the reason why a claim about times is undecided.
	reachesOver = "The interval reaches over an end of the tolerance: these rounds are evidence neither for the claim nor against it."
	noFilter    = "The filter is missing."
)

// A speedRatio is that of two speeds, over the rounds: within a round they were measured shortly after each other.
type speedRatio struct {
	median, lo, hi float64
	rounds         int
}

// ratioOf divides two speeds round by round.
func ratioOf(of, by []float64) speedRatio {
	ratios := make([]float64, min(len(of), len(by)))
	for i := range ratios {
		ratios[i] = of[i] / by[i]
	}
	lo, hi := stat.MedianInterval(ratios)
	return speedRatio{stat.Median(ratios), lo, hi, len(ratios)}
}

// interval is that of the ratio as text.
func (r speedRatio) interval() string {
	return fmt.Sprintf("%s to %s", stat.Digits(r.lo, 3), stat.Digits(r.hi, 3))
}

// made says how the ratio was made.
func (r speedRatio) made() string { return fmt.Sprintf("median of %d rounds", r.rounds) }

// A span is the ratios between two ends, which do not belong to it.
type span struct{ least, most float64 }

func (s span) holds(x float64) bool { return s.least < x && x < s.most }

// status compares an interval with the ratios that a claim tolerates. For one ratio the chance that it is wrongly said to hold, or
// wrongly to differ, is below 2.5%: the true median would have to lie beyond one end of the interval.
func (s span) status(r speedRatio) claims.Status {
	switch {
	case r.rounds < leastRounds:
		return claims.Undecided
	case s.holds(r.lo) && s.holds(r.hi):
		return claims.Holds
	case r.hi < s.least || r.lo > s.most:
		return claims.Unexplained
	}
	return claims.Undecided
}

// A cause explains why a speed differs from the paper's, as far as it would make the ratio lie in a span. No ratio lies in
// that of the zero value.
type cause struct {
	why string
	of  span
}

// timed completes the verdict on a claim about times that has a status. A difference is known only for a cause that
// explains a ratio like ours.
func timed(v claims.Draft, s claims.Status, r speedRatio, c cause) claims.Verdict {
	v.Status = s
	switch {
	case s == claims.Undecided && r.rounds < leastRounds:
		v.Why = fmt.Sprintf("An interval of 95%% takes %d rounds, and these are %d.", leastRounds, r.rounds)
	case s == claims.Undecided:
		v.Why = reachesOver
	case s == claims.Unexplained && c.of.holds(r.median):
		v.Why = c.why
		v.Status = claims.Differs
	case s == claims.Unexplained:
		v.Why = notExamined
	}
	return v.Verdict()
}

// judge completes the verdict on a claim about one ratio.
func (s span) judge(v claims.Draft, r speedRatio, c cause) claims.Verdict {
	if r.rounds == 0 {
		return unmeasured(v, noFilter)
	}
	v.Interval = r.interval()
	return timed(v, s.status(r), r, c)
}

// sharedStatus is that of a claim that several ratios must meet: it holds if all do, and differs if one does.
func sharedStatus(all []claims.Status) claims.Status {
	out := claims.Holds
	for _, s := range all {
		switch {
		case s == claims.Unexplained:
			return s
		case s != claims.Holds:
			out = claims.Undecided
		}
	}
	return out
}

// unmeasured is a claim about times that the profile has no data for.
func unmeasured(v claims.Draft, why string) claims.Verdict {
	v.Ours, v.Interval, v.Status, v.Why = "-", "", claims.NotMeasured, why
	return v.Verdict()
}
