// Package labtest helps to test experiments: what they judge of results that a test makes up.
package labtest

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// Planned returns the data of an experiment with counts that a test makes up.
func Planned(t *testing.T, e *lab.Experiment, p lab.Profile, counts func(r lab.Row) []int) *lab.Data {
	t.Helper()
	return PlannedWith(t, lab.Parts{}, e, p, counts)
}

// PlannedWith is planned with parts of one's own.
func PlannedWith(t *testing.T, own lab.Parts, e *lab.Experiment, p lab.Profile, counts func(r lab.Row) []int) *lab.Data {
	t.Helper()
	d, err := lab.MadeUp(e, own, p, counts)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Failing returns the positions of the verdicts that failed.
func Failing(vs []claims.Verdict) []int {
	out := []int{}
	for i, v := range vs {
		if v.Failed() {
			out = append(out, i)
		}
	}
	return out
}

// ExpectFailures runs a table of damages on made-up data and compares which verdicts fail.
func ExpectFailures(t *testing.T, e *lab.Experiment, p lab.Profile, good func(r lab.Row) []int, damages map[string]struct {
	Damage func(r lab.Row, counts []int)
	Fails  []int
}) {
	t.Helper()
	if got := Failing(e.Judge(Planned(t, e, p, good))); len(got) > 0 {
		t.Fatalf("good data: verdicts %v fail", got)
	}
	for name, c := range damages {
		vs := e.Judge(Planned(t, e, p, func(r lab.Row) []int {
			counts := good(r)
			c.Damage(r, counts)
			return counts
		}))
		got := map[int]bool{}
		for _, i := range Failing(vs) {
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

// PaperNeeds64 skips a test of the paper's sizes where an int has 32 bits: 2^27 keys that take more than 16 ns each, or
// eight times the bytes of two tables of 192 MiB, are beyond 2^31. Registry.Run refuses the profile there.
func PaperNeeds64(t *testing.T) {
	t.Helper()
	if math.MaxInt == math.MaxInt32 {
		t.Skip("profile paper needs a 64-bit build")
	}
}
