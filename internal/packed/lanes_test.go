package packed

import (
	"math/bits"
	"testing"
)

// checkLanes holds every method of Lanes against the portable twin for one word.
func checkLanes(t *testing.T, x, v uint64, n, width uint) {
	t.Helper()
	l := NewLanes(width, n)
	v &= 1<<width - 1
	for _, c := range []struct {
		name         string
		quick, exact uint64
		want         uint64
	}{
		{"zero", l.Zero(x), l.ZeroExact(x), flagsPortable(x, 0, n, width)},
		{"equal", l.Equal(x, v), l.EqualExact(x, v), flagsPortable(x, v, n, width)},
	} {
		if c.exact != c.want {
			t.Fatalf("%s exact: x=%#x v=%#x n=%d width=%d: flags %#x, want %#x", c.name, x, v, n, width, c.exact, c.want)
		}
		if (c.quick != 0) != (c.want != 0) {
			t.Fatalf("%s: x=%#x v=%#x n=%d width=%d: flags %#x, want %#x", c.name, x, v, n, width, c.quick, c.want)
		}
		if c.want == 0 {
			continue
		}
		first := uint(bits.TrailingZeros64(c.want)) / width
		if l.First(c.quick) != first || l.First(c.exact) != first {
			t.Fatalf("%s first: x=%#x v=%#x n=%d width=%d: %d and %d, want %d", c.name, x, v, n, width,
				l.First(c.quick), l.First(c.exact), first)
		}
	}
	for i := range n {
		if got := lanePortable(l.Spread(v), i, width); got != v {
			t.Fatalf("Spread(%#x) lane %d = %#x", v, i, got)
		}
	}
}

func FuzzLanesAgainstPortable(f *testing.F) {
	f.Add(uint64(0), uint64(0), uint8(1), uint8(1))
	f.Add(^uint64(0), uint64(1), uint8(12), uint8(4))
	f.Add(uint64(0x0100_0001_0001_0000), uint64(1), uint8(16), uint8(4))
	f.Fuzz(func(t *testing.T, x, v uint64, width, n uint8) {
		w := uint(width)%64 + 1
		lanes := uint(n)%(64/w) + 1
		checkLanes(t, x, v, lanes, w)
	})
}

// TestLanes_ExhaustiveSmall tries every word of up to 12 bits at every width and lane count.
func TestLanes_ExhaustiveSmall(t *testing.T) {
	for width := uint(1); width <= 12; width++ {
		for n := uint(1); n*width <= 12; n++ {
			// One bit above the lanes plays the part of the next bucket.
			for x := range uint64(1) << (n*width + 1) {
				checkLanes(t, x, x>>1, n, width)
			}
		}
	}
}

// TestLanes_BorrowIsOnlyAboveTheLowest pins the documented restriction: the quick flags may say too
// much, never at or below the lowest true lane.
func TestLanes_BorrowIsOnlyAboveTheLowest(t *testing.T) {
	l := NewLanes(4, 4)
	if got := l.Zero(0x0010); got == l.ZeroExact(0x0010) {
		t.Fatal("the borrow that the doc comment warns of is gone: the comment or the code is wrong")
	}
}

func TestLanes_EveryWidth(t *testing.T) {
	x := uint64(0x9e3779b97f4a7c15)
	for width := uint(1); width <= 64; width++ {
		for n := uint(1); n*width <= 64; n++ {
			for range 50 {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
				sparse := x & (x >> 9) & (x >> 23)
				checkLanes(t, sparse, lanePortable(x, n-1, width), n, width)
				checkLanes(t, x, lanePortable(x, n-1, width), n, width)
			}
		}
	}
}

// The portable twin of Lanes takes a word apart lane by lane.

// lanePortable returns lane i of x.
func lanePortable(x uint64, i, width uint) uint64 {
	return x >> (i * width) & (1<<width - 1)
}

// flagsPortable flags the lanes of x, of n, that equal v.
func flagsPortable(x, v uint64, n, width uint) uint64 {
	var flags uint64
	for i := range n {
		if lanePortable(x, i, width) == v {
			flags |= 1 << (i*width + width - 1)
		}
	}
	return flags
}
