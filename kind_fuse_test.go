package nest_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom/fuse"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// mustBuild builds a filter of the digests of n integers.
func mustBuild(t testing.TB, s nest.Spec, n int) (nest.Filter, []uint64) {
	t.Helper()
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = hashing.Mix64(uint64(i))
	}
	f, err := nest.Build(s, hs)
	if err != nil {
		t.Fatal(err)
	}
	return f, hs
}

// TestBuild_HoldsTheDigests: of every kind, sized by what is built or by the Spec.
func TestBuild_HoldsTheDigests(t *testing.T) {
	const n = 1000
	for _, kind := range nest.Kinds() {
		for _, s := range []nest.Spec{
			{Kind: kind, FalsePositiveRate: .01}, {Kind: kind, FalsePositiveRate: .01, Capacity: 2 * n,
				Hash: "xxh3:4"}, {Kind: kind, BitsPerItem: 24},
		} {
			if kind == nest.Scalable && s.BitsPerItem != 0 {
				continue
			}
			f, hs := mustBuild(t, s, n)
			shared := 0 // keys of one class, which count once where they are only remembered
			if kind == nest.Window {
				shared = n - f.Len()
			}
			if f.Len()+shared != n || shared > 9 || s.BitsPerItem == 0 && f.ScanStats().FalsePositiveRate > .0105 {
				t.Errorf("%v: %+v", f, f.ScanStats())
			}
			for _, h := range hs {
				if !f.ContainsHash(h) {
					t.Fatalf("%v: a key is lost", f)
				}
			}
			if again, err := nest.Build(f.Spec(), hs); err != nil || again.Len() != n-shared {
				t.Errorf("built again from %v: %v", f.Spec(), err)
			}
		}
	}
	if f, err := nest.Build(nest.Spec{Kind: nest.Cuckoo, Slots: 8, FingerprintBits: 8}, make([]uint64,
		9)); !errors.Is(err, nest.ErrFull) || f != nil {
		t.Error(f, err)
	}
	if f, err := nest.Build(nest.Spec{Kind: nest.Fuse, FingerprintBits: 8, Hash: "siphash"}, nil); !errors.Is(err,
		nest.ErrConfig) || f != nil {
		t.Error("digests under a key that was not drawn yet:", f, err)
	}
	if f, err := nest.Build(nest.Spec{Kind: nest.Fuse}, nil); !errors.Is(err, nest.ErrConfig) || f != nil {
		t.Error(f, err)
	}
}

// TestFuse_TakesNoKeys: New is refused, inserts are, a Merge is, and then the filter is as it was.
func TestFuse_TakesNoKeys(t *testing.T) {
	s := nest.Spec{Kind: nest.Fuse, FingerprintBits: 9, Segments: 3}
	s.Capacity = 100
	if f, err := nest.New(s); !errors.Is(err, nest.ErrConfig) || f != nil ||
		!strings.Contains(err.Error(), "call Build") {
		t.Error(f, err)
	}
	f, hs := mustBuild(t, s, 100)
	before, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	n, err1 := f.InsertHashes(hs)
	ok, err2 := f.InsertUnique([]byte("key"))
	also, err3 := f.InsertUniqueHash(1)
	too, err4 := f.InsertUniqueString("key")
	for _, err := range []error{f.Insert(nil), f.InsertString("key"), f.InsertHash(1), err1, err2, err3, err4} {
		if !errors.Is(err, nest.ErrFull) || !strings.Contains(err.Error(), "Build another") {
			t.Error(err)
		}
	}
	none, err := f.InsertHashes(nil)
	if n != 0 || ok || also || too || none != 0 || err != nil {
		t.Error(n, ok, also, too, none, err)
	}
	for _, other := range []nest.Filter{nil, f, f.Clone(), mustNew(t, nest.Spec{Kind: nest.Bloom, Slots: 99,
		Hashes: 3})} {
		if err := f.Merge(other); !errors.Is(err, nest.ErrMismatch) {
			t.Error(err)
		}
	}
	if b, err := f.MarshalBinary(); err != nil || string(b) != string(before) {
		t.Error("a refused call has changed the filter", err)
	}
	if _, ok := f.(nest.Counter); ok {
		t.Error("a fuse filter counts")
	}
}

