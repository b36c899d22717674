package counting_test

import (
	"testing"

	"github.com/nestfilter/nest/counting"
)

// TestZeroFilter_StatsOfNothing: a filter that no constructor made is empty by its statistics, and no number.
func TestZeroFilter_StatsOfNothing(t *testing.T) {
	for _, f := range []interface {
		LoadFactor() float64
		FalsePositiveRate() float64
		EstimatedCount() float64
		CountHash(h uint64) int
		Stats() counting.Stats
		Reset()
	}{new(counting.Filter), new(counting.DLeft)} {
		f.Reset()
		if f.LoadFactor() != 0 || f.FalsePositiveRate() != 0 || f.EstimatedCount() != 0 || f.CountHash(7) != 0 || f.Stats() != (counting.Stats{}) {
			t.Errorf("%T: %v, %v, %v, %+v", f, f.LoadFactor(), f.FalsePositiveRate(), f.EstimatedCount(), f.Stats())
		}
	}
}
