package law

import (
	"math"
	"testing"
)

// The paper has 9.0 bits at 1/256 for a million keys; large filters tend to 1.125 slots a key, and tiny ones have three segments of
// four slots.
func TestFuse_BitsOfThePaper(t *testing.T) {
	for _, c := range []struct {
		n, width  int
		want, tol float64
	}{{1_000_000, 8, 9.04, 0.01}, {1_000_000, 12, 13.56, 0.02}, {100_000_000, 8, 9, 0.03}, {1, 8, 96, 0}} {
		if got := FuseBits(c.n, c.width); math.Abs(got-c.want) > c.tol {
			t.Errorf("%d keys, %d bits: %v bits per item, want %v", c.n, c.width, got, c.want)
		}
	}
	for rate, want := range map[float64]int{0.01: 7, 1. / 256: 8, 0.0039: 9, 0.5: 1} {
		if got := FuseWidth(rate); got != want {
			t.Errorf("rate %v: %d bits, want %d", rate, got, want)
		}
	}
}
