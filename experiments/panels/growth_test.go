package panels

import (
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
	"github.com/nestfilter/nest/experiments/law"
)

func TestGrowth_Verdicts(t *testing.T) {
	good := func(r lab.Row) []int {
		n := r.Param("n")
		size, filters := n*17/8, 1
		if r.Series == growthTwo || r.Series == growthFour {
			size, filters = n*17*3/16, 5
		}
		if r.Series == growthTwo && n == 1<<11 {
			size = n * 17 / 8
		}
		rate := law.RateBound(growthWidth, 4) * float64(filters) * 0.95
		return []int{n, size, 0, 1_000_000, int(1e6 * rate), filters}
	}
	labtest.ExpectFailures(t, Growth{}, lab.Quick, good, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
	}{
		"keys are lost":    {func(_ lab.Row, counts []int) { counts[2] = 1 }, []int{0}},
		"keys are refused": {func(_ lab.Row, counts []int) { counts[0]-- }, []int{0}},
		"the rate compounds": {func(r lab.Row, counts []int) {
			if r.Series == growthFour {
				counts[4] *= 2
			}
		}, []int{1}},
		"old slots stay empty": {func(r lab.Row, counts []int) {
			if r.Series == growthTwo {
				counts[1] = counts[1] * 5 / 4
			}
		}, []int{2}},
	})
}
