package lab

import (
	"math"
	"os"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func TestMemoryLimit_OfNoTrials(t *testing.T) {
	if limit, err := memoryLimit(nil, math.MaxInt64); err != nil || limit != math.MaxInt64 {
		t.Errorf("%d, %v", limit, err)
	}
}

func TestMemAvailable_IsPartOfTheMachine(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip(err)
	}
	all, err := memlimit.FromSystem()
	if err != nil {
		t.Fatal(err)
	}
	free, err := memAvailable()
	if err != nil || free < 1<<20 || free > all {
		t.Errorf("%d of %d bytes, %v", free, all, err)
	}
	if n := AvailableMemory(); n <= 0 || uint64(n) > free+free/8 {
		t.Errorf("%d of %d bytes are available", n, free)
	}
}
