package measure

import (
	"slices"
	"testing"
)

// Every subject has one turn in a round, and each begins one.
func TestTurns_BeginWithAnotherEachRound(t *testing.T) {
	for round, want := range [][]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 1, 2}} {
		if got := slices.Collect(Turns(round, 3)); !slices.Equal(got, want) {
			t.Errorf("round %d: %v, want %v", round, got, want)
		}
	}
}
