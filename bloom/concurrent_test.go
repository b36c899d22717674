package bloom

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// TestConcurrent_DoesWhatBlockedDoes runs the same operations on both, at numbers of hashes with one state and with several.
func TestConcurrent_DoesWhatBlockedDoes(t *testing.T) {
	for _, k := range []int{1, 7, 8, 30} {
		c := Config{Slots: 40 * 512, Hashes: k}
		f, err := NewConcurrent(c)
		g, fails := NewBlocked(c)
		if err != nil || fails != nil {
			t.Fatal(err, fails)
		}
		r := rand.New(rand.NewPCG(uint64(k), 1))
		hs, a, b := make([]uint64, 50), make([]bool, 50), make([]bool, 50)
		for range 40 {
			for n := range hs {
				hs[n] = r.Uint64()
			}
			f.InsertHash(hs[0])
			g.InsertHash(hs[0])
			f.InsertHashes(hs[1:9])
			g.InsertHashes(hs[1:9])
			for _, h := range hs[5:15] {
				if f.InsertUniqueHash(h) != g.InsertUniqueHash(h) {
					t.Fatalf("%v: InsertUnique of %#x", f, h)
				}
			}
			f.ContainsHashes(hs, a)
			if g.ContainsHashes(hs, b); !slices.Equal(a, b) || f.ContainsHash(hs[20]) != a[20] || f.Len() != g.Len() {
				t.Fatalf("%v and %v", f, g)
			}
		}
		if !f.Blocked().Equal(g) || f.ScanStats() != g.ScanStats() || !g.Concurrent().Equal(f) || !strings.Contains(f.GoString(), "bloom.Concurrent{") {
			t.Errorf("%v: Stats %+v, of the filter %+v", f, f.ScanStats(), g.ScanStats())
		}
		if f.Slots() != g.Slots() || f.SizeBytes() != g.SizeBytes() || f.Config() != g.Config() {
			t.Errorf("%v is no %v", f, g)
		}
		if f.Reset(); f.Len() != 0 || f.ScanStats().Used != 0 {
			t.Errorf("%v after Reset", f)
		}
	}
}

// TestConcurrent_KeysAreTheirDigests holds the forms of each verb to each other.
func TestConcurrent_KeysAreTheirDigests(t *testing.T) {
	f, err := NewConcurrent(Config{Capacity: 100, FalsePositiveRate: .001})
	if err != nil {
		t.Fatal(err)
	}
	f.Insert([]byte("ant"))
	f.InsertString("bee")
	if !f.ContainsString("ant") || !f.Contains([]byte("bee")) || f.InsertUniqueString("ant") || f.InsertUnique([]byte("bee")) ||
		!f.InsertUniqueString("cat") || f.Len() != 3 || !f.ContainsHash(hashing.XXH3(0).Sum64String("cat")) {
		t.Error(f)
	}
	if _, err := NewConcurrent(Config{}); !errors.Is(err, ErrConfig) {
		t.Errorf("no size: %v", err)
	}
	if zero := new(Concurrent); zero.Len() != 0 || zero.SizeBytes() != 0 || zero.ScanStats() != (Stats{}) || zero.Merge(zero) != nil {
		t.Errorf("the zero filter: %v", zero)
	} else {
		zero.Reset()
	}
}

