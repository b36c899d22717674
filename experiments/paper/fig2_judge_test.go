package paper

import (
	"math"
	"testing"
)

// TestExpectedMinimum_OfTenRuns compares with the tabulated means of normal order statistics.
func TestExpectedMinimum_OfTenRuns(t *testing.T) {
	for n, want := range map[int]float64{1: 0, 2: 0.5642, 3: 0.8463, 5: 1.1630, 10: 1.5388} {
		if got := expectedMinimum(n); math.Abs(got-want) > 0.05*max(want, 0.01) {
			t.Errorf("n = %d: %.4f, want %.4f", n, got, want)
		}
	}
}
