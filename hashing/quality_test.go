package hashing

// Statistical tests in the manner of SMHasher. Every family for keys of all lengths must pass them; where a family has a
// defect that its doc admits, a test in defects_test.go holds the defect, so that the doc stays true.
//
// falseAlarm is the probability that one of the tests here fails although the digests are random;
// it is divided among all comparisons of that test (Bonferroni). MapHash draws a seed for each run;
// for the other families keys are fixed, so a test that passes once passes always.

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"testing"
)

const (
	falseAlarm  = 1e-9
	qualitySeed = 20260401
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
	for _, h := range builtins() {
		d := NewDigester(h)
		list = append(list, subject{h.Name(), h.Name() + "/" + h.Recipe(), 0, d.Sum64})
	}
	return list
}

// flips counts how often each of the 64 bits is set in the words added. The counters stand
// upright: bit j of planes[p] is bit p of counter j, which adds a word in a few steps instead of 64.
type flips struct{ planes [32]uint64 }

func (f *flips) add(word uint64) {
	for p := 0; word != 0; p++ {
		f.planes[p], word = f.planes[p]^word, f.planes[p]&word
	}
}

func (f *flips) count(j int) (n int) {
	for p, plane := range f.planes {
		n += int(plane>>j&1) << p
	}
	return n
}

// avalanche flips each of the bits of trials inputs and counts the flips of each digest bit.
// digest gets the number of the trial and the bit to flip, -1 for none.
func avalanche(bits, trials int, digest func(trial, bit int) uint64) []flips {
	counts := make([]flips, bits)
	for trial := range trials {
		base := digest(trial, -1)
		for bit := range counts {
			counts[bit].add(base ^ digest(trial, bit))
		}
	}
	return counts
}

// flipBound is how far a count of fair flips may be from trials/2 with probability p on either side
// together. Hoeffding's inequality, 2*exp(-2*d*d/trials), holds without approximation.
func flipBound(trials int, p float64) float64 {
	return math.Sqrt(float64(trials) / 2 * math.Log(2/p))
}

