package packed

import (
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/le"
)

// TestPaired_AgreesWithTheLanes holds what the pairs of random buckets say, at every width, against a look at each lane of the
// bucket; the blocked words likewise.
func TestPaired_AgreesWithTheLanes(t *testing.T) {
	const seed, buckets = 1, 40
	random := rand.New(rand.NewPCG(seed, 7))
	for width := uint(1); width <= 32; width++ {
		for _, lanes := range []uint{4, 8} {
			table := NewPaired(width, lanes, buckets, hugepage.Off)
			for bucket := range uint64(buckets) {
				for lane := range lanes { // few values, neighbors among them, so that a subtraction borrows
					table.Set(bucket, lane, random.Uint64N(3)&table.mask)
				}
			}
			for bucket := range uint64(buckets) {
				for distance := uint64(1); distance < uint64(lanes); distance++ {
					for lane := range uint64(lanes) {
						for v := range min(3, table.mask+1) {
							checkPair(t, &table, bucket, distance, lane, v)
						}
					}
				}
			}
		}
	}
}

// checkPair holds the methods for one pair against its lanes.
func checkPair(t *testing.T, table *Table, bucket, distance, lane, v uint64) {
	t.Helper()
	pair, n, lowest := PairOf(distance, lane), 0, uint(0)
	for at := table.lanes; at > 0; {
		if at--; (uint64(at) == lane || uint64(at) == lane^distance) && table.Get(bucket, at) == v {
			n, lowest = n+1, at
		}
	}
	if got := table.CountIn(bucket, pair, v); got != n {
		t.Fatalf("width %d, %d lanes, pair %d^%d: %d lanes hold %d, want %d", table.Width(), table.lanes, lane, distance, got, v, n)
	}
	if got, ok := table.FindIn(bucket, pair, v); ok != (n > 0) || ok && got != lowest {
		t.Fatalf("width %d, %d lanes, pair %d^%d: %d is in lane %d, %t, want %d", table.Width(), table.lanes, lane, distance, v, got, ok, lowest)
	}
	if got := table.HasEitherIn(bucket, bucket, pair, PairOf(distance, lane^distance), v); got != (n > 0) {
		t.Fatalf("width %d, %d lanes, pair %d^%d: has %d: %t", table.Width(), table.lanes, lane, distance, v, got)
	}
	if table.PairBits == 0 {
		return
	}
	bit := bucket * table.PairBits
	flags := table.Last.Zero(le.Load64(table.data, bit>>3)>>(bit&7) ^ table.Last.Spread(v) | table.Rest(pair))
	if (flags != 0) != (n > 0) || n > 0 && table.Last.First(flags) != lowest {
		t.Fatalf("width %d, %d lanes, pair %d^%d: flags %#x of %d, want lane %d of %d", table.Width(), table.lanes, lane, distance, flags, v, lowest, n)
	}
}

// TestSamePair_IsOfTheLanes tries every two pairs of one distance.
func TestSamePair_IsOfTheLanes(t *testing.T) {
	for distance := uint64(1); distance < 8; distance++ {
		for p := range uint64(8) {
			for q := range uint64(8) {
				k, l := PairOf(distance, p), PairOf(distance, q)
				a, b := PairLanes(k)
				c, d := PairLanes(l)
				if got := SamePair(k, l); got != (a == c && b == d) {
					t.Errorf("distance %d, lanes %d and %d: same %t", distance, p, q, got)
				}
			}
		}
	}
}

// TestPaired_TakesNoPlainPath: code for plain buckets asks for the layout Word, or for whole bytes.
func TestPaired_TakesNoPlainPath(t *testing.T) {
	for _, width := range []uint{8, 11, 12, 32} {
		table := NewPaired(width, 4, 3, hugepage.Off)
		if over := OverPaired(width, 4, 3, table.Data(), hugepage.Off); table.Layout != Paired || table.WholeBytes != 0 || over.Layout != Paired || table.Ordered() {
			t.Errorf("width %d: layout %d, %d whole bytes", width, table.Layout, table.WholeBytes)
		}
		if one := width <= 16; (table.PairBits != 0) != one {
			t.Errorf("width %d: %d bits in one word", width, table.PairBits)
		}
	}
}
