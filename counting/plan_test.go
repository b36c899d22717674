package counting

import (
	"errors"
	"math"
	"testing"
)

// nonsense are numbers of which some are good and most are not.
var nonsense = []int{
	math.MinInt, math.MinInt32, -64, -1, 0, 1, 2, 4, 8, 16, 31, 32, 64, 1023, 1024, math.MaxInt32, math.MaxInt,
}

// TestPredictions_OfNonsense asks about filters that there are not: what comes is a probability, or a number
// of the counters.
func TestPredictions_OfNonsense(t *testing.T) {
	for _, a := range nonsense {
		for _, b := range nonsense {
			for _, c := range nonsense {
				if rate := PredictDLeftRate(a, b, c); !(rate >= 0 && rate <= 1) {
					t.Errorf("PredictDLeftRate(%d, %d, %d) is %v", a, b, c, rate)
				}
			}
		}
	}
}

// TestPlanDLeft_OfNonsense plans filters that there are not: the error is ErrConfig or ErrTooLarge.
func TestPlanDLeft_OfNonsense(t *testing.T) {
	for _, x := range nonsense {
		for _, y := range nonsense {
			for _, rate := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 5e-324, .01, 1, 2} {
				for _, c := range []DLeftConfig{
					{Capacity: x, FalsePositiveRate: rate, CounterBits: y}, {Slots: x, RemainderBits: y},
					{Capacity: x, RemainderBits: y, MaxBytes: y}, {Slots: x, RemainderBits: 8, CounterBits: y},
				} {
					_, size, err := PlanDLeft(c)
					if size < 0 || err != nil && !errors.Is(err, ErrConfig) && !errors.Is(err, ErrTooLarge) {
						t.Errorf("%v: %d bytes, %v", c, size, err)
					}
				}
			}
		}
	}
}
