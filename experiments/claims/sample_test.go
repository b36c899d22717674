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
		if math.Abs(lo-c.lo) > 1e-5 || math.Abs(hi-c.hi) > 1e-5 {
			t.Errorf("%v: %.6f to %.6f, want %.6f to %.6f", c.r, lo, hi, c.lo, c.hi)
		}
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
	if sigma := math.Sqrt(exact * (1 - exact) / runs); math.Abs(share-exact) > 5*sigma {
		t.Errorf("the interval covers %.4f of samples, want %v (seed 1)", share, exact)
	}
}

func TestMedian_OddEvenNone(t *testing.T) {
	if m := Median([]float64{3, 1, 2}); m != 2 {
		t.Errorf("odd: %v", m)
	}
	if m := Median([]float64{4, 1, 2, 3}); m != 2.5 {
		t.Errorf("even: %v", m)
	}
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

func TestRateText_Digits(t *testing.T) {
	for p, want := range map[float64]string{
		0.0114: "1.14% (1 in 87.7)", 0.00093: "0.0930% (1 in 1075)", 1: "100% (1 in 1.00)", 0: "0%",
		0.5: "50.0% (1 in 2.00)", 2e-10: "2e-08% (1 in 5e+09)",
	} {
		if got := RateText(p); got != want {
			t.Errorf("%v: %s, want %s", p, got, want)
		}
	}
}

func TestDigits_CountsThoseOfTheRoundedNumber(t *testing.T) {
	for _, c := range []struct {
		x    float64
		n    int
		want string
	}{
		{0.9997, 3, "1.00"}, {0.9997, 4, "0.9997"}, {0.9994, 3, "0.999"}, {9.996, 3, "10.0"}, {99.96, 3, "100"}, {999.7, 3, "1000"}, {1234.5, 3, "1234"},
		{-0.9997, 3, "-1.00"}, {0.09996, 3, "0.100"}, {1, 4, "1.000"}, {0.95, 1, "0.9"}, {0.96, 1, "1"}, {0, 3, "0"}, {2e-10, 1, "2e-10"},
	} {
		if got := Digits(c.x, c.n); got != c.want {
			t.Errorf("Digits(%v, %d) = %s, want %s", c.x, c.n, got, c.want)
		}
	}
}

func TestBytes_Units(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.00 KiB", 1_700_000: "1.62 MiB", 1 << 30: "1.00 GiB", 1 << 40: "1.00 TiB"} {
		if n > math.MaxInt {
			continue
		}
		if got := Bytes(int(n)); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

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
		high := 2*c.value - c.low
		if math.Abs(c.got.Value-c.value)+math.Abs(c.got.Low-c.low)+math.Abs(c.got.High-high) > 1e-12 {
			t.Errorf("%s: %+v, want %v, %v to %v", name, c.got, c.value, c.low, high)
		}
	}
}
