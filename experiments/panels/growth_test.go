package panels

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

func TestGrowth_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		n := r.Param("n")
		size, doublings := n*17/8, 0
		if r.Series == growthOwn {
			size, doublings = n*17*3/16, 8
		}
		if r.Series == growthOwn && n == 1<<11 {
			size = n * 17 / 8
		}
		rate := claims.RateBound(growthWidth-1, 4) * (1 + float64(doublings)/2) * 0.95
		return []int{n, size, 0, 1_000_000, int(1e6 * rate), doublings}
	}
	expectRefuted(t, growth(), good, map[string]refutation{
		"keys are lost":      {func(_ lab.Row, counts []int) { counts[2] = 1 }, []int{0}},
		"keys are refused":   {func(_ lab.Row, counts []int) { counts[0]-- }, []int{0}},
		"the rate compounds": {of(growthOwn, func(r lab.Row, counts []int) { counts[4] *= 2 }), []int{1}},
	})
}

// TestGrowth_SpaceOfGrowing fills filters of the panel: just before a growth they take the space of a filter of the
// right size, and just behind one twice as much.
func TestGrowth_SpaceOfGrowing(t *testing.T) {
	filters := growthFilters(lab.Cell{})
	bits := func(i, n int) float64 {
		f, err := filters[i].Of.(maker)(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := measure.Insert(t.Context(), &measure.Stream{Next: 1}, f, n); err != nil {
			t.Fatal(err)
		}
		return float64(8*f.SizeBytes()) / float64(n)
	}
	least, most := math.Inf(1), 0.0
	for n := 1100; n < 20_000; n += n / 32 {
		ratio := bits(0, n) / bits(1, n)
		least, most = min(least, ratio), max(most, ratio)
	}
	if least > 1.06 || least < 0.94 || most > 2.15 || most < 1.9 {
		t.Errorf("growing takes %.2f to %.2f times the space of a right size, seed 1", least, most)
	}
}
