package cuckoo

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/filetest"
)

// encoded returns the file of a filter with a few keys, and the filter.
func encoded[F fingerprint.Width](t testing.TB, c Config) (*Filter[F], []byte) {
	t.Helper()
	if fingerprint.WidthOf[F]() == 0 {
		c.FingerprintBits = 12
	}
	f, err := New[F](c)
	if err != nil {
		t.Fatal(err)
	}
	for k := range uint64(f.Slots() / 2) {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return f, b
}

// TestUnmarshal_GoesOn holds a filter that was stored to be one to go on with: it does what the first does.
func TestUnmarshal_GoesOn(t *testing.T) {
	for _, kick := range []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead, lazy{}} {
		f, b := encoded[fingerprint.Bits12](t, Config{Buckets: 8, Kick: kick, Seed: 3})
		g := &Filter[fingerprint.Bits12]{reader[fingerprint.Bits12]{fixed: fixed{Config{Kick: kick}}}}
		if err := g.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if !g.Equal(f) {
			t.Fatalf("%v: is not equal to what was stored", kick.Recipe())
		}
		f.engine.Reset() // the generator is not stored
		f = &Filter[fingerprint.Bits12]{reader[fingerprint.Bits12]{fixed: fixed{Config{Kick: kick}}}}
		err := f.UnmarshalBinary(b)
		for k := uint64(100); err == nil && k < 200; k++ {
			refused, other := f.InsertHash(hashing.Mix64(k)), g.InsertHash(hashing.Mix64(k))
			if !errors.Is(other, refused) || f.DeleteHash(hashing.Mix64(k/2)) != g.DeleteHash(hashing.Mix64(k/2)) {
				t.Fatalf("%v, key %d: %v and %v", kick.Recipe(), k, refused, other)
			}
		}
		if err != nil || !f.Equal(g) || f.Len() == 0 {
			t.Errorf("%v: %v", kick.Recipe(), err)
		}
	}
}

// lazy is a policy of a user's own.
type lazy struct{}

func (lazy) Recipe() string { return "lazy" }
func (lazy) Kick(w *Walk) {
	i, _ := w.Homes()
	for w.Swap(i, 0) {
		i = w.Alternate(i, w.Homeless())
	}
}

// TestUnmarshal_ErrorsLeaveReceiver checks every kind of misfit between a file and its reader.
func TestUnmarshal_ErrorsLeaveReceiver(t *testing.T) {
	key := hashing.SipHash([16]byte{7})
	_, plain := encoded[fingerprint.Bits12](t, Config{Buckets: 8})
	_, keyed := encoded[fingerprint.Bits12](t, Config{Buckets: 8, Hash: key})
	_, lazily := encoded[fingerprint.Bits12](t, Config{Buckets: 8, Kick: lazy{}})
	_, wide := encoded[fingerprint.Bits13](t, Config{Buckets: 8})
	lied := bytes.Clone(plain)
	lied[container.LenAt]++
	filetest.Reseal(lied)
	stray := bytes.Clone(plain)
	stray[len(stray)-9] = 1
	filetest.Reseal(stray)
	f, before := encoded[fingerprint.Bits12](t, Config{Buckets: 4, MaxBytes: 50, Hash: hashing.SipHash([16]byte{8})})
	for _, c := range []struct {
		name string
		b    []byte
		want error
		text string
	}{
		{"larger than MaxBytes", plain, ErrTooLarge, "MaxBytes is 50"},
		{"another key", keyed, ErrMismatch, "siphash"},
		{"unknown policy", lazily, ErrMismatch, `at byte 70: kick policy "lazy" is not built in: call UnmarshalBinary or ReadFrom of a filter that was made with it`},
		{"another width", wide, ErrMismatch, "at byte 40: fingerprints of 13 bits, want 12"},
		{"short", plain[:100], ErrTooShort, "it ends at byte"},
	} {
		_, readErr := f.ReadFrom(bytes.NewReader(c.b))
		for _, err := range []error{f.UnmarshalBinary(c.b), readErr} {
			if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) || !strings.HasPrefix(err.Error(), "cuckoo: ") {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if after, err := f.MarshalBinary(); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s: the receiver has changed: %v", c.name, err)
		}
	}
	for _, c := range []struct {
		b    []byte
		text string
	}{{lied, "at byte 24: Len is 17, and 16 slots are used"}, {stray, "bytes behind the last bucket"}} {
		if _, err := Decode[fingerprint.Bits12](c.b); !errors.Is(err, ErrCorrupt) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%v, want %q", err, c.text)
		}
	}
	if f, err := Decode[fingerprint.Bits12](keyed, key); err != nil || f.Len() != 16 {
		t.Errorf("with the key: %v", err)
	}
	own := Filter[fingerprint.Bits12]{reader[fingerprint.Bits12]{fixed: fixed{Config{Kick: lazy{}}}}}
	if err := own.UnmarshalBinary(lazily); err != nil || own.Config().Kick != (lazy{}) {
		t.Errorf("into a filter with the policy: %v", err)
	}
	if _, err := Decode[fingerprint.Bits12](lazily); !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "UnmarshalBinary") {
		t.Errorf("decoded without the policy: %v", err)
	}
	if _, err := OpenView[fingerprint.Bits12](lazily); err != nil {
		t.Errorf("a view with an unknown policy: %v", err)
	}
	var zero Filter[fingerprint.Bits12]
	if _, err := zero.MarshalBinary(); !errors.Is(err, ErrConfig) {
		t.Errorf("the zero Filter: %v", err)
	}
}

