package experiments

import (
	"slices"
	"testing"

	"github.com/nestfilter/nest/experiments/report"
)

// TestJudge_TinyListsTheClaimsOfQuick: a profile that is too small for a claim says so in its row rather than leave it out.
func TestJudge_TinyListsTheClaimsOfQuick(t *testing.T) {
	claims := func(e Experiment, p Profile) (out []string) {
		for _, v := range e.Judge(planned(t, e, p, ones)) {
			out = append(out, v.Claim)
			if v.Status != report.Holds && v.Why == "" {
				t.Errorf("%s, %s: %q has no reason", e.About().Name, p, v.Claim)
			}
		}
		return out
	}
	for _, e := range Default().Experiments {
		tiny, quick := claims(e, Tiny), claims(e, Quick)
		if !slices.Equal(tiny, quick) {
			t.Errorf("%s: tiny lists\n%q, quick\n%q", e.About().Name, tiny, quick)
		}
	}
}

// ones are counts of which no quotient is undefined.
func ones(r Row) []int {
	out := make([]int, len(r.about.Counts))
	for i := range out {
		out[i] = 1
	}
	return out
}