// TestFuse_FileSpecAndReset: a file opens as what it was, and Reset leaves a clone alone.
func TestFuse_FileSpecAndReset(t *testing.T) {
	f, hs := mustBuild(t, nest.Spec{Kind: nest.Fuse, FalsePositiveRate: .001, Hash: "xxh3:7"}, 1000)
	s := f.Spec()
	b, err := f.MarshalBinary()
	if err != nil || s.FingerprintBits != 10 || s.Segments != 4 || s.Slots != f.Slots() || s.Hash != "xxh3:7" {
		t.Fatal(s, err)
	}
	opened, err1 := nest.Open(b)
	v, err2 := nest.OpenView(b)
	if err1 != nil || err2 != nil || opened.Spec() != s || v.Spec() != s || opened.ScanStats() != f.ScanStats() ||
		v.ScanStats() != f.ScanStats() {
		t.Fatal(opened, v, err1, err2)
	}
	typed, ok := opened.Unwrap().(*fuse.Filter[fingerprint.Any])
	if _, viewed := v.Unwrap().(*fuse.View[fingerprint.Any]); !ok || !viewed || typed.Len() != 1000 {
		t.Errorf("%T, %T", opened.Unwrap(), v.Unwrap())
	}
	g := f.Clone()
	g.Reset()
	if g.Len() != 0 || g.ContainsHash(hs[0]) || g.Spec().Slots != g.Slots() || !f.ContainsHash(hs[0]) ||
		g.ScanStats().FalsePositiveRate != 0 {
		t.Errorf("after Reset %v, %v", g, g.Spec())
	}
	if err := g.UnmarshalBinary(b); err != nil || g.Spec() != s || !g.ContainsHash(hs[0]) {
		t.Error(g, err)
	}
}

// TestFuse_PlansAndProblems: a plan has the size that is built, Best never takes one, and what is wrong is said.
func TestFuse_PlansAndProblems(t *testing.T) {
	for _, s := range []nest.Spec{
		{FingerprintBits: 8, Capacity: 5000}, {FalsePositiveRate: 1e-4, Capacity: 5000}, {BitsPerItem: 12,
			Capacity: 5000, Segments: 3},
	} {
		s.Kind = nest.Fuse
		plans, err := nest.Plans(s)
		if err != nil || len(plans) != 1 {
			t.Fatal(plans, err)
		}
		f, _ := mustBuild(t, s, 5000)
		p := plans[0]
		if p.Spec != f.Spec() || p.SizeBytes != f.SizeBytes() ||
			p.FalsePositiveRate != f.ScanStats().FalsePositiveRate || p.LinesHit != p.Spec.Segments {
			t.Errorf("%+v, and %v", p, f.Spec())
		}
		if again, err := nest.Plans(p.Spec); err != nil || again[0].SizeBytes != p.SizeBytes ||
			again[0].FalsePositiveRate != 0 {
			t.Error(again, err)
		}
	}
	best, err := nest.Plans(nest.Spec{Capacity: 1e6, FalsePositiveRate: .004})
	for _, p := range best {
		if err != nil || p.Spec.Kind == nest.Fuse {
			t.Error(p, err)
		}
	}
	for _, x := range []struct {
		s    nest.Spec
		want error
		text string
	}{
		{nest.Spec{MustDelete: true, FingerprintBits: 8, Capacity: 9}, nest.ErrConfig, "cannot delete"},
		{nest.Spec{Concurrent: true, FingerprintBits: 8, Capacity: 9}, nest.ErrConfig, "not for goroutines"},
		{nest.Spec{Segments: 5, FingerprintBits: 8, Capacity: 9}, nest.ErrConfig, "Segments is 5, want 3 or 4"},
		{nest.Spec{Slots: 99}, nest.ErrConfig, "FingerprintBits is 0"},
		{nest.Spec{FalsePositiveRate: 1e-12, Capacity: 9}, nest.ErrConfig, "FalsePositiveRate is 1e-12"},
		{nest.Spec{FingerprintBits: 8, Capacity: math.MaxInt}, nest.ErrTooLarge, "8 bits"},
		{nest.Spec{FingerprintBits: 8, Slots: math.MaxInt}, nest.ErrTooLarge, "Slots is"},
		{nest.Spec{FingerprintBits: 8, Slots: 1000, MaxBytes: 100}, nest.ErrTooLarge, "MaxBytes 100"},
	} {
		x.s.Kind = nest.Fuse
		if _, err := nest.Plans(x.s); !errors.Is(err, x.want) || !strings.Contains(err.Error(), x.text) {
			t.Errorf("%v: %v, want %q", x.s, err, x.text)
		}
	}
	if err := (nest.Spec{Kind: nest.Cuckoo, Segments: 3, Capacity: 9,
		FingerprintBits: 8}).Validate(); !errors.Is(err, nest.ErrConfig) {
		t.Error("a cuckoo filter has segments:", err)
	}
}
