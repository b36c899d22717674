package packed

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestTwo_IsTheLanes reads and clears buckets of two words, between neighbours that are full of ones, and compares with single lanes.
func TestTwo_IsTheLanes(t *testing.T) {
	shapes := 0
	for width := uint(2); width <= 32; width++ {
		for lanes := uint(2); lanes <= 9; lanes++ {
			table := Plain.New(width, lanes, 4)
			if !table.IsTwo() {
				continue
			}
			shapes++
			r := rand.New(rand.NewPCG(uint64(width), uint64(lanes)))
			for range 300 {
				for k := range table.Data()[:len(table.Data())-Padding] {
					table.Data()[k] = 0xff
				}
				trim(&table)
				for lane := range lanes {
					table.Set(1, lane, r.Uint64N(1<<width)*r.Uint64N(2))
				}
				x, y := table.Both(1)
				lane, ok := table.Free(x, y)
				if want, wantOK := table.Find(1, 0); ok != wantOK || ok && lane != want {
					t.Fatalf("f=%d b=%d: free lane %d, %t, want %d, %t", width, lanes, lane, ok, want, wantOK)
				}
				want := table.Clone()
				for lane := range lanes {
					want.Set(1, lane, 0)
				}
				if table.Clear(1, 2); !bytes.Equal(table.Data(), want.Data()) {
					t.Fatalf("f=%d b=%d: another bucket was cleared too", width, lanes)
				}
			}
		}
	}
	if shapes < 60 {
		t.Errorf("%d shapes have two words", shapes)
	}
}

// trim zeroes the bits behind the last bucket.
func trim(t *Table) {
	for bit := t.buckets * t.bucketBits; bit < uint64(len(t.data))*8; bit++ {
		t.data[bit>>3] &^= 1 << (bit & 7)
	}
}
