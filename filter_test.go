package nest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// goodSpecs returns specs of every kind, every width, and every way to size a filter of n keys.
func goodSpecs(n int) []nest.Spec {
	specs := []nest.Spec{
		{Capacity: n, FalsePositiveRate: .01},
		{Kind: nest.Best, Capacity: n, FalsePositiveRate: .001, MustDelete: true},
		{Capacity: n, BitsPerItem: 14},
		{}, {FalsePositiveRate: .01}, {MustDelete: true},
		{Kind: nest.Best, FalsePositiveRate: 1e-6, Layout: cuckoo.SemiSorted, Hash: "metro64:7"},
		{Kind: nest.Scalable, FingerprintBits: 12, Kick: "random-walk", Seed: 7, BucketSize: 8, MaxKicks: 99},
		{Kind: nest.Scalable, Capacity: n, FalsePositiveRate: .001, MaxDoublings: 9, MaxBytes: 1 << 20},
		{Kind: nest.Scalable, Capacity: 1, FalsePositiveRate: .01, FingerprintBits: 20, Hash: ownHash.Recipe()},
		{Kind: nest.Cuckoo, Capacity: n, BitsPerItem: 14, Placement: cuckoo.XOR},
		{Capacity: n, FalsePositiveRate: .0001, Layout: cuckoo.SemiSorted},
		{Kind: nest.Cuckoo, Capacity: n, FalsePositiveRate: .001, Layout: cuckoo.PairedSlots},
		{Kind: nest.Cuckoo, Capacity: n, FalsePositiveRate: .001, Layout: cuckoo.Words},
		{Kind: nest.ConcurrentCuckoo, Capacity: n, FalsePositiveRate: .001},
		{Kind: nest.ConcurrentCuckoo, Slots: 5 * n, FingerprintBits: 12, Placement: cuckoo.Additive, Concurrent: true},
		{Kind: nest.ConcurrentBloom, Capacity: n, FalsePositiveRate: .001},
		{Capacity: n, FalsePositiveRate: .01, MustDelete: true, Concurrent: true},
		{Capacity: n, FalsePositiveRate: .05, Concurrent: true},
		{Kind: nest.Cuckoo, Capacity: n, FalsePositiveRate: .01, Layout: cuckoo.SemiSorted},
		{Kind: nest.Cuckoo, Slots: 4 * n, FingerprintBits: 13, Layout: cuckoo.SemiSorted, Kick: "random-walk", Seed: 5},
		{Kind: nest.Cuckoo, Slots: 2 * n, FingerprintBits: 9, BucketSize: 2, Kick: "random-walk", MaxKicks: 99,
			Seed: 5},
		{Kind: nest.Cuckoo, Capacity: n, FalsePositiveRate: .01, Kick: "round-robin", MaxBytes: 1 << 20,
			Hash: "maphash"},
		{Kind: nest.Counting, Capacity: n, FalsePositiveRate: .02, CounterBits: 8, MustDelete: true,
			Hash: "metro64:1337"},
		{Kind: nest.Counting, Capacity: n, BitsPerItem: 40},
		{Kind: nest.Counting, Slots: 8 * n, Hashes: 3, CounterBits: 16},
		{Kind: nest.DLeft, Capacity: n, FalsePositiveRate: .02, CounterBits: 1, MustDelete: true, Hash: "metro64:1337"},
		{Kind: nest.DLeft, Capacity: n, BitsPerItem: 21},
		{Kind: nest.DLeft, Capacity: n, FingerprintBits: 32, CounterBits: 16},
		{Kind: nest.DLeft, Slots: 16 * n, FingerprintBits: 9, CounterBits: 3},
		{Kind: nest.Window, Capacity: n, FalsePositiveRate: .01, Window: time.Hour},
		{Kind: nest.Window, Keys: n, FingerprintBits: 13},
		{Kind: nest.Window, Capacity: n, BitsPerItem: 22, BucketSize: 8},
		{Kind: nest.Window, Slots: 4 * n, FingerprintBits: 9, Generations: 2},
		{Kind: nest.SplitBlock, Capacity: n, BitsPerItem: 12},
		{Kind: nest.Bloom, Capacity: n, FalsePositiveRate: .02, Hash: ownHash.Recipe()},
		{Kind: nest.Bloom, Capacity: n, BitsPerItem: 9.5},
		{Kind: nest.Bloom, Slots: 8*n + 3, Hashes: 4, Hash: "fnv1a"},
		{Kind: nest.BlockedBloom, Capacity: n, FalsePositiveRate: .02, MaxBytes: 1 << 20},
		{Kind: nest.BlockedBloom, Capacity: n, BitsPerItem: 12},
		{Kind: nest.BlockedBloom, Slots: 8*n + 3, Hashes: 4},
	}
	for _, b := range []int{1, 2, 4, 8} {
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, Slots: 4 * n, FingerprintBits: 12, BucketSize: b})
	}
	for width := 1; width <= fingerprint.MaxWidth; width++ {
		specs = append(specs, nest.Spec{Kind: nest.Cuckoo, Capacity: n, FingerprintBits: width})
	}
	return specs
}

