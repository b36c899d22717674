package hashing

// The defects that the docs of the families admit. A test that fails here says that a doc is wrong.

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestfilter/nest/internal/hashtest"
)

// defectAlarm is the probability that a fair pair of bits would count as biased. Keys and seeds are
// fixed, so the numbers below are the same on every machine.
const defectAlarm = 1e-9

// TestFNV1a_PlainIsNotMixed measures FNV-1a without the finish, as FNV1a's doc states it.
func TestFNV1a_PlainIsNotMixed(t *testing.T) {
	const trials = 4096
	d := NewDigester(FNV1a(0))
	plain := func(key []byte) uint64 { return unmix64(d.Sum64(key)) }
	counts := hashtest.KeyFlips(plain, hashtest.RandomKey(8), trials, 3)
	if outside, _ := hashtest.Biased(counts, trials, hashtest.FlipBound(trials, defectAlarm)); outside != 1575 {
		t.Errorf("%d of 4096 pairs of bits are biased, the doc says 1575", outside)
	}

	reached := map[uint64]bool{}
	for key := range keySetNamed("text").Keys(1 << 16) {
		reached[plain(key)>>52] = true
	}
	if len(reached) != 1767 {
		t.Errorf("65536 keys of text reach %d of 4096 values, the doc says 1767", len(reached))
	}
}

func keySetNamed(name string) hashtest.KeySet {
	return hashtest.KeySets[slices.IndexFunc(hashtest.KeySets, func(s hashtest.KeySet) bool { return s.Name == name })]
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
	if outside, _ := hashtest.Biased(counts, trials, hashtest.FlipBound(trials, defectAlarm)); outside != 304 {
		t.Errorf("%d of 4096 pairs of seed bit and digest bit are biased, the doc says 304", outside)
	}
}

// unmurmurBlock inverts murmurBlock: that it exists makes both defects below easy.
func unmurmurBlock(h uint64) uint64 {
	return unxorshift(h*inverse(murmurFactor), murmurShift) * inverse(murmurFactor)
}

// TestMurmur64A_CollidesUnderEverySeed: flipping the top bit of a mixed block flips the top bit of the
// state, which the multiplication by an odd number leaves alone, and the next block flips it back.
// Blocks come in pairs, so n pairs make 2^n keys with one digest.
func TestMurmur64A_CollidesUnderEverySeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		words := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "words")
		rest := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "rest")
		digests := map[uint64]bool{}
		for which := range 4 {
			var key []byte
			for i, word := range words {
				flip := uint64(which>>(i/2)&1) << 63
				key = binary.LittleEndian.AppendUint64(key, unmurmurBlock(murmurBlock(word)^flip))
			}
			digests[Murmur64A(seed).Sum64(append(key, rest...))] = true
		}
		if len(digests) != 1 {
			t.Fatalf("4 keys have %d digests", len(digests))
		}
	})
}

// TestMurmur64A_SeedShiftsEightByteKeys: the seed is xored to the mixed key.
func TestMurmur64A_SeedShiftsEightByteKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, other, k := rapid.Uint64().Draw(t, "s"), rapid.Uint64().Draw(t, "t"), rapid.Uint64().Draw(t, "k")
		shifted := unmurmurBlock(murmurBlock(k) ^ seed ^ other)
		if got, want := Murmur64A(seed).Sum64Uint64(k), Murmur64A(other).Sum64Uint64(shifted); got != want {
			t.Fatalf("digest %#x, of the shifted key under the other seed %#x", got, want)
		}
	})
}

// TestMurmur64A_SeedIsWeak: as the last bytes below, it passes one multiplication too few.
func TestMurmur64A_SeedIsWeak(t *testing.T) {
	const trials = 4096
	for size, want := range map[int]int{0: 3673, 8: 195} {
		counts := seedFlips(Murmur64A, size, trials)
		if outside, _ := hashtest.Biased(counts, trials, hashtest.FlipBound(trials, defectAlarm)); outside != want {
			t.Errorf("%d-byte keys: %d of 4096 pairs of seed bit and digest bit are biased, the doc says %d", size, outside, want)
		}
	}
}

// TestMurmur64A_LastBytesAreWeak: those behind the last whole block enter the state unmixed.
func TestMurmur64A_LastBytesAreWeak(t *testing.T) {
	const trials = 4096
	counts := hashtest.KeyFlips(Murmur64A(0).Sum64, hashtest.RandomKey(6), trials, 3)
	if outside, _ := hashtest.Biased(counts, trials, hashtest.FlipBound(trials, defectAlarm)); outside != 3 {
		t.Errorf("%d of the 3072 pairs of bits of 6-byte keys are biased, the doc says 3", outside)
	}
}
