package packed

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// isPrefix tells by the definition whether lane x is a prefix of v.
func isPrefix(x, v uint64) bool {
	if x == 0 {
		return false
	}
	end := uint(bits.TrailingZeros64(x))
	return x>>(end+1) == v>>(end+1)
}

// prefixOf returns a lane that is a prefix of v, or an empty one, or one that is near to a prefix.
func prefixOf(r *rand.Rand, v uint64, width uint) uint64 {
	end := uint(r.IntN(int(width) - 1))
	x := v>>end&^1<<end | 1<<end
	switch r.IntN(4) {
	case 0:
		return 0
	case 1:
		return x ^ 2<<end<<r.IntN(int(width-end-1)) // one bit above the end differs
	case 2:
		return x
	}
	x = r.Uint64() & (1<<width - 1)
	if x&(1<<(width-1)-1) == 0 {
		x |= 1
	}
	return x
}

// TestPrefix_IsTheDefinition compares whole buckets of every shape with the definition, lane by lane, between neighbours that are
// full of ones.
func TestPrefix_IsTheDefinition(t *testing.T) {
	for width := uint(2); width <= 32; width++ {
		for _, lanes := range []uint{1, 2, 4, 8} {
			r := rand.New(rand.NewPCG(uint64(width), uint64(lanes)))
			for range 500 {
				table := Plain.New(width, lanes, 3)
				for k := range table.Data()[:len(table.Data())-Padding] {
					table.Data()[k] = 0xff
				}
				v := r.Uint64()&(1<<width-1) | 1
				count, longest, at := 0, width, uint(0)
				for lane := range lanes {
					x := prefixOf(r, v, width)
					table.Set(1, lane, x)
					if !isPrefix(x, v) {
						continue
					}
					count++
					if end := uint(bits.TrailingZeros64(x)); end < longest {
						longest, at = end, lane
					}
				}
				lane, without, ok := table.LongestPrefix(1, v)
				if got := table.CountPrefix(1, v); got != count || table.HasPrefix(1, v) != (count > 0) || ok != (count > 0) {
					t.Fatalf("f=%d b=%d: %d lanes are prefixes of %#x, want %d", width, lanes, got, v, count)
				}
				if ok && (lane != at || without != longest) {
					t.Fatalf("f=%d b=%d: the longest prefix of %#x is lane %d without %d bits, want %d without %d", width, lanes, v, lane, without, at, longest)
				}
			}
		}
	}
	var zero Table
	if zero.HasPrefix(0, 1) {
		t.Error("the zero Table has a prefix")
	}
}

// TestPrefix_EveryPairOfNarrowLanes tries every lane against every value, in two lanes that could carry into each other.
func TestPrefix_EveryPairOfNarrowLanes(t *testing.T) {
	const width = 5
	l := NewLanes(width, 2)
	valid := func(x uint64) bool { return x == 0 || x&(1<<(width-1)-1) != 0 }
	for v := uint64(1); v < 1<<width; v += 2 {
		for x := range uint64(1 << (2 * width)) {
			low, high := x&(1<<width-1), x>>width
			if !valid(low) || !valid(high) {
				continue
			}
			var want uint64
			if isPrefix(low, v) {
				want |= 1 << (width - 1)
			}
			if isPrefix(high, v) {
				want |= 1 << (2*width - 1)
			}
			if got := l.Prefix(x|1<<40|1<<(2*width), v); got != want {
				t.Fatalf("lanes %#x and %#x, value %#x: flags %#x, want %#x", low, high, v, got, want)
			}
		}
	}
}
