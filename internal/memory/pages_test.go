package memory_test

import (
	"slices"
	"testing"

	"github.com/nestfilter/nest/internal/memory"
)

// TestAllocations_ZeroAndWhole holds on both sides of the threshold: the advice changes no byte.
func TestAllocations_ZeroAndWhole(t *testing.T) {
	for _, n := range []int{0, 1, 4097, memory.LargeBytes - 1, memory.LargeBytes + 5} {
		b, w := memory.Bytes(n), memory.Words(n/8)
		if len(b) != n || len(w) != n/8 {
			t.Fatalf("%d bytes: %d bytes and %d words", n, len(b), len(w))
		}
		if slices.Max(append(b, 0)) != 0 || slices.Max(append(w, 0)) != 0 {
			t.Fatalf("%d bytes: not all are zero", n)
		}
	}
}