// fileType returns how files of a width are checked. The receiver has a kick policy of its own.
func fileType[F fingerprint.Width](t testing.TB) filetest.Type[*Filter[F]] {
	return filetest.Type[*Filter[F]]{
		Own: func() *Filter[F] {
			f, _ := encoded[F](t, Config{Buckets: 2, Kick: lazy{}})
			return f
		},
		View: func(b []byte) (filetest.View, error) { return OpenView[F](b) },
		Rates: func(v filetest.View) (load, rate float64) {
			kept := v.(*View[F])
			return kept.LoadFactor(), kept.FalsePositiveRate()
		},
		Use: use[F],
	}
}

// FuzzUnmarshal reads whatever it is given as filters of a narrow, a middling, which may be semi-sorted, the widest
// and any width.
func FuzzUnmarshal(f *testing.F) {
	seed := func(_ any, b []byte) { f.Add(b) }
	for _, b := range []int{1, 2, 4, 8} {
		seed(encoded[fingerprint.Bits13](f, Config{Buckets: 8, BucketSize: b, Placement: XOR, Kick: RandomWalk}))
		seed(encoded[fingerprint.Bits3](f, Config{Buckets: 5, BucketSize: b, Hash: hashing.FNV1a(7)}))
	}
	seed(encoded[fingerprint.Bits13](f, Config{Buckets: 5, Layout: SemiSorted}))
	seed(encoded[fingerprint.Bits11](f, Config{Buckets: 5, Layout: PairedSlots}))
	seed(encoded[fingerprint.Bits32](f, Config{Buckets: 3, Layout: SemiSorted, Kick: lazy{}}))
	seed(encoded[fingerprint.Bits32](f, Config{Buckets: 3, BucketSize: 8, Placement: Additive, Kick: LookAhead}))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err1 := fileType[fingerprint.Bits3](t).Check(b)
		_, err2 := fileType[fingerprint.Bits13](t).Check(b)
		_, err3 := fileType[fingerprint.Bits32](t).Check(b)
		_, err4 := fileType[fingerprint.Any](t).Check(b)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
	})
}

// use runs the verbs of a filter against what they promise.
func use[F fingerprint.Width](f *Filter[F]) error {
	stored := f.Len()
	for k := range uint64(8) {
		h, n := hashing.Mix64(k), 0
		n = f.CountHash(h)
		err := f.InsertHash(h)
		switch {
		case err == nil && (f.CountHash(h) != n+1 || !f.DeleteHash(h) || f.CountHash(h) != n):
			return fmt.Errorf("of %d copies of a key and one more %d are there", n, f.CountHash(h))
		case err != nil && (!errors.Is(err, ErrFull) || f.CountHash(h) != n):
			return fmt.Errorf("a key was refused: %w; of %d copies there are %d", err, n, f.CountHash(h))
		}
	}
	if f.Len() != stored {
		return fmt.Errorf("Len is %d, want %d", f.Len(), stored)
	}
	double := f.Clone()
	if err := double.Merge(f); err == nil && double.Len() != 2*stored || err != nil && !(errors.Is(err, ErrFull) && double.Equal(f)) {
		return fmt.Errorf("merged with itself: %w, Len %d, want twice %d", err, double.Len(), stored)
	}
	return nil
}

