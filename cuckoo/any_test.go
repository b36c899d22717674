package cuckoo

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// That a filter of fingerprint.Any makes the tables and gives the answers of one whose width is a type is held
// where every width is visited: TestGolden_V1, TestOps_EveryShape, TestWorlds_Exhaustive and the fuzz targets.

// sameFile holds two filters to be the same file.
func sameFile(t *testing.T, got, want verbs) {
	t.Helper()
	a, err := got.MarshalBinary()
	b, other := want.MarshalBinary()
	if err := errors.Join(err, other); err != nil || !bytes.Equal(a, b) {
		t.Fatalf("%v and %v are other files: %v\n%x\n%x", got, want, err, a, b)
	}
}

// TestAny_EveryWidthAndBucket stores filters of every width and kind of bucket and reads them as filters and views
// of type Any, which answer and go on as those of the width's own type do.
func TestAny_EveryWidthAndBucket(t *testing.T) {
	for width := uint(1); width <= fingerprint.MaxWidth; width++ {
		for _, c := range bucketShapes {
			if c.narrow(width) {
				continue
			}
			c.Buckets = 33
			f := mustNew(t, width, c)
			r := rand.New(rand.NewPCG(uint64(width), 3))
			probes := make([]uint64, 300)
			for k := range probes {
				if probes[k] = r.Uint64(); k < f.Slots()/2 {
					_ = f.InsertHash(probes[k]) // few fingerprints end early
				}
			}
			b, err := f.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			g, err := Decode[fingerprint.Any](b)
			if err != nil {
				t.Fatalf("%v: %v", f, err)
			}
			checkAny(t, g, f, b, probes)
		}
	}
}

// checkAny holds g, which was read from b, to be f of type Any.
func checkAny(t *testing.T, g *Filter[fingerprint.Any], f verbs, b []byte, probes []uint64) {
	t.Helper()
	_, w := f.inner()
	c := f.Config()
	if got := g.Config(); got.String() != c.String() || g.Capacity() != mustNew(t, w, c).(*Filter[fingerprint.Any]).Capacity() {
		t.Errorf("%v: configuration %v, want %v", f, got, c)
	}
	if g.FalsePositiveRate() != f.FalsePositiveRate() || g.SizeBytes() != f.SizeBytes() || g.Len() != f.Len() {
		t.Errorf("%v was read as %v: rate %v, want %v", f, g, g.FalsePositiveRate(), f.FalsePositiveRate())
	}
	drawn, wanted := g.GoString(), f.GoString()
	if drawn != wanted || !strings.HasPrefix(g.String(), "cuckoo.Filter{") || !strings.Contains(g.String(), fmt.Sprintf("/f=%d/", w)) {
		t.Errorf("%s\nwas read as\n%s", wanted, drawn)
	}
	v, err := OpenView[fingerprint.Any](b)
	if err != nil {
		t.Fatal(err)
	}
	if v.Config().String() != c.String() || v.FalsePositiveRate() != f.FalsePositiveRate() || v.VerifyChecksum() != nil {
		t.Errorf("the view of %v: %v", f, v.Config())
	}
	want, got, seen := make([]bool, len(probes)), make([]bool, len(probes)), make([]bool, len(probes))
	f.ContainsHashes(probes, want)
	g.ContainsHashes(probes, got)
	v.ContainsHashes(probes, seen)
	for k, h := range probes {
		if got[k] != want[k] || seen[k] != want[k] || g.ContainsHash(h) != want[k] || v.ContainsHash(h) != want[k] || g.CountHash(h) != f.CountHash(h) {
			t.Fatalf("%v: digest %#x: contained %t, of type Any %t, in the view %t", f, h, want[k], got[k], seen[k])
		}
	}
	for k, h := range probes {
		if k%3 == 0 && g.DeleteHash(h) != f.DeleteHash(h) {
			t.Fatalf("%v: digest %#x was deleted in one only", f, h)
		}
		if k%4 == 0 && (g.InsertHash(h) == nil) != (f.InsertHash(h) == nil) {
			t.Fatalf("%v: digest %#x was inserted in one only", f, h)
		}
	}
	sameFile(t, g, f)
}

