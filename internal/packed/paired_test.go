package packed

import (
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/internal/memory"
)

// TestPaired_AgreesWithTheLanes holds what the pairs of random buckets say, at every width, against a look at each lane of the
// bucket; the windows likewise.
func TestPaired_AgreesWithTheLanes(t *testing.T) {
	const seed, buckets = 1, 40
	random := rand.New(rand.NewPCG(seed, 7))
	for width := uint(1); width <= 32; width++ {
		for _, lanes := range []uint{4, 8} {
			table := PairedLanes.New(width, lanes, buckets)
			for bucket := range uint64(buckets) {
				for lane := range lanes { // few values, neighbors among them, so that a subtraction borrows
					table.Set(bucket, uint(lane), random.Uint64N(3)&table.mask)
				}
			}
			for bucket := range uint64(buckets) {
				for pair := range uint64(Pairs) {
					for v := range min(3, table.mask+1) {
						checkPair(t, &table, bucket, pair, v)
					}
				}
			}
		}
	}
}

// checkPair holds the methods for one pair against its lanes.
func checkPair(t *testing.T, table *Table, bucket, pair, v uint64) {
	t.Helper()
	n, lowest := 0, uint(0)
	of := PairingOf(table.lanes).Lanes[pair]
	for at := table.lanes; at > 0; {
		if at--; (at == uint(of[0]) || at == uint(of[1])) && table.Get(bucket, at) == v {
			n, lowest = n+1, at
		}
	}
	if got := table.CountIn(bucket, pair, v); got != n {
		t.Fatalf("width %d, %d lanes, pair %v: %d lanes hold %d, want %d", table.Width(), table.lanes, of, got, v, n)
	}
	if got, ok := table.FindIn(bucket, pair, v); ok != (n > 0) || ok && got != lowest {
		t.Fatalf("width %d, %d lanes, pair %v: %d is in lane %d, %t, want %d", table.Width(), table.lanes, of, v, got, ok, lowest)
	}
	w := table.Windows
	if w == nil {
		return
	}
	for home, number := range [2]uint64{pair, table.Across(pair)} { // the pair is the first home of one number, and the second one of another
		bit := bucket*table.bucketBits + w.Byte[home][number]*8 + uint64(w.Shift[home][number])
		flags := table.Windows.Window.Zero(memory.Load64(table.data, bit>>3)>>(bit&7) ^ table.Windows.Window.Spread(v) | w.Blocked[home][number])
		if (flags != 0) != (n > 0) || n > 0 && bit+uint64(table.Windows.Window.First(flags)*table.Width()) != bucket*table.bucketBits+uint64(lowest*table.Width()) {
			t.Fatalf("width %d, %d lanes, pair %v: flags %#x of %d from bit %d on, want lane %d of %d", table.Width(), table.lanes, of, flags, v, bit, lowest, n)
		}
	}
}

// TestPairing_IsOfMatchings: in every matching each lane is in the pair that its place names and in no other, and every pair near
// enough for a window of 5 lanes comes up, with 4 lanes all six.
func TestPairing_IsOfMatchings(t *testing.T) {
	for _, lanes := range []uint{4, 8} {
		p, pairs := PairingOf(lanes), map[[2]uint8]int{}
		for m := range uint64(Marks) {
			for lane := range uint8(lanes) {
				for place := range uint64(places) {
					k := m<<PlaceBits | place
					pair, across := p.Lanes[k], p.Lanes[p.Across[k]]
					pairs[pair]++
					own := uint64(p.Place[m][lane]) == place%uint64(lanes/2)
					if in := pair[0] == lane || pair[1] == lane; in != own || pair[0] >= pair[1] || pair[1] >= uint8(lanes) || pair[1]-pair[0] >= windowLanes {
						t.Fatalf("%d lanes, mark %d, place %d: pair %v, lane %d is in it: %t, place %d", lanes, m, place, pair, lane, in, p.Place[m][lane])
					}
					want := newMove(pair[0]^pair[1]^lane, across[0], across[1], int(lanes))
					if got := p.Moves[m*8+uint64(lane)]; own && got != want {
						t.Fatalf("%d lanes, mark %d: from lane %d to %#x, want the other one of %v, and %v", lanes, m, lane, got, pair, across)
					}
					if uint64(p.Across[p.Across[k]]) != k || uint64(p.Across[k])>>PlaceBits != m {
						t.Fatalf("%d lanes, pair %d: across %d and back %d", lanes, k, p.Across[k], p.Across[p.Across[k]])
					}
				}
			}
		}
		if want := map[uint]int{4: 6, 8: 22}[lanes]; len(pairs) != want {
			t.Errorf("%d lanes: %d different pairs, want %d", lanes, len(pairs), want)
		}
	}
}

// TestPaired_TakesNoPlainPath: code for plain buckets asks for the layout Word, or for whole bytes.
func TestPaired_TakesNoPlainPath(t *testing.T) {
	for _, width := range []uint{8, 11, 12, 16, 17, 32} {
		for _, lanes := range []uint{4, 8} {
			table := PairedLanes.New(width, lanes, 3)
			over := PairedLanes.Over(width, lanes, 3, table.Data())
			if table.Layout < Paired || table.WholeBytes != 0 || over.Layout < Paired || table.Ordered() {
				t.Errorf("width %d: layout %d, %d whole bytes", width, table.Layout, table.WholeBytes)
			}
			if one := width <= 16 && lanes == 4 || width <= 12; (table.Windows != nil) != one || (over.Windows != nil) != one {
				t.Errorf("width %d, %d lanes: windows %t", width, lanes, table.Windows != nil)
			}
		}
	}
}
