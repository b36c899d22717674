package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// TestJudge_TinyListsTheClaimsOfQuick: a profile that is too small for a claim says so in its row rather than leave it
// out.
func TestJudge_TinyListsTheClaimsOfQuick(t *testing.T) {
	claims := func(e *lab.Experiment, p lab.Profile) (out []string) {
		for _, v := range e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: p}, ones)) {
			out = append(out, v.Says)
			if v.Status != claims.Holds && v.Why == "" {
				t.Errorf("%s, %s: %q has no reason", e.Name, p, v.Says)
			}
		}
		return out
	}
	for _, e := range Default().Experiments {
		tiny, quick := claims(e, lab.Tiny), claims(e, lab.Quick)
		if !slices.Equal(tiny, quick) {
			t.Errorf("%s: tiny lists\n%q, quick\n%q", e.Name, tiny, quick)
		}
	}
}

// ones are counts of which no quotient is undefined.
func ones(r lab.Row) []int {
	out := make([]int, len(strings.Fields(r.Experiment.Trial.Counts)))
	for i := range out {
		out[i] = 1
	}
	return out
}
