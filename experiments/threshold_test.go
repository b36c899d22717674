package experiments

import (
	"math"
	"testing"
)

// TestThreshold_IsThePublished compares with the five digits that are known, and the slack of finite tables with
// what it is made of.
func TestThreshold_IsThePublished(t *testing.T) {
	if v := thresholdsAgree(Threshold); v.Failed() {
		t.Errorf("thresholds: %s", v.Ours)
	}
	if v := thresholdsAgree(func(b int) float64 { return Threshold(b) + 1e-5 }); !v.Failed() {
		t.Error("thresholds that are 1e-5 higher pass")
	}
	for _, b := range bucketSizes {
		small, large := finiteSlack(b, 1<<10), finiteSlack(b, 1<<22)
		if !(large > 0 && large < small && large < 0.013) {
			t.Errorf("b = %d: slack %g at 2^10 slots, %g at 2^22", b, small, large)
		}
	}
}

// TestPoissonFrom_AgreesWithSums compares with sums of the probabilities themselves.
func TestPoissonFrom_AgreesWithSums(t *testing.T) {
	for _, mean := range []float64{0.01, 0.5, 3, 9, 20} {
		for k := 1; k <= 20; k++ {
			want := 0.0
			for i := k; i < 150; i++ {
				logFactorial, _ := math.Lgamma(float64(i) + 1)
				want += math.Exp(float64(i)*math.Log(mean) - mean - logFactorial)
			}
			if got := poissonFrom(mean, k); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("P(Poisson(%g) >= %d) = %g, want %g", mean, k, got, want)
			}
		}
	}
}

// TestExpectedMinimum_OfTenRuns compares with the tabulated means of normal order statistics.
func TestExpectedMinimum_OfTenRuns(t *testing.T) {
	for n, want := range map[int]float64{1: 0, 2: 0.5642, 3: 0.8463, 5: 1.1630, 10: 1.5388} {
		if got := expectedMinimum(n); math.Abs(got-want) > 0.05*max(want, 0.01) {
			t.Errorf("n = %d: %.4f, want %.4f", n, got, want)
		}
	}
}
