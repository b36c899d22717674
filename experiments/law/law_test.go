package law

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