// TestFile_PairedSlotsOfSmallBucketsIsCorrupt: a file that claims them for b = 1 or 2 is refused by its header, and so is one of a growing
// filter, which never has them.
func TestFile_PairedSlotsOfSmallBucketsIsCorrupt(t *testing.T) {
	for b := 1; b <= 8; b *= 2 {
		_, file := encoded[fingerprint.Bits8](t, Config{Buckets: 8, BucketSize: b})
		file[container.ParamsAt+layoutAt] = byte(PairedSlots)
		filetest.Reseal(file)
		_, err := Decode[fingerprint.Bits8](file)
		_, viewErr := OpenView[fingerprint.Bits8](file)
		if small := b <= 2; small != errors.Is(err, ErrCorrupt) || small != errors.Is(viewErr, ErrCorrupt) || small != (err != nil) || small != (viewErr != nil) {
			t.Errorf("b = %d: %v, view %v", b, err, viewErr)
		}
	}
	s, err := NewScalable[fingerprint.Bits12](ScalableConfig{Capacity: 9})
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	file[container.ParamsAt+layoutAt] = byte(PairedSlots)
	filetest.Reseal(file)
	if err := s.UnmarshalBinary(file); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a growing filter: %v", err)
	}
}

// TestFile_RemovedPlacementsAreRefusedByName: files of a placement that was removed say so, and do not open as another one.
func TestFile_RemovedPlacementsAreRefusedByName(t *testing.T) {
	_, file := encoded[fingerprint.Bits8](t, Config{Buckets: 8})
	for number, name := range map[byte]string{0: "additive of an earlier version", 3: "region"} {
		file[container.ParamsAt+placementAt] = number
		filetest.Reseal(file)
		_, err := Decode[fingerprint.Bits8](file)
		_, viewErr := OpenView[fingerprint.Bits8](file)
		for _, err := range []error{err, viewErr} {
			want := "at byte 42: placement " + name + ", which was removed"
			if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want ErrVersion and %q", err, want)
			}
		}
	}
}

// TestWalk_PairedSlotsAreShownAndHeld runs a policy that asks of every slot whether the homeless fingerprint may be in it: two of each
// home, Swap refuses all others, and an exit is free and another slot.
func TestWalk_PairedSlotsAreShownAndHeld(t *testing.T) {
	for _, c := range []Config{{Buckets: 24, Layout: PairedSlots}, {Buckets: 12, BucketSize: 8, Layout: PairedSlots}, {Buckets: 24}} {
		p := &asking{t: t, paired: c.Layout == PairedSlots}
		c.Kick = p
		f := mustNew(t, 12, c)
		o := newOracle(f)
		for k := range uint64(300) {
			_ = o.insert(t, hashing.Mix64(k)) // a refusal is checked there
		}
		checkAll(t, o)
		if p.refused == 0 && p.paired {
			t.Errorf("%v: no slot was refused", c)
		}
	}
}

// asking is the policy of that test.
type asking struct {
	t       *testing.T
	paired  bool
	refused int
}

func (*asking) Recipe() string { return "asking" }

func (p *asking) Kick(w *Walk) {
	for w.Homeless() != 0 && w.Left() > 0 {
		i, j := w.Homes()
		taken := 0
		for bucket := range w.w.Buckets() {
			for slot := range w.BucketSize() {
				takes := w.w.Takes(bucket, slot)
				if takes {
					taken++
				} else if w.Swap(bucket, slot) {
					p.t.Fatal("Swap took a slot that Takes does not show")
				} else if bucket == i || bucket == j {
					p.refused++
				}
			}
		}
		if p.paired && taken != 4 && taken != 2 || p.paired && i != j && taken != 4 {
			p.t.Fatalf("%d slots are shown", taken)
		}
		if w.w.Takes(w.w.Buckets(), 0) || w.w.Takes(i, w.BucketSize()) || w.w.Takes(i, -1) {
			p.t.Fatal("a slot that does not exist is shown")
		}
		slot := w.IntN(w.BucketSize())
		for !w.w.Takes(j, slot) {
			slot = w.IntN(w.BucketSize())
		}
		w.Swap(j, slot)
		if slot, ok := w.Free(j); ok && w.Homeless() != 0 && !w.w.Takes(j, slot) {
			p.t.Fatal("Free shows a slot of a home that the fingerprint may not be in")
		}
		if _, j := w.Homes(); w.Homeless() != 0 {
			if slot, ok := w.Free(j); ok {
				w.Swap(j, slot)
			}
		}
	}
}
