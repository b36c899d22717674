package lab

import (
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
)

func TestSummary_CountsEachVerdictOnce(t *testing.T) {
	of := func(vs ...claims.Verdict) []Finding {
		return []Finding{{Data: &Data{Experiment: &Experiment{Name: "e"}}, Verdicts: vs}}
	}
	paper := func(s claims.Status) claims.Verdict {
		return claims.Verdict{Claim: claims.Claim{Source: "figure 2", Open: "tried"}, Status: s}
	}
	holds, fails := claims.Verdict{Status: claims.Holds}, claims.Verdict{Status: claims.Unexplained}
	none := claims.Claim{}.NotMeasured("w")
	for want, findings := range map[string][]Finding{
		"This profile is too small to judge any claim.": of(none, none),
		"Of 2 checks of our own: 2 hold.":               of(holds, holds),
		"Of 5 readings of its tables and figures: 1 holds, 1 differs, 2 unexplained, 1 undecided. Of 2 checks of our own: 1 unexplained, 1 not measured. 1 of the unexplained differences are on no record: defects.": of(
			paper(claims.Holds), paper(claims.Differs), paper(claims.Undecided), paper(claims.Unexplained), paper(claims.Unexplained), none, fails),
	} {
		if got := Summary(findings); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
