package paper

import (
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// A damage changes counts of a good row, so that the verdicts of these positions fail.
type damage struct {
	Damage func(r lab.Row, counts []int)
	Fails  []int
}

// failing returns the positions of the verdicts that failed.
func failing(vs []claims.Verdict) []int {
	out := []int{}
	for i, v := range vs {
		if v.Failed() {
			out = append(out, i)
		}
	}
	return out
}

// expectFailures runs a table of damages on made-up data and compares which verdicts fail.
func expectFailures(t *testing.T, e *lab.Experiment, good func(r lab.Row) []int, damages map[string]damage) {
	t.Helper()
	if got := failing(e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, good))); len(got) > 0 {
		t.Fatalf("good data: verdicts %v fail", got)
	}
	for name, c := range damages {
		vs := e.Judge(lab.MadeUp(t, e, lab.Setup{Profile: lab.Quick}, func(r lab.Row) []int {
			counts := good(r)
			c.Damage(r, counts)
			return counts
		}))
		got := map[int]bool{}
		for _, i := range failing(vs) {
			got[i] = true
			if vs[i].Why == "" {
				t.Errorf("%s: verdict %d has no reason", name, i)
			}
		}
		for _, i := range c.Fails {
			if !got[i] {
				t.Errorf("%s: verdict %d (%s) does not fail: %s", name, i, vs[i].Says, vs[i].Ours)
			}
		}
		if len(got) != len(c.Fails) {
			t.Errorf("%s: verdicts %v fail, want %v", name, got, c.Fails)
		}
	}
}
