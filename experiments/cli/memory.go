package cli

import (
	"fmt"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/lab"
)

// checkMemory tells, before a filter is made, whether there is memory for it: what the system refuses ends a program of
// Go at once. A Spec without a Capacity or Slots is sized later; whatever else is wrong with it is for what makes the
// filter to say. The error wraps lab.ErrMemory.
func checkMemory(command string, s nest.Spec, available int64) error {
	if s.Capacity == 0 && s.Slots == 0 {
		return nil
	}
	plans, err := nest.Plans(s)
	if err != nil {
		return nil
	}
	if need := int64(plans[0].SizeBytes); need > available {
		return fmt.Errorf("%s: %w: the filter takes %d MiB, %d MiB are available",
			command, lab.ErrMemory, need>>20, available>>20)
	}
	return nil
}

// memoryText writes a size of memory: in GiB from one on, and below in MiB, at least 1.
func memoryText(bytes int64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1fGiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%dMiB", max((bytes+1<<20-1)>>20, 1))
}