// TestConcurrent_FilesReadBack reads the file of a Concurrent in every way, and merges.
func TestConcurrent_FilesReadBack(t *testing.T) {
	c := Config{Slots: 5 * 512, Hashes: 6, Hash: hashing.SipHash([16]byte{1}), MaxBytes: 1 << 20}
	f, _ := NewConcurrent(c)
	f.InsertString("ant")
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	if _, err := f.WriteTo(&w); err != nil || !bytes.Equal(w.Bytes(), b) {
		t.Errorf("WriteTo: %v", err)
	}
	g, _ := NewConcurrent(Config{Slots: 512, Hashes: 1, Hash: c.Hash, MaxBytes: 1 << 20})
	if n, err := g.ReadFrom(&w); n != int64(len(b)) || err != nil || !g.Equal(f) || g.Config().MaxBytes != 1<<20 {
		t.Errorf("ReadFrom: %d, %v", n, err)
	}
	h, err := DecodeConcurrent(b, c.Hash)
	if err != nil || !h.Equal(f) || h.Len() != 1 {
		t.Errorf("DecodeConcurrent: %v, %v", h, err)
	}
	if _, err := DecodeConcurrent(b); !errors.Is(err, ErrMismatch) {
		t.Errorf("without the key: %v", err)
	}
	if err := g.UnmarshalBinary(b[:len(b)-1]); !errors.Is(err, ErrTooShort) || !g.Equal(f) {
		t.Errorf("a file that ends early: %v", err)
	}
	if err := g.UnmarshalBinary(b); err != nil || !g.Clone().Equal(f) {
		t.Errorf("UnmarshalBinary: %v", err)
	}
	h.InsertString("bee")
	if err := f.Merge(h); err != nil || !f.ContainsString("bee") || f.Len() != 3 {
		t.Errorf("merged: %v, %v", err, f)
	}
	other, _ := NewConcurrent(Config{Slots: 512, Hashes: 6})
	if err := f.Merge(other); !errors.Is(err, ErrMismatch) || f.Len() != 3 {
		t.Errorf("merged with other bits: %v", err)
	}
}

// TestConcurrent_LosesNothingInUse has goroutines insert and ask at once. In the end the table is that of the same keys inserted one after
// the other, and every key was new to one goroutine.
func TestConcurrent_LosesNothingInUse(t *testing.T) {
	const keys, goroutines = 400, 8
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for round := range uint64(rounds) {
		c := Config{Slots: 24 * 512, Hashes: 8}
		f, _ := NewConcurrent(c)
		want, _ := NewBlocked(c)
		r := rand.New(rand.NewPCG(round, 2))
		hs := make([]uint64, keys)
		distinct := 0
		for n := range hs {
			hs[n] = r.Uint64()
			if want.InsertUniqueHash(hs[n]) {
				distinct++
			}
		}
		var added, lost atomic.Int64
		var group sync.WaitGroup
		for g := range goroutines {
			group.Go(func() {
				for n, h := range hs {
					if g%4 == 3 && n%2 == 1 {
						f.InsertHash(h ^ 1) // other bits in the same block
					} else if f.InsertUniqueHash(h) {
						added.Add(1)
					}
					if g%4 != 3 && !f.ContainsHash(h) {
						lost.Add(1)
					}
					if n == 200 && g == 0 && !f.Blocked().ContainsHash(h) {
						lost.Add(1)
					}
				}
			})
		}
		group.Wait()
		for n := 1; n < keys; n += 2 {
			want.InsertHash(hs[n] ^ 1)
		}
		if lost.Load() != 0 || added.Load() > int64(keys) || !f.Blocked().Equal(want) {
			t.Fatalf("round %d: %d lost, %d added of %d, %v", round, lost.Load(), added.Load(), distinct, f)
		}
	}
}

// TestConcurrent_UniqueIsToldOnce has goroutines insert the same keys, far fewer than make a false positive.
func TestConcurrent_UniqueIsToldOnce(t *testing.T) {
	f, _ := NewConcurrent(Config{Slots: 1 << 20, Hashes: 20})
	var added atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			r := rand.New(rand.NewPCG(7, 7))
			for range 2000 {
				if f.InsertUniqueHash(r.Uint64()) {
					added.Add(1)
				}
			}
		})
	}
	group.Wait()
	if added.Load() != 2000 || f.Len() != 2000 {
		t.Errorf("%d goroutines were told that a key is new, Len %d, %+v", added.Load(), f.Len(), f.ScanStats())
	}
}
