package counting_test

import (
	"testing"

	"github.com/nestfilter/nest/counting"
)

// TestZeroFilter_StatsOfNothing: a filter that no constructor made is empty by its statistics, and no number.
func TestZeroFilter_StatsOfNothing(t *testing.T) {
	for _, f := range []interface {
		CountHash(h uint64) int
		ScanStats() counting.Stats
		Reset()
	}{new(counting.Filter), new(counting.DLeft)} {
		f.Reset()
		if f.CountHash(7) != 0 || f.ScanStats() != (counting.Stats{}) {
			t.Errorf("%T: %+v", f, f.ScanStats())
		}
	}
	if d := new(counting.DLeft); d.LoadFactor() != 0 || d.FalsePositiveRate() != 0 {
		t.Errorf("load %v, rate %v", d.LoadFactor(), d.FalsePositiveRate())
	}
}
