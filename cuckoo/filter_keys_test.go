package cuckoo

import (
	"strings"
	"sync"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// TestKeys_ThreeFormsAgree inserts in one form and asks in the others.
func TestKeys_ThreeFormsAgree(t *testing.T) {
	h := hashing.Metro64(1337)
	f, err := New[fingerprint.Bits16](Config{Capacity: 100, Hash: h})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 1000)
	for i, key := range []string{"", "a", "hello", "\x00\xff", long} {
		b := []byte(key)
		insert := []func() error{
			func() error { return f.Insert(b) },
			func() error { return f.InsertString(key) },
			func() error { return f.InsertHash(h.Sum64(b)) },
		}
		for form, call := range insert {
			if err := call(); err != nil {
				t.Fatal(err)
			}
			if f.Count(b) != form+1 || f.CountString(key) != form+1 || f.CountHash(h.Sum64String(key)) != form+1 {
				t.Fatalf("key %d after form %d: counts %d, %d", i, form, f.Count(b), f.CountString(key))
			}
		}
		if ok, err := f.InsertUnique(b); ok || err != nil {
			t.Errorf("key %d was added again: %v", i, err)
		}
		if ok, err := f.InsertUniqueString(key); ok || err != nil {
			t.Errorf("key %d was added again: %v", i, err)
		}
		if !f.Delete(b) || !f.DeleteString(key) || !f.DeleteHash(h.Sum64(b)) || f.Contains(b) || f.ContainsString(key) {
			t.Errorf("key %d: three copies were not deleted by three forms", i)
		}
	}
}

func TestKeys_NilAndEmptyAreOneKey(t *testing.T) {
	f, err := New[fingerprint.Bits16](Config{Capacity: 10})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Insert(nil); err != nil {
		t.Fatal(err)
	}
	if !f.Contains([]byte{}) || !f.ContainsString("") || !f.Delete([]byte{}) || f.Contains(nil) {
		t.Error("a nil key and an empty key differ")
	}
}

func TestDigestsOnly_KeyVerbsPanic(t *testing.T) {
	f, err := New[fingerprint.Bits12](Config{Capacity: 10, Hash: hashing.DigestsOnly})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.InsertHash(42); err != nil || !f.ContainsHash(42) {
		t.Fatalf("digest form: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a key was hashed by a filter of digests")
		}
	}()
	f.Contains([]byte("key"))
}

// userHash is a hash family that nest does not know.
type userHash struct{ hashing.Hasher }

func (userHash) Recipe() string { return "user" }

// TestAllocs_Zero calls every verb with keys on the caller's stack, with built-in families and a
// user's.
func TestAllocs_Zero(t *testing.T) {
	hashers := []hashing.Hasher{nil, hashing.Metro64(1), hashing.FNV1a(0), hashing.SipHash([16]byte{1})}
	if memory.HidesFree {
		hashers = append(hashers, userHash{hashing.XXH64(3)})
	}
	for _, h := range hashers {
		for n := range 2 * len(policies) {
			f, err := New[fingerprint.Bits12](Config{Buckets: 16, Hash: h, Kick: policies[n/2], MaxKicks: 20, Layout: Layout(n % 2)})
			if err != nil {
				t.Fatal(err)
			}
			n := uint64(0)
			if got := testing.AllocsPerRun(300, func() { n++; everyVerb(f, n) }); got != 0 {
				t.Errorf("%v: %v allocations in a call of every verb", f, got)
			}
		}
	}
}

// everyVerb calls every verb; the filter fills up on the way, so refused inserts are among them.
func everyVerb(f *Filter[fingerprint.Bits12], n uint64) {
	var key [16]byte
	key[0], key[9] = byte(n), byte(n>>8)
	s := "a string of 32 bytes on a stack."[n%8:]
	var hs [4]uint64
	var dst [4]bool
	for i := range hs {
		hs[i] = hashing.Mix64(n + uint64(i)<<32)
	}
	_ = f.Insert(key[:])
	_ = f.Insert([]byte(s))
	_ = f.InsertString(s)
	_ = f.InsertHash(hs[0])
	_, _ = f.InsertUnique(key[:])
	_, _ = f.InsertUniqueString(s)
	_, _ = f.InsertHashes(hs[:])
	f.ContainsHashes(hs[:], dst[:])
	f.Contains(key[:])
	f.Contains([]byte(s))
	f.ContainsString(s)
	f.Count(key[:])
	f.CountString(s)
	if n%3 == 0 {
		f.Delete(key[:])
		f.DeleteString(s)
		f.DeleteHashes(hs[:2])
	}
	if n%100 == 0 {
		f.Reset()
	}
	f.Len()
	f.LoadFactor()
	f.FalsePositiveRate()
	f.Stats()
}

// TestReaders_InParallel queries one filter with a user's hash from several goroutines; the race
// detector watches.
func TestReaders_InParallel(t *testing.T) {
	f, err := New[fingerprint.Bits12](Config{Capacity: 1100, Hash: userHash{hashing.XXH64(3)}})
	if err != nil {
		t.Fatal(err)
	}
	for k := range uint64(1000) {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.InsertString("key"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if !f.ContainsString("key") || f.Count([]byte("key")) < 1 || !f.Clone().Equal(f) {
				t.Error("the key of bytes is lost")
			}
			for k := range uint64(1000) {
				if !f.ContainsHash(hashing.Mix64(k)) || f.CountHash(hashing.Mix64(k)) < 1 {
					t.Errorf("key %d is lost", k)
				}
			}
			_ = f.FalsePositiveRate() + float64(f.Len())
		})
	}
	wg.Wait()
}
