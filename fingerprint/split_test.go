package fingerprint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// alarm is how many standard deviations a uniformity test tolerates: one false alarm in 10^9 per
// cell of a normal variable.
const alarm = 6.1

func TestOf_RangeAndEnds(t *testing.T) {
	for width := uint(1); width <= MaxWidth; width++ {
		top := uint64(1)<<width - 1
		if got := Of(0, width); got != 1 {
			t.Errorf("Of(0, %d) = %d, want 1", width, got)
		}
		if got := Of(math.MaxUint64, width); got != top {
			t.Errorf("Of(^0, %d) = %d, want %d", width, got, top)
		}
		if got := Of(0xffffffff_00000000, width); got != 1 {
			t.Errorf("width %d: the high word leaks into the fingerprint: %d", width, got)
		}
	}
}

// TestOf_Uniform counts all fingerprints of narrow widths over random digests.
func TestOf_Uniform(t *testing.T) {
	const n = 400_000
	for width := uint(1); width <= 10; width++ {
		r := rand.New(rand.NewPCG(uint64(width), 0x5eed))
		cells := 1<<width - 1
		count := make([]int, cells+1)
		for range n {
			count[Of(r.Uint64(), width)]++
		}
		p := 1 / float64(cells)
		bound := alarm*math.Sqrt(n*p*(1-p)) + 1
		for v := 1; v <= cells; v++ {
			if d := math.Abs(float64(count[v]) - n*p); d > bound {
				t.Errorf("width %d, fingerprint %d: %d times, want %.0f +- %.0f", width, v, count[v], n*p, bound)
			}
		}
		if count[0] != 0 {
			t.Errorf("width %d: fingerprint 0 made %d times", width, count[0])
		}
	}
}

func TestBucket_PowerOfTwoIsAShift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0x5eed))
	for k := range 33 {
		for range 100 {
			h := r.Uint64()
			if got, want := Bucket(h, 1<<k), h>>(64-k); got != want {
				t.Fatalf("Bucket(%#x, 2^%d) = %d, want %d", h, k, got, want)
			}
		}
	}
}

func TestBucket_BelowM(t *testing.T) {
	for _, m := range []uint64{1, 2, 3, 5, 1000, 1<<32 - 1, MaxBuckets} {
		for _, h := range []uint64{0, 1, 1 << 63, math.MaxUint64} {
			if got := Bucket(h, m); got >= m {
				t.Errorf("Bucket(%#x, %d) = %d", h, m, got)
			}
		}
		if Bucket(math.MaxUint64, m) != m-1 || Bucket(0, m) != 0 {
			t.Errorf("m = %d: the ends of the digest range miss the ends of the table", m)
		}
	}
}

// TestSplit_Independent holds bucket and fingerprint to be independent: the joint counts of a few
// buckets and a few fingerprints are those of a product.
func TestSplit_Independent(t *testing.T) {
	const n, width = 300_000, 3
	for _, m := range []uint64{3, 16, 37} {
		r := rand.New(rand.NewPCG(m, 0x5eed))
		cells := m * (1<<width - 1)
		count := make([]int, cells)
		for range n {
			h := r.Uint64()
			count[Bucket(h, m)*(1<<width-1)+Of(h, width)-1]++
		}
		p := 1 / float64(cells)
		bound := alarm*math.Sqrt(n*p*(1-p)) + 1
		for c, got := range count {
			if d := math.Abs(float64(got) - n*p); d > bound {
				t.Errorf("m = %d, cell %d: %d times, want %.0f +- %.0f", m, c, got, n*p, bound)
			}
		}
	}
}

func TestWidthOf_AllWidths(t *testing.T) {
	got := []uint{
		WidthOf[Bits1](), WidthOf[Bits2](), WidthOf[Bits3](), WidthOf[Bits4](), WidthOf[Bits5](), WidthOf[Bits6](),
		WidthOf[Bits7](), WidthOf[Bits8](), WidthOf[Bits9](), WidthOf[Bits10](), WidthOf[Bits11](), WidthOf[Bits12](),
		WidthOf[Bits13](), WidthOf[Bits14](), WidthOf[Bits15](), WidthOf[Bits16](), WidthOf[Bits17](), WidthOf[Bits18](),
		WidthOf[Bits19](), WidthOf[Bits20](), WidthOf[Bits21](), WidthOf[Bits22](), WidthOf[Bits23](), WidthOf[Bits24](),
		WidthOf[Bits25](), WidthOf[Bits26](), WidthOf[Bits27](), WidthOf[Bits28](), WidthOf[Bits29](), WidthOf[Bits30](),
		WidthOf[Bits31](), WidthOf[Bits32](),
	}
	for i, w := range got {
		if w != uint(i+1) {
			t.Errorf("width %d reads as %d", i+1, w)
		}
	}
	if len(got) != MaxWidth {
		t.Errorf("%d widths, want %d", len(got), MaxWidth)
	}
}
