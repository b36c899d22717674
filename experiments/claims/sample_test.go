package claims

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The first line was computed by hand from Wilson's formula; the limit for zero events has the
// closed form 1-0.05^(1/n).
func TestRate_IntervalKnownValues(t *testing.T) {
	for _, c := range []struct {
		r      Rate
		lo, hi float64
	}{
		{Rate{10, 100}, 0.05523, 0.17437},
		{Rate{0, 1000}, 0, 1 - math.Pow(0.05, 1./1000)},
		{Rate{1000, 1000}, math.Pow(0.05, 1./1000), 1},
		{Rate{0, 0}, 0, 1},
		{Rate{0, 1}, 0, 0.95},
	} {
		lo, hi := c.r.Interval()
		near(t, "low", lo, c.lo, 1e-5)
		near(t, "high", hi, c.hi, 1e-5)
	}
}

// For n = 5000 and p = 0.01 Wilson's interval covers p with probability 0.9456: the sum of the
// binomial weights of the counts whose interval holds p. The share of 4000 samples deviates from it
// by more than 5 standard deviations with probability below 1e-6.
func TestRate_IntervalCovers(t *testing.T) {
	const runs, n, p = 4000, 5000, 0.01
	r := rand.New(rand.NewPCG(1, 1))
	covered := 0
	for range runs {
		k := 0
		for range n {
			if r.Float64() < p {
				k++
			}
		}
		if lo, hi := (Rate{k, n}).Interval(); lo <= p && p <= hi {
			covered++
		}
	}
	const exact = 0.9456
	share := float64(covered) / runs
	near(t, "share of samples that are covered", share, exact, 5*math.Sqrt(exact*(1-exact)/runs))
}

func TestMedian_OddEvenNone(t *testing.T) {
	near(t, "odd", Median([]float64{3, 1, 2}), 2, 0)
	near(t, "even", Median([]float64{4, 1, 2, 3}), 2.5, 0)
	if m := Median(nil); !math.IsNaN(m) {
		t.Errorf("none: %v", m)
	}
}

// Ranks from the binomial distribution with p = 1/2: the largest i with P(X < i) <= 2.5%, counted
// from 1: n = 6 gives 1, 10 gives 2, 11 gives 2, 20 gives 6, 100 gives 40.
func TestMedianInterval_Ranks(t *testing.T) {
	for n, rank := range map[int]int{1: 1, 2: 1, 5: 1, 6: 1, 10: 2, 11: 2, 20: 6, 100: 40} {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = float64(n - i) // n down to 1
		}
		lo, hi := MedianInterval(xs)
		if lo != float64(rank) || hi != float64(n+1-rank) {
			t.Errorf("n=%d: ranks %v to %v, want %d to %d", n, lo, hi, rank, n+1-rank)
		}
	}
}

// Digits counts the digits of the rounded number: .9997 is 1.00 and not 1.000.
func TestTexts_OfNumbers(t *testing.T) {
	for got, want := range map[string]string{
		RateText(0.0114): "1.14% (1 in 87.7)", RateText(0.00093): "0.0930% (1 in 1075)", RateText(1): "100% (1 in 1.00)",
		RateText(0): "0%", RateText(0.5): "50.0% (1 in 2.00)", RateText(2e-10): "2e-08% (1 in 5e+09)",
		Digits(0.9997, 3): "1.00", Digits(0.9997, 4): "0.9997", Digits(0.9994, 3): "0.999", Digits(9.996, 3): "10.0",
		Digits(99.96, 3): "100", Digits(999.7, 3): "1000", Digits(1234.5, 3): "1234", Digits(-0.9997, 3): "-1.00",
		Digits(0.09996, 3): "0.100", Digits(1, 4): "1.000", Digits(0.95, 1): "0.9", Digits(0.96, 1): "1", Digits(0, 3): "0",
		Digits(2e-10, 1): "2e-10", Bytes(0): "0 bytes", Bytes(1023): "1023 bytes", Bytes(1024): "1.00 KiB",
		Bytes(1_700_000): "1.62 MiB", Bytes(1 << 30): "1.00 GiB",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The quantiles 3.182 and 2.776 are those of printed tables.
func TestSampleInterval_KnownValues(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		half float64
	}{
		{[]float64{7}, 0}, {[]float64{1, 2, 3, 4}, 3.1824 * math.Sqrt(5./3) / 2},
		{[]float64{0, 1, 2, 3, 4}, 2.7764 * math.Sqrt(2.5) / math.Sqrt(5)},
	} {
		s := SampleOf(c.xs)
		lo, hi := s.Interval()
		near(t, "above the mean", hi-s.Mean, c.half, 1e-3)
		near(t, "below the mean", s.Mean-lo, c.half, 1e-3)
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

// TestSamples_IntervalsOfFourErrors compares with values by hand: errors 3 and 4 make 5, and 1% and 1% make 1.41%.
func TestSamples_IntervalsOfFourErrors(t *testing.T) {
	for name, c := range map[string]struct {
		got        Estimate
		value, low float64
	}{
		"mean":       {Mean(Sample{Mean: 10, Err: 1}), 10, 6},
		"difference": {Difference(Sample{Mean: 10, Err: 3}, Sample{Mean: 4, Err: 4}), 6, -14},
		"quotient":   {Quotient(Sample{Mean: 300, Err: 3}, Sample{Mean: 100, Err: 1}), 3, 3 - 0.12*math.Sqrt2},
	} {
		near(t, name, c.got.Value, c.value, 1e-12)
		near(t, name+", low", c.got.Low, c.low, 1e-12)
		near(t, name+", high", c.got.High, 2*c.value-c.low, 1e-12)
	}
}
