package lab

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/experiments/chart"
)

func TestDropNothing_LeavesThePointsThatThereAre(t *testing.T) {
	nan := math.NaN()
	f := &chart.Figure{Name: "f", Panels: []chart.Panel{{Series: []chart.Series{{Label: "s", Points: []chart.Point{{X: 1, Y: nan}, {X: 2, Y: 3}, {X: nan, Y: 1}}}}}}}
	dropNothing(f)
	if got := f.Panels[0].Series[0].Points; len(got) != 1 || got[0].X != 2 || f.Check() != nil {
		t.Errorf("%v, %v", got, f.Check())
	}
}

func TestEnumerate_RangesAndEnds(t *testing.T) {
	long := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}
	for _, c := range []struct {
		values []int
		want   string
	}{
		{[]int{7}, "7"}, {[]int{1, 2, 3}, "1, 2, 3"}, {[]int{1, 2, 3, 4}, "1, 2, 3, 4"}, {[]int{10, 20, 30, 40}, "10, 20, 30, 40"},
		{[]int{1, 2, 4, 8}, "1, 2, 4, 8"}, {long, "13 values from 1 to 4096"},
	} {
		if got := enumerate(IntValues(c.values...)); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}
