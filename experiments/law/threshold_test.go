package law

import (
	"math"
	"testing"
)

// TestFiniteSlack_Shrinks: the slack of finite tables is positive, and less in larger ones.
func TestFiniteSlack_Shrinks(t *testing.T) {
	for _, b := range []int{1, 2, 4, 8} {
		small, large := FiniteSlack(b, 1<<10), FiniteSlack(b, 1<<22)
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
			if got := PoissonFrom(mean, k); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("P(Poisson(%g) >= %d) = %g, want %g", mean, k, got, want)
			}
		}
	}
}
