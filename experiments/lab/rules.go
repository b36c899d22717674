package lab

import (
	"cmp"

	"github.com/nestfilter/nest/experiments/claims"
)

// A Claim is a sentence about groups: an estimate of them, and how it is judged.
type Claim struct {
	claims.Claim          // its texts may have axes in braces, those of the first group
	Each         []string // a verdict for each value of these axes
	Where        []string // among groups where these axes have these values, as in [Data.Where]
	Least        Profile  // the first whose tables are large enough; before, the verdict is not measured
	Why          string   // why it is not; default claims.SmallTables
	Of           func([]Group) claims.Estimate
	Holds        func(claims.Claim, claims.Estimate, []Group) claims.Verdict
}

// In is where axes have values, for Each and Where.
func In(pairs ...string) []string { return pairs }

// Rule makes the verdicts of the claim.
func (c Claim) Rule(d *Data) []claims.Verdict { return c.judge(d, Among(d.Groups, c.Where...), c.Each) }

func (c Claim) judge(d *Data, groups []Group, each []string) (out []claims.Verdict) {
	if len(groups) == 0 {
		return nil
	}
	if len(each) > 0 {
		_, parts := Split(each[0], groups)
		for _, part := range parts {
			out = append(out, c.judge(d, part, each[1:])...)
		}
		return out
	}
	for _, text := range []*string{&c.ID, &c.Says, &c.Source, &c.Paper} {
		*text = groups[0].Cell.Fill(*text)
	}
	if d.Setup.Profile.index() < c.Least.index() && c.Least != "" {
		return []claims.Verdict{c.NotMeasured(cmp.Or(c.Why, claims.SmallTables))}
	}
	var e claims.Estimate
	if c.Of != nil {
		e = c.Of(groups)
	}
	return []claims.Verdict{c.Holds(c.Claim, e, groups)}
}

// Each makes a rule of claims for each value of an axis, all claims of a value together.
func Each(by string, where []string, all ...Claim) Rule {
	return func(d *Data) (out []claims.Verdict) {
		_, parts := Split(by, Among(d.Groups, where...))
		for _, part := range parts {
			for _, c := range all {
				out = append(out, c.judge(d, part, nil)...)
			}
		}
		return out
	}
}

// Once makes a rule of a claim about the whole of the data, from the profile least on.
func Once(c claims.Claim, least Profile, judge func(*Data, claims.Claim) claims.Verdict) Rule {
	return func(d *Data) []claims.Verdict {
		if d.Setup.Profile.index() < least.index() && least != "" {
			return []claims.Verdict{c.NotMeasured(claims.SmallTables)}
		}
		return []claims.Verdict{judge(d, c)}
	}
}

// Judged makes a rule of a function that judges all claims, which the profile tiny does not measure.
func Judged(judge func(*Data) []claims.Verdict) Rule {
	return func(d *Data) []claims.Verdict { return d.Judged(judge(d)) }
}

// NoneLost is the rule that no key is denied, by the count of those that are stored.
func NoneLost(stored string) Rule {
	return func(d *Data) []claims.Verdict { return []claims.Verdict{claims.NoneLost(d.Sum("lost"), d.Sum(stored))} }
}

// Within is the rule of the whole interval.
func Within(low, high float64, reason string) func(claims.Claim, claims.Estimate, []Group) claims.Verdict {
	return func(c claims.Claim, e claims.Estimate, _ []Group) claims.Verdict {
		return c.Within(e, low, high, reason)
	}
}