// ownHash is one that no name describes.
var ownHash = hashing.SipHash([16]byte{1, 2, 3})

// mustNew returns a filter of the spec, which may name ownHash.
func mustNew(t testing.TB, s nest.Spec, known ...hashing.Hasher) nest.Filter {
	t.Helper()
	if s.Hash == ownHash.Recipe() {
		known = append(known, ownHash)
	}
	f, err := nest.New(s, known...)
	if s.Kind == nest.Fuse {
		f, err = nest.Build(s, nil, known...)
	}
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return f
}

// TestNew_EveryKind runs every verb of every filter against counts of its own.
func TestNew_EveryKind(t *testing.T) {
	const n = 1000
	for _, s := range goodSpecs(n) {
		t.Run(s.String(), func(t *testing.T) {
			f := mustNew(t, s)
			insertAll(t, f, s.FingerprintBits)
			checkQueries(t, f)
			checkCopy(t, f)
			if d, ok := f.(nest.Deleter); ok {
				checkDeletes(t, d)
			}
			f.Reset()
			if f.ScanStats() != (nest.Stats{Slots: f.Slots(), SizeBytes: f.SizeBytes()}) {
				t.Errorf("after Reset: %v", f)
			}
		})
	}
}

// The keys of one test: so few that tables of 1-bit fingerprints take them.
const (
	byteKey, textKey, uniqueKey, uniqueText = "bytes", "text", "unique bytes", "unique text"

	lastDigest = 7
)

// insertAll inserts one key by each verb. Filters of narrow fingerprints may refuse keys as repeated.
func insertAll(t *testing.T, f nest.Filter, width int) {
	t.Helper()
	digest := func(k uint64) uint64 { return hashing.Mix64(k) }
	failed := errors.Join(f.Insert([]byte(byteKey)), f.InsertString(textKey), f.InsertHash(digest(0)))
	added, err := f.InsertHashes([]uint64{digest(1), digest(2)})
	failed = errors.Join(failed, err)
	want := 3 + added
	for i, insert := range []func() (bool, error){
		func() (bool, error) { return f.InsertUnique([]byte(uniqueKey)) },
		func() (bool, error) { return f.InsertUniqueString(uniqueText) },
		func() (bool, error) { return f.InsertUniqueHash(digest(lastDigest)) },
	} {
		ok, err := insert()
		failed = errors.Join(failed, err)
		if ok {
			want++
		} else if width > 8 || width == 0 {
			t.Errorf("unique insert %d was refused", i)
		}
		if again, err := insert(); again || err != nil {
			t.Errorf("unique insert %d again: %v, %v", i, again, err)
		}
	}
	if failed != nil || added != 2 || f.Len() != want {
		t.Errorf("inserts: %v, %d of 2 digests, Len %d, want %d", failed, added, f.Len(), want)
	}
}

