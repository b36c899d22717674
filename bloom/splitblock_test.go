package bloom_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

// TestNewSplitBlock_Resolves has one way to give the size a line.
func TestNewSplitBlock_Resolves(t *testing.T) {
	for _, c := range []struct {
		config bloom.Config
		bits   int
	}{
		{bloom.Config{Slots: 1}, 256},
		{bloom.Config{Slots: 256, Hashes: 8}, 256},
		{bloom.Config{Slots: 257}, 512},
		{bloom.Config{Slots: 3 * 256}, 3 * 256},
		{bloom.Config{Capacity: 1000, Slots: 10_000}, 10_240},
		{bloom.Config{Capacity: 1000, Slots: 10_000, Hashes: 8}, 10_240},
		{bloom.Config{Capacity: 1000, FalsePositiveRate: .01, Hashes: 8}, 10_752},
		{bloom.Config{Capacity: 1, FalsePositiveRate: .999}, 256},
	} {
		f := must(t, bloom.NewSplitBlock, c.config)
		got := f.Config()
		if got.Slots != c.bits || got.Hashes != 8 || got.Capacity != 0 || got.FalsePositiveRate != 0 || got.Hash.Recipe() != "xxh64:0" {
			t.Errorf("%v: resolved to %v, want %d bits", c.config, got, c.bits)
		}
		if again := must(t, bloom.NewSplitBlock, got); !again.Equal(f) || again.Config().String() != got.String() {
			t.Errorf("%v made again from %v: %v", f, got, again)
		}
	}
}

// TestNewSplitBlock_Errors has one impossible configuration a line, and what the error must say.
func TestNewSplitBlock_Errors(t *testing.T) {
	cases := []struct {
		config bloom.Config
		kind   error
		want   []string
	}{
		{bloom.Config{}, bloom.ErrConfig, []string{"Capacity is 0"}},
		{bloom.Config{Slots: 512, Hashes: 7}, bloom.ErrConfig, []string{"Hashes is 7, want 8"}},
		{bloom.Config{Slots: -1, Hashes: -2, MaxBytes: -1}, bloom.ErrConfig, []string{"Hashes is -2", "Slots is -1", "MaxBytes is -1"}},
		{bloom.Config{Capacity: 5, FalsePositiveRate: .1, Hashes: 9}, bloom.ErrConfig, []string{"Hashes is 9"}},
		{bloom.Config{Capacity: 5, FalsePositiveRate: .1, Slots: 50, Hashes: 8}, bloom.ErrConfig, []string{"Slots 50"}},
		{bloom.Config{FalsePositiveRate: .1, Slots: 50}, bloom.ErrConfig, []string{"Capacity is 0"}},
		{bloom.Config{Capacity: 5, FalsePositiveRate: math.NaN()}, bloom.ErrConfig, []string{"FalsePositiveRate is NaN"}},
		{bloom.Config{Capacity: 1000, FalsePositiveRate: .01, MaxBytes: 1000}, bloom.ErrTooLarge, []string{"Capacity 1000", "MaxBytes 1000"}},
		{bloom.Config{Capacity: math.MaxInt, FalsePositiveRate: .01}, bloom.ErrTooLarge, []string{"Capacity"}},
		{bloom.Config{Slots: 8001, MaxBytes: 1000}, bloom.ErrTooLarge, []string{"Slots is 8"}},
		{bloom.Config{Slots: math.MaxInt, MaxBytes: 1 << 20}, bloom.ErrTooLarge, []string{"Slots is"}},
	}
	if bits.UintSize == 64 {
		cases = append(cases, cases[len(cases)-1])
		cases[len(cases)-1].config = bloom.Config{Slots: math.MaxInt >> 22, MaxBytes: math.MaxInt} // 2^33 blocks
	}
	for _, c := range cases {
		_, err := bloom.NewSplitBlock(c.config)
		if !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), "bloom: ") {
			t.Errorf("%v: %v, want %v", c.config, err, c.kind)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v: %v, want %q in it", c.config, err, part)
			}
		}
	}
}

