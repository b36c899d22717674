package versus

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	bits "github.com/bits-and-blooms/bloom/v3"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
	"github.com/nestfilter/nest/experiments/must"
)

// randomKey returns a key of 0 to 40 bytes, so that every length of a last block is met.
func randomKey(r *rand.Rand) []byte {
	key := make([]byte, r.IntN(41))
	for i := range key {
		key[i] = byte(r.Uint32())
	}
	return key
}

// TestBitsAndBlooms_BytesAfterEveryOperation inserts the same keys into the filter of bits-and-blooms and
// into ours by every verb, and compares bytes and answers.
func TestBitsAndBlooms_BytesAfterEveryOperation(t *testing.T) {
	const seed = 20261121
	for _, c := range []struct{ m, k int }{{1, 1}, {63, 2}, {64, 3}, {65, 4}, {100, 3}, {1000, 7}, {20_011, 13}, {4096, 100}} {
		t.Run(fmt.Sprintf("m=%d,k=%d", c.m, c.k), func(t *testing.T) {
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, uint64(c.m)))
			theirs := bits.New(uint(c.m), uint(c.k))
			ours := must.Get(bitsandblooms.New(bitsandblooms.Config{Slots: c.m, Hashes: c.k}))(t)
			for op := range 600 {
				key := randomKey(r)
				switch op % 4 {
				case 0:
					ours.Insert(key)
					theirs.Add(key)
				case 1:
					ours.InsertString(string(key))
					theirs.AddString(string(key))
				case 2:
					if added, had := ours.InsertUnique(key), theirs.TestOrAdd(key); added == had {
						t.Fatalf("operation %d: added %t, theirs had it %t", op, added, had)
					}
				case 3:
					if got, want := ours.ContainsString(string(key)), theirs.Test(key); got != want {
						t.Fatalf("operation %d: Contains is %t, theirs %t", op, got, want)
					}
				}
				if !bytes.Equal(ours.Encode(), must.Get(theirs.MarshalBinary())(t)) {
					t.Fatalf("operation %d: the bytes differ", op)
				}
			}
		})
	}
}

// TestBitsAndBlooms_BothWays reads the bytes of either filter into the other and compares answers, false
// positives among them. The second filter has a bit set longer than itself.
func TestBitsAndBlooms_BothWays(t *testing.T) {
	const keys = 10_000
	for name, theirs := range map[string]*bits.BloomFilter{
		"with estimates": bits.NewWithEstimates(keys, .01),
		"from words":     bits.FromWithM(make([]uint64, 1500), 64*1500-33, 6),
		"tiny rate":      bits.NewWithEstimates(keys, 1e-30),
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(20261121, 7))
			for range keys {
				theirs.Add(randomKey(r))
			}
			ours := must.Get(bitsandblooms.Decode(must.Get(theirs.MarshalBinary())(t), bitsandblooms.Config{}))(t)
			for range keys {
				key := randomKey(r)
				ours.Insert(key)
				theirs.Add(key)
			}
			var back bits.BloomFilter
			if err := back.UnmarshalBinary(ours.Encode()); err != nil || !back.Equal(theirs) {
				t.Fatalf("their filter of our bytes differs: %v", err)
			}
			for range 4 * keys {
				key := randomKey(r)
				if got, want := ours.Contains(key), theirs.Test(key); got != want || back.Test(key) != want {
					t.Fatalf("key %x: ours %t, theirs %t", key, got, want)
				}
			}
		})
	}
}
