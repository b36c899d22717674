package bloom_test

import (
	"testing"

	"github.com/nestfilter/nest/bloom"
)

// TestZeroFilter_StatsOfNothing: a filter that no constructor made is empty by its statistics, and no number.
func TestZeroFilter_StatsOfNothing(t *testing.T) {
	for _, f := range []interface {
		LoadFactor() float64
		FalsePositiveRate() float64
		EstimatedCount() float64
		Stats() bloom.Stats
		Reset()
	}{new(bloom.Filter), new(bloom.Blocked), new(bloom.SplitBlock)} {
		f.Reset()
		if f.LoadFactor() != 0 || f.FalsePositiveRate() != 0 || f.EstimatedCount() != 0 || f.Stats() != (bloom.Stats{}) {
			t.Errorf("%T: %v, %v, %v, %+v", f, f.LoadFactor(), f.FalsePositiveRate(), f.EstimatedCount(), f.Stats())
		}
	}
}