// TestPlan_AgreesWithNewSplitBlock holds the plan against the filter, and the size against the rate:
// a block less would not do.
func TestPlan_AgreesWithNewSplitBlock(t *testing.T) {
	for _, n := range []int{1, 100, 54_321} {
		for _, eps := range []float64{.5, .01, .0001, 1e-7} {
			f := must(t, bloom.NewSplitBlock, bloom.Config{Capacity: n, FalsePositiveRate: eps})
			planned, err := planner(bloom.PlanSplitBlock).slots(n, eps)
			if err != nil || planned != f.Slots() {
				t.Errorf("n=%d eps=%v: plan %d bits, %v; made %v", n, eps, planned, err, f)
			}
			rate, smaller := bloom.PredictSplitBlockRate(planned, n), bloom.PredictSplitBlockRate(planned-256, n)
			if rate > eps || smaller <= eps && planned > 256 {
				t.Errorf("n=%d eps=%v: %d bits have rate %v, a block less %v", n, eps, planned, rate, smaller)
			}
		}
	}
	if rate := bloom.PredictSplitBlockRate(-1, -1); rate != 0 {
		t.Errorf("an empty filter has rate %v", rate)
	}
}

// TestSplitBlock_BitsetRoundTrip passes filters of several sizes through their bytes, and bitsets of
// any bytes through filters.
func TestSplitBlock_BitsetRoundTrip(t *testing.T) {
	const seed = 32
	r := rand.New(rand.NewPCG(seed, 1))
	for _, blocks := range []int{1, 2, 3, 7, 100, 1000} {
		f := must(t, bloom.NewSplitBlock, bloom.Config{Slots: 256 * blocks, Hash: hashing.XXH64(5)})
		f.InsertHashes(digests(0, 10*blocks))
		b := f.Bitset()
		if got := f.AppendBitset([]byte("head")); len(b) != 32*blocks || string(got) != "head"+string(b) {
			t.Fatalf("%d blocks: AppendBitset made %d bytes, Bitset %d", blocks, len(got), len(b))
		}
		g, err := bloom.SplitBlockFromBitset(b, f.Config())
		if err != nil || !g.Equal(f) || g.Len() != 0 || g.ScanStats().Used != f.ScanStats().Used {
			t.Fatalf("%d blocks: %v comes back as %v, %v", blocks, f, g, err)
		}
		if g.InsertHashes(digests(1<<40, 10)); g.Equal(f) || !bytes.Equal(b, f.Bitset()) {
			t.Errorf("%d blocks: the filter shares its bitset", blocks)
		}
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		g, err = bloom.SplitBlockFromBitset(b, bloom.Config{})
		if err != nil || !bytes.Equal(g.Bitset(), b) || g.Config().Hash.Recipe() != "xxh64:0" {
			t.Errorf("%d blocks of seed %d: random bytes change, or %v", blocks, seed, err)
		}
	}
}

func TestSplitBlockFromBitset_Errors(t *testing.T) {
	for _, c := range []struct {
		size   int
		config bloom.Config
		kind   error
		want   string
	}{
		{0, bloom.Config{}, bloom.ErrTooShort, "bitset of 0 bytes"},
		{31, bloom.Config{}, bloom.ErrTooShort, "bitset of 31 bytes"},
		{33, bloom.Config{}, bloom.ErrCorrupt, "bitset of 33 bytes"},
		{96, bloom.Config{Slots: 512}, bloom.ErrMismatch, "Slots is 512"},
		{96, bloom.Config{Slots: 1024, Hashes: 8}, bloom.ErrMismatch, "Slots is 1024"},
		{96, bloom.Config{Slots: -1}, bloom.ErrConfig, "Slots is -1"},
		{96, bloom.Config{Hashes: 6}, bloom.ErrConfig, "Hashes is 6"},
		{96, bloom.Config{FalsePositiveRate: .1}, bloom.ErrConfig, "FalsePositiveRate 0.1"},
		{96, bloom.Config{MaxBytes: 64}, bloom.ErrTooLarge, "MaxBytes 64"},
	} {
		f, err := bloom.SplitBlockFromBitset(make([]byte, c.size), c.config)
		if f != nil || !errors.Is(err, c.kind) || !strings.HasPrefix(err.Error(), "bloom: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes, %v: %v, want %v with %q", c.size, c.config, err, c.kind, c.want)
		}
	}
}

