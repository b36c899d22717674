package lab

import (
	"math"
	"testing"
)

func TestMemoryLimit_OfNoTrials(t *testing.T) {
	if limit, err := memoryLimit(nil, math.MaxInt64); err != nil || limit != math.MaxInt64 {
		t.Errorf("%d, %v", limit, err)
	}
}
