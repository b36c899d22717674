package rivals

import (
	"testing"

	"github.com/nestfilter/nest/experiments/law"
)

// What nest size and nest compare say of a static filter is the size of the one that the league measures.
func TestFuse_SizeIsThatOfTheLaw(t *testing.T) {
	for _, n := range []int{2, 3, 10, 100, 1000, 12_345, 100_000, 1_000_000} {
		v, err := newFuse[uint8](0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Insert(appendKeys(nil, 1, 0, n)); err != nil {
			t.Fatal(err)
		}
		if v.Bytes() != law.FuseSlots(n) {
			t.Errorf("%d keys: %d bytes, want %d", n, v.Bytes(), law.FuseSlots(n))
		}
	}
}