// biased returns how many pairs of an input and an output bit are outside the bound, and the sum
// over all pairs of the squared standard score, which for fair flips is nearly chi-square.
func biased(counts []flips, trials int, bound float64) (outside int, chi2 float64) {
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

// chi2Quantile returns the value that chi-square with df degrees of freedom exceeds with probability
// p, by the cube-root approximation of Wilson and Hilferty (1931). At df of 2048 and more it is
// good to four digits at every p used here.
func chi2Quantile(df, p float64) float64 {
	z := math.Sqrt2 * math.Erfcinv(2*p)
	v := 2 / (9 * df)
	return df * math.Pow(1-v+z*math.Sqrt(v), 3)
}

type flippedKey struct {
	name string
	size int
	fill func(key []byte, trial int, rng *rand.Rand)
}

// avalancheKeys are the keys whose bits are flipped. Numbers are the harder case: such keys differ in
// few bits to begin with. They are multiples of 3, because then no flip leads to another of the keys,
// which would count one pair of digests twice: the numbers would differ by 1, 2, 4, ... or by one of
// these times a power of 10.
var avalancheKeys = []flippedKey{
	{"4 random bytes", 4, fillRandom},
	{"8 random bytes", 8, fillRandom},
	{"16 random bytes", 16, fillRandom},
	{"8 bytes counting", 8, func(key []byte, trial int, _ *rand.Rand) { binary.LittleEndian.PutUint64(key, 3*uint64(trial)) }},
	{"text", 13, func(key []byte, trial int, _ *rand.Rand) { copy(key, fmt.Sprintf("user-%08d", 3*trial)) }},
}

func fillRandom(key []byte, _ int, rng *rand.Rand) {
	for i := range key {
		key[i] = byte(rng.Uint32())
	}
}

// keyFlips is the avalanche of the key bits. stream chooses the random keys.
func keyFlips(sum func(key []byte) uint64, k flippedKey, trials int, stream uint64) []flips {
	rng := rand.New(rand.NewPCG(qualitySeed, stream))
	key := make([]byte, k.size)
	return avalanche(8*k.size, trials, func(trial, bit int) uint64 {
		if bit < 0 {
			k.fill(key, trial, rng)
			return sum(key)
		}
		key[bit/8] ^= 1 << (bit % 8)
		h := sum(key)
		key[bit/8] ^= 1 << (bit % 8)
		return h
	})
}

// checkAvalanche holds one table of flips, of so many that a test makes, to fairness: each pair by
// Hoeffding's bound, and the table as a whole, where a slight bias of many pairs shows, by chi-square.
func checkAvalanche(t *testing.T, name string, counts []flips, trials, tables int) {
	t.Helper()
	pairs := 64 * len(counts)
	p := falseAlarm / 2 / float64(tables)
	bound, limit := flipBound(trials, p/float64(pairs)), chi2Quantile(float64(pairs), p)
	if outside, chi2 := biased(counts, trials, bound); outside > 0 || chi2 > limit {
		t.Errorf("%s (seed %d): %d of %d pairs are more than %.1f%% from one half; chi-square %.0f, limit %.0f",
			name, qualitySeed, outside, pairs, 100*bound/float64(trials), chi2, limit)
	}
}

// TestQuality_Avalanche: each bit of a key flips each bit of the digest with probability one half.
func TestQuality_Avalanche(t *testing.T) {
	trials := 4096
	if testing.Short() {
		trials = 512
	}
	for _, s := range subjects() {
		for _, k := range avalancheKeys {
			if !s.takes(k.size) {
				continue
			}
			if s.family == "murmur64a" && k.name == "text" {
				continue // 13 bytes end in 5 weak ones: TestMurmur64A_LastBytesAreWeak
			}
			counts := keyFlips(s.sum, k, trials, 1)
			checkAvalanche(t, s.name+", "+k.name, counts, trials, len(subjects())*len(avalancheKeys))
		}
	}
}

// A keySet is a regular set of different keys: what real keys look like, and what bad hashes map
// regularly. The slice is reused from one key to the next.
type keySet struct {
	name string
	size int
	keys func(n int) iter.Seq[[]byte]
}

// counted makes the set of the keys that fill writes for 0, 1, ..., n-1.
func counted(name string, size int, fill func(key []byte, i uint64)) keySet {
	return keySet{name, size, func(n int) iter.Seq[[]byte] {
		return func(yield func([]byte) bool) {
			key := make([]byte, size)
			for i := range n {
				if fill(key, uint64(i)); !yield(key) {
					return
				}
			}
		}
	}}
}

// cyclic writes the 4 bytes of i over and over.
func cyclic(key []byte, i uint64) {
	for at := 0; at < len(key); at += 4 {
		binary.LittleEndian.PutUint32(key[at:], uint32(i))
	}
}

// sparse yields the first n integers with few bits set: those with none, one, two and so on.
func sparse(n int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		var key [8]byte
		for ones := 0; ones <= 64; ones++ {
			k := uint64(1)<<ones - 1
			for {
				binary.LittleEndian.PutUint64(key[:], k)
				if n--; n < 0 || !yield(key[:]) {
					return
				}
				// The next integer with as many ones: Gosper, HAKMEM item 175.
				low := k & -k
				ripple := k + low
				if k == 0 || ripple < k {
					break
				}
				k = ripple | (k^ripple)/low>>2
			}
		}
	}
}

var keySets = []keySet{
	counted("sequential", 8, func(key []byte, i uint64) { binary.LittleEndian.PutUint64(key, i) }),
	counted("sequential in the middle", 8, func(key []byte, i uint64) { binary.LittleEndian.PutUint64(key, i<<24) }),
	counted("sequential at the top", 8, func(key []byte, i uint64) { binary.LittleEndian.PutUint64(key, i<<46) }),
	counted("cyclic of 8 bytes", 8, cyclic),
	counted("cyclic of 24 bytes", 24, cyclic),
	counted("cyclic of 64 bytes", 64, cyclic),
	counted("text", 13, func(key []byte, i uint64) { copy(key, "user-"); decimal(key[5:], i) }),
	{"sparse", 8, sparse},
}

// decimal fills digits with the decimal form of i, zeros in front.
func decimal(digits []byte, i uint64) {
	for at := len(digits) - 1; at >= 0; at-- {
		digits[at] = '0' + byte(i%10)
		i /= 10
	}
}