// checkQueries asks for what insertAll inserted, in every form.
func checkQueries(t *testing.T, f nest.Filter) {
	t.Helper()
	d := f.Digester()
	for _, key := range []string{byteKey, textKey, uniqueKey, uniqueText} {
		if !f.Contains([]byte(key)) || !f.ContainsString(key) || !f.ContainsHash(d.Sum64String(key)) {
			t.Errorf("%q is lost", key)
		}
	}
	hs := []uint64{hashing.Mix64(0), hashing.Mix64(1), hashing.Mix64(2), hashing.Mix64(lastDigest), hashing.Mix64(99)}
	found := make([]bool, len(hs))
	f.ContainsHashes(hs, found)
	if slices.Contains(found[:4], false) || found[4] != f.ContainsHash(hs[4]) {
		t.Errorf("ContainsHashes: %v", found)
	}
	s := f.ScanStats()
	if s.SizeBytes <= 0 || !grows(f) && s.Slots != f.Spec().Slots || s.LoadFactor <= 0 || s.FalsePositiveRate <= 0 ||
		f.String() == "" {
		t.Errorf("%v: %+v", f, s)
	}
	if s.Len != f.Len() || s.Slots != f.Slots() || s.SizeBytes != f.SizeBytes() {
		t.Errorf("%v: %+v, and Len %d, Slots %d, SizeBytes %d", f, s, f.Len(), f.Slots(), f.SizeBytes())
	}
	var load, rate float64 // as the concrete filter tells them
	switch own := f.Unwrap().(type) {
	case interface{ ScanStats() bloom.Stats }:
		load, rate = own.ScanStats().LoadFactor, own.ScanStats().FalsePositiveRate
	case interface{ ScanStats() counting.Stats }:
		load, rate = own.ScanStats().LoadFactor, own.ScanStats().FalsePositiveRate
	case interface {
		LoadFactor() float64
		FalsePositiveRate() float64
	}:
		load, rate = own.LoadFactor(), own.FalsePositiveRate()
	}
	if s.LoadFactor != load || s.FalsePositiveRate != rate {
		t.Errorf("%v: %+v, and %T has load %v and rate %v", f, s, f.Unwrap(), load, rate)
	}
}

// grows tells whether a filter has no fixed size.
func grows(f nest.Filter) bool {
	_, yes := f.(nest.Grower)
	return yes
}

// equal compares two filters by the Equal of their type.
func equal(a, b nest.Filter) bool {
	equal := reflect.ValueOf(a.Unwrap()).MethodByName("Equal")
	return equal.Call([]reflect.Value{reflect.ValueOf(b.Unwrap())})[0].Bool()
}

// checkCopy holds that New of the resolved Spec, directly and through JSON, makes an empty filter
// that equals a cleared copy and takes in the original.
func checkCopy(t *testing.T, f nest.Filter) {
	t.Helper()
	empty := f.Clone()
	empty.Reset()
	if f.Len() == 0 || empty.Spec() != f.Spec() {
		t.Errorf("clone: Len %d, spec %v, want %v", f.Len(), empty.Spec(), f.Spec())
	}
	data, err := json.Marshal(f.Spec())
	if err != nil {
		t.Fatal(err)
	}
	var read nest.Spec
	if err := json.Unmarshal(data, &read); err != nil || read != f.Spec() {
		t.Errorf("JSON %s: %v, %v", data, read, err)
	}
	d := f.Digester()
	g := mustNew(t, read, d.Hasher())
	if !equal(g, empty) || g.Spec() != f.Spec() {
		t.Errorf("New of %v made %v, want %v", read, g, empty)
	}
	if err := g.Merge(f); err != nil || g.Len() != f.Len() || !g.Contains([]byte(byteKey)) {
		t.Errorf("merge into %v: %v", g, err)
	}
}

