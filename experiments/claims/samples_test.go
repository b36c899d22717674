package claims

import (
	"math"
	"testing"

	"github.com/nestfilter/nest/experiments/stat"
)

// TestSamples_IntervalsOfFourErrors compares with values by hand: errors 3 and 4 make 5, and 1% and 1% make 1.41%.
func TestSamples_IntervalsOfFourErrors(t *testing.T) {
	for name, c := range map[string]struct {
		got        Estimate
		value, low float64
	}{
		"mean":       {Mean(stat.Sample{Mean: 10, Err: 1}), 10, 6},
		"difference": {Difference(stat.Sample{Mean: 10, Err: 3}, stat.Sample{Mean: 4, Err: 4}), 6, -14},
		"quotient":   {Quotient(stat.Sample{Mean: 300, Err: 3}, stat.Sample{Mean: 100, Err: 1}), 3, 3 - 0.12*math.Sqrt2},
	} {
		high := 2*c.value - c.low
		if math.Abs(c.got.Value-c.value)+math.Abs(c.got.Low-c.low)+math.Abs(c.got.High-high) > 1e-12 {
			t.Errorf("%s: %+v, want %v, %v to %v", name, c.got, c.value, c.low, high)
		}
	}
}
