package hashtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Flips counts how often each of the 64 bits is set in the words added. The counters stand
// upright: bit j of planes[p] is bit p of counter j, which adds a word in a few steps instead of 64.
type Flips struct{ planes [32]uint64 }

func (f *Flips) add(word uint64) {
	for p := 0; word != 0; p++ {
		f.planes[p], word = f.planes[p]^word, f.planes[p]&word
	}
}

func (f *Flips) count(j int) (n int) {
	for p, plane := range f.planes {
		n += int(plane>>j&1) << p
	}
	return n
}

// Avalanche flips each of the bits of trials inputs and counts the flips of each digest bit.
// digest gets the number of the trial and the bit to flip, -1 for none.
func Avalanche(bits, trials int, digest func(trial, bit int) uint64) []Flips {
	counts := make([]Flips, bits)
	for trial := range trials {
		base := digest(trial, -1)
		for bit := range counts {
			counts[bit].add(base ^ digest(trial, bit))
		}
	}
	return counts
}

// FlipBound is how far a count of fair flips may be from trials/2 with probability p on either side
// together. Hoeffding's inequality, 2*exp(-2*d*d/trials), holds without approximation.
func FlipBound(trials int, p float64) float64 {
	return math.Sqrt(float64(trials) / 2 * math.Log(2/p))
}

// Biased returns how many pairs of an input and an output bit are outside the bound, and the sum
// over all pairs of the squared standard score, which for fair flips is nearly chi-square.
func Biased(counts []Flips, trials int, bound float64) (outside int, chi2 float64) {
	for i := range counts {
		for j := range 64 {
			d := float64(counts[i].count(j)) - float64(trials)/2
			if math.Abs(d) > bound {
				outside++
			}
			chi2 += 4 * d * d / float64(trials)
		}
	}
	return outside, chi2
}

// Chi2Quantile returns the value that chi-square with df degrees of freedom exceeds with probability
// p, by the cube-root approximation of Wilson and Hilferty (1931). At df of 2048 and more it is
// good to four digits at every p used here.
func Chi2Quantile(df, p float64) float64 {
	z := math.Sqrt2 * math.Erfcinv(2*p)
	v := 2 / (9 * df)
	return df * math.Pow(1-v+z*math.Sqrt(v), 3)
}

// A FlippedKey is a kind of keys whose bits are flipped one by one.
type FlippedKey struct {
	Name string
	Size int // in bytes
	Fill func(key []byte, trial int, rng *rand.Rand)
}

// AvalancheKeys are the keys whose bits are flipped. Numbers are the harder case: such keys differ in
// few bits to begin with. They are multiples of 3, because then no flip leads to another of the keys,
// which would count one pair of digests twice: the numbers would differ by 1, 2, 4, ... or by one of
// these times a power of 10.
var AvalancheKeys = []FlippedKey{
	RandomKey(4), RandomKey(8), RandomKey(16),
	{"8 bytes counting", 8, func(key []byte, trial int, _ *rand.Rand) {
		binary.LittleEndian.PutUint64(key, 3*uint64(trial))
	}},
	{"text", 13, func(key []byte, trial int, _ *rand.Rand) { copy(key, fmt.Sprintf("user-%08d", 3*trial)) }},
}

// RandomKey returns random keys of that size.
func RandomKey(size int) FlippedKey {
	return FlippedKey{fmt.Sprintf("%d random bytes", size), size, fillRandom}
}

func fillRandom(key []byte, _ int, rng *rand.Rand) {
	for i := range key {
		key[i] = byte(rng.Uint32())
	}
}

// KeyFlips is the avalanche of the key bits. stream chooses the random keys.
func KeyFlips(sum func(key []byte) uint64, k FlippedKey, trials int, stream uint64) []Flips {
	rng := rand.New(rand.NewPCG(Seed, stream))
	key := make([]byte, k.Size)
	return Avalanche(8*k.Size, trials, func(trial, bit int) uint64 {
		if bit < 0 {
			k.Fill(key, trial, rng)
			return sum(key)
		}
		key[bit/8] ^= 1 << (bit % 8)
		h := sum(key)
		key[bit/8] ^= 1 << (bit % 8)
		return h
	})
}

// CheckAvalanche holds one table of flips, of so many that a test makes, to fairness: each pair by
// Hoeffding's bound, and the table as a whole, where a slight bias of many pairs shows, by chi-square.
func CheckAvalanche(t *testing.T, name string, counts []Flips, trials, tables int) {
	t.Helper()
	pairs := 64 * len(counts)
	p := FalseAlarm / 2 / float64(tables)
	bound, limit := FlipBound(trials, p/float64(pairs)), Chi2Quantile(float64(pairs), p)
	if outside, chi2 := Biased(counts, trials, bound); outside > 0 || chi2 > limit {
		t.Errorf("%s (seed %d): %d of %d pairs are more than %.1f%% from one half; chi-square %.0f, limit %.0f",
			name, Seed, outside, pairs, 100*bound/float64(trials), chi2, limit)
	}
}