// views are the 12 bits that are tested: what a filter of 4096 buckets takes for the bucket, for a
// fingerprint from the low 32 bits, the lowest bits, and bucket and fingerprint together.
var views = []struct {
	name string
	of   func(h uint64) uint64
}{
	{"top 12 bits", func(h uint64) uint64 { return h >> 52 }},
	{"top 12 of the low 32 bits", func(h uint64) uint64 { return h >> 20 & 0xfff }},
	{"lowest 12 bits", func(h uint64) uint64 { return h & 0xfff }},
	{"6 bits of each half", func(h uint64) uint64 { return h>>58<<6 | h>>26&0x3f }},
}

// TestQuality_Distribution: digests of regular keys fill 4096 bins like random ones. Chi-square,
// both too large (clustered) and too small (more even than chance, thus still regular).
func TestQuality_Distribution(t *testing.T) {
	n := 1 << 18
	if testing.Short() {
		n = 1 << 16
	}
	p := falseAlarm / float64(2*len(subjects())*len(keySets)*len(views))
	low, high := chi2Quantile(4095, 1-p), chi2Quantile(4095, p)
	for _, s := range subjects() {
		for _, set := range keySets {
			if !s.takes(set.size) {
				continue
			}
			for v, chi2 := range distribution(s.sum, set, n) {
				if chi2 < low || chi2 > high {
					t.Errorf("%s, %d keys %s, %s: chi-square %.0f is not within %.0f and %.0f",
						s.name, n, set.name, views[v].name, chi2, low, high)
				}
			}
		}
	}
}

// distribution returns the chi-square statistic of each view of the digests of n keys of a set.
func distribution(sum func(key []byte) uint64, set keySet, n int) []float64 {
	bins := make([][4096]int, len(views))
	for key := range set.keys(n) {
		h := sum(key)
		for v := range views {
			bins[v][views[v].of(h)]++
		}
	}
	scores := make([]float64, len(views))
	for v := range views {
		scores[v] = chi2Uniform(bins[v][:], n)
	}
	return scores
}

// chi2Uniform is the chi-square statistic of n balls in bins that should be equally likely.
func chi2Uniform(bins []int, n int) (chi2 float64) {
	expected := float64(n) / float64(len(bins))
	for _, c := range bins {
		d := float64(c) - expected
		chi2 += d * d / expected
	}
	return chi2
}

// TestQuality_NoCollisions: no two of 2^16 regular keys share a digest. For random digests the
// chance of one collision in a set is 2^31 / 2^64, under 1e-8 for all sets and subjects together.
func TestQuality_NoCollisions(t *testing.T) {
	for _, s := range subjects() {
		for _, set := range keySets {
			if !s.takes(set.size) {
				continue
			}
			seen := make(map[uint64]string, 1<<16)
			for key := range set.keys(1 << 16) {
				h := s.sum(key)
				if other, dup := seen[h]; dup {
					t.Errorf("%s, %s: %x and %x share digest %#x", s.name, set.name, other, key, h)
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
	families := []func(seed uint64) Hasher{XXH64, FNV1a, Metro64} // TestMurmur64A_SeedIsWeak holds that Murmur64A fails
	sizes := []int{0, 1, 2, 4, 8, 16, 32}
	for _, family := range families {
		for _, size := range sizes {
			name := family(1).Name()
			if name == "metro64" && size == 0 {
				continue // TestMetro64_EmptyKeyShowsTheSeed holds that it fails
			}
			counts := seedFlips(family, size, trials)
			checkAvalanche(t, fmt.Sprintf("%s, seeds for %d-byte keys", name, size), counts, trials, len(families)*len(sizes))
		}
	}
}

// seedFlips is the avalanche of the seed, under random seeds and keys.
func seedFlips(family func(seed uint64) Hasher, size, trials int) []flips {
	rng := rand.New(rand.NewPCG(qualitySeed, 2))
	key := make([]byte, size)
	seed := uint64(0)
	return avalanche(64, trials, func(_, bit int) uint64 {
		if bit < 0 {
			fillRandom(key, 0, rng)
			seed = rng.Uint64()
			return family(seed).Sum64(key)
		}
		return family(seed ^ 1<<bit).Sum64(key)
	})
}
