package quotient

import (
	"math/rand/v2"
	"testing"
)

// TestFPR_EveryFingerprint asks for all fingerprints there are: yes for those that are stored, each
// once, and no for all others. The rate of a filter is therefore exactly their share.
func TestFPR_EveryFingerprint(t *testing.T) {
	const q, r, seed = 8, 6, 17
	rng := rand.New(rand.NewPCG(seed, seed))
	f, stored := mustNew(t, Config{QuotientBits: q, RemainderBits: r, MaxLoad: 1}), map[uint64]bool{}
	for _, load := range []float64{0, 0.3, 0.9, 1} {
		for n := int(load * float64(f.Slots())); f.Len() < n; {
			h := rng.Uint64()
			if err := f.InsertHash(h); err != nil {
				t.Fatal(err)
			}
			stored[h>>(64-q-r)] = true
		}
		found := 0
		for fp := range uint64(1 << (q + r)) {
			if f.ContainsHash(digest(f, fp, rng)) {
				found++
			}
		}
		if found != len(stored) {
			t.Errorf("seed %d, load %v: %d fingerprints are found, %d are stored", seed, load, found, len(stored))
		}
	}
}
