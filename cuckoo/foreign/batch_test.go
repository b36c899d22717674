package foreign_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/hashing"
)

// digests returns n random digests of a stream.
func digests(n int, stream uint64) []uint64 {
	r := rand.New(rand.NewPCG(testSeed, stream))
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = r.Uint64()
	}
	return hs
}

// sizes are numbers of buckets on either side of the size from which batches fetch ahead.
var sizes = []int{1, 64, 1 << 19}

// TestBatches_AgreeWithSingleCalls compares every batch with the calls it stands for, refusals and copies included.
func TestBatches_AgreeWithSingleCalls(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		for _, buckets := range sizes {
			f := newFilter(t, foreign.Config{Format: format, Buckets: buckets})
			g := newFilter(t, foreign.Config{Format: format, Buckets: buckets})
			for _, count := range []int{0, 1, 31, 32, 33, 97, 500} {
				hs := digests(count, uint64(count))
				n, err := f.InsertHashes(hs)
				want := 0
				for want < len(hs) && g.InsertHash(hs[want]) == nil {
					want++
				}
				if n != want || (err == nil) != (n == len(hs)) || err != nil && !errors.Is(err, cuckoo.ErrFull) ||
					!f.Equal(g) || f.Len() != g.Len() {
					t.Fatalf("%v: a batch of %d inserted %d, single calls %d; %v", f, count, n, want, err)
				}
				probes := append(digests(count, 1<<20), hs...)
				dst := make([]bool, len(probes)+1)
				dst[len(probes)] = true
				f.ContainsHashes(probes, dst)
				for i, h := range probes {
					if dst[i] != g.ContainsHash(h) {
						t.Fatalf("%v: probe %d of %d: %t in the batch", f, i, len(probes), dst[i])
					}
				}
				if !dst[len(probes)] {
					t.Fatal("ContainsHashes wrote behind the last answer")
				}
			}
			probes := append(digests(97, 97), digests(97, 97)...)
			deleted := 0
			for _, h := range probes {
				if g.DeleteHash(h) {
					deleted++
				}
			}
			if got := f.DeleteHashes(probes); got != deleted || !f.Equal(g) || f.Len() != g.Len() {
				t.Fatalf("%v: the batch deleted %d, single calls %d", f, got, deleted)
			}
		}
	})
}

// TestInsertHashes_Lossy ends at the first failed insert, as the doc says, and not behind it.
func TestInsertHashes_Lossy(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		config := foreign.Config{Format: format, Buckets: 8, Choices: func(int) int { return 0 }, Lossy: true}
		f, g := newFilter(t, config), newFilter(t, config)
		hs := digests(64, 5)
		n, err := f.InsertHashes(hs)
		for _, h := range hs[:n] {
			if err := g.InsertHash(h); err != nil {
				t.Fatal(err)
			}
		}
		if g.InsertHash(hs[n]) == nil || !errors.Is(err, cuckoo.ErrFull) || !f.Equal(g) || f.Len() != n || n == 0 {
			t.Errorf("%v: %d inserted, %v", f, n, err)
		}
	})
}

func TestContainsHashes_ShortDstPanics(t *testing.T) {
	for _, buckets := range sizes {
		f := newFilter(t, foreign.Config{Format: foreign.Seiflotfy, Buckets: buckets})
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v: a destination that is too short was taken", f)
				}
			}()
			f.ContainsHashes(make([]uint64, 3), make([]bool, 2, 10)) // spare capacity does not count
		}()
	}
}

func TestBatches_AllocsZero(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		for _, buckets := range sizes[1:] {
			f, hs, dst := newFilter(t, foreign.Config{Format: format, Buckets: buckets}), digests(100, 1),
				make([]bool, 100)
			if got := testing.AllocsPerRun(10, func() {
				f.InsertHashes(hs)
				f.ContainsHashes(hs, dst)
				f.DeleteHashes(hs)
			}); got != 0 {
				t.Errorf("%v: %v allocations", f, got)
			}
		}
	})
}

// TestMerge_IsTheMultisetSum merges filters of keys that they share and keys of their own, and one with itself.
func TestMerge_IsTheMultisetSum(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		r := rand.New(rand.NewPCG(testSeed, 9))
		for _, choices := range []func(int) int{nil, r.IntN} {
			f := newFilter(t, foreign.Config{Format: format, Buckets: 64, Choices: choices})
			g := newFilter(t, foreign.Config{Format: format, Buckets: 64})
			sum := map[uint64]int{}
			for i, h := range digests(90, 3) {
				if i < 60 && f.InsertHash(h) == nil {
					sum[h]++
				}
				if i >= 30 && g.InsertHash(h) == nil {
					sum[h]++
				}
			}
			before := g.Clone()
			if err := f.Merge(g); err != nil || f.Len() != 120 || !g.Equal(before) || g.Len() != 60 {
				t.Fatalf("%v and %v: %v", f, g, err)
			}
			if err := g.Merge(g); err != nil || g.Len() != 120 {
				t.Fatalf("%v merged with itself: %v", g, err)
			}
			for h, n := range sum {
				if f.CountHash(h) < n || before.ContainsHash(h) && g.CountHash(h) < 2 {
					t.Errorf("digest %#x: %d copies of %d", h, f.CountHash(h), n)
				}
			}
			for h, n := range sum {
				for range n {
					if !f.DeleteHash(h) {
						t.Errorf("digest %#x is lost", h)
					}
				}
			}
			if f.Len() != 0 {
				t.Errorf("%v after all deletes", f)
			}
		}
	})
}

// TestMerge_RefusedLeavesUnchanged refuses sums that do not fit, under every way to make room, and filters that differ.
func TestMerge_RefusedLeavesUnchanged(t *testing.T) {
	eachFormat(t, func(t *testing.T, format foreign.Format) {
		for name, c := range map[string]foreign.Config{
			"search": {}, "walk": {Choices: func(n int) int { return n - 1 }},
			"lossy": {Choices: func(n int) int { return n - 1 }, Lossy: true},
		} {
			c.Format, c.Buckets = format, 16
			f, g := newFilter(t, c), newFilter(t, c)
			for i, h := range digests(72, 4) {
				if err := []*foreign.Filter{f, g}[i%2].InsertHash(h); err != nil {
					t.Fatal(err)
				}
			}
			before := f.Clone()
			if err := f.Merge(g); !errors.Is(err, cuckoo.ErrFull) || !bytes.Equal(f.Encode(), before.Encode()) ||
				f.Len() != 36 {
				t.Errorf("%s: %v after %v", name, f, err)
			}
		}
		f := newFilter(t, foreign.Config{Format: format, Buckets: 16})
		for want, c := range map[string]foreign.Config{
			"Buckets is 16 and 32":             {Format: format, Buckets: 32},
			"Hash is metro64:1337 and xxh64:0": {Format: format, Buckets: 16, Hash: hashing.XXH64(0)},
			"Format is " + format.String() +
				" and": {Format: foreign.Seiflotfy + foreign.Panmari - format, Buckets: 16},
		} {
			if err := f.Merge(newFilter(t, c)); !errors.Is(err, cuckoo.ErrMismatch) ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	})
}
