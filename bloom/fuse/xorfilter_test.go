package fuse

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// golden are filters of the digests of 100 integers that xorfilter itself made: experiments/versus/rivals holds them to
// it.
var golden = []string{"testdata/xorfilter8.bin", "testdata/xorfilter16.bin", "testdata/xorfilter32.bin"}

// TestDecodeXorfilter_Golden: what xorfilter wrote has its keys here, and is written as it was.
func TestDecodeXorfilter_Golden(t *testing.T) {
	for at, name := range golden {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := DecodeXorfilter[fingerprint.Any](b, nil)
		if err != nil || f.Len() < 90 || f.Len() > 110 || f.Config().FingerprintBits != 8<<at ||
			f.hash.Hasher() != hashing.DigestsOnly {
			t.Fatal(f, err)
		}
		for _, h := range digests(0, 100) {
			if !f.ContainsHash(h) {
				t.Fatalf("%s: a key is lost", name)
			}
		}
		if again, err := f.AppendXorfilter(nil); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%s: written as other bytes, %v", name, err)
		}
		file := stored(t, f)
		if g, err := Decode[fingerprint.Any](file, hashing.DigestsOnly); err != nil || !g.Equal(f) {
			t.Error(g, err)
		}
		if _, err := DecodeXorfilter[fingerprint.Bits9](b, nil); !errors.Is(err, ErrMismatch) {
			t.Error("as another width:", err)
		}
		for n := range b {
			if _, err := DecodeXorfilter[fingerprint.Any](b[:n], nil); err == nil && n != 28+192 && n != 28+384 {
				t.Errorf("%s: %d bytes of %d are a filter", name, n, len(b))
			} else if err != nil && !errors.Is(err, ErrTooShort) && !errors.Is(err, ErrCorrupt) {
				t.Error(err)
			}
		}
	}
}

// TestAppendXorfilter_OnlyWhatThereIs: other shapes are refused, and nothing is appended.
func TestAppendXorfilter_OnlyWhatThereIs(t *testing.T) {
	for _, c := range []Config{{FingerprintBits: 8}, {FingerprintBits: 12, Segments: 3}} {
		b, err := must[fingerprint.Any](t, c, digests(0, 9)).AppendXorfilter([]byte("before"))
		if !errors.Is(err, ErrMismatch) || string(b) != "before" {
			t.Errorf("%v: %q, %v", c, b, err)
		}
	}
	if _, err := new(Filter[fingerprint.Any]).AppendXorfilter(nil); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	b, err := must[fingerprint.Bits16](t, Config{Segments: 3}, digests(0, 5000)).AppendXorfilter(nil)
	g, err2 := DecodeXorfilter[fingerprint.Bits16](b, hashing.XXH64(0))
	if err != nil || err2 != nil || g.Len() < 4900 || g.Len() > 5100 {
		t.Error(g, err, err2)
	}
}

// FuzzDecodeXorfilter decodes whatever it is given: it is refused, or written as it was, and no question panics.
func FuzzDecodeXorfilter(f *testing.F) {
	for _, name := range golden {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	none := make([]byte, xorHeader+12)
	for at, n := range []uint32{4, 3, 1, 4, 12} {
		binary.LittleEndian.PutUint32(none[8+4*at:], n)
	}
	f.Add(none)
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := DecodeXorfilter[fingerprint.Any](b, nil)
		if err != nil {
			if !errors.Is(err, ErrTooShort) && !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		dst := make([]bool, 20)
		g.ContainsHashes(digests(0, 20), dst)
		for i, h := range digests(0, 20) {
			if g.ContainsHash(h) != dst[i] {
				t.Fatal("two answers")
			}
		}
		if again, err := g.AppendXorfilter(nil); err != nil || !bytes.Equal(again, b) || g.Len() < 1 {
			t.Fatalf("%v: %x is written as %x, %v", g, b, again, err)
		}
	})
}
