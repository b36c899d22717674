package hashing

// Statistical tests in the manner of SMHasher. Every family for keys of all lengths must pass them; where a family has a
// defect that its doc admits, a test in defects_test.go holds the defect, so that the doc stays true.
//
// MapHash draws a seed for each run, so a test of it fails by chance with the probability that package hashtest says.

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/internal/hashtest"
)

// A subject is something that must mix well. Mix64 takes 8-byte keys only.
type subject struct {
	family, name string
	only         uint // the one key length that sum takes; 0 is any
	sum          func(key []byte) uint64
}

func (s subject) takes(n int) bool { return s.only == 0 || s.only == uint(n) }

func subjects() []subject {
	list := []subject{{"mix64", "mix64", 8, func(key []byte) uint64 { return Mix64(binary.LittleEndian.Uint64(key)) }}}
	list = append(list, comparableSubjects()...)
	for _, h := range builtins() {
		d := NewDigester(h)
		list = append(list, subject{h.Name(), h.Name() + "/" + h.Recipe(), 0, d.Sum64})
	}
	return list
}

// TestQuality_Avalanche: each bit of a key flips each bit of the digest with probability one half.
func TestQuality_Avalanche(t *testing.T) {
	trials := 4096
	if testing.Short() {
		trials = 512
	}
	for _, s := range subjects() {
		for _, k := range hashtest.AvalancheKeys {
			if !s.takes(k.Size) {
				continue
			}
			if s.family == "murmur64a" && k.Name == "text" {
				continue // 13 bytes end in 5 weak ones: TestMurmur64A_LastBytesAreWeak
			}
			counts := hashtest.KeyFlips(s.sum, k, trials, 1)
			hashtest.CheckAvalanche(t, s.name+", "+k.Name, counts, trials, len(subjects())*len(hashtest.AvalancheKeys))
		}
	}
}

// TestQuality_Distribution: digests of regular keys fill 4096 bins like random ones. Chi-square,
// both too large (clustered) and too small (more even than chance, thus still regular).
func TestQuality_Distribution(t *testing.T) {
	n := 1 << 18
	if testing.Short() {
		n = 1 << 16
	}
	p := hashtest.FalseAlarm / float64(2*len(subjects())*len(hashtest.KeySets)*len(hashtest.Views))
	low, high := hashtest.Chi2Quantile(4095, 1-p), hashtest.Chi2Quantile(4095, p)
	for _, s := range subjects() {
		for _, set := range hashtest.KeySets {
			if !s.takes(set.Size) {
				continue
			}
			for v, chi2 := range hashtest.Distribution(s.sum, set, n) {
				if chi2 < low || chi2 > high {
					t.Errorf("%s, %d keys %s, %s: chi-square %.0f is not within %.0f and %.0f",
						s.name, n, set.Name, hashtest.Views[v].Name, chi2, low, high)
				}
			}
		}
	}
}

// TestQuality_NoCollisions: no two of 2^16 regular keys share a digest. For random digests the
// chance of one collision in a set is 2^31 / 2^64, under 1e-8 for all sets and subjects together.
func TestQuality_NoCollisions(t *testing.T) {
	for _, s := range subjects() {
		for _, set := range hashtest.KeySets {
			if !s.takes(set.Size) {
				continue
			}
			seen := make(map[uint64]string, 1<<16)
			for key := range set.Keys(1 << 16) {
				h := s.sum(key)
				if other, dup := seen[h]; dup {
					t.Errorf("%s, %s: %x and %x share digest %#x", s.name, set.Name, other, key, h)
					break
				}
				seen[h] = string(key)
			}
		}
	}
}

// TestQuality_SeedAvalanche: each bit of the seed flips each bit of the digest with probability one
// half, for keys of every length that takes another path through the families.
func TestQuality_SeedAvalanche(t *testing.T) {
	trials := 2048
	if testing.Short() {
		trials = 256
	}
	families := []func(seed uint64) Hasher{XXH64, XXH3, FNV1a, Metro64} // TestMurmur64A_SeedIsWeak holds that Murmur64A fails
	sizes := []int{0, 1, 2, 4, 8, 16, 32}
	for _, family := range families {
		for _, size := range sizes {
			name := family(1).Name()
			if name == "metro64" && size == 0 {
				continue // TestMetro64_EmptyKeyShowsTheSeed holds that it fails
			}
			counts := seedFlips(family, size, trials)
			hashtest.CheckAvalanche(t, fmt.Sprintf("%s, seeds for %d-byte keys", name, size), counts, trials, len(families)*len(sizes))
		}
	}
}

// seedFlips is the avalanche of the seed, under random seeds and keys.
func seedFlips(family func(seed uint64) Hasher, size, trials int) []hashtest.Flips {
	rng := rand.New(rand.NewPCG(hashtest.Seed, 2))
	key, fill := make([]byte, size), hashtest.RandomKey(size).Fill
	seed := uint64(0)
	return hashtest.Avalanche(64, trials, func(_, bit int) uint64 {
		if bit < 0 {
			fill(key, 0, rng)
			seed = rng.Uint64()
			return family(seed).Sum64(key)
		}
		return family(seed ^ 1<<bit).Sum64(key)
	})
}
