package cuckoo

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/kick"
)

// TestScalable_InsertUniqueHashes adds each of the digests of a batch once, while the filter grows.
func TestScalable_InsertUniqueHashes(t *testing.T) {
	one, many := mustScalable[fingerprint.Bits16](t, ScalableConfig{Capacity: 1}), mustScalable[fingerprint.Bits16](t, ScalableConfig{Capacity: 1})
	r := rand.New(rand.NewPCG(7, 0x5eed))
	hs, added := make([]uint64, 5000), make([]bool, 5000)
	for k := range hs {
		hs[k] = hashing.Mix64(r.Uint64N(3000))
	}
	if n, err := many.InsertUniqueHashes(hs, added); n != len(hs) || err != nil {
		t.Fatal(n, err)
	}
	for k, h := range hs {
		if ok, err := one.InsertUniqueHash(h); ok != added[k] || err != nil {
			t.Fatalf("digest %d was added: %t, alone %t, %v", k, added[k], ok, err)
		}
	}
	if !one.Equal(many) {
		t.Error("one by one makes another filter")
	}
	full := mustScalable[fingerprint.Bits16](t, ScalableConfig{Capacity: 1, MaxDoublings: 1})
	for k := range added {
		added[k] = true // whatever was there
	}
	n, err := full.InsertUniqueHashes(hs, added)
	if !errors.Is(err, ErrFull) || full.Len() > n || slices.Contains(added[n:], true) {
		t.Errorf("%d, %v: %v", n, err, full)
	}
}

// TestScalable_BatchesAreSingleCalls fills filters, whose tables are so large that batches fetch buckets ahead, up to a load at which
// inserts kick and over a doubling. Batches make the same filters as single calls, and say the same.
func TestScalable_BatchesAreSingleCalls(t *testing.T) {
	batchesAreSingleCalls[fingerprint.Bits16](t, ScalableConfig{Capacity: 900_000})
	if testing.Short() {
		return
	}
	batchesAreSingleCalls[fingerprint.Bits13](t, ScalableConfig{Capacity: 1_000_000, BucketSize: 8})
	batchesAreSingleCalls[fingerprint.Bits27](t, ScalableConfig{Capacity: 900_000})
	batchesAreSingleCalls[fingerprint.Bits31](t, ScalableConfig{Capacity: 900_000})
}

func batchesAreSingleCalls[F fingerprint.Width](t *testing.T, c ScalableConfig) {
	t.Helper()
	one, many, unique := mustScalable[F](t, c), mustScalable[F](t, c), mustScalable[F](t, c)
	if one.SizeBytes() < kick.FarTable {
		t.Fatalf("%v is small", one)
	}
	r := rand.New(rand.NewPCG(8, 0x5eed))
	hs, added, found := make([]uint64, 10_007), make([]bool, 10_007), make([]bool, 10_007)
	for one.Doublings() == 0 || one.moving() {
		for k := range hs {
			if hs[k] = r.Uint64(); k%100 == 99 {
				hs[k] = hs[k-50] // a repetition within the batch
			}
		}
		many.ContainsHashes(hs, found)
		n, err := unique.InsertUniqueHashes(hs, added)
		if n != len(hs) || err != nil {
			t.Fatal(n, err)
		}
		var fresh []uint64
		for k, h := range hs {
			if found[k] != one.ContainsHash(h) && found[k] {
				t.Fatalf("%v: digest %#x is there in a batch only", one, h)
			}
			ok, err := one.InsertUniqueHash(h)
			if ok != added[k] || err != nil {
				t.Fatalf("%v: digest %#x was added in a batch: %t, alone: %t, %v", one, h, added[k], ok, err)
			}
			if ok {
				fresh = append(fresh, h)
			}
		}
		if n, err := many.InsertHashes(fresh); n != len(fresh) || err != nil {
			t.Fatal(n, err)
		}
		many.ContainsHashes(hs, found)
		for k, h := range hs {
			if !found[k] || !one.ContainsHash(h) {
				t.Fatalf("%v: digest %#x is lost", one, h)
			}
		}
	}
	if !one.Equal(many) || !one.Equal(unique) || one.Stats() != many.Stats() || one.Stats() != unique.Stats() {
		t.Errorf("%v and %v and %v differ", one, many, unique)
	}
}
