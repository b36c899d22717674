package integerhash

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/hashtest"
	"pgregory.net/rapid"
)

var makers = []func(seed uint64) hashing.Hasher{TwoIndependentMultiplyShift, SimpleTabulation}

// hashers are the families under the seeds that the tests use.
func hashers() []hashing.Hasher {
	var list []hashing.Hasher
	for _, family := range makers {
		list = append(list, family(0), family(1), family(1<<64-1))
	}
	return list
}

func TestFamilies_FormsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(hashtest.Seed, 5))
	for _, h := range hashers() {
		for range 100 {
			k := rng.Uint64() >> rng.UintN(64)
			key := binary.LittleEndian.AppendUint64(nil, k)
			if a, b, c := h.Sum64(key), h.Sum64String(string(key)), h.Sum64Uint64(k); a != b || a != c {
				t.Errorf("%v: the forms of %d give %#x, %#x and %#x", h, k, a, b, c)
			}
		}
		d := hashing.NewDigester(h)
		if d.Hasher() != h || d.Recipe() != h.Recipe() || fmt.Sprint(h) != h.Recipe() || fmt.Sprintf("%#v",
			h) != "integerhash("+h.Recipe()+")" {
			t.Errorf("%v: Hasher %#v, recipe %q", h, d.Hasher(), d.Recipe())
		}
	}
}

func TestFamilies_PanicOnOtherKeys(t *testing.T) {
	for _, h := range hashers() {
		d := hashing.NewDigester(h)
		for _, n := range []int{0, 1, 7, 9, 16} {
			key := make([]byte, n)
			for _, verb := range []func(){
				func() { h.Sum64(key) }, func() { h.Sum64String(string(key)) },
				func() { d.Sum64(key) }, func() { d.Sum64String(string(key)) },
			} {
				want := fmt.Sprintf("integerhash: a key of %d bytes, but hash family %q takes integers only", n, h.Name())
				if got := panicOf(verb); !strings.HasPrefix(got, want) {
					t.Errorf("%s panics with %q, want %q", h.Recipe(), got, want)
				}
			}
		}
	}
}

func panicOf(f func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	f()
	return "nothing"
}

func TestIs_KnowsTheFamilies(t *testing.T) {
	for _, h := range hashers() {
		if d := hashing.NewDigester(h); !Is(h) || !Is(d.Hasher()) {
			t.Errorf("Is(%v) = false", h)
		}
	}
	for _, h := range []hashing.Hasher{hashing.XXH64(0), hashing.SipHash([16]byte{}), hashing.DigestsOnly, nil} {
		if Is(h) {
			t.Errorf("Is(%v) = true", h)
		}
	}
}

func TestFamilies_AllocsZero(t *testing.T) {
	for _, h := range hashers() {
		d, key := hashing.NewDigester(h), make([]byte, 8)
		sum := uint64(0)
		if n := testing.AllocsPerRun(100, func() {
			sum += h.Sum64(key) + h.Sum64String("12345678") + h.Sum64Uint64(sum) + d.Sum64Uint64(sum)
		}); n != 0 {
			t.Errorf("%s: %v allocations", h.Recipe(), n)
		}
	}
}

// TestMultiplyShift_AgainstBigIntegers computes the formula of the doc without machine words.
func TestMultiplyShift_AgainstBigIntegers(t *testing.T) {
	modulus := new(big.Int).Lsh(big.NewInt(1), 128)
	rapid.Check(t, func(t *rapid.T) {
		seed, k := rapid.Uint64().Draw(t, "seed"), rapid.Uint64().Draw(t, "k")
		parameters := drawing(nameMultiplyShift, seed)
		draw := func() *big.Int {
			n := new(big.Int).SetUint64(parameters.Uint64())
			return n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(parameters.Uint64()))
		}
		n := new(big.Int).SetUint64(k)
		n.Mul(n, draw()).Add(n, draw()).Mod(n, modulus)
		if got, want := TwoIndependentMultiplyShift(seed).Sum64Uint64(k), n.Rsh(n, 64).Uint64(); got != want {
			t.Fatalf("Sum64Uint64 = %#x, want %#x", got, want)
		}
	})
}

// TestTabulation_AgainstBytes looks the words up by the bytes of the key.
func TestTabulation_AgainstBytes(t *testing.T) {
	h, draw := SimpleTabulation(3), drawing(nameTabulation, 3)
	words := make([]uint64, 8*256)
	for i := range words {
		words[i] = draw.Uint64()
	}
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "key")
		want := uint64(0)
		for i, c := range key {
			want ^= words[256*i+int(c)]
		}
		if got := h.Sum64(key); got != want {
			t.Fatalf("Sum64 = %#x, want %#x", got, want)
		}
	})
}

// TestFamilies_PairwiseIndependent: over seeds, 6 bits of the digest of one integer and 6 of that of
// another, near one, take their 4096 values equally often.
func TestFamilies_PairwiseIndependent(t *testing.T) {
	seeds := 1 << 16
	if testing.Short() {
		seeds = 1 << 14
	}
	pairs := [][2]uint64{{0, 1}, {1, 2}, {0, 1 << 63}, {255, 256}, {1<<32 - 1, 1 << 32}}
	for _, family := range makers {
		name := family(0).Name()
		bins := make([][2][4096]int, len(pairs))
		for seed := range seeds {
			h := family(uint64(seed))
			for i, p := range pairs {
				x, y := h.Sum64Uint64(p[0]), h.Sum64Uint64(p[1])
				bins[i][0][x>>58<<6|y>>58]++
				bins[i][1][x&63<<6|y&63]++
			}
		}
		p := hashtest.FalseAlarm / float64(4*len(makers)*len(pairs))
		low, high := hashtest.Chi2Quantile(4095, 1-p), hashtest.Chi2Quantile(4095, p)
		for i, pair := range pairs {
			for v, view := range []string{"top", "lowest"} {
				if chi2 := hashtest.Chi2Uniform(bins[i][v][:], seeds); chi2 < low || chi2 > high {
					t.Errorf("%s, integers %d and %d, %s 6 bits each: chi-square %.0f is not within %.0f and %.0f",
						name, pair[0], pair[1], view, chi2, low, high)
				}
			}
		}
	}
}
