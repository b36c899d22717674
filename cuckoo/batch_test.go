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

// randomDigests returns n digests of a seed.
func randomDigests(n int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = r.Uint64()
	}
	return hs
}

// TestBatches_AgreeWithSingleCalls compares every batch with the calls it stands for, at shapes of
// one and of several words a bucket.
func TestBatches_AgreeWithSingleCalls(t *testing.T) {
	step := uint(1)
	if testing.Short() {
		step = 5
	}
	for width := uint(1); width <= fingerprint.MaxWidth; width += step {
		for _, c := range bucketShapes {
			if c.narrow(width) {
				continue
			}
			for _, p := range []Placement{Additive, XOR, PlainXOR} {
				c.Buckets, c.Placement = 64, p
				f, g := mustNew(t, width, c), mustNew(t, width, c)
				keys := randomDigests(64*c.BucketSize*6/5, uint64(width))
				n, err := f.InsertHashes(keys)
				for i, h := range keys {
					if e := g.InsertHash(h); e != nil {
						if i != n || !errors.Is(err, ErrFull) {
							t.Fatalf("%v: the batch stopped at %d with %v, single calls at %d with %v", f, n, err, i, e)
						}
						break
					}
				}
				if !f.equal(g) || f.Len() != n {
					t.Fatalf("%v: the batch made another table, %d inserted", f, n)
				}
				probes := append(randomDigests(300, 77), keys...)
				dst := make([]bool, len(probes)+1)
				dst[len(probes)] = true
				f.ContainsHashes(probes, dst)
				for i, h := range probes {
					if dst[i] != g.ContainsHash(h) {
						t.Fatalf("%v: probe %d: %t in the batch", f, i, dst[i])
					}
				}
				if !dst[len(probes)] {
					t.Fatal("ContainsHashes wrote behind the last answer")
				}
				deleted := 0
				for _, h := range probes {
					if g.DeleteHash(h) {
						deleted++
					}
				}
				if got := f.DeleteHashes(probes); got != deleted || !f.equal(g) {
					t.Fatalf("%v: the batch deleted %d, single calls %d", f, got, deleted)
				}
			}
		}
	}
}

func TestContainsHashes_ShortDstPanics(t *testing.T) {
	f := mustNew(t, 12, Config{Buckets: 64})
	defer func() {
		if recover() == nil {
			t.Error("a destination that is too short was taken")
		}
	}()
	f.ContainsHashes(make([]uint64, 3), make([]bool, 2, 10)) // spare capacity does not count
}

// TestBuild_HoldsTheSameKeys builds filters of several sizes, with repeated digests among the keys.
func TestBuild_HoldsTheSameKeys(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 400_000} {
		if n > 1000 && testing.Short() {
			continue
		}
		for _, p := range []Placement{Additive, XOR} {
			keys := randomDigests(n, 9)
			keys = append(keys, keys[:min(n, 3)]...)
			f, err := Build[fingerprint.Bits16](Config{Capacity: len(keys) + 1, Placement: p}, keys)
			if err != nil {
				t.Fatal(err)
			}
			if f.Len() != len(keys) {
				t.Fatalf("%v: %d keys, want %d", f, f.Len(), len(keys))
			}
			for i, h := range keys {
				want := 1
				if i < 3 || i >= n {
					want = 2
				}
				if f.CountHash(h) < want {
					t.Fatalf("%v: key %d is stored %d times, want %d", f, i, f.CountHash(h), want)
				}
			}
			again, err := Build[fingerprint.Bits16](Config{Capacity: len(keys) + 1, Placement: p}, keys)
			if err != nil || !again.Equal(f) {
				t.Errorf("%v: the same digests made another table, %v", f, err)
			}
		}
	}
}

func TestBuild_Errors(t *testing.T) {
	if _, err := Build[fingerprint.Bits8](Config{}, nil); !errors.Is(err, ErrConfig) {
		t.Errorf("empty configuration: %v", err)
	}
	keys := randomDigests(100, 1)
	f, err := Build[fingerprint.Bits8](Config{Buckets: 16}, keys)
	if !errors.Is(err, ErrFull) || f != nil {
		t.Errorf("100 keys in 64 slots: %v, %v", f, err)
	}
	t.Log(err)
}

