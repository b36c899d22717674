package claims

import (
	"math"
	"testing"
)

// TestRules_CanFail goes with each rule through every outcome that it has.
func TestRules_CanFail(t *testing.T) {
	c := Claim{Says: "x", Source: "figure 1"}
	steps := func(es ...Estimate) (out []Step) {
		for _, e := range es {
			out = append(out, Step{"s", e})
		}
		return out
	}
	for name, test := range map[string]struct {
		v    Verdict
		want Status
	}{
		"equal":           {c.Equal(Exactly(1.01), 1, 0.02, "r"), Holds},
		"equal, beyond":   {c.Equal(Exactly(1.03), 1, 0.02, "r"), Unexplained},
		"equal, nothing":  {c.Equal(Exactly(math.NaN()), 1, 0.02, "r"), Unexplained},
		"within":          {c.Within(Around(1, 0.1), 0.9, 1.2, "r"), Holds},
		"within, over":    {c.Within(Around(1.2, 0.1), 0.9, 1.2, "r"), Undecided},
		"within, outside": {c.Within(Around(1.4, 0.1), 0.9, 1.2, "r"), Unexplained},
		"within, nothing": {c.Within(Exactly(math.NaN()), 0, 1, "r"), Undecided},
		"below":           {c.Below(Around(1, 0.1), 1.2, "r"), Holds},
		"below, over":     {c.Below(Around(1.15, 0.1), 1.2, "r"), Undecided},
		"below, above":    {c.Below(Around(1.4, 0.1), 1.2, "r"), Unexplained},
		"ratio":           {c.Ratio(Around(2, 0.1), 1.8, 1.25, "r"), Holds},
		"ratio, side":     {c.Ratio(Around(0.95, 0.01), 1.1, 1.25, "r"), Unexplained},
		"ratio, straddle": {c.Ratio(Around(1.05, 0.1), 1.1, 1.25, "r"), Undecided},
		"ratio, below 1":  {c.Ratio(Around(0.9, 0.02), 0.8, 1.25, "r"), Holds},
		"flat":            {c.Ratio(Around(1, 0.1), 1, 1.25, "r"), Holds},
		"flat, not":       {c.Ratio(Around(2, 0.1), 1, 1.25, "r"), Unexplained},
		"order":           {c.Order(steps(Around(2, 1), Around(1, 0.5)), "r"), Holds},
		"order, one back": {c.Order(steps(Around(2, 1), Around(-1, 0.5)), "r"), Unexplained},
		"order, one open": {c.Order(steps(Around(2, 1), Around(0.1, 0.5)), "r"), Undecided},
		"order, none":     {c.Order(nil, "r"), NotMeasured},
		"shown":           {c.Ratio(Around(2, 0.1), 1, 1.25, "r").Shown(true, "why"), Differs},
		"not shown":       {c.Ratio(Around(2, 0.1), 1, 1.25, "r").Shown(false, "why"), Unexplained},
		"nothing to show": {c.Ratio(Around(1, 0.1), 1, 1.25, "r").Shown(true, "why"), Holds},
	} {
		if test.v.Status != test.want || test.want != Holds && test.v.Why == "" || test.v.Says != "x" {
			t.Errorf("%s: %+v, want %v", name, test.v, test.want)
		}
	}
}

// TestVerdict_Failed: an unexplained difference is a defect if the seed alone decides and it is not on record.
func TestVerdict_FailedUnlessOnRecord(t *testing.T) {
	far := Exactly(2)
	for name, test := range map[string]struct {
		v    Verdict
		want bool
	}{
		"no record": {Claim{}.Ratio(far, 1, 1.1, "r"), true},
		"open":      {Claim{Open: "Tried: x."}.Ratio(far, 1, 1.1, "r"), false},
		"machine":   {Claim{Machine: true}.Ratio(far, 1, 1.1, "r"), false},
		"shown":     {Claim{}.Ratio(far, 1, 1.1, "r").Shown(true, "y"), false},
		"holds":     {Claim{}.Ratio(Exactly(1), 1, 1.1, "r"), false},
	} {
		if test.v.Failed() != test.want {
			t.Errorf("%s: failed is %t", name, test.v.Failed())
		}
	}
}

func TestPaper_Parses(t *testing.T) {
	counts := map[int]int{}
	for _, p := range paperPoints() {
		counts[p.Figure]++
	}
	if counts[2] != 147 || counts[3] != 36 || counts[4] != 400 {
		t.Errorf("points of figures: %v", counts)
	}
	if p := PaperPoints(2, "b=8", "m=2^15"); len(p) != 15 || p[3].X != 4 || p[3].Y != 0.9701 {
		t.Errorf("figure 2, b=8, m=2^15: %v", p)
	}
	if p := PaperPoints(1, "", ""); p != nil {
		t.Errorf("figure 1: %v", p)
	}
}
