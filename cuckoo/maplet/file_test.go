package maplet

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
	"github.com/nestfilter/nest/internal/kick"
)

const kickAhead = kick.CanPrefetch

// encoded returns a map that is half full, and its file.
func encoded[F fingerprint.Width](t testing.TB, c Config) (*Map[F], []byte) {
	t.Helper()
	if fingerprint.WidthOf[F]() == 0 {
		c.FingerprintBits = 12
	}
	m, err := New[F](c)
	if err != nil {
		t.Fatal(err)
	}
	for k := range uint64(m.Slots() / 2) {
		if err := m.InsertHash(hashing.Mix64(k), k&m.values); err != nil {
			t.Fatal(err)
		}
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return m, b
}

// TestUnmarshal_GoesOn holds a map that was stored to be one to go on with.
func TestUnmarshal_GoesOn(t *testing.T) {
	m, b := encoded[fingerprint.Bits12](t, Config{Buckets: 50, ValueBits: 13})
	n, err := Decode[fingerprint.Bits12](b)
	if err != nil || !n.Equal(m) {
		t.Fatalf("%v: %v", n, err)
	}
	anyWidth, err := Decode[fingerprint.Any](b)
	if err != nil || anyWidth.Config().FingerprintBits != 12 {
		t.Fatalf("%v: %v", anyWidth, err)
	}
	for k := uint64(100); k < 300; k++ {
		h := hashing.Mix64(k)
		err1, err2, err3 := m.InsertHash(h, k), n.InsertHash(h, k), anyWidth.InsertHash(h, k)
		if (err1 == nil) != (err2 == nil) || (err1 == nil) != (err3 == nil) {
			t.Fatalf("pair %d: %v, %v, %v", k, err1, err2, err3)
		}
	}
	if !n.Equal(m) || !bytes.Equal(anyWidth.engine.Table.Data(), m.engine.Table.Data()) {
		t.Error("they went different ways")
	}
}

// TestUnmarshal_ErrorsLeaveReceiver checks each kind of misfit between a file and its reader.
func TestUnmarshal_ErrorsLeaveReceiver(t *testing.T) {
	key := hashing.SipHash([16]byte{7})
	_, plain := encoded[fingerprint.Bits12](t, Config{Buckets: 8, ValueBits: 9})
	_, keyed := encoded[fingerprint.Bits12](t, Config{Buckets: 8, ValueBits: 9, Hash: key})
	filter, _ := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: 8})
	other, _ := filter.MarshalBinary()
	own, before := encoded[fingerprint.Bits12](t, Config{Buckets: 3, ValueBits: 4})
	tiny, _ := encoded[fingerprint.Bits12](t, Config{Buckets: 3, ValueBits: 4, MaxBytes: 64})
	change := func(at int, to byte) []byte {
		b := bytes.Clone(plain)
		b[at] = to
		filetest.Reseal(b)
		return b
	}
	valueAlone := bytes.Clone(plain)
	table := int(plain[12])
	m, _ := Decode[fingerprint.Bits12](plain)
	for bucket := uint64(0); ; bucket++ {
		if lane, free := m.engine.Table.Find(bucket, 0); free {
			m.engine.Table.Set(bucket, lane, 1<<12)
			break
		}
	}
	copy(valueAlone[table:], m.engine.Table.Data())
	valueAlone[24]++ // Len
	filetest.Reseal(valueAlone)
	for _, c := range []struct {
		name string
		into *Map[fingerprint.Bits12]
		b    []byte
		want error
	}{
		{"a filter", own, other, ErrMismatch},
		{"another key", own, keyed, ErrMismatch},
		{"too large", tiny, plain, ErrTooLarge},
		{"cut off", own, plain[:len(plain)-1], ErrTooShort},
		{"bytes behind", own, append(bytes.Clone(plain), 0), ErrCorrupt},
		{"no fingerprint width", own, change(40, 33), ErrCorrupt},
		{"another width", own, change(40, 13), ErrMismatch},
		{"no slots", own, change(41, 0), ErrCorrupt},
		{"three slots", own, change(41, 3), ErrCorrupt},
		{"no value", own, change(42, 0), ErrCorrupt},
		{"wide values", own, change(42, 46), ErrCorrupt},
		{"other values", own, change(42, 10), ErrCorrupt},
		{"a placement that was removed", own, change(43, 0), ErrVersion},
		{"another placement", own, change(43, 1), ErrCorrupt},
		{"a parameter too many", own, change(44, 1), ErrCorrupt},
		{"a parameter too many", own, change(56, 1), ErrCorrupt},
		{"no buckets", own, change(48, 0), ErrCorrupt},
		{"Len", own, change(24, 1), ErrCorrupt},
		{"Len beyond all slots", own, change(24, 200), ErrCorrupt},
		{"a value without a fingerprint", own, valueAlone, ErrCorrupt},
	} {
		want, _ := c.into.MarshalBinary()
		err := c.into.UnmarshalBinary(c.b)
		if got, _ := c.into.MarshalBinary(); !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "maplet: ") || !bytes.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := Decode[fingerprint.Bits12](keyed, key); err != nil {
		t.Errorf("with the key: %v", err)
	}
	if err := own.UnmarshalBinary(before); err != nil {
		t.Error(err)
	}
	wide, _ := Decode[fingerprint.Any](plain)
	if _, err := Decode[fingerprint.Bits13](plain); !errors.Is(err, ErrMismatch) || wide == nil {
		t.Errorf("%v", err)
	}
}

