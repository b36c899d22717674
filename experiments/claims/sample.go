package claims

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/stats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the confidence of the intervals of rates, medians and samples.
const Confidence = 0.95

// z is the two-sided normal quantile of Confidence.
const z = 1.959963984540054

// A Rate is a number of events among N independent trials, 0 <= Events <= N.
type Rate struct {
	Events, N int
}

// Value is the observed rate, or NaN without trials.
func (r Rate) Value() float64 { return float64(r.Events) / float64(r.N) }

// Interval returns the 95% interval of the true rate: Wilson's score interval (Wilson, JASA 1927). Where no event was
// seen it runs from 0 to the one-sided limit of Clopper and Pearson (Biometrika 1934), about 3/N; where only events
// were seen, from the mirror image of that to 1. Without trials it is [0, 1].
func (r Rate) Interval() (lo, hi float64) {
	n, p := float64(r.N), r.Value()
	switch {
	case r.N == 0:
		return 0, 1
	case r.Events == 0:
		return 0, mathext.InvRegIncBeta(1, n, Confidence)
	case r.Events == r.N:
		return 1 - mathext.InvRegIncBeta(1, n, Confidence), 1
	}
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (middle-half)/scale), min(1, (middle+half)/scale)
}

// Median returns the middle of the values, the mean of the two middle ones if their number is even,
// or NaN if there is none. It does not change xs.
func Median(xs []float64) float64 {
	if len(xs) == 0 {
		return math.NaN()
	}
	return stats.Median(xs)
}

// MedianInterval returns an interval of the median that makes no assumption about the distribution: the two order
// statistics, equally far from the ends, between which the median lies with a confidence of at least 95%. Below six
// values there is no such pair: it is then the whole range, with confidence 1-2^(1-n).
func MedianInterval(xs []float64) (lo, hi float64) {
	n := len(xs)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	s := slices.Sorted(slices.Values(xs))
	heads, i := distuv.Binomial{N: float64(n), P: 0.5}, 0
	for 2*(i+1) < n && heads.CDF(float64(i+1)) <= (1-Confidence)/2 {
		i++
	}
	return s[i], s[n-1-i]
}

// RateText writes a rate as "1.14% (1 in 87.5)" with three significant digits, 0 as "0%".
func RateText(p float64) string {
	if p == 0 {
		return "0%"
	}
	return fmt.Sprintf("%s (1 in %s)", Percent(p, 3), Digits(1/p, 3))
}

// Percent writes a share with n significant digits: "1.14%".
func Percent(p float64, n int) string { return Digits(100*p, n) + "%" }

// Count writes a number of things: 1 key, 2 keys.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Bytes writes a number of bytes with a binary unit: "1.62 MiB".
func Bytes(n int) string {
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	x, unit := float64(n)/1024, 0
	for ; x >= 1024; unit++ {
		x /= 1024
	}
	return Digits(x, 3) + " " + "KMGTPE"[unit:unit+1] + "iB"
}

// Digits writes x with n significant digits, and without an exponent where that is not longer than some ten characters:
// 1075, 0.0931, 3.1e-08 for n = 3.
func Digits(x float64, n int) string {
	if x != 0 && (math.Abs(x) < 1e-5 || math.Abs(x) >= 1e9) {
		return strconv.FormatFloat(x, 'g', n, 64)
	}
	decimals := 0
	if x != 0 {
		// The exponent is taken once x is rounded: .9997 has three digits as 1.00, and not as 1.000.
		_, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', n-1, 64), "e")
		e, _ := strconv.Atoi(exponent)
		decimals = max(0, n-1-e)
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Deviations is how many standard errors a comparison allows: normally distributed values exceed four once in 16 000.
const Deviations = 4

// Sample is the mean of some values and its standard error.
type Sample struct {
	Mean, Err float64
	N         int
}

// SampleOf returns the sample of the values; with fewer than two the error is 0.
func SampleOf(xs []float64) Sample {
	mean, deviation := stat.MeanStdDev(xs, nil)
	s := Sample{Mean: mean, N: len(xs)}
	if s.N > 1 {
		s.Err = deviation / math.Sqrt(float64(s.N))
	}
	return s
}

// Interval returns the 95% interval of the true mean by Student's distribution, for values that are not too skewed. It
// is the mean alone with fewer than two values.
func (s Sample) Interval() (lo, hi float64) {
	if s.N < 2 {
		return s.Mean, s.Mean
	}
	half := s.Err * distuv.StudentsT{Sigma: 1, Nu: float64(s.N - 1)}.Quantile((1+Confidence)/2)
	return s.Mean - half, s.Mean + half
}

// Slack is so many standard errors of the mean: [Deviations], or of few values as many as hold 99% by Student's
// distribution, where that is more: 9.9 of three.
func (s Sample) Slack() float64 {
	if s.N < 2 {
		return Deviations * s.Err
	}
	return s.Err * max(Deviations, distuv.StudentsT{Sigma: 1, Nu: float64(s.N - 1)}.Quantile(0.995))
}

// Tolerance is how far apart two samples of one distribution may be.
func (s Sample) Tolerance(t Sample) float64 { return math.Hypot(s.Slack(), t.Slack()) }
