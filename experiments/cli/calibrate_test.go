package cli

import (
	"testing"
	"time"
)

// The factor is the machine's: it does not depend on what is expected, and is no wild one.
func TestCalibrated_IsAFactorOfTheMachine(t *testing.T) {
	if got := calibrated(0, 2); got != 0 {
		t.Errorf("nothing takes %v", got)
	}
	if got := calibrated(time.Hour, 2); got < 6*time.Minute || got > 100*time.Hour {
		t.Errorf("an hour takes %v", got)
	}
}

func BenchmarkCalibrate(b *testing.B) {
	for b.Loop() {
		calibrate()
	}
}
