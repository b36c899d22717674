package hashing

// The defects that the docs of the families admit. A test that fails here says that a doc is wrong.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// defectAlarm is the probability that a fair pair of bits would count as biased. Keys and seeds are
// fixed, so the numbers below are the same on every machine.
const defectAlarm = 1e-9

// TestFNV1a_PlainIsNotMixed measures FNV-1a without the finish, as FNV1a's doc states it.
func TestFNV1a_PlainIsNotMixed(t *testing.T) {
	const trials = 4096
	d := NewDigester(FNV1a(0))
	plain := func(key []byte) uint64 { return unmix64(d.Sum64(key)) }
	rng := rand.New(rand.NewPCG(qualitySeed, 3))
	key := make([]byte, 8)
	counts := avalanche(64, trials, func(_, bit int) uint64 {
		if bit < 0 {
			fillRandom(key, 0, rng)
			return plain(key)
		}
		key[bit/8] ^= 1 << (bit % 8)
		h := plain(key)
		key[bit/8] ^= 1 << (bit % 8)
		return h
	})
	if outside, _ := biased(counts, trials, flipBound(trials, defectAlarm)); outside != 1575 {
		t.Errorf("%d of 4096 pairs of bits are biased, the doc says 1575", outside)
	}

	reached := map[uint64]bool{}
	for key := range keySets[slices.IndexFunc(keySets, func(s keySet) bool { return s.name == "text" })].keys(1 << 16) {
		reached[plain(key)>>52] = true
	}
	if len(reached) != 1767 {
		t.Errorf("65536 keys of text reach %d of 4096 values, the doc says 1767", len(reached))
	}
}

// TestFNV1a_SmallSeedsOnlyChangeTheFirstByte: so seeds 0 to 255 are no independent repetitions.
func TestFNV1a_SmallSeedsOnlyChangeTheFirstByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Byte().Draw(t, "seed")
		key := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "key")
		got := FNV1a(uint64(seed)).Sum64(key)
		key[0] ^= seed
		if want := FNV1a(0).Sum64(key); got != want {
			t.Fatalf("digest %#x under the seed, %#x of the changed key", got, want)
		}
	})
}

// TestMetro64_SeedShiftsEightByteKeys: with the constants of MetroHash64, 8-byte keys k enter as
// (seed + k2)*k0 + k*k3, so a change of the seed is undone by a change of the key.
func TestMetro64_SeedShiftsEightByteKeys(t *testing.T) {
	const k0, k3 = 0xD6D018F5, 0x30BC5B29
	c := k0 * inverse(k3)
	rapid.Check(t, func(t *rapid.T) {
		seed, other, k := rapid.Uint64().Draw(t, "s"), rapid.Uint64().Draw(t, "t"), rapid.Uint64().Draw(t, "k")
		got, want := Metro64(seed).Sum64Uint64(k), Metro64(other).Sum64Uint64(k+(seed-other)*c)
		if got != want {
			t.Fatalf("digest %#x, of the shifted key under the other seed %#x", got, want)
		}
	})
}

// TestMetro64_EmptyKeyShowsTheSeed: a digest of nothing but the seed passes one round too few.
func TestMetro64_EmptyKeyShowsTheSeed(t *testing.T) {
	const trials = 4096
	counts := seedFlips(Metro64, 0, trials)
	if outside, _ := biased(counts, trials, flipBound(trials, defectAlarm)); outside != 304 {
		t.Errorf("%d of 4096 pairs of seed bit and digest bit are biased, the doc says 304", outside)
	}
}
