package cuckoo

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// TestScalable_CompactGivesBack grows filters, deletes most keys in several orders, and compacts: no key is lost, the rate stays below
// what such a table may have, and the table is as small as its keys allow but no smaller than the first.
func TestScalable_CompactGivesBack(t *testing.T) {
	for n, c := range scalableShapes[:5] { // the others refuse keys early
		for _, left := range []int{0, 1, 200, 2000, 9000} {
			s := grown[fingerprint.Bits16](t, c, uint64(n), 10_000)
			first := mustScalable[fingerprint.Bits16](t, c)
			digests := rand.New(rand.NewPCG(uint64(n), 0x5eed))
			var keys []uint64
			for range 10_000 {
				keys = append(keys, digests.Uint64())
			}
			if left%2 == 0 { // the newest keys, with the longest tails, stay
				for a, b := 0, len(keys)-1; a < b; a, b = a+1, b-1 {
					keys[a], keys[b] = keys[b], keys[a]
				}
			}
			if s.DeleteHashes(keys[left:]) != len(keys)-left {
				t.Fatal("a key is lost")
			}
			before, rate := s.SizeBytes(), s.FalsePositiveRate()
			freed := s.Compact()
			if s.SizeBytes() != before-freed || s.SizeBytes() < first.SizeBytes() || left < 9000 && freed == 0 || s.Len() != left {
				t.Errorf("%v: %d bytes of %d freed", s, freed, before)
			}
			if most := rateAfter(16, s.config.BucketSize, s.Doublings()); s.FalsePositiveRate() > most || s.FalsePositiveRate() < rate {
				t.Errorf("%v: rate %v, before %v, of such a table at most %v", s, s.FalsePositiveRate(), rate, most)
			}
			if s.Doublings() > 0 && s.LoadFactor() < 0.45 {
				t.Errorf("%v is too large", s)
			}
			for _, h := range keys[:left] {
				if !s.ContainsHash(h) {
					t.Fatalf("%v: digest %#x is lost", s, h)
				}
			}
			for k := range uint64(12_000) { // it grows again
				if err := s.InsertHash(hashing.Mix64(k)); err != nil {
					t.Fatal(err)
				}
			}
			for _, h := range keys[:left] {
				if !s.DeleteHash(h) {
					t.Fatalf("%v: digest %#x is lost", s, h)
				}
			}
		}
	}
}

// TestScalable_MergeIsTheSum merges filters of all sizes: every key of both is there as often as in both together.
func TestScalable_MergeIsTheSum(t *testing.T) {
	for n, c := range scalableShapes[:5] { // the others refuse keys early
		for _, sizes := range [][2]int{{0, 0}, {0, 3000}, {3000, 0}, {100, 5000}, {5000, 100}, {3900, 3900}, {1000, 1100}} {
			s, g := grown[fingerprint.Bits16](t, c, 1, sizes[0]), grown[fingerprint.Bits16](t, c, 2, sizes[1])
			before := g.Clone()
			hits := s.FalsePositiveRate() + g.FalsePositiveRate()
			if err := s.Merge(g); err != nil {
				t.Fatalf("shape %d, %v: %v", n, sizes, err)
			}
			if s.Len() != sizes[0]+sizes[1] || !g.Equal(before) || s.FalsePositiveRate() > hits*1.001 || s.FalsePositiveRate() < hits*0.98 {
				t.Errorf("shape %d, %v: %v, rate %v of %v", n, sizes, s, s.FalsePositiveRate(), hits)
			}
			for seed, size := range sizes {
				r := rand.New(rand.NewPCG(uint64(seed+1), 0x5eed))
				for range size {
					if h := r.Uint64(); !s.DeleteHash(h) {
						t.Fatalf("shape %d, %v: a key of filter %d is lost", n, sizes, seed)
					}
				}
			}
			if s.Len() != 0 {
				t.Errorf("%v after all deletes", s)
			}
		}
	}
	s := grown[fingerprint.Bits12](t, ScalableConfig{}, 3, 4000)
	if err := s.Merge(s); err != nil || s.Len() != 8000 {
		t.Errorf("with itself: %v, %v", s, err)
	}
}

// TestScalable_MergeRefused merges beyond each limit: s stays as it was.
func TestScalable_MergeRefused(t *testing.T) {
	for want, c := range map[string]ScalableConfig{
		"beyond MaxDoublings": {Capacity: 1, MaxDoublings: 5}, "beyond MaxBytes": {Capacity: 1, MaxBytes: 9000},
	} {
		s, g := grown[fingerprint.Bits16](t, c, 1, 3000), grown[fingerprint.Bits16](t, c, 2, 3000)
		before := s.Clone()
		if err := s.Merge(g); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if !s.Equal(before) || s.Stats().Refusals != before.Stats().Refusals+1 || s.Len() != 3000 {
			t.Errorf("%s: %v became %v", want, before, s)
		}
	}
	// Two filters that have just doubled have short tails: their sum fits and has twice the rate, which is too much for a table that
	// becomes full.
	c := ScalableConfig{Capacity: 1, MaxDoublings: 8}
	s, g := grown[fingerprint.Bits16](t, c, 1, 16_000), grown[fingerprint.Bits16](t, c, 2, 16_000)
	if err := s.Merge(g); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "FalsePositiveRate") || s.Len() != 16_000 {
		t.Errorf("a rate beyond the promise: %v: %v", s, err)
	}
	copies := mustScalable[fingerprint.Bits16](t, ScalableConfig{})
	for range 8 {
		if err := copies.InsertHash(7); err != nil {
			t.Fatal(err)
		}
	}
	if err := copies.Merge(copies.Clone()); !errors.Is(err, ErrFull) || copies.Len() != 8 || copies.Doublings() != 0 {
		t.Errorf("sixteen copies: %v: %v", copies, err)
	}
}

func TestScalable_MismatchNamesTheField(t *testing.T) {
	s := mustScalable[fingerprint.Bits12](t, ScalableConfig{})
	for want, c := range map[string]ScalableConfig{"BucketSize": {BucketSize: 8}, "Hash": {Hash: hashing.XXH64(1)}} {
		g := mustScalable[fingerprint.Bits12](t, c)
		if err := s.Merge(g); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), want) || s.Equal(g) {
			t.Errorf("%s differs: %v", want, err)
		}
	}
	var zero Scalable[fingerprint.Bits12]
	if err := s.Merge(&zero); !errors.Is(err, ErrMismatch) || zero.Equal(s) || !zero.Equal(zero.Clone()) || zero.Compact() != 0 {
		t.Errorf("the zero Scalable: %v", err)
	}
	if err := zero.InsertHash(1); !errors.Is(err, ErrConfig) || zero.ContainsHash(1) || zero.CountHash(1) != 0 || zero.DeleteHash(1) {
		t.Errorf("the zero Scalable: %v", err)
	}
}