// TestInsertUnique_RefusesWhatIsThere inserts keys twice.
func TestInsertUnique_RefusesWhatIsThere(t *testing.T) {
	f, err := New[fingerprint.Bits16](Config{Capacity: 1000})
	if err != nil {
		t.Fatal(err)
	}
	added := 0
	for k := range uint64(1000) {
		ok, err := f.InsertUniqueHash(hashing.Mix64(k))
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			added++
		}
		if again, err := f.InsertUniqueHash(hashing.Mix64(k)); again || err != nil {
			t.Fatalf("key %d was added twice: %v", k, err)
		}
	}
	if added != f.Len() || added < 990 {
		t.Errorf("%d added, Len %d", added, f.Len())
	}
	small, err := New[fingerprint.Bits16](Config{Buckets: 1})
	if err != nil {
		t.Fatal(err)
	}
	for k := range uint64(5) {
		ok, err := small.InsertUniqueHash(hashing.Mix64(k))
		if k < 4 != ok || k == 4 && !errors.Is(err, ErrFull) {
			t.Errorf("key %d into a table of 4 slots: %t, %v", k, ok, err)
		}
	}
}

// TestInsertUniqueHashes_AreSingleCalls inserts digests with many repetitions, near and far, up to a refusal.
func TestInsertUniqueHashes_AreSingleCalls(t *testing.T) {
	c := Config{Capacity: 5000}
	a, err := New[fingerprint.Bits8](c)
	if err != nil {
		t.Fatal(err)
	}
	b := a.Clone()
	r := rand.New(rand.NewPCG(16, 0x5eed))
	hs := make([]uint64, 30_000)
	for i := range hs {
		hs[i] = r.Uint64()
		if i > 0 && i%3 == 0 {
			hs[i] = hs[i-1-r.IntN(min(i, 200))]
		}
	}
	for at := 0; at < len(hs); {
		part := hs[at:min(at+r.IntN(1000), len(hs))]
		added := make([]bool, len(part), len(part)+1)
		for k := range added {
			added[k] = r.IntN(2) == 0 // whatever was there
		}
		n, err := a.InsertUniqueHashes(part, added)
		for k, h := range part[:n] {
			if ok, err := b.InsertUniqueHash(h); ok != added[k] || err != nil {
				t.Fatalf("digest %d: %t in a batch, %t alone: %v", at+k, added[k], ok, err)
			}
		}
		if !a.Equal(b) || (err == nil) != (n == len(part)) {
			t.Fatalf("%v by batches, %v by single calls: %d of %d, %v", a, b, n, len(part), err)
		}
		at += n
		if err != nil {
			if k := slices.Index(added[n:], true); k >= 0 {
				t.Errorf("digest %d is said to be added, %d was refused", at+k, at)
			}
			if _, alone := b.InsertUniqueHash(hs[at]); !errors.Is(err, ErrFull) || alone == nil {
				t.Fatalf("digest %d: %v in a batch, %v alone", at, err, alone)
			}
			allocs := testing.AllocsPerRun(10, func() { _, _ = b.InsertUniqueHashes(hs[:500], make([]bool, 500)) })
			if allocs != 0 {
				t.Errorf("%v allocations in a batch", allocs)
			}
			return
		}
	}
	t.Errorf("%v was never full", a)
}

// fuzzed makes a width and a configuration of any shape, for type Any where width is 128 or more, of numbers from a fuzzer. It is not ok for
// shapes that do not come in that width.
func fuzzed(width, shape uint8, buckets uint16) (c Config, bits uint, ok bool) {
	bits = 1 + uint(width)%fingerprint.MaxWidth
	c = bucketShapes[int(shape)%len(bucketShapes)]
	c.Buckets, c.Placement = 1+int(buckets%2000), Placement(int(shape)/len(bucketShapes)%3)
	if c.narrow(bits) {
		return c, bits, false
	}
	if c.Placement.powerOfTwo() {
		c.Buckets = 1 << (buckets % 11)
	}
	if width >= 128 {
		c.FingerprintBits = int(bits)
	}
	return c, bits, true
}

