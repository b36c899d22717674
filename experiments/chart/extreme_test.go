package chart

import (
	"strings"
	"testing"
)

// Numbers at the edge of what a float64 holds are drawn in no time, or refused.
func TestAxis_ExtremeNumbers(t *testing.T) {
	for _, ys := range [][2]float64{
		{1e20, 1e20 + 16384}, {5e17, 5e17 + 64}, {-1e100, 1e100}, {1e-100, 2e-100}, {0, 1e-100}, {0, 5e-324},
		{5e-324, 1e-320}, {1e-170, 1}, {1, 1 + 1e-15}, {3e-12, 9e-12},
	} {
		for _, log := range []bool{false, true} {
			if log && ys[0] <= 0 {
				continue
			}
			f := one(Axis{Log: log}, Point{X: 1, Y: ys[0]}, Point{X: 2, Y: ys[1]})
			if _, err := f.Render("svg"); err != nil {
				t.Errorf("%v, log %v: %v", ys, log, err)
				continue
			}
			for _, tick := range f.layout().panels[0].yTicks {
				if len(tick.label) > 24 {
					t.Errorf("%v: a label of %d characters", ys, len(tick.label))
				}
			}
		}
	}
	for _, y := range []float64{1e101, -1e300} {
		if err := one(Axis{}, Point{X: 1, Y: y}).Check(); err == nil || !strings.Contains(err.Error(), "an axis holds") {
			t.Errorf("%v: %v", y, err)
		}
	}
}

func TestAxis_TinyStepsAsPowers(t *testing.T) {
	f := one(Axis{}, Point{X: 1, Y: 3e-12}, Point{X: 2, Y: 9e-12})
	var labels []string
	for _, tick := range f.layout().panels[0].yTicks {
		labels = append(labels, tick.label)
	}
	if got := strings.Join(labels, " "); !strings.Contains(got, "4x10^{-12}") || strings.Contains(got, "0.000") {
		t.Errorf("ticks %s", got)
	}
}
