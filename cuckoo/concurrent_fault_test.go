//go:build invariants && !race

package cuckoo

import (
	"testing"

	"github.com/nestfilter/nest/internal/kick"
)

// TestConcurrent_FaultsAreNoticed puts in every fault in turn and has the same histories find it.
func TestConcurrent_FaultsAreNoticed(t *testing.T) {
	disturb(t)
	defer func() { kick.Broken = kick.Sound }()
	const patience = 100_000
	for fault := kick.Sound + 1; fault < kick.Faults; fault++ {
		kick.Broken = fault
		seed := uint64(1)
		for ; seed <= patience; seed++ {
			if err := oneHistory(seed); err != nil {
				t.Logf("fault %d, seed %d: %v", fault, seed, err)
				break
			}
		}
		if seed > patience {
			t.Errorf("fault %d: none of %d histories noticed it", fault, patience)
		}
	}
}
