package claims

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// An Estimate is a measured number and its interval. Both ends are the number itself where nothing is left to chance.
type Estimate struct {
	Value, Low, High float64
	Format           string // of the numbers, as of package fmt: default "%.3f"
	Note             string // what the number is of: "10 runs"; behind it in Ours
}

// Exactly is an estimate without an interval.
func Exactly(value float64) Estimate { return Around(value, 0) }

// Around is an estimate with an interval of so much on either side.
func Around(value, half float64) Estimate {
	return Estimate{Value: value, Low: value - half, High: value + half}
}

// Of is a rate, times a factor, with its interval of 95%.
func Of(r Rate, factor float64) Estimate {
	low, high := r.Interval()
	return Estimate{Value: factor * r.Value(), Low: factor * low, High: factor * high}
}

// As is the estimate with a format of its numbers, unless that is empty, and a note of what they are of.
func (e Estimate) As(format, note string, args ...any) Estimate {
	e.Format = cmp.Or(format, e.Format)
	if note != "" {
		e.Note = fmt.Sprintf(note, args...)
	}
	return e
}

func (e Estimate) number(x float64) string { return fmt.Sprintf(cmp.Or(e.Format, "%.3f"), x) }

// interval is that of the estimate in words; it is empty without one.
func (e Estimate) interval() string {
	if e.Low == e.High {
		return ""
	}
	return e.number(e.Low) + " to " + e.number(e.High)
}

// Ours is a check of our own, of which the paper says nothing.
func Ours(id, says string) Claim { return Claim{ID: id, Says: says, Paper: "-"} }

// NotMeasured is the verdict on a claim that there is no data for, and why.
func (c Claim) NotMeasured(why string) Verdict { return Verdict{Claim: c, Ours: "-", Why: why} }

// verdict is that on an estimate of which is known whether it confirms the claim, and whether it refutes it.
func (c Claim) verdict(e Estimate, holds, fails bool, tolerance string) Verdict {
	ours := e.number(e.Value)
	if e.Note != "" {
		ours += ", " + e.Note
	}
	v := Verdict{Claim: c, Ours: ours, Interval: e.interval(), Tolerance: tolerance}
	return v.settle(outcome(holds, fails))
}

func outcome(holds, fails bool) Status {
	switch {
	case holds:
		return Holds
	case fails:
		return Unexplained
	}
	return Undecided
}

// settle completes a verdict whose status is known.
func (v Verdict) settle(s Status) Verdict {
	v.Status = s
	switch {
	case s == Undecided:
		v.Why = "The interval reaches over an end of what the claim tolerates: more trials would decide."
	case s == Unexplained && v.Open != "":
		v.Why = v.Open
	case s == Unexplained && v.Machine:
		v.Why = "The cause was not examined."
	case s == Unexplained:
		v.Why = "No cause is known: this is a defect of the filter, of the experiment or of the claim."
	}
	return v
}

// Equal holds if the number lies within the tolerance of the paper's. The tolerance has the chance of both in it, and
// the reason says how: "4 standard errors and the reading error". It decides always.
func (c Claim) Equal(e Estimate, want, tolerance float64, reason string) Verdict {
	in := e.Value >= want-tolerance && e.Value <= want+tolerance
	return c.verdict(e, in, !in, fmt.Sprintf("%s: %s", e.number(tolerance), reason))
}

// Within holds if the whole interval lies between two bounds, differs if it lies outside them, and is undecided
// otherwise: the test of equivalence. The reason says where the bounds come from.
func (c Claim) Within(e Estimate, low, high float64, reason string) Verdict {
	return c.verdict(e, low <= e.Low && e.High <= high, e.High < low || high < e.Low,
		fmt.Sprintf("the whole interval within %s to %s: %s", e.number(low), e.number(high), reason))
}

// Below holds if the whole interval lies below a bound, and differs if it lies above.
func (c Claim) Below(e Estimate, bound float64, reason string) Verdict {
	return c.verdict(e, e.High < bound, e.Low > bound,
		fmt.Sprintf("the whole interval below %s: %s", e.number(bound), reason))
}

// Ratio holds if the whole interval of a ratio lies within a factor of the paper's, on the same side of 1. It differs
// if the interval lies outside.
func (c Claim) Ratio(e Estimate, paper, factor float64, reason string) Verdict {
	low, high := paper/factor, paper*factor
	if paper < 1 {
		high = min(high, 1)
	} else if paper > 1 {
		low = max(low, 1)
	}
	return c.Within(e, low, high, reason)
}

// A Step is one comparison of an [Claim.Order]: the estimate of a difference that the claim says is positive.
type Step struct {
	Name string
	Of   Estimate
}

// Order holds if every difference is positive with its whole interval, differs if one is negative with its whole
// interval, and is undecided otherwise. Ours lists them one by one.
func (c Claim) Order(steps []Step, reason string) Verdict {
	if len(steps) == 0 {
		return c.NotMeasured("Nothing was measured to compare.")
	}
	v, holds, fails := Verdict{Claim: c, Tolerance: "each difference above 0 with its interval: " + reason}, true, false
	var parts []string
	for _, s := range steps {
		part := s.Name + ": " + s.Of.number(s.Of.Value)
		if text := s.Of.interval(); text != "" {
			part += " (" + text + ")"
		}
		parts = append(parts, part)
		holds, fails = holds && s.Of.Low > 0, fails || !(s.Of.High >= 0)
	}
	v.Ours = strings.Join(parts, "; ")
	return v.settle(outcome(holds, fails))
}

// Shown makes a difference one whose cause is shown, if it is: the text says which measurement of the same report shows
// it. Other verdicts are returned as they are.
func (v Verdict) Shown(shown bool, cause string) Verdict {
	if v.Status == Unexplained && shown {
		v.Status, v.Why = Differs, cause
	}
	return v
}

// NoneLost is the promise of every filter: it never denies a key that it holds. It fails where none was stored.
func NoneLost(lost, stored int) Verdict {
	e := Exactly(float64(lost))
	if stored == 0 {
		e = Exactly(math.NaN())
	}
	v := Claim{ID: "none lost", Says: "No key that was stored is denied", Paper: "0"}.Equal(e.As("%.0f", ""), 0, 0,
		"none may be")
	v.Ours = fmt.Sprintf("%d of %d", lost, stored)
	return v
}

// SampledBy says in a tolerance what the intervals of [Mean], [Difference] and [Quotient] are.
const SampledBy = "intervals of 4 standard errors, of fewer than 6 values of 99% by Student's distribution"

// Mean is the mean of a sample, with the interval of [Sample.Slack].
func Mean(s Sample) Estimate { return Around(s.Mean, s.Slack()) }

// Difference is that of two means, a less b, with an interval like that of [Mean].
func Difference(a, b Sample) Estimate { return Around(a.Mean-b.Mean, a.Tolerance(b)) }

// Quotient is that of two means, a over b, with an interval like that of [Mean]. The relative errors are taken to be
// small.
func Quotient(a, b Sample) Estimate {
	q := a.Mean / b.Mean
	return Around(q, q*math.Hypot(a.Slack()/a.Mean, b.Slack()/b.Mean))
}
