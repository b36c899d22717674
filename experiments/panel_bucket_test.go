package experiments

import (
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/report"
)

// bucketCounts makes up loads by bucket size as they are.
func bucketCounts(r Row) []int {
	b, slots := r.Param("b"), r.Param("b")*r.Param("buckets")
	load := map[int]float64{1: 0.499, 2: 0.871, 4: 0.962, 8: 0.989}[b]
	if strings.HasPrefix(r.Series, "breadth-first") {
		load = map[int]float64{1: 0.499, 2: 0.884, 4: 0.975, 8: 0.996}[b]
	}
	return []int{slots, int(load*float64(slots)) + r.Trial*20}
}

func TestBucketSizes_Verdicts(t *testing.T) {
	scale := func(series string, b int, share float64) func(Row, []int) {
		return func(r Row, counts []int) {
			if r.Series == series && r.Param("b") == b {
				counts[1] = int(float64(counts[1]) * share)
			}
		}
	}
	// Of each bucket size the load of the text, and the threshold; the last are the thresholds themselves.
	expectFailures(t, BucketSizes{}, Quick, bucketCounts, map[string]struct {
		damage func(r Row, counts []int)
		fails  []int
	}{
		"b = 1 refuses early":          {scale("random-walk, xor", 1, 0.94), []int{0}},
		"b = 1 is beyond .53":          {scale("breadth-first, additive", 1, 1.07), []int{1}},
		"b = 2 is neither":             {scale("random-walk, xor", 2, 1.02), []int{2}},
		"b = 2 is beyond the ceiling":  {scale("breadth-first, xor", 2, 1.04), []int{3}},
		"b = 4 stops at 92%":           {scale("random-walk, xor", 4, 0.96), []int{4}},
		"b = 4 is beyond the ceiling":  {scale("random-walk, additive", 4, 1.03), []int{5}},
		"b = 8 stops at 96%":           {scale("random-walk, xor", 8, 0.97), []int{6}},
		"b = 8 holds more than it can": {scale("breadth-first, additive", 8, 1.01), []int{7}},
	})
	vs := BucketSizes{}.Judge(planned(t, BucketSizes{}, Quick, bucketCounts))
	if v := vs[2]; !v.Known || v.Status != report.Differs || !strings.Contains(v.Why, "contradicts itself") {
		t.Errorf("84%% at b = 2: %+v", v)
	}
	at84 := BucketSizes{}.Judge(planned(t, BucketSizes{}, Quick, func(r Row) []int {
		counts := bucketCounts(r)
		if r.Param("b") == 2 {
			counts[1] = counts[0] * 84 / 100
		}
		return counts
	}))
	if at84[2].Status != report.Holds {
		t.Errorf("84%% of ours is not the paper's: %+v", at84[2])
	}
}