// TestSplitBlock_RateAndCountOfBitset works out what bitsets of few bits mean: lanes of 1 to 8 bits, and
// the bits of one key.
func TestSplitBlock_RateAndCountOfBitset(t *testing.T) {
	b := make([]byte, 96) // three blocks, the last one empty
	for lane := range 8 {
		b[4*lane+lane%4] = byte(1<<(lane+1) - 1)
		b[32+4*lane] = 1
	}
	f, err := bloom.SplitBlockFromBitset(b, bloom.Config{})
	if err != nil {
		t.Fatal(err)
	}
	lane := math.Pow(1./32, 8)
	if got, want := f.ScanStats().FalsePositiveRate, (40_320+1)*lane/3; math.Abs(got/want-1) > 1e-12 {
		t.Errorf("rate is %v, want %v", got, want)
	}
	if s := f.ScanStats(); s.Used != 44 || s.Slots != 768 {
		t.Errorf("lanes of 1 to 8 bits: %+v", s)
	}
}

func FuzzSplitBlockFromBitset(f *testing.F) {
	f.Add(make([]byte, 96), uint64(1))
	f.Add(bytes.Repeat([]byte{255}, 32), uint64(7))
	f.Add([]byte("short"), uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, h uint64) {
		s, err := bloom.SplitBlockFromBitset(b, bloom.Config{})
		if (err == nil) != (len(b) > 0 && len(b)%32 == 0) {
			t.Fatalf("%d bytes: %v", len(b), err)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(s.Bitset(), b) {
			t.Fatal("other bytes come back")
		}
		present := s.ContainsHash(h)
		if rate := s.ScanStats().FalsePositiveRate; !(rate >= 0 && rate <= 1) || present && rate == 0 || s.InsertUniqueHash(h) == present || !s.ContainsHash(h) {
			t.Fatalf("present %t, rate %v", present, rate)
		}
	})
}

// TestGolden_Bitset pins bitsets of string keys. They were computed by parquet-go v0.32.0, package
// bloom: do not change them.
func TestGolden_Bitset(t *testing.T) {
	small := must(t, bloom.NewSplitBlock, bloom.Config{Slots: 256})
	for _, key := range []string{"", "a", "parquet"} {
		small.InsertString(key)
	}
	if got := hex.EncodeToString(small.Bitset()); got != "04000420010042000200400200100810004002040020400110000028020000c0" {
		t.Errorf("one block: %s", got)
	}
	for blocks, want := range map[int]string{3: "3afc1e27ae8f8a1a7c568550f89d12e22f2e648aff8c492e280f4e8a7b957210", 100: "1e9e690142869f4ce5836ea0e73261e3dc633c6d159aecdbe77fb87d123ff548", 1000: "50f4fa2ac2072ba1f4404db7a57f3f0ca28fc09c9229f56dc0e8dc7116bce177"} {
		f := must(t, bloom.NewSplitBlock, bloom.Config{Slots: 256 * blocks})
		for i := range 10 * blocks {
			f.InsertString(fmt.Sprintf("key %d", i))
		}
		if sum := sha256.Sum256(f.Bitset()); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%d blocks: the bitset hashes to %x, want %s", blocks, sum, want)
		}
	}
}

func TestAllocs_ZeroSplitBlock(t *testing.T) {
	eachHash(t, func(t *testing.T, c bloom.Config) {
		f := must(t, bloom.NewSplitBlock, c)
		noAllocs(t, func(n byte, text string, hs []uint64, dst []bool) {
			key := [9]byte{n, 2, 3}
			f.Insert(key[:])
			f.InsertUnique(key[1:])
			f.Contains(key[2:])
			f.Insert([]byte(text))
			f.InsertString(text)
			f.InsertUniqueString(text)
			f.ContainsString(text)
			f.InsertHash(uint64(n))
			f.InsertUniqueHash(uint64(n))
			f.ContainsHash(uint64(n))
			f.InsertHashes(hs)
			f.ContainsHashes(hs, dst)
			_ = f.ScanStats()
			f.Reset()
		})
	})
}
