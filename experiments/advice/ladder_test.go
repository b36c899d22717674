package advice

import "testing"

// Each rung keeps to its bits and is more exact than the one below; where keys are deleted, every family can.
func TestLadder_Rises(t *testing.T) {
	for _, w := range []Workload{{}, {MustDelete: true}} {
		all := families(Options{Work: w, Flags: []string{"semi-sort", "paired-slots", "static"}}, false)
		for _, f := range all {
			rungs := f.rungs(100_000)
			if len(rungs) < 5 {
				t.Errorf("%s has %d rungs", f.name, len(rungs))
			}
			for i, c := range rungs {
				if c.Plan.BitsPerItem > float64(c.Rung)+0.01 || c.Family != f.name || c.Rate != c.Plan.FPR {
					t.Errorf("%s: rung %d takes %v bits, rate %v", f.name, c.Rung, c.Plan.BitsPerItem, c.Rate)
				}
				if i > 0 && (c.Rate >= rungs[i-1].Rate || c.Rung <= rungs[i-1].Rung) {
					t.Errorf("%s: rung %d has rate %v, the one below %v", f.name, c.Rung, c.Rate, rungs[i-1].Rate)
				}
				if w.MustDelete && !c.Plan.Deletes {
					t.Errorf("%v cannot delete", c.Plan)
				}
			}
		}
		if want := 3; w.MustDelete && len(all) <= want-1 || !w.MustDelete && len(all) != 5+2+3+1 {
			t.Errorf("%+v: %d families", w, len(all))
		}
	}
}