// FuzzContainsHashes_AgainstSingleCalls holds the vector kernels against the verbs, which are their
// portable twin: any width, bucket size, placement, number of buckets, load and batch.
func FuzzContainsHashes_AgainstSingleCalls(f *testing.F) {
	for seed, width := range []uint8{1, 7, 12, 13, 16, 32} {
		f.Add(width, uint8(seed), uint16(100*seed), uint16(37*seed), uint64(seed))
		f.Add(width, uint8(4+5*seed), uint16(100*seed), uint16(37*seed), uint64(seed))
		f.Add(128+width, uint8(seed), uint16(100*seed), uint16(37*seed), uint64(seed))
	}
	f.Fuzz(func(t *testing.T, width, shape uint8, buckets, batch uint16, seed uint64) {
		c, bits, ok := fuzzed(width, shape, buckets)
		if !ok {
			return
		}
		g := mustNew(t, bits, c)
		keys := randomDigests(c.Buckets*c.BucketSize*3/4, seed)
		n, _ := g.InsertHashes(keys)
		probes := append(keys[:n:n], randomDigests(200, seed+1)...)
		probes = probes[:min(len(probes), int(batch%700))]
		dst := make([]bool, len(probes))
		g.ContainsHashes(probes, dst)
		for k, h := range probes {
			if dst[k] != g.ContainsHash(h) || k < n && !dst[k] {
				t.Fatalf("width %d, %v: probe %d, %#x: %v in the batch, stored: %v", bits, c, k, h, dst[k], k < n)
			}
		}
	})
}

// FuzzDeleteHashes_AgainstSingleCalls deletes keys of any filter in batches, with repetitions near and far, more often than they were
// inserted, among absent ones.
func FuzzDeleteHashes_AgainstSingleCalls(f *testing.F) {
	for seed, width := range []uint8{1, 3, 7, 12, 13, 16, 32} {
		f.Add(width, uint8(seed), uint16(100*seed), uint8(seed), uint64(seed))
		f.Add(width, uint8(4+5*seed), uint16(100*seed), uint8(40*seed), uint64(seed))
		f.Add(128+width, uint8(seed), uint16(3*seed), uint8(200), uint64(seed))
	}
	f.Fuzz(func(t *testing.T, width, shape uint8, buckets uint16, again uint8, seed uint64) {
		c, bits, ok := fuzzed(width, shape, buckets)
		if !ok {
			return
		}
		f, g := mustNew(t, bits, c), mustNew(t, bits, c)
		r := rand.New(rand.NewPCG(seed, 0x5eed))
		hs := randomDigests(c.Buckets*c.BucketSize, seed)
		for i := range hs {
			if i > 0 && r.IntN(256) < int(again) {
				hs[i] = hs[i-1-r.IntN(min(i, 20))]
			}
		}
		n, _ := f.InsertHashes(hs)
		_, _ = g.InsertHashes(hs)
		hs = append(hs[:n:n], randomDigests(n/4, seed+1)...)
		hs = append(hs, hs...)
		r.Shuffle(len(hs), func(i, j int) { hs[i], hs[j] = hs[j], hs[i] })
		for len(hs) > 0 {
			part := hs[:min(len(hs), 1+r.IntN(400))]
			hs = hs[len(part):]
			want := 0
			for _, h := range part {
				if g.DeleteHash(h) {
					want++
				}
			}
			if got := f.DeleteHashes(part); got != want || !f.equal(g) || f.Len() != g.Len() {
				t.Fatalf("width %d, %v: %d of %d deleted, one by one %d", bits, c, got, len(part), want)
			}
		}
	})
}

// TestDeleteHashes_OfALargeTable deletes from tables whose buckets are fetched ahead, one with a kernel and one without.
func TestDeleteHashes_OfALargeTable(t *testing.T) {
	for _, layout := range []Layout{Packed, PairedSlots} {
		f, err := New[fingerprint.Bits16](Config{Buckets: kick.FarTable / 8, Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		hs := randomDigests(20_000, 5)
		if _, err := f.InsertHashes(hs); err != nil {
			t.Fatal(err)
		}
		g := f.Clone()
		for _, h := range hs[:10_000] {
			g.DeleteHash(h)
		}
		if n := f.DeleteHashes(hs[:10_000]); n != 10_000 || !f.Equal(g) {
			t.Errorf("%v: %d of 10000 deleted", f, n)
		}
		if n := testing.AllocsPerRun(5, func() { f.DeleteHashes(hs[10_000:]) }); n != 0 {
			t.Errorf("%v: %v allocations", f, n)
		}
		if f.Len() != 0 {
			t.Errorf("%v: %d fingerprints are left", f, f.Len())
		}
	}
}
