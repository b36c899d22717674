package claims

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, tolerance)
	}
}

func TestExactRate_KnownValues(t *testing.T) {
	// Measured .2341 at f = 4, b = 4 and half load, where the textbook power form has .2275.
	near(t, "f = 4, b = 4, alpha = .5", ExactRate(4, 4, 0.5), 0.2341, 0.0001)
	near(t, "f = 1, b = 1, full", ExactRate(1, 1, 1), 1-math.Exp(-2), 1e-15)
	near(t, "no load", ExactRate(8, 4, 0), 0, 0)
	for _, f := range []float64{2, 8, 12.5, 20} {
		near(t, "inverse", ExactWidth(ExactRate(f, 4, 0.95), 4, 0.95), f, 1e-9)
		if ExactRate(f, 4, 1) > RateBound(f, 4)*(1+1/(math.Exp2(f)-1)) {
			t.Errorf("f = %v: the law is above the bound", f)
		}
	}
}

func TestCrossover_None(t *testing.T) {
	if rate, bits, ok := Crossover(LowerBound, BloomBits, 1e-5, 0.1); ok {
		t.Errorf("the bound and Bloom cross at %v, %v", rate, bits)
	}
}

// The paper has 9.0 bits at 1/256 for a million keys; large filters tend to 1.125 slots a key, and tiny ones have three segments of
// four slots.
func TestFuse_BitsOfThePaper(t *testing.T) {
	for _, c := range []struct {
		n, width  int
		want, tol float64
	}{{1_000_000, 8, 9.04, 0.01}, {1_000_000, 12, 13.56, 0.02}, {100_000_000, 8, 9, 0.03}, {1, 8, 96, 0}} {
		if got := FuseBits(c.n, c.width); math.Abs(got-c.want) > c.tol {
			t.Errorf("%d keys, %d bits: %v bits per item, want %v", c.n, c.width, got, c.want)
		}
	}
	for rate, want := range map[float64]int{0.01: 7, 1. / 256: 8, 0.0039: 9, 0.5: 1} {
		if got := FuseWidth(rate); got != want {
			t.Errorf("rate %v: %d bits, want %d", rate, got, want)
		}
	}
}

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
