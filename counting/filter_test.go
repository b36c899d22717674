package counting_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/hashing"
)

func must(t testing.TB, c counting.Config) *counting.Filter {
	t.Helper()
	f, err := counting.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// digests returns the digests of the integers from..from+n-1.
func digests(from uint64, n int) []uint64 {
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = hashing.Mix64(from + uint64(i))
	}
	return hs
}

var widths = []int{2, 4, 8, 16}

// TestDelete_SaturatedKeyStays adds a key 20 times and removes it 15 times: narrow counters have
// forgotten the number, and must not answer that the key is gone.
func TestDelete_SaturatedKeyStays(t *testing.T) {
	for _, width := range widths {
		f := must(t, counting.Config{Capacity: 1000, FalsePositiveRate: .01, CounterBits: width})
		key := []byte("key")
		for range 20 {
			f.Insert(key)
		}
		top := 1<<width - 1
		if got := f.Count(key); got != min(20, top) {
			t.Errorf("%d bits: Count after 20 inserts is %d", width, got)
		}
		for range 15 {
			if !f.Delete(key) {
				t.Fatalf("%d bits: Delete says absent", width)
			}
		}
		want := 5
		if top < 20 {
			want = top
		}
		if got := f.Count(key); got != want || !f.Contains(key) || f.Len() != 5 {
			t.Errorf("%d bits: Count after 15 deletes is %d, want %d; Len %d", width, got, want, f.Len())
		}
		if s := f.ScanStats(); (s.Saturated > 0) != (top < 20) {
			t.Errorf("%d bits: %+v", width, s)
		}
		for range 10 {
			f.Delete(key)
		}
		if f.Len() != 0 || f.Contains(key) != (top < 20) {
			t.Errorf("%d bits: Len %d, Contains %t", width, f.Len(), f.Contains(key))
		}
		f.Insert(key)
		f.InsertUnique(key)
		if f.Reset(); f.Contains(key) || f.ScanStats() != (counting.Stats{Slots: f.Slots()}) {
			t.Errorf("%d bits: after Reset %+v", width, f.ScanStats())
		}
	}
}

// TestDelete_NoFalseNegatives keeps a set of keys changing at twice the capacity, with 2-bit
// counters that saturate all the time. Only present keys are deleted, so each present key is found.
func TestDelete_NoFalseNegatives(t *testing.T) {
	const seed = 20
	for _, width := range widths {
		r := rand.New(rand.NewPCG(seed, uint64(width)))
		f := must(t, counting.Config{Capacity: 500, FalsePositiveRate: .01, CounterBits: width})
		var present []uint64
		for step := range 20_000 {
			if len(present) < 1000 || r.IntN(2) == 0 {
				h := hashing.Mix64(r.Uint64N(3000))
				f.InsertHash(h)
				present = append(present, h)
			} else {
				i := r.IntN(len(present))
				if !f.DeleteHash(present[i]) {
					t.Fatalf("seed %d, %d bits, step %d: present key cannot be deleted", seed, width, step)
				}
				present[i] = present[len(present)-1]
				present = present[:len(present)-1]
			}
			if h := present[r.IntN(len(present))]; !f.ContainsHash(h) {
				t.Fatalf("seed %d, %d bits, step %d: present key is lost", seed, width, step)
			}
		}
		if f.Len() != len(present) {
			t.Errorf("seed %d, %d bits: Len %d, want %d", seed, width, f.Len(), len(present))
		}
	}
}

// TestDelete_InvertsInsert inserts a set and deletes it in another order; without saturation the
// table is what it was, down to tables so small that positions of a key coincide.
func TestDelete_InvertsInsert(t *testing.T) {
	const seed = 11
	for _, width := range widths {
		for _, m := range []int{1, 2, 5, 100, 10_000} {
			k := min(width-1, 5)
			f := must(t, counting.Config{Slots: m, Hashes: k, CounterBits: width})
			// One key stays, and so few come that all of them may hit one counter.
			n := min((1<<width-2)/k-1, 300)
			base, hs := digests(1<<32, 1), digests(0, n)
			f.InsertHashes(base)
			before := f.Clone()
			f.InsertHashes(hs)
			for _, i := range rand.New(rand.NewPCG(seed, uint64(m))).Perm(n) {
				if !f.DeleteHash(hs[i]) {
					t.Fatalf("%d bits, %d counters: present key cannot be deleted", width, m)
				}
			}
			if s := f.ScanStats(); s.Saturated > 0 || !f.Equal(before) || f.Len() != 1 {
				t.Errorf("%d bits, %d counters, %d keys: table differs after deleting all: %+v", width, m, n, s)
			}
			if f.DeleteHashes(base) != 1 || f.ScanStats().LoadFactor != 0 {
				t.Errorf("%d bits, %d counters: load factor %v after deleting all", width, m, f.ScanStats().LoadFactor)
			}
		}
	}
}

