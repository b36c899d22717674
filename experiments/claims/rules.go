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
func Exactly(value float64) Estimate { return Estimate{Value: value, Low: value, High: value} }

// Around is an estimate with an interval of so much on either side.
func Around(value, half float64) Estimate {
	return Estimate{Value: value, Low: value - half, High: value + half}
}

func (e Estimate) number(x float64) string { return fmt.Sprintf(cmp.Or(e.Format, "%.3f"), x) }

// verdict begins one: ours and its interval in words.
func (c Claim) verdict(e Estimate, tolerance string) Verdict {
	v := Verdict{Claim: c, Ours: e.number(e.Value), Tolerance: tolerance}
	if e.Note != "" {
		v.Ours += ", " + e.Note
	}
	if e.Low != e.High {
		v.Interval = e.number(e.Low) + " to " + e.number(e.High)
	}
	return v
}

// reachesOver is why an interval decides nothing.
const reachesOver = "The interval reaches over an end of what the claim tolerates: more trials would decide."

// within is the status of an estimate of which the whole interval must lie in a range, ends included.
func within(e Estimate, low, high float64) Status {
	switch {
	case low <= e.Low && e.High <= high:
		return Holds
	case e.High < low || high < e.Low:
		return Unexplained
	}
	return Undecided
}

// noCause is the reason of a difference without one: a defect.
const noCause = "No cause is known: this is a defect of the filter, of the experiment or of the claim."

// settle completes a verdict whose status is known.
func (v Verdict) settle(s Status) Verdict {
	v.Status = s
	switch {
	case v.Why != "":
	case s == Undecided:
		v.Why = reachesOver
	case s == Unexplained && v.Open != "":
		v.Why = v.Open
	case s == Unexplained && v.Machine:
		v.Why = "The cause was not examined."
	case s == Unexplained:
		v.Why = noCause
	}
	return v
}

// Equal holds if the number lies within the tolerance of the paper's. The tolerance has the chance of both in it, and the reason
// says how: "4 standard errors and the reading error". It decides always.
func (c Claim) Equal(e Estimate, want, tolerance float64, reason string) Verdict {
	v := c.verdict(e, fmt.Sprintf("%s: %s", e.number(tolerance), reason))
	if e.Value >= want-tolerance && e.Value <= want+tolerance {
		return v.settle(Holds)
	}
	return v.settle(Unexplained)
}

// Within holds if the whole interval lies between two bounds, differs if it lies outside them, and is undecided otherwise: the test of
// equivalence. The reason says where the bounds come from.
func (c Claim) Within(e Estimate, low, high float64, reason string) Verdict {
	v := c.verdict(e, fmt.Sprintf("the whole interval within %s to %s: %s", e.number(low), e.number(high), reason))
	return v.settle(within(e, low, high))
}

// Below holds if the whole interval lies below a bound, and differs if it lies above.
func (c Claim) Below(e Estimate, bound float64, reason string) Verdict {
	v := c.verdict(e, fmt.Sprintf("the whole interval below %s: %s", e.number(bound), reason))
	switch {
	case e.High < bound:
		return v.settle(Holds)
	case e.Low > bound:
		return v.settle(Unexplained)
	}
	return v.settle(Undecided)
}

// Ratio holds if the whole interval of a ratio lies within a factor of the paper's, on the same side of 1. It differs if the interval
// lies outside.
func (c Claim) Ratio(e Estimate, paper, factor float64, reason string) Verdict {
	low, high := paper/factor, paper*factor
	if paper < 1 {
		high = min(high, 1)
	} else if paper > 1 {
		low = max(low, 1)
	}
	return c.Within(e, low, high, reason)
}

// Flat holds if the whole interval of a ratio lies within a factor of 1: what is compared is equal for this purpose.
func (c Claim) Flat(e Estimate, factor float64, reason string) Verdict {
	return c.Within(e, 1/factor, factor, reason)
}

// A Step is one comparison of an [Claim.Order]: the estimate of a difference that the claim says is positive.
type Step struct {
	Name string
	Of   Estimate
}

// Order holds if every difference is positive with its whole interval, differs if one is negative with its whole interval, and is
// undecided otherwise. Ours lists them one by one.
func (c Claim) Order(steps []Step, reason string) Verdict {
	v := Verdict{Claim: c, Tolerance: "each difference above 0 with its interval: " + reason}
	status := Holds
	var parts []string
	for _, s := range steps {
		of := Unexplained
		switch {
		case s.Of.Low > 0:
			of = Holds
		case s.Of.High >= 0:
			of = Undecided
		}
		part := s.Name + ": " + s.Of.number(s.Of.Value)
		if s.Of.Low != s.Of.High {
			part += fmt.Sprintf(" (%s to %s)", s.Of.number(s.Of.Low), s.Of.number(s.Of.High))
		}
		parts = append(parts, part)
		switch {
		case of == Unexplained:
			status = Unexplained
		case of == Undecided && status == Holds:
			status = Undecided
		}
	}
	v.Ours = strings.Join(parts, "; ")
	if len(steps) == 0 {
		return c.NotMeasured("Nothing was measured to compare.")
	}
	return v.settle(status)
}

// NotMeasured is the verdict on a claim that there is no data for, and why.
func (c Claim) NotMeasured(why string) Verdict { return Verdict{Claim: c, Ours: "-", Why: why} }

// Shown makes a difference one whose cause is shown, if it is: the text says which measurement of the same report shows it. Other
// verdicts are returned as they are.
func (v Verdict) Shown(shown bool, cause string) Verdict {
	if v.Status == Unexplained && shown {
		v.Status, v.Why = Differs, cause
	}
	return v
}

// SampledBy says in a tolerance what the intervals of [Mean], [Difference] and [Quotient] are.
const SampledBy = "intervals of 4 standard errors"

// Mean is the mean of a sample, with an interval of [Deviations] standard errors.
func Mean(s Sample) Estimate { return Around(s.Mean, Deviations*s.Err) }

// Difference is that of two means, a less b, with an interval like that of [Mean].
func Difference(a, b Sample) Estimate { return Around(a.Mean-b.Mean, a.Tolerance(b)) }

// Quotient is that of two means, a over b, with an interval like that of [Mean]. The relative errors are taken to be small.
func Quotient(a, b Sample) Estimate {
	q := a.Mean / b.Mean
	return Around(q, Deviations*q*math.Hypot(a.Err/a.Mean, b.Err/b.Mean))
}