// checkDeletes deletes what insertAll inserted.
func checkDeletes(t *testing.T, f nest.Deleter) {
	t.Helper()
	c := f.(nest.Counter)
	d := f.Digester()
	if n := c.Count([]byte(byteKey)); n < 1 || c.CountString(byteKey) != n || c.CountHash(d.Sum64String(byteKey)) != n {
		t.Errorf("Count is %d", n)
	}
	before := f.Len()
	ok := f.Delete([]byte(byteKey)) && f.DeleteString(textKey) && f.DeleteHash(d.Sum64String(uniqueKey))
	n := f.DeleteHashes([]uint64{hashing.Mix64(0), hashing.Mix64(1)})
	if !ok || n != 2 || f.Len() != before-5 {
		t.Errorf("deletes: %v, %d of 2, Len %d, was %d", ok, n, f.Len(), before)
	}
}

// TestNew_SameAsTyped holds that the front sizes filters as their own packages do.
func TestNew_SameAsTyped(t *testing.T) {
	for _, n := range []int{1, 10, 1000, 100_000} {
		for _, rate := range []float64{.3, .01, .0001} {
			tables := map[nest.Kind]any{}
			var err [7]error
			tables[nest.Bloom], err[0] = bloom.New(bloom.Config{Capacity: n, FalsePositiveRate: rate})
			tables[nest.BlockedBloom], err[1] = bloom.NewBlocked(bloom.Config{Capacity: n, FalsePositiveRate: rate})
			tables[nest.Counting], err[2] = counting.New(counting.Config{Capacity: n, FalsePositiveRate: rate})
			tables[nest.Cuckoo], err[3] = cuckoo.New[fingerprint.Any](cuckoo.Config{Capacity: n, FingerprintBits: 12})
			tables[nest.SplitBlock], err[4] = bloom.NewSplitBlock(bloom.Config{Capacity: n, FalsePositiveRate: rate})
			tables[nest.DLeft], err[5] = counting.NewDLeft(counting.DLeftConfig{Capacity: n, FalsePositiveRate: rate})
			tables[nest.Scalable], err[6] = cuckoo.NewScalable[fingerprint.Any](cuckoo.ScalableConfig{Capacity: n,
				FingerprintBits: 12})
			if err := errors.Join(err[:]...); err != nil {
				t.Fatal(err)
			}
			for kind, want := range tables {
				spec := nest.Spec{Kind: kind, Capacity: n, FalsePositiveRate: rate}
				if kind == nest.Cuckoo || kind == nest.Scalable {
					spec.FalsePositiveRate, spec.FingerprintBits = 0, 12
				}
				f := mustNew(t, spec)
				if got := f.Unwrap(); !reflect.DeepEqual(got, want) &&
					fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
					t.Errorf("n=%d rate=%v: %v, want %v", n, rate, got, want)
				}
			}
		}
	}
}

func TestMerge_Mismatch(t *testing.T) {
	specs := []nest.Spec{
		{Kind: nest.Bloom, Slots: 512, Hashes: 3},
		{Kind: nest.Bloom, Slots: 512, Hashes: 4},
		{Kind: nest.BlockedBloom, Slots: 512, Hashes: 3},
		{Kind: nest.SplitBlock, Slots: 512, Hashes: 8},
		{Kind: nest.Counting, Slots: 512, Hashes: 3},
		{Kind: nest.DLeft, Slots: 512, FingerprintBits: 12},
		{Kind: nest.DLeft, Slots: 512, FingerprintBits: 12, CounterBits: 4},
		{Kind: nest.Cuckoo, Slots: 512, FingerprintBits: 12},
		{Kind: nest.Cuckoo, Slots: 512, FingerprintBits: 13},
		{Kind: nest.Cuckoo, Slots: 512, FingerprintBits: 13, Hash: "xxh64:1"},
		{Kind: nest.Scalable, FingerprintBits: 12},
		{Kind: nest.Scalable, FingerprintBits: 13},
		{Kind: nest.Scalable, FingerprintBits: 13, Hash: "xxh64:1"},
	}
	for i, a := range specs {
		for j, b := range specs {
			f, g := mustNew(t, a), mustNew(t, b)
			_ = g.InsertString("key")
			err := f.Merge(g)
			if i == j && err != nil || i != j && (!errors.Is(err, nest.ErrMismatch) || f.Len() != 0) {
				t.Errorf("%v and %v: %v", a, b, err)
			}
		}
	}
}

