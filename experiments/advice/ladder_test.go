package advice

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
)

// Each rung keeps to its bits and is more exact than the one below; where keys are deleted, every family can.
func TestLadder_Rises(t *testing.T) {
	for _, w := range []Workload{{}, {DeleteRate: 0.1}, {MustDelete: true}} {
		all := families(Options{Work: w, Layouts: []cuckoo.Layout{cuckoo.SemiSorted, cuckoo.PairedSlots}}, false)
		for _, f := range all {
			rungs := rungsOf(f, 100_000)
			if len(rungs) < 5 {
				t.Errorf("%s has %d rungs", f.Name, len(rungs))
			}
			for i, c := range rungs {
				if c.Plan.BitsPerItem > float64(c.Rung)+0.01 || c.Family != f.Name || c.Rate != c.Plan.FPR {
					t.Errorf("%s: rung %d takes %v bits, rate %v", f.Name, c.Rung, c.Plan.BitsPerItem, c.Rate)
				}
				if i > 0 && (c.Rate >= rungs[i-1].Rate || c.Rung <= rungs[i-1].Rung) {
					t.Errorf("%s: rung %d has rate %v, the one below %v", f.Name, c.Rung, c.Rate, rungs[i-1].Rate)
				}
				if w.deletes() && !c.Plan.Deletes {
					t.Errorf("%v cannot delete", c.Plan)
				}
			}
		}
		if want := 3; w.deletes() && len(all) <= want-1 || !w.deletes() && len(all) != len(Forms())+2+len(Layouts()) {
			t.Errorf("%+v: %d families", w, len(all))
		}
	}
}

func TestMeasured_EndsAndFewerAbove(t *testing.T) {
	for n := 1; n <= 21; n++ {
		if !measured(0, n) || !measured(n-1, n) {
			t.Errorf("an end of %d rungs is not measured", n)
		}
	}
	count := 0
	for i := range 21 {
		if measured(i, 21) {
			count++
		}
	}
	if count != 9 {
		t.Errorf("%d of 21 rungs are measured, want 9", count)
	}
}

// rungs is a ladder whose rung of so many bits takes so many ns to ask.
func rungs(family string, bits ...int) (all []Cost) {
	for _, b := range bits {
		c := cost(family, float64(b), math.Exp2(-float64(b)))
		c.Rung, c.Plan.BitsPerItem = b, float64(b)
		all = append(all, c)
	}
	return all
}

// Rungs between two measured ones get times between theirs; beyond a measured one there are none.
func TestFill_Interpolates(t *testing.T) {
	all := append(rungs("a", 4, 5, 6, 8, 9), rungs("b", 4, 5, 6)...)
	few := append(rungs("a", 4, 8), rungs("b", 5, 6)...)
	for i := range all {
		all[i].between(&Cost{}, &Cost{}, 0)
	}
	got := fill(all, few)
	want := append(rungs("a", 4, 5, 6, 8), rungs("b", 5, 6)...)
	if len(got) != len(want) {
		t.Fatalf("%d rungs, want %d", len(got), len(want))
	}
	for i, c := range got {
		if c.Family != want[i].Family || c.Rung != want[i].Rung || c.Absent != want[i].Absent || c.Insert != want[i].Insert {
			t.Errorf("%s %d: %v ns, want %v", c.Family, c.Rung, c.Absent, want[i].Absent)
		}
		if inner := c.Rung == 5 && c.Family == "a" || c.Rung == 6 && c.Family == "a"; c.Interpolated != inner {
			t.Errorf("%s %d: interpolated %v", c.Family, c.Rung, c.Interpolated)
		}
	}
}

// A final that took longer than when it was scouted shifts its ladder, and no other.
func TestCalibrate_Shifts(t *testing.T) {
	ladder := append(rungs("a", 4, 8), rungs("b", 4, 8)...)
	f := ladder[1]
	f.Absent, f.Rate = 10, 0.5
	got := calibrate(ladder, []Cost{f})
	for i, want := range []float64{6, 10, 4, 8} {
		if got[i].Absent != want {
			t.Errorf("rung %d: %v ns, want %v", i, got[i].Absent, want)
		}
	}
	if got[1].Rate != 0.5 || got[0].Rate != ladder[0].Rate || ladder[1].Absent != 8 {
		t.Errorf("rates %v and %v, the scouted time now %v", got[1].Rate, got[0].Rate, ladder[1].Absent)
	}
}