// TestAny_NeedsItsWidth asks for filters whose width and type do not go together.
func TestAny_NeedsItsWidth(t *testing.T) {
	for _, bits := range []int{-1, 0, 33} {
		_, filter := New[fingerprint.Any](Config{FingerprintBits: bits, BucketSize: 3, Buckets: 2})
		_, grown := NewScalable[fingerprint.Any](ScalableConfig{FingerprintBits: bits, BucketSize: 3})
		_, built := Build[fingerprint.Any](Config{FingerprintBits: bits, BucketSize: 3, Buckets: 2}, nil)
		for _, err := range []error{filter, grown, built} {
			if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), map[bool]string{true: "FingerprintBits and FalsePositiveRate are both 0", false: fmt.Sprintf("FingerprintBits is %d, want ", bits)}[bits == 0]) || !strings.Contains(err.Error(), "BucketSize is 3") {
				t.Errorf("%d bits: %v", bits, err)
			}
		}
	}
	const want = "FingerprintBits is 13, and the fingerprints have 12 bits"
	_, filter := New[fingerprint.Bits12](Config{FingerprintBits: 13, Buckets: 2})
	_, grown := NewScalable[fingerprint.Bits12](ScalableConfig{FingerprintBits: 13})
	for _, err := range []error{filter, grown} {
		if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if f, err := New[fingerprint.Bits12](Config{FingerprintBits: 12, Buckets: 2}); err != nil || f.Config().FingerprintBits != 12 {
		t.Errorf("12 bits said twice: %v, %v", f, err)
	}
}

// TestAny_WidthsDoNotMix merges, compares and reads filters of several widths.
func TestAny_WidthsDoNotMix(t *testing.T) {
	f, g := mustNew(t, 12, Config{FingerprintBits: 12, Buckets: 8}), mustNew(t, 13, Config{FingerprintBits: 13, Buckets: 8})
	const want = "FingerprintBits is 12 and 13"
	if err := f.merge(g); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), want) || f.equal(g) {
		t.Errorf("%v, want %q; equal: %t", err, want, f.equal(g))
	}
	grow := func(bits int) *Scalable[fingerprint.Any] {
		return mustScalable[fingerprint.Any](t, ScalableConfig{FingerprintBits: bits})
	}
	if err := grow(12).Merge(grow(13)); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), want) || grow(12).Equal(grow(13)) {
		t.Errorf("growing filters: %v, want %q", err, want)
	}
	any := g.(*Filter[fingerprint.Any])
	b, err := f.MarshalBinary()
	if err := errors.Join(err, any.UnmarshalBinary(b)); err != nil || any.Config().FingerprintBits != 12 || !any.Equal(f.(*Filter[fingerprint.Any])) {
		t.Errorf("a filter of 13 bits that has read one of 12 is %v: %v", any, err)
	}
	if _, err := Decode[fingerprint.Bits12](b); err != nil {
		t.Errorf("as 12 bits: %v", err)
	}
	if _, err := Decode[fingerprint.Bits13](b); !errors.Is(err, ErrMismatch) {
		t.Errorf("as 13 bits: %v", err)
	}
	if _, err := OpenView[fingerprint.Bits13](b); !errors.Is(err, ErrMismatch) {
		t.Errorf("viewed as 13 bits: %v", err)
	}
}

// TestAny_ResolvedMakesTheSameFilter takes the configurations of filters for others, of type Any and not.
func TestAny_ResolvedMakesTheSameFilter(t *testing.T) {
	f, err := New[fingerprint.Any](Config{FingerprintBits: 9, Capacity: 100})
	g, other := New[fingerprint.Any](f.Config())
	typed, third := New[fingerprint.Bits9](f.Config())
	if err := errors.Join(err, other, third); err != nil || !f.Equal(g) || typed.Slots() != f.Slots() {
		t.Errorf("%v became %v and %v: %v", f, g, typed, err)
	}
	s := mustScalable[fingerprint.Any](t, ScalableConfig{FingerprintBits: 9})
	if again := mustScalable[fingerprint.Any](t, s.Config()); !again.Equal(s) || s.Config().FingerprintBits != 9 {
		t.Errorf("%v became %v", s, again)
	}
}

// TestAny_ScalableEveryWidth takes growing filters of both types through the same keys, up to the same files.
func TestAny_ScalableEveryWidth(t *testing.T) {
	growingAny[fingerprint.Bits8](t)
	growingAny[fingerprint.Bits12](t)
	growingAny[fingerprint.Bits13](t)
	growingAny[fingerprint.Bits16](t)
	growingAny[fingerprint.Bits17](t)
	growingAny[fingerprint.Bits19](t)
	growingAny[fingerprint.Bits32](t)
}