// TestGrower_GrowsAndShrinks takes the filter of whoever knows nothing through a thousand times its first size and
// back.
func TestGrower_GrowsAndShrinks(t *testing.T) {
	f := mustNew(t, nest.Spec{FalsePositiveRate: .001}).(nest.Grower)
	first, keys := f.SizeBytes(), uint64(200_000)
	if testing.Short() {
		keys = 20_000
	}
	for k := range keys {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			t.Fatal(err)
		}
	}
	if f.Doublings() < 4 || f.ScanStats().FalsePositiveRate > .001 {
		t.Errorf("%v: rate %v", f, f.ScanStats().FalsePositiveRate)
	}
	for k := range keys - 9 {
		if !f.(nest.Deleter).DeleteHash(hashing.Mix64(k)) {
			t.Fatalf("key %d is lost", k)
		}
	}
	before := f.SizeBytes()
	if freed := f.Compact(); f.SizeBytes() != before-freed || f.SizeBytes() != first || f.Doublings() != 0 {
		t.Errorf("%v: %d bytes of %d freed, began with %d", f, freed, before, first)
	}
	for k := keys - 9; k < keys; k++ {
		if !f.ContainsHash(hashing.Mix64(k)) {
			t.Errorf("key %d is lost", k)
		}
	}
}

func TestMerge_Nil(t *testing.T) {
	f := mustNew(t, nest.Spec{Kind: nest.Bloom, Slots: 512, Hashes: 3})
	if err := f.Merge(nil); !errors.Is(err, nest.ErrMismatch) {
		t.Errorf("a filter took in nothing: %v", err)
	}
}

// TestInsert_Full fills the smallest tables of the kinds that can be full.
func TestInsert_Full(t *testing.T) {
	for _, s := range []nest.Spec{
		{Kind: nest.Cuckoo, Slots: 8, FingerprintBits: 8},
		{Kind: nest.DLeft, Slots: 16, FingerprintBits: 8},
	} {
		f := mustNew(t, s)
		hs := make([]uint64, 40)
		for i := range hs {
			hs[i] = hashing.Mix64(uint64(i))
		}
		n, err := f.InsertHashes(hs)
		if !errors.Is(err, nest.ErrFull) || n != f.Len() || n > 2*s.Slots {
			t.Errorf("%v: %d digests: %v", f, n, err)
		}
		other := mustNew(t, s)
		added := 0
		for _, h := range hs[n:] {
			if other.InsertHash(h) == nil {
				added++
			}
		}
		if err := other.Merge(f); !errors.Is(err, nest.ErrFull) || other.Len() != added {
			t.Errorf("%v: merge: %v, Len %d, want %d", f, err, other.Len(), added)
		}
	}
}

