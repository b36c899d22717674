package window

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// TestForgetEarly_RefusalKeepsGeneration: where forgetting the oldest generation makes no room, it lives on. It may go
// only where the filter without it has as many keys as Capacity says, and so may the next one.
func TestForgetEarly_RefusalKeepsGeneration(t *testing.T) {
	undone, gone := 0, 0
	for seed := range uint64(30) {
		g := 1 + int(seed%6)
		f, err := New[fingerprint.Any](Config{Buckets: 30, BucketSize: 1 << (seed % 3), FingerprintBits: 10, Generations: g,
			ForgetEarly: true, Hash: hashing.DigestsOnly})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 1))
		for range 40 * f.Slots() {
			if r.IntN(f.Slots()/2) == 0 {
				f.Advance()
			}
			before, h := f.Clone(), r.Uint64()
			if f.Len() < f.Slots()/2 || r.IntN(2) == 0 {
				h &= 1<<56 - 1 // somebody wants one bucket full
			}
			added, err := f.TouchHash(h)
			if err == nil {
				continue
			}
			oldest := before.oldest
			for before.counts[before.age(oldest)] == 0 {
				oldest++
			}
			may := oldest < before.now && before.Len()-before.counts[before.age(oldest)] >= before.floor
			switch {
			case !errors.Is(err, ErrFull) || added || f.ContainsHash(h) || f.Stats().Refusals != before.Stats().Refusals+1:
				t.Fatal(err, f.Stats(), before.Stats())
			case f.Equal(before) && f.Stats().Forgotten == before.Stats().Forgotten && slices.Equal(f.Ages(), before.Ages()):
				if before.Len() >= before.floor && oldest < before.now {
					undone++
				}
			case !may:
				t.Fatalf("seed %d: a refusal made %v %v of %v %v", seed, f, f.Ages(), before, before.Ages())
			default:
				gone++
			}
		}
	}
	if undone == 0 {
		t.Error("no refusal after a generation was forgotten")
	}
	t.Log(undone, gone)
}

// TestFilter_MergeAfterForgetting: a key of g is not denied where f has forgotten its own of that generation early.
func TestFilter_MergeAfterForgetting(t *testing.T) {
	c := Config{Capacity: 400, Generations: 4, ForgetEarly: true}
	f, g := must[fingerprint.Bits12](t, c), must[fingerprint.Bits12](t, c)
	for k := range uint64(100) {
		f.InsertHash(hashing.Mix64(k))
	}
	g.InsertHash(1 << 60)
	f.Advance()
	g.Advance()
	for k := uint64(1000); f.Stats().Forgotten == 0; k++ {
		f.InsertHash(hashing.Mix64(k))
	}
	if err := f.Merge(g); err != nil || !f.ContainsHash(1<<60) || f.ContainsHash(hashing.Mix64(5)) {
		t.Fatal(err, f, f.Ages())
	}
	for range 3 {
		f.Advance()
		if !f.ContainsHash(1 << 60) {
			t.Fatal("denied within the window", f.Ages())
		}
	}
	if f.Advance(); f.ContainsHash(1 << 60) {
		t.Error("remembered beyond it")
	}
}

// TestKeys_LastGeneration: generations that keys end go no further than a file can say.
func TestKeys_LastGeneration(t *testing.T) {
	f := must[fingerprint.Bits12](t, Config{Keys: 4, Generations: 2})
	f.advanceBy(lastGeneration)
	for k := range uint64(20) {
		f.InsertHash(hashing.Mix64(k))
	}
	b, err := f.MarshalBinary()
	if err != nil || f.Generation() != lastGeneration {
		t.Fatal(err, f)
	}
	if err := f.UnmarshalBinary(b); err != nil {
		t.Error(err)
	}
}