// growingAny is TestAny_ScalableEveryWidth for one width.
func growingAny[F fingerprint.Width](t *testing.T) {
	t.Helper()
	width := fingerprint.WidthOf[F]()
	for _, c := range scalableShapes {
		f := mustScalable[F](t, c)
		c.FingerprintBits = int(width)
		g := mustScalable[fingerprint.Any](t, c)
		r := rand.New(rand.NewPCG(uint64(width), 4))
		var keys []uint64
		for step := range 2000 {
			h := r.Uint64()
			if err, other := f.InsertHash(h), g.InsertHash(h); fmt.Sprint(err) != fmt.Sprint(other) {
				t.Fatalf("%v: %v, of type Any %v", f, err, other)
			} else if err == nil {
				keys = append(keys, h)
			}
			if step%3 == 0 && f.DeleteHash(keys[step/3%len(keys)]) != g.DeleteHash(keys[step/3%len(keys)]) {
				t.Fatalf("%v: a key was deleted in one only", f)
			}
			if step%500 == 499 && f.Compact() != g.Compact() {
				t.Fatalf("%v compacts otherwise of type Any", f)
			}
		}
		sameGrowing(t, f, g, append(keys, 1, 2, 3))
		if f.Merge(f.Clone()) != nil != (g.Merge(g.Clone()) != nil) {
			t.Fatalf("%v merges otherwise of type Any", f)
		}
		sameGrowing(t, f, g, keys)
	}
}

// sameGrowing holds f and g to be the same file and to give the same answers.
func sameGrowing[F fingerprint.Width](t *testing.T, f *Scalable[F], g *Scalable[fingerprint.Any], probes []uint64) {
	t.Helper()
	a, err := f.MarshalBinary()
	b, other := g.MarshalBinary()
	if err := errors.Join(err, other); err != nil || !bytes.Equal(a, b) || f.FalsePositiveRate() != g.FalsePositiveRate() {
		t.Fatalf("%v and %v: %v", f, g, err)
	}
	read := &Scalable[fingerprint.Any]{scalableReader[fingerprint.Any]{config: ScalableConfig{Kick: selfish{}}}}
	if err := read.UnmarshalBinary(a); err != nil || read.Config().FingerprintBits != int(fingerprint.WidthOf[F]()) || !strings.HasPrefix(read.String(), "cuckoo.Scalable{") {
		t.Fatalf("%v was read as %v: %v", f, read, err)
	}
	v, err := OpenScalableView[fingerprint.Any](a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeScalable[fingerprint.Bits11](b); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "bits, want 11") {
		t.Errorf("%v was read as 11 bits: %v", g, err)
	}
	for _, h := range probes {
		if n := f.CountHash(h); g.CountHash(h) != n || read.CountHash(h) != n || v.CountHash(h) != n || g.ContainsHash(h) != f.ContainsHash(h) {
			t.Fatalf("%v: digest %#x is stored %d times, of type Any %d times", f, h, n, g.CountHash(h))
		}
	}
}

// TestAny_BuildIsTheSame builds tables of several pieces, plain and semi-sorted.
func TestAny_BuildIsTheSame(t *testing.T) {
	keys := randomDigests(1_400_000, 5)
	for _, c := range []Config{{Capacity: len(keys)}, {Capacity: len(keys), Placement: XOR, Layout: SemiSorted}} {
		f, err := Build[fingerprint.Bits13](c, keys)
		c.FingerprintBits = 13
		g, other := Build[fingerprint.Any](c, keys)
		if err := errors.Join(err, other); err != nil {
			t.Fatal(err)
		}
		if f.SizeBytes() < kick.FarTable {
			t.Fatalf("%v is no large table", f)
		}
		sameFile(t, g, f)
	}
}

// TestAny_NoAllocs asks, inserts and deletes.
func TestAny_NoAllocs(t *testing.T) {
	for _, c := range []Config{{FingerprintBits: 12}, {FingerprintBits: 13, Layout: SemiSorted}, {FingerprintBits: 32, BucketSize: 8}} {
		c.Capacity = 1000
		f, err := New[fingerprint.Any](c)
		if err != nil {
			t.Fatal(err)
		}
		n := byte(0)
		allocs := testing.AllocsPerRun(100, func() {
			n++
			key := [9]byte{n, 2, 3}
			if f.Insert(key[:]) != nil || !f.Contains(key[:]) || f.Count(key[:]) == 0 || !f.Delete(key[:]) {
				t.Fatal("a key is lost")
			}
		})
		if allocs != 0 {
			t.Errorf("%v: %v allocations", f, allocs)
		}
	}
}
