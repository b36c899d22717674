package panels

import (
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
	"github.com/nestfilter/nest/experiments/law"
)

// bucketCounts makes up loads by bucket size as they are.
func bucketCounts(r lab.Row) []int {
	b, slots := r.Param("b"), r.Param("b")*r.Param("buckets")
	load := map[int]float64{1: 0.499, 2: 0.871, 4: 0.962, 8: 0.989}[b]
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
	// Of each bucket size the load of the text, and the threshold; the last are the thresholds themselves.
	labtest.ExpectFailures(t, BucketSizes{}, lab.Quick, bucketCounts, map[string]struct {
		Damage func(r lab.Row, counts []int)
		Fails  []int
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
	vs := BucketSizes{}.Judge(labtest.Planned(t, BucketSizes{}, lab.Quick, bucketCounts))
	if v := vs[2]; v.Status != claims.Differs || !strings.Contains(v.Why, "contradicts itself") {
		t.Errorf("84%% at b = 2: %+v", v)
	}
	at84 := BucketSizes{}.Judge(labtest.Planned(t, BucketSizes{}, lab.Quick, func(r lab.Row) []int {
		counts := bucketCounts(r)
		if r.Param("b") == 2 {
			counts[1] = counts[0] * 84 / 100
		}
		return counts
	}))
	if at84[2].Status != claims.Holds {
		t.Errorf("84%% of ours is not the paper's: %+v", at84[2])
	}
}

// TestThresholds_ArePublished compares with the five digits that are known.
func TestThresholds_ArePublished(t *testing.T) {
	if v := thresholdsAgree(law.Threshold); v.Failed() {
		t.Errorf("thresholds: %s", v.Ours)
	}
	if v := thresholdsAgree(func(b int) float64 { return law.Threshold(b) + 1e-5 }); !v.Failed() {
		t.Error("thresholds that are 1e-5 higher pass")
	}
}