func TestDelete_AbsentChangesNothing(t *testing.T) {
	f := must(t, counting.Config{Capacity: 1000, FalsePositiveRate: 1e-6})
	f.InsertHashes(digests(0, 1000))
	before := f.Clone()
	if n := f.DeleteHashes(digests(1<<32, 500)); n != 0 || !f.Equal(before) || f.Len() != 1000 {
		t.Errorf("deleted %d absent keys, Len %d, %+v", n, f.Len(), f.ScanStats())
	}
}

// TestDelete_NeverInsertedDoesNotBorrow deletes false positives, which is misuse, from tables so small
// that a key hits one counter several times: a counter of 1 then stops at 0, and does not borrow from
// its neighbours.
func TestDelete_NeverInsertedDoesNotBorrow(t *testing.T) {
	deleted := 0
	for _, width := range widths {
		for m := 1; m <= 4; m++ {
			f := must(t, counting.Config{Slots: m, Hashes: 5, CounterBits: width})
			f.InsertHash(hashing.Mix64(uint64(m)))
			before := f.ScanStats()
			for _, h := range digests(100, 50) {
				g := f.Clone()
				if g.DeleteHash(h) {
					deleted++
				}
				if after := g.ScanStats(); after.Used > before.Used || after.Saturated > before.Saturated {
					t.Fatalf("%d bits, %d counters: a delete made %+v of %+v", width, m, after, before)
				}
			}
		}
	}
	if deleted == 0 {
		t.Error("nothing was deleted: the test lost its point")
	}
}

// TestCount_IsUpperBound counts keys that were inserted 0 to 5 times.
func TestCount_IsUpperBound(t *testing.T) {
	f := must(t, counting.Config{Capacity: 2000, FalsePositiveRate: .001, CounterBits: 8})
	exact := 0
	for i, h := range digests(0, 2000) {
		for range i % 6 {
			f.InsertHash(h)
		}
	}
	for i, h := range digests(0, 2000) {
		got := f.CountHash(h)
		if got < i%6 {
			t.Fatalf("key inserted %d times counts %d", i%6, got)
		}
		if got == i%6 {
			exact++
		}
	}
	// A count is too large with about the false-positive rate, .001 at 2000 distinct keys; there are
	// 1667, so 2 are expected, and more than 13 come once in 10^6.
	if exact < 2000-13 {
		t.Errorf("%d of 2000 counts are exact", exact)
	}
}

// TestFPR_WithinBinomialBound holds the measured rate against FalsePositiveRate, and its mean over
// builds against bloom.PredictRate: five standard deviations each.
func TestFPR_WithinBinomialBound(t *testing.T) {
	const seed, builds, queries = 5, 20, 1 << 13
	r := rand.New(rand.NewPCG(seed, seed))
	hs, dst := make([]uint64, queries), make([]bool, queries)
	for _, eps := range []float64{.1, .01, .001} {
		for _, n := range []int{1000, 2000, 4000} {
			var expected, variance, sum, squares float64
			found := 0
			var f *counting.Filter
			for range builds {
				f = must(t, counting.Config{Capacity: 2000, FalsePositiveRate: eps})
				for range n {
					f.InsertHash(r.Uint64())
				}
				for i := range hs {
					hs[i] = r.Uint64()
				}
				f.ContainsHashes(hs, dst)
				for _, yes := range dst {
					if yes {
						found++
					}
				}
				p := f.ScanStats().FalsePositiveRate
				expected, variance = expected+queries*p, variance+queries*p*(1-p)
				sum, squares = sum+p, squares+p*p
			}
			if math.Abs(float64(found)-expected) > 5*math.Sqrt(variance)+3 {
				t.Errorf("seed %d, eps=%v n=%d: %d found, expected %.1f", seed, eps, n, found, expected)
			}
			mean := sum / builds
			between := math.Sqrt(max(0, squares/builds-mean*mean) / (builds - 1))
			predicted := bloom.PredictRate(f.Slots(), f.Config().Hashes, n)
			if math.Abs(mean-predicted) > 5*between+.004*predicted || n == 2000 && predicted > eps {
				t.Errorf("seed %d, eps=%v n=%d: mean rate %v +- %v, predicted %v", seed, eps, n, mean, between, predicted)
			}
		}
	}
}

