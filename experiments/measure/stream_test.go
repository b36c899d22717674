package measure

import (
	"slices"
	"testing"
)

func TestProbesFor_Bounds(t *testing.T) {
	for _, c := range []struct{ events, oneIn, trials, want int }{
		{1000, 100, 10, 10_000}, {1000, 1, 10, 500}, {1000, 1 << 20, 10, 1 << 20}, {1_000_000, 1 << 30, 1, 1 << 20},
	} {
		if got := ProbesFor(c.events, c.oneIn, c.trials, 500, 1<<20); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestCountTrue_OfAnyNumber puts one, none and all answers of each number to yes.
func TestCountTrue_OfAnyNumber(t *testing.T) {
	for n := range 20 {
		answers := make([]bool, n+1)
		for i := range answers {
			if got := CountTrue(answers[:n]); got != i {
				t.Errorf("%d, want %d of %d", got, i, n)
			}
			answers[i] = true
		}
	}
}

func TestStream_DigestsDiffer(t *testing.T) {
	s := Stream{Next: 7}
	hs := make([]uint64, 10_000)
	s.Fill(hs[:1])
	s.Fill(hs[1:])
	slices.Sort(hs)
	if n := len(slices.Compact(hs)); n != 10_000 {
		t.Errorf("%d different digests of 10000", n)
	}
}
