package cli

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// What else runs on the machine does not count: under four busy threads for each processor the wall's time is some five times as long.
func TestCalibrate_CountsItsOwnTimeOnly(t *testing.T) {
	alone := calibrate()
	var stop atomic.Bool
	defer stop.Store(true)
	for range 4 * runtime.NumCPU() {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	if busy := calibrate(); busy > 5*alone/2 {
		t.Errorf("a round takes %v, and %v on a busy machine", alone, busy)
	}
}
