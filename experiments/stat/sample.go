package stat

import (
	"math"
)

// Deviations is how many standard errors a comparison allows: normally distributed values exceed
// four once in 16 000.
const Deviations = 4

// Sample is the mean of some values and its standard error.
type Sample struct {
	Mean, Err float64
	N         int
}

// SampleOf returns the sample of the values; with fewer than two the error is 0.
func SampleOf(xs []float64) Sample {
	s := Sample{N: len(xs)}
	for _, x := range xs {
		s.Mean += x
	}
	s.Mean /= float64(len(xs))
	if s.N < 2 {
		return s
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - s.Mean) * (x - s.Mean)
	}
	s.Err = math.Sqrt(sum / float64(s.N-1) / float64(s.N))
	return s
}

// Tolerance is how far apart two samples of one distribution may be.
func (s Sample) Tolerance(t Sample) float64 { return Deviations * math.Hypot(s.Err, t.Err) }
