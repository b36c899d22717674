package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// claimsOf are the claims of verdicts, in their order.
func claimsOf(vs []claims.Verdict) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = v.Says
	}
	return out
}

// TestJudge_PaperListsTheClaimsOfTiny holds that a claim that a profile does not measure has a row that says so, also
// with the counts of a real run.
func TestJudge_PaperListsTheClaimsOfTiny(t *testing.T) {
	lab.PaperNeeds64(t)
	for _, e := range Default().Experiments {
		name := e.Name
		want := claimsOf(tinyOf(t, name).Verdicts)
		if got := claimsOf(e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: lab.Paper}, ones))); !slices.Equal(got, want) {
			t.Errorf("%s: paper lists\n%q, tiny\n%q", name, got, want)
		}
		if sorted := slices.Sorted(slices.Values(want)); len(slices.Compact(sorted)) != len(want) {
			t.Errorf("%s: a claim has two rows", name)
		}
	}
}

// TestJudge_SaysWhyAClaimIsNotMeasured looks at every such row of the tiny profile.
func TestJudge_SaysWhyAClaimIsNotMeasured(t *testing.T) {
	for _, f := range tiny(t) {
		for _, v := range f.Verdicts {
			if v.Status == claims.NotMeasured && (v.Why == "" || strings.Contains(v.Ours, "NaN") || v.Paper == "") {
				t.Errorf("%s: %q: %+v", f.Data.Experiment.Name, v.Says, v)
			}
		}
	}
}

// TestJudge_TinyFailsNothing: what the smallest profile is too small for is not judged, and no time is.
func TestJudge_TinyFailsNothing(t *testing.T) {
	for _, f := range tiny(t) {
		name := f.Data.Experiment.Name
		if strings.HasPrefix(name, "table") && len(f.Shown.Rows) != len(f.Data.Groups) {
			t.Errorf("%s: %d rows shown of %d", name, len(f.Shown.Rows), len(f.Data.Groups))
		}
		for _, v := range f.Verdicts {
			if v.Failed() || v.Machine && v.Status != claims.NotMeasured {
				t.Errorf("%s: %+v", name, v)
			}
		}
	}
}
