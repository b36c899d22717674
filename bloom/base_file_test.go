package bloom_test

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/filetest"
)

// A storable is what a filter of any kind is here.
type storable interface {
	verbs
	Len() int
	InsertUniqueHash(h uint64) bool
	ScanStats() bloom.Stats
	encoding.BinaryAppender
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	io.ReaderFrom
	io.WriterTo
}

// storables returns filters of all kinds with two keys.
func storables(t testing.TB, c bloom.Config) []storable {
	t.Helper()
	classic, err1 := bloom.New(c)
	blocked, err2 := bloom.NewBlocked(c)
	split, err3 := bloom.NewSplitBlock(c)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	all := []storable{classic, blocked, split}
	for _, f := range all {
		f.InsertHashes([]uint64{hashing.Mix64(1), hashing.Mix64(2)})
	}
	return all
}

// marshal returns the file of a filter.
func marshal(t testing.TB, f storable) []byte {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestUnmarshal_Receivers reads each kind into each: into its own it goes, into the zero filter too, and another
// kind is left as it was.
func TestUnmarshal_Receivers(t *testing.T) {
	key := hashing.SipHash([16]byte{9})
	sources := storables(t, bloom.Config{Slots: 1000, Hashes: 8, Hash: key})
	for i, from := range sources {
		b := marshal(t, from)
		for j, to := range storables(t, bloom.Config{Slots: 90, Hashes: 8, Hash: key}) {
			before := marshal(t, to)
			_, err := to.ReadFrom(bytes.NewReader(b))
			switch after := marshal(t, to); {
			case i == j && (err != nil || !bytes.Equal(after, b) || to.Len() != 2):
				t.Errorf("%T: %v", to, err)
			case i != j && (!errors.Is(err, bloom.ErrMismatch) || !bytes.Equal(after, before)):
				t.Errorf("%T from %T: %v", to, from, err)
			}
		}
		v, err := bloom.OpenView(b, key)
		if err != nil || v.Len() != 2 || !v.ContainsHash(hashing.Mix64(1)) || v.Config().Hash.Recipe() != key.Recipe() {
			t.Errorf("view of %T: %v", from, err)
		}
		if got, want := v.ScanStats(), from.ScanStats(); got != want || got.LoadFactor <= 0 || got.FalsePositiveRate <= 0 {
			t.Errorf("view of %T: %+v, want %+v", from, got, want)
		}
	}
	b := marshal(t, sources[0])
	for _, to := range []storable{new(bloom.Filter), storables(t, bloom.Config{Slots: 10, Hashes: 8})[0]} {
		if err := to.UnmarshalBinary(b); !errors.Is(err, bloom.ErrMismatch) {
			t.Errorf("without the key: %v", err)
		}
	}
	if f, err := bloom.Decode(b, key); err != nil || f.Len() != 2 {
		t.Errorf("with the key: %v", err)
	}
	for _, zero := range []storable{new(bloom.Filter), new(bloom.Blocked), new(bloom.SplitBlock)} {
		if _, err := zero.MarshalBinary(); !errors.Is(err, bloom.ErrConfig) {
			t.Errorf("%T of no table: %v", zero, err)
		}
	}
	if err := storables(t, bloom.Config{Slots: 10, Hashes: 8, Hash: key, MaxBytes: 100})[0].UnmarshalBinary(b); !errors.Is(err, bloom.ErrTooLarge) {
		t.Errorf("beyond MaxBytes: %v", err)
	}
}

// FuzzUnmarshal reads whatever it is given as all kinds.
func FuzzUnmarshal(f *testing.F) {
	for _, c := range []bloom.Config{{Slots: 100, Hashes: 8}, {Slots: 1, Hashes: 8}, {Slots: 2000, Hashes: 8, Hash: hashing.DigestsOnly}} {
		for _, s := range storables(f, c) {
			f.Add(marshal(f, s))
		}
	}
	many, err := bloom.NewBlocked(bloom.Config{Slots: 1024, Hashes: 64})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(marshal(f, many))
	f.Fuzz(func(t *testing.T, b []byte) {
		for kind := range 3 {
			_, err := filetest.Type[storable]{
				Own:  func() storable { return storables(t, bloom.Config{Slots: 300, Hashes: 8})[kind] },
				View: func(b []byte) (filetest.View, error) { return bloom.OpenView(b) },
				Rates: func(v filetest.View) (load, rate float64) {
					s := v.(*bloom.View).ScanStats()
					return s.LoadFactor, s.FalsePositiveRate
				},
				Use: use,
			}.Check(b)
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// use runs verbs of a filter against what they promise.
func use(f storable) error {
	stored := f.Len()
	for _, h := range []uint64{0, ^uint64(0), hashing.Mix64(1)} {
		had := f.ContainsHash(h)
		if f.InsertUniqueHash(h) == had || !f.ContainsHash(h) {
			return fmt.Errorf("digest %#x: contained: %t, then %t", h, had, f.ContainsHash(h))
		}
		if !had {
			stored++
		}
	}
	if f.Len() != stored {
		return fmt.Errorf("Len is %d, want %d", f.Len(), stored)
	}
	return nil
}
