package panels

import (
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
)

// bucketCounts makes up loads by bucket size as the paper's text has them.
func bucketCounts(r lab.Row) []int {
	b, slots := r.Param("b"), r.Param("b")*r.Param("buckets")
	load := map[int]float64{1: 0.499, 2: 0.84, 4: 0.951, 8: 0.981}[b]
	if strings.HasPrefix(r.Series, "breadth-first") {
		load = map[int]float64{1: 0.499, 2: 0.884, 4: 0.975, 8: 0.996}[b]
	}
	return []int{slots, int(load*float64(slots)) + r.Trial*20}
}

func TestBucketSizes_Verdicts(t *testing.T) {
	scale := func(series string, b int, share float64) func(lab.Row, []int) {
		return func(r lab.Row, counts []int) {
			if r.Series == series && r.Param("b") == b {
				counts[1] = int(float64(counts[1]) * share)
			}
		}
	}
	// Of each bucket size the load of the text, then the thresholds. Good data has 84% at b = 2.
	expectRefuted(t, bucketSizes(), bucketCounts, map[string]refutation{
		"b = 1 refuses early":          {scale("random-walk, xor", 1, 0.94), []int{0}},
		"b = 1 is beyond .53":          {scale("breadth-first, additive", 1, 1.07), []int{4}},
		"b = 2 has figure 3's load":    {scale("random-walk, xor", 2, 1.024), []int{1}},
		"b = 2 is beyond the ceiling":  {scale("breadth-first, xor", 2, 1.04), []int{4}},
		"b = 4 stops at 92%":           {scale("random-walk, xor", 4, 0.97), []int{2}},
		"b = 4 is a percent above":     {scale("random-walk, xor", 4, 1.01), []int{2}},
		"b = 4 is beyond the ceiling":  {scale("random-walk, additive", 4, 1.05), []int{4}},
		"b = 8 stops at 96%":           {scale("random-walk, xor", 8, 0.98), []int{3}},
		"b = 8 holds more than it can": {scale("breadth-first, additive", 8, 1.01), []int{4}},
	})
}
