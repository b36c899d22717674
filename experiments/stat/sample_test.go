package stat

import (
	"math"
	"testing"
)

// The quantiles 3.182 and 2.776 are those of printed tables.
func TestSampleInterval_KnownValues(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		half float64
	}{{nil, 0}, {[]float64{7}, 0}, {[]float64{1, 2, 3, 4}, 3.1824 * math.Sqrt(5./3) / 2}, {[]float64{0, 1, 2, 3, 4}, 2.7764 * math.Sqrt(2.5) / math.Sqrt(5)}} {
		s := SampleOf(c.xs)
		if lo, hi := s.Interval(); len(c.xs) > 0 && (math.Abs(hi-s.Mean-c.half) > 1e-3 || math.Abs(s.Mean-lo-c.half) > 1e-3) {
			t.Errorf("%v: %v to %v, want %v on either side of %v", c.xs, lo, hi, c.half, s.Mean)
		}
	}
}

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
