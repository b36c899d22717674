package bloom_test

import (
	"testing"

	"github.com/nestfilter/nest/bloom"
)

// TestZeroFilter_StatsOfNothing: a filter that no constructor made is empty by its statistics, and no number.
func TestZeroFilter_StatsOfNothing(t *testing.T) {
	for _, f := range []interface {
		Stats() bloom.Stats
		Reset()
	}{new(bloom.Filter), new(bloom.Blocked), new(bloom.SplitBlock)} {
		f.Reset()
		if f.Stats() != (bloom.Stats{}) {
			t.Errorf("%T: %+v", f, f.Stats())
		}
	}
}
