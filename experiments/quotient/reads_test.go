package quotient

import (
	"math/rand/v2"
	"testing"
)

// TestReads_AreOfContains fills filters in steps and compares the traced walk with the real one, for keys
// that are there and keys that are not. The pieces lie within the table, and the first is the key's own slot.
func TestReads_AreOfContains(t *testing.T) {
	const seed = 5
	for _, c := range []Config{{QuotientBits: 1, RemainderBits: 2, MaxLoad: 1}, {QuotientBits: 8, RemainderBits: 3,
		MaxLoad: 1}, {QuotientBits: 10, RemainderBits: 54, MaxLoad: 0.9}} {
		r := rand.New(rand.NewPCG(seed, uint64(c.QuotientBits)))
		f, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		var keys []uint64
		for len(keys) < int(f.limit) {
			keys = append(keys, r.Uint64())
			if err := f.InsertHash(keys[len(keys)-1]); err != nil {
				t.Fatal(err)
			}
			for _, h := range []uint64{keys[r.IntN(len(keys))], r.Uint64()} {
				pieces, own := 0, int(h>>f.shift*f.slots.width>>6)*8
				got := f.Reads(h, func(offset, size int) {
					if pieces == 0 && offset != own || offset < 0 || offset+size > f.SizeBytes() {
						t.Fatalf("seed %d, %v: piece %d of %#x is %d bytes at %d of %d", seed, f, pieces, h, size, offset, f.SizeBytes())
					}
					pieces++
				})
				if got != f.ContainsHash(h) || pieces == 0 {
					t.Fatalf("seed %d, %v: Reads(%#x) says %t after %d pieces", seed, f, h, got, pieces)
				}
			}
		}
	}
}
