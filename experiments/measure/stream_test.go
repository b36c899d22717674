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
