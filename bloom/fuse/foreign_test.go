package fuse

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
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

// pebbles are filters of the keys key-0 to key-99 that pebble itself made (FilterPolicy of package binaryfuse at commit
// f82e3ff74d10), with the number of absent-0 to absent-99999 that it finds in each.
var pebbles = []struct{ bits, found int }{{4, 6180}, {8, 392}, {10, 101}, {12, 36}, {16, 5}}

func pebble(t testing.TB, bits int) []byte {
	b, err := os.ReadFile(fmt.Sprintf("testdata/pebble%d.bin", bits))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDecodePebble_Golden: what pebble wrote answers here as there, and is written as it was.
func TestDecodePebble_Golden(t *testing.T) {
	for _, p := range pebbles {
		b := pebble(t, p.bits)
		f, err := DecodePebble[fingerprint.Any](b)
		if err != nil || f.Len() < 85 || f.Len() > 115 || f.Config().FingerprintBits != p.bits {
			t.Fatal(f, err)
		}
		for i := range 100 {
			if !f.ContainsString(fmt.Sprint("key-", i)) {
				t.Fatalf("%d bits: a key is lost", p.bits)
			}
		}
		found := 0
		for i := range 100_000 {
			if f.ContainsString(fmt.Sprint("absent-", i)) {
				found++
			}
		}
		if again, err := f.AppendPebble(nil); err != nil || !bytes.Equal(again, b) || found != p.found {
			t.Errorf("%d bits: written as other bytes, %v, or %d found", p.bits, err, found)
		}
		if _, err := DecodePebble[fingerprint.Bits9](b); !errors.Is(err, ErrMismatch) {
			t.Error("as another width:", err)
		}
		for n := range b {
			if g, err := DecodePebble[fingerprint.Any](b[n:]); n > 0 && err == nil {
				t.Errorf("%d bits: without %d bytes it is %v", p.bits, n, g)
			} else if err != nil && !errors.Is(err, ErrTooShort) && !errors.Is(err, ErrCorrupt) {
				t.Error(err)
			}
		}
	}
}

// TestAppendForeign_OnlyWhatThereIs: other shapes and hashes are refused, and nothing is appended.
func TestAppendForeign_OnlyWhatThereIs(t *testing.T) {
	type filter = Filter[fingerprint.Any]
	for name, appended := range map[string]func(f *filter, b []byte) ([]byte, error){
		"xorfilter": (*filter).AppendXorfilter, "pebble": (*filter).AppendPebble,
	} {
		for _, c := range []Config{{FingerprintBits: 8}, {FingerprintBits: 13, Segments: 3},
			{FingerprintBits: 8, Segments: 3, Hash: hashing.XXH64(0)}} {
			b, err := appended(must[fingerprint.Any](t, c, digests(0, 9)), []byte("before"))
			if other := c.Hash != nil && name == "xorfilter"; !other && (!errors.Is(err, ErrMismatch) || string(b) != "before") {
				t.Errorf("%s: %v: %q, %v", name, c, b, err)
			}
		}
		if _, err := appended(new(filter), nil); !errors.Is(err, ErrConfig) {
			t.Error(name, err)
		}
	}
	f := must[fingerprint.Bits16](t, Config{Segments: 3}, digests(0, 5000))
	b, err := f.AppendXorfilter(nil)
	g, err2 := DecodeXorfilter[fingerprint.Bits16](b, hashing.XXH3(0))
	c, err3 := f.AppendPebble(nil)
	h, err4 := DecodePebble[fingerprint.Bits16](c)
	if err := errors.Join(err, err2, err3, err4); err != nil || g.Len() < 4900 || g.Len() > 5100 || !g.Equal(h) {
		t.Error(g, h, err)
	}
}

// FuzzImport decodes whatever it is given in both formats: it is refused, or written as it was, and no question panics.
func FuzzImport(f *testing.F) {
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
	for _, p := range pebbles {
		f.Add(pebble(f, p.bits))
	}
	check := func(t *testing.T, b []byte, g *Filter[fingerprint.Any], err error, appended func(b []byte) ([]byte, error)) {
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
		if again, err := appended(nil); err != nil || !bytes.Equal(again, b) || g.Len() < 1 {
			t.Fatalf("%v: %x is written as %x, %v", g, b, again, err)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := DecodeXorfilter[fingerprint.Any](b, nil)
		check(t, b, g, err, g.AppendXorfilter)
		g, err = DecodePebble[fingerprint.Any](b)
		check(t, b, g, err, g.AppendPebble)
	})
}
