package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/lab"
)

func TestCheckMemory_OfWhatIsPlanned(t *testing.T) {
	large := nest.Spec{Capacity: 1 << 24, FalsePositiveRate: 0.001} // 24 MiB and more
	err := checkMemory("build", large, 10<<20)
	if !errors.Is(err, lab.ErrMemory) || !strings.Contains(err.Error(), "10 MiB are available") {
		t.Error(err)
	}
	for _, s := range []nest.Spec{large, {FalsePositiveRate: 0.001}, {Capacity: -1}, {Kind: nest.Bloom, Slots: 1 << 10, Hashes: 3}} {
		if err := checkMemory("build", s, 100<<20); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
	if err := checkMemory("build", nest.Spec{Kind: nest.Bloom, Slots: 1 << 30, Hashes: 3}, 100<<20); !errors.Is(err, lab.ErrMemory) {
		t.Error(err)
	}
}