// fileType returns how files of a width are checked.
func fileType[F fingerprint.Width](t testing.TB) filetest.Type[*Map[F]] {
	return filetest.Type[*Map[F]]{
		Own: func() *Map[F] {
			m, _ := encoded[F](t, Config{Buckets: 2, ValueBits: 7})
			return m
		},
		View: func(b []byte) (filetest.View, error) { return OpenView[F](b) },
		Rates: func(v filetest.View) (load, rate float64) {
			kept := v.(*View[F])
			return kept.LoadFactor(), kept.FalsePositiveRate()
		},
		Use: use[F],
	}
}

// use runs the verbs of a map against what they promise.
func use[F fingerprint.Width](m *Map[F]) error {
	stored := m.Len()
	for k := range uint64(8) {
		h, v := hashing.Mix64(k), k&m.values
		n := len(slices.Collect(m.LookupHash(h)))
		err := m.InsertHash(h, v)
		switch now := slices.Collect(m.LookupHash(h)); {
		case err == nil && (len(now) != n+1 || !slices.Contains(now, v) || !m.DeleteHash(h, v)):
			return fmt.Errorf("%d candidates and one more are %v", n, now)
		case err != nil && (!errors.Is(err, ErrFull) || len(now) != n):
			return fmt.Errorf("a pair was refused: %w; of %d candidates there are %v", err, n, now)
		}
	}
	if m.Len() != stored {
		return fmt.Errorf("Len is %d, want %d", m.Len(), stored)
	}
	return nil
}

// FuzzUnmarshal reads whatever it is given as maps of several widths.
func FuzzUnmarshal(f *testing.F) {
	seed := func(_ any, b []byte) { f.Add(b) }
	for _, b := range []int{1, 2, 4, 8} {
		seed(encoded[fingerprint.Bits13](f, Config{Buckets: 8, BucketSize: b, ValueBits: 3}))
		seed(encoded[fingerprint.Bits3](f, Config{Buckets: 5, BucketSize: b, ValueBits: 40, Hash: hashing.FNV1a(7)}))
	}
	seed(encoded[fingerprint.Bits32](f, Config{Buckets: 3, ValueBits: 25}))
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

// TestView_SaysWhatTheMapSays of everything but lookups, which the oracle compares.
func TestView_SaysWhatTheMapSays(t *testing.T) {
	m, b := encoded[fingerprint.Bits12](t, Config{Buckets: 8, ValueBits: 9})
	v, err := OpenView[fingerprint.Bits12](b)
	if err != nil || v.Slots() != m.Slots() || v.LoadFactor() != m.LoadFactor() || v.SizeBytes() != m.SizeBytes() ||
		v.FalsePositiveRate() != m.FalsePositiveRate() || v.String() != m.String() {
		t.Errorf("%v, %v: %v", v, m, err)
	}
	if !slices.Equal(slices.Collect(v.LookupHash(hashing.Mix64(1))), slices.Collect(m.LookupHash(hashing.Mix64(1)))) {
		t.Error("other candidates")
	}
	if _, err := OpenView[fingerprint.Bits12](b[:70]); !errors.Is(err, ErrTooShort) {
		t.Error(err)
	}
	if _, err := OpenView[fingerprint.Bits13](b); !errors.Is(err, ErrMismatch) {
		t.Error(err)
	}
	var read Map[fingerprint.Bits12]
	if n, err := read.ReadFrom(bytes.NewReader(b)); int(n) != len(b) || err != nil || !read.Equal(m) {
		t.Errorf("%d bytes: %v", n, err)
	}
}

// TestGolden_V1 pins the bytes of a small map: files that users have must go on being read.
func TestGolden_V1(t *testing.T) {
	m, _ := New[fingerprint.Bits12](Config{Buckets: 3, ValueBits: 9, Hash: hashing.XXH64(0)})
	for v, key := range []string{"", "a", "nest", "maplet"} {
		if err := m.InsertString(key, uint64(100*v)); err != nil {
			t.Fatal(err)
		}
	}
	const want = "896e6573740d0a1a01000001800000002800000000000000040000000000000007000000000000000c040904000000000300000000000000000000000000000078786836343a300000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000074025010ccb5db3a0000000000000000000030052c01000000000000001e052053c9b827320000000000000000000000d7f083e260223c5a"
	b, err := m.MarshalBinary()
	if got := fmt.Sprintf("%x", b); got != want || err != nil {
		t.Errorf("the bytes are now %s: %v", got, err)
	}
}
