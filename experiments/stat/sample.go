package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
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
	mean, deviation := stat.MeanStdDev(xs, nil)
	s := Sample{Mean: mean, N: len(xs)}
	if s.N > 1 {
		s.Err = deviation / math.Sqrt(float64(s.N))
	}
	return s
}

// Tolerance is how far apart two samples of one distribution may be.
func (s Sample) Tolerance(t Sample) float64 { return Deviations * math.Hypot(s.Err, t.Err) }