func TestNew_Secrets(t *testing.T) {
	key, other := hashing.SipHash([16]byte{9}), hashing.SipHash([16]byte{8})
	s := nest.Spec{Kind: nest.Bloom, Capacity: 100, FalsePositiveRate: .1}
	f := mustNew(t, s, nil, key, other) // an empty Hash is the first that is given
	var read nest.Spec
	if err := read.Set(f.Spec().String()); err != nil || read != f.Spec() || read.Hash != key.Recipe() {
		t.Fatalf("%v, %v", read, err)
	}
	if _, err := nest.New(read); !errors.Is(err, hashing.ErrNotRebuildable) || !errors.Is(err, nest.ErrConfig) {
		t.Errorf("without the key: %v", err)
	}
	if _, err := nest.New(read, other); !errors.Is(err, nest.ErrConfig) {
		t.Errorf("with another key: %v", err)
	}
	if _, err := nest.Plans(read, other); !errors.Is(err, nest.ErrConfig) || read.Validate(other) == nil ||
		read.Validate(key) != nil {
		t.Errorf("planned with another key: %v", err)
	}
	if g, err := nest.New(read, other, key); err != nil || g.Spec() != f.Spec() {
		t.Errorf("with the key: %v, %v", g, err)
	}
	s.Hash = "metro64"
	if g, err := nest.New(s, key); err != nil || g.Spec().Hash != "metro64:0" {
		t.Errorf("a key that Hash does not ask for: %v, %v", g, err)
	}
}

// TestNew_DrawsSipHashKey asks for siphash by its name alone: each filter has a key of its own, which its Digester
// gives back, no text shows, and without which its file is not opened.
func TestNew_DrawsSipHashKey(t *testing.T) {
	keyOf := func(f nest.Filter) [16]byte {
		d := f.Digester()
		return d.Hasher().(hashing.Keyed).Key()
	}
	for _, kind := range nest.Kinds() {
		if kind == nest.Fuse {
			continue // no digest is made before the key is drawn
		}
		var s nest.Spec
		if err := s.Set("hash=siphash/capacity=100/fpr=0.01/kind=" + string(kind)); err != nil {
			t.Fatal(err)
		}
		f, other := mustNew(t, s), mustNew(t, s)
		key := keyOf(f)
		if key == keyOf(other) || !errors.Is(f.Merge(other), nest.ErrMismatch) {
			t.Errorf("%s: two filters of one key", kind)
		}
		if plans, err := nest.Plans(s); err != nil || plans[0].Spec.Hash != "siphash" {
			t.Errorf("%s: planned under %v: %v", kind, plans, err)
		}
		if err := f.InsertString("a"); err != nil {
			t.Fatal(err)
		}
		if d := f.Digester(); !f.ContainsHash(hashing.SipHash(key).Sum64String("a")) ||
			d.Sum64String("a") != hashing.SipHash(key).Sum64String("a") {
			t.Errorf("%s: the key is not that of the filter", kind)
		}
		again := mustNew(t, f.Spec(), hashing.SipHash(key))
		if err := again.Merge(f); err != nil || again.Spec() != f.Spec() {
			t.Errorf("%s: a filter of the Spec: %v", kind, err)
		}
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		for known, want := range map[hashing.Hasher]error{nil: nest.ErrMismatch, secret.SipHash(): nest.ErrMismatch,
			hashing.SipHash(key): nil} {
			_, err := nest.Open(b, known)
			_, viewErr := nest.OpenView(b, known)
			if !errors.Is(err, want) || !errors.Is(viewErr, want) {
				t.Errorf("%s: opened with %v: %v, %v", kind, known, err, viewErr)
			}
		}
		js, err := json.Marshal(f.Spec())
		for _, text := range []string{string(b), string(js), f.Spec().String(), fmt.Sprintf("%+v %#v", f.Spec(), f)} {
			if err != nil || strings.Contains(text, string(key[:])) || strings.Contains(text, fmt.Sprintf("%x", key)) {
				t.Errorf("%s: the key shows: %v", kind, err)
			}
		}
		// With the key from elsewhere a Spec says siphash, or the recipe that a file says.
		for _, hash := range []string{"", "siphash", f.Spec().Hash} {
			s.Hash = hash
			if g, err := nest.New(s, hashing.SipHash(key)); err != nil || g.Spec() != f.Spec() {
				t.Errorf("%s: Hash %q with the key: %v", kind, hash, err)
			}
		}
	}
}
