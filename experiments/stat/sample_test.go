package stat

import (
	"math"
	"testing"
)

func TestSample_KnownValues(t *testing.T) {
	s := SampleOf([]float64{2, 4, 4, 4, 5, 5, 7, 9}) // deviation sqrt(32/7)
	near(t, "mean", s.Mean, 5, 1e-15)
	near(t, "standard error", s.Err, math.Sqrt(32.0/7/8), 1e-15)
	near(t, "tolerance", s.Tolerance(Sample{Err: s.Err}), 4*s.Err*math.Sqrt2, 1e-12)
	if one := SampleOf([]float64{3}); one.Mean != 3 || one.Err != 0 {
		t.Errorf("sample of one: %+v", one)
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
