package cuckoo

import (
	"errors"
	"runtime"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// farBuckets make a table of 12 bits and b = 4 that Build fills piece by piece: 27 pieces, and a
// part of another.
const farBuckets = 450_000

// TestBuild_LosesNothing builds large tables to 95% and looks for every key; a second build with
// another number of processors must be the same, byte by byte.
func TestBuild_LosesNothing(t *testing.T) {
	for _, c := range []Config{
		{Buckets: farBuckets},
		{Buckets: 1 << 19, Placement: XOR},
		{Buckets: farBuckets, Layout: SemiSorted},
		{Buckets: farBuckets, Layout: PairedSlots}, {Buckets: 1 << 18, BucketSize: 8, Layout: PairedSlots, Placement: XOR},
	} {
		if testing.Short() && (c.Layout != Packed || c.Placement != Additive) {
			continue // package kick has small ones
		}
		hs := randomDigests(c.Buckets*max(c.BucketSize, 4)*94/100, 1)
		f, err := Build[fingerprint.Bits12](c, hs)
		if err != nil {
			t.Fatalf("%v: %v", c, err)
		}
		if f.SizeBytes() < kick.FarTable {
			t.Fatalf("%v: a table of %d bytes tests nothing", c, f.SizeBytes())
		}
		if f.Len() != len(hs) {
			t.Errorf("%v: Len is %d, want %d", c, f.Len(), len(hs))
		}
		found := make([]bool, len(hs))
		f.ContainsHashes(hs, found)
		for k, ok := range found {
			if !ok || !f.ContainsHash(hs[k]) {
				t.Fatalf("%v: key %d is lost: batch %v", c, k, ok)
			}
		}
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
		g, err := Build[fingerprint.Bits12](c, hs)
		if err != nil || !f.Equal(g) || f.Stats() != g.Stats() {
			t.Errorf("%v: three processors made another table, error %v", c, err)
		}
		for _, h := range hs {
			if !f.DeleteHash(h) {
				t.Fatalf("%v: digest %#x cannot be deleted", c, h)
			}
		}
		if f.Len() != 0 || f.LoadFactor() != 0 {
			t.Errorf("%v: Len is %d after all keys were deleted", c, f.Len())
		}
	}
}

// TestBuild_FarTableRefuses asks a large table for more keys than it has slots, and for a copy too many.
func TestBuild_FarTableRefuses(t *testing.T) {
	hs := randomDigests(farBuckets*4+1, 2)
	if f, err := Build[fingerprint.Bits12](Config{Buckets: farBuckets}, hs); f != nil || !errors.Is(err, ErrFull) {
		t.Errorf("%d digests: %v, %v, want ErrFull", len(hs), f, err)
	}
	copies := randomDigests(1000, 3)
	for range 8 {
		copies = append(copies, copies[7])
	}
	if f, err := Build[fingerprint.Bits12](Config{Buckets: farBuckets}, copies); f != nil || !errors.Is(err, ErrFull) {
		t.Errorf("nine copies: %v, %v, want ErrFull", f, err)
	}
}

// TestInsertHashes_FarTableStopsInOrder fills a large table until it refuses: the digests before the
// refusal are in, and the table is that of inserts one by one.
func TestInsertHashes_FarTableStopsInOrder(t *testing.T) {
	c := Config{Buckets: farBuckets, MaxKicks: 1}
	hs := randomDigests(farBuckets*4, 4)
	f, g := mustNew(t, 12, c), mustNew(t, 12, c)
	n, err := f.InsertHashes(hs)
	if !errors.Is(err, ErrFull) || f.Len() != n {
		t.Fatalf("%d inserted, Len %d, error %v", n, f.Len(), err)
	}
	for _, h := range hs[:n] {
		if err := g.InsertHash(h); err != nil {
			t.Fatal(err)
		}
	}
	if !f.equal(g) {
		t.Error("the batch made another table than inserts one by one")
	}
}
