package experiments

import "testing"

func TestGrowth_Verdicts(t *testing.T) {
	good := func(r Row) []int {
		n := r.Param("n")
		size, filters := n*17/8, 1
		if r.Series == growthTwo || r.Series == growthFour {
			size, filters = n*17*3/16, 5
		}
		if r.Series == growthTwo && n == 1<<11 {
			size = n * 17 / 8
		}
		rate := RateBound(growthWidth, 4) * float64(filters) * 0.95
		return []int{n, size, 0, 1_000_000, int(1e6 * rate), filters}
	}
	expectFailures(t, Growth{}, Quick, good, map[string]struct {
		damage func(r Row, counts []int)
		fails  []int
	}{
		"keys are lost":    {func(_ Row, counts []int) { counts[2] = 1 }, []int{0}},
		"keys are refused": {func(_ Row, counts []int) { counts[0]-- }, []int{0}},
		"the rate compounds": {func(r Row, counts []int) {
			if r.Series == growthFour {
				counts[4] *= 2
			}
		}, []int{1}},
		"old slots stay empty": {func(r Row, counts []int) {
			if r.Series == growthTwo {
				counts[1] = counts[1] * 5 / 4
			}
		}, []int{2}},
	})
}