func TestMerge_IsSum(t *testing.T) {
	for i, width := range widths {
		c := counting.Config{Capacity: 1000, FalsePositiveRate: .01, CounterBits: width}
		f, g, sum := must(t, c), must(t, c), must(t, c)
		f.InsertHashes(digests(0, 700))
		g.InsertHashes(digests(500, 700))
		sum.InsertHashes(digests(0, 700))
		sum.InsertHashes(digests(500, 700))
		before := g.Clone()
		if err := f.Merge(g); err != nil || !f.Equal(sum) || f.Len() != 1400 || !g.Equal(before) {
			t.Errorf("%d bits: the merge is not the sum: %v, Len %d", width, err, f.Len())
		}
		if n := f.DeleteHashes(digests(500, 700)); n != 700 {
			t.Errorf("%d bits: %d of 700 merged keys can be deleted", width, n)
		}
		whole := f.Config()
		f.Reset()
		for _, wrong := range []counting.Config{
			{Slots: whole.Slots + 1, Hashes: whole.Hashes, CounterBits: width},
			{Slots: whole.Slots, Hashes: whole.Hashes + 1, CounterBits: width},
			{Slots: whole.Slots, Hashes: whole.Hashes, CounterBits: widths[(i+1)%len(widths)]},
			{Slots: whole.Slots, Hashes: whole.Hashes, CounterBits: width, Hash: hashing.XXH64(1)},
		} {
			other := must(t, wrong)
			other.InsertHash(9)
			if err := f.Merge(other); !errors.Is(err, counting.ErrMismatch) || !strings.HasPrefix(err.Error(), "counting: ") || f.ScanStats().LoadFactor != 0 || f.Len() != 0 {
				t.Errorf("merge of %v with %v: %v", f, wrong, err)
			}
		}
	}
}

func TestFilter_KeyFormsAgree(t *testing.T) {
	for _, h := range []hashing.Hasher{nil, hashing.XXH64(9), hashing.Metro64(1)} {
		f := must(t, counting.Config{Capacity: 1000, FalsePositiveRate: 1e-6, Hash: h})
		digester := hashing.NewDigester(h)
		for i := range 50 {
			s := fmt.Sprint("key ", i)
			d := digester.Sum64String(s)
			f.Insert([]byte(s))
			f.InsertString(s)
			f.InsertHash(d)
			if f.InsertUnique([]byte(s)) || f.InsertUniqueString(s) || f.InsertUniqueHash(d) {
				t.Fatalf("%q inserted although it is there", s)
			}
			if f.Count([]byte(s)) != 3 || f.CountString(s) != 3 || f.CountHash(d) != 3 {
				t.Fatalf("%q counts %d, %d, %d", s, f.Count([]byte(s)), f.CountString(s), f.CountHash(d))
			}
			if !f.Contains([]byte(s)) || !f.ContainsString(s) || !f.ContainsHash(d) {
				t.Fatalf("%q is lost", s)
			}
			if !f.Delete([]byte(s)) || !f.DeleteString(s) || !f.DeleteHash(d) || f.Delete([]byte(s)) {
				t.Fatalf("%q cannot be deleted three times, or can four times", s)
			}
			if !f.InsertUnique([]byte(s)) || !f.DeleteString(s) || !f.InsertUniqueString(s) || !f.DeleteHash(d) {
				t.Fatalf("%q: InsertUnique refused a key that is absent", s)
			}
		}
		if f.Len() != 0 || f.ScanStats().LoadFactor != 0 {
			t.Errorf("Len %d, %+v", f.Len(), f.ScanStats())
		}
	}
}

func TestAllocs_Zero(t *testing.T) {
	for _, h := range []hashing.Hasher{nil, hashing.XXH64(3), hashing.SipHash([16]byte{1})} {
		f := must(t, counting.Config{Capacity: 1000, FalsePositiveRate: .01, Hash: h})
		text, n := "some key", byte(0)
		hs, dst := make([]uint64, 50), make([]bool, 50)
		allocs := testing.AllocsPerRun(100, func() {
			n++
			key := [9]byte{n, 2, 3}
			f.Insert(key[:])
			f.InsertUnique(key[1:])
			f.Contains(key[2:])
			f.Count(key[3:])
			f.Delete(key[:])
			f.Insert([]byte(text))
			f.InsertString(text)
			f.InsertUniqueString(text)
			f.ContainsString(text)
			f.CountString(text)
			f.DeleteString(text)
			f.InsertHashes(hs)
			f.ContainsHashes(hs, dst)
			f.DeleteHashes(hs)
			f.Reset()
		})
		if allocs != 0 {
			t.Errorf("%v: %v allocations", f, allocs)
		}
	}
}
