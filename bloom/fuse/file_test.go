package fuse

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/filetest"
)

// file of a filter.
func stored(t testing.TB, f interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGolden_FileBytes: files of one set of digests, whose checksums are the same for all time and on every machine.
func TestGolden_FileBytes(t *testing.T) {
	for _, x := range []struct {
		bits, segments, keys int
		want                 uint64
	}{
		{1, 4, 0, 0x1ff1ceed94367744},
		{8, 4, 1, 0xccace6f21208225d},
		{8, 4, 1000, 0xd85e00879118119c},
		{16, 3, 1000, 0x648aadeb5d3553fb},
		{12, 4, 100_000, 0x9d137e834415b5f2},
		{32, 3, 100_000, 0x1e519ab80de2c68e},
	} {
		c := Config{FingerprintBits: x.bits, Segments: x.segments, Hash: hashing.XXH64(0)}
		f := must[fingerprint.Any](t, c, digests(0, x.keys))
		if got := xxhash.Sum64(stored(t, f)); got != x.want {
			t.Errorf("{%d, %d, %d, %#x},", x.bits, x.segments, x.keys, got)
		}
	}
}

// TestFile_Receivers: a file goes into a filter of its width, of any width, and into the zero filter, and changes
// nothing where it is refused.
func TestFile_Receivers(t *testing.T) {
	key := hashing.SipHash([16]byte{9})
	b := stored(t, must[fingerprint.Bits12](t, Config{Hash: key}, digests(0, 100)))
	for _, f := range []*Filter[fingerprint.Any]{
		must[fingerprint.Any](t, Config{FingerprintBits: 5, Hash: key}, nil),
		must[fingerprint.Any](t, Config{FingerprintBits: 5, Hash: key, MaxBytes: 1000}, digests(0, 2)),
	} {
		limit := f.Config().MaxBytes
		if n, err := f.ReadFrom(bytes.NewReader(b)); err != nil || int(n) != len(b) || f.Len() != 100 ||
			f.Config().MaxBytes != limit || !bytes.Equal(stored(t, f), b) {
			t.Error(f, n, err)
		}
	}
	if f, err := Decode[fingerprint.Bits12](b, key); err != nil || f.Len() != 100 || f.Stats() != (Stats{}) {
		t.Error(f, err)
	}
	if v, err := OpenView[fingerprint.Bits12](b, key); err != nil || v.Len() != 100 || v.VerifyChecksum() != nil ||
		v.Config().Hash != key {
		t.Error(v, err)
	}
	eight := must[fingerprint.Bits8](t, Config{Hash: key, MaxBytes: 1000}, digests(0, 3))
	tooSmall := must[fingerprint.Any](t, Config{FingerprintBits: 5, Hash: key, MaxBytes: 100}, digests(0, 2))
	before := stored(t, tooSmall)
	if err := eight.UnmarshalBinary(b); !errors.Is(err, ErrMismatch) || eight.Len() != 3 {
		t.Error("another width:", err)
	}
	if err := tooSmall.UnmarshalBinary(b); !errors.Is(err, ErrTooLarge) || !bytes.Equal(stored(t, tooSmall), before) {
		t.Error("beyond MaxBytes:", err)
	}
	if _, err := Decode[fingerprint.Any](b); !errors.Is(err, ErrMismatch) {
		t.Error("without the key:", err)
	}
	if _, err := new(Filter[fingerprint.Any]).MarshalBinary(); !errors.Is(err, ErrConfig) {
		t.Error("the zero filter:", err)
	}
}

// TestFile_WrongParameters: each parameter is checked, by a filter and by a view.
func TestFile_WrongParameters(t *testing.T) {
	good := stored(t, must[fingerprint.Bits8](t, Config{}, digests(0, 100)))
	for _, x := range []struct {
		at    int
		bytes []byte
		want  error
	}{
		{widthAt, []byte{0}, ErrCorrupt},
		{widthAt, []byte{33}, ErrCorrupt},
		{widthAt, []byte{9}, ErrCorrupt},
		{arityAt, []byte{2}, ErrCorrupt},
		{arityAt, []byte{3}, ErrCorrupt},
		{segmentAt, []byte{1}, ErrCorrupt},
		{segmentAt, []byte{19}, ErrCorrupt},
		{segmentAt, []byte{255}, ErrCorrupt},
		{zeroAt, []byte{1}, ErrCorrupt},
		{spanAt, make([]byte, 4), ErrCorrupt},
		{spanAt, []byte{255, 255, 255, 255}, ErrCorrupt},
		{unusedAt + 7, []byte{1}, ErrCorrupt},
		{container.LenAt - container.ParamsAt, binary.LittleEndian.AppendUint64(nil, 1<<20), ErrCorrupt},
	} {
		b := bytes.Clone(good)
		copy(b[container.ParamsAt+x.at:], x.bytes)
		if !filetest.Reseal(b) {
			t.Fatal("no file")
		}
		_, err1 := Decode[fingerprint.Any](b)
		_, err2 := OpenView[fingerprint.Any](b)
		if !errors.Is(err1, x.want) || !errors.Is(err2, x.want) {
			t.Errorf("%v at %d: %v, %v", x.bytes, x.at, err1, err2)
		}
	}
}

// FuzzUnmarshal reads whatever it is given.
func FuzzUnmarshal(f *testing.F) {
	for _, c := range []Config{{FingerprintBits: 1}, {FingerprintBits: 8, Segments: 3}, {FingerprintBits: 13,
		Hash: hashing.DigestsOnly}, {FingerprintBits: 32}} {
		for _, n := range []int{0, 1, 40} {
			f.Add(stored(f, must[fingerprint.Any](f, c, digests(0, n))))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := filetest.Type[*Filter[fingerprint.Any]]{
			Own: func() *Filter[fingerprint.Any] {
				return must[fingerprint.Any](t, Config{FingerprintBits: 7}, digests(0, 9))
			},
			View: func(b []byte) (filetest.View, error) { return OpenView[fingerprint.Any](b) },
			Rates: func(v filetest.View) (load, rate float64) {
				w := v.(*View[fingerprint.Any])
				return w.LoadFactor(), w.FalsePositiveRate()
			},
			Use: func(f *Filter[fingerprint.Any]) error {
				g := f.Clone()
				g.Reset()
				if g.Len() != 0 || g.ContainsHash(0) ||
					f.Equal(g) != (f.Len() == 0 && f.Slots() == g.Slots() && f.t.seed == g.t.seed &&
						bytes.Equal(f.t.data, g.t.data)) {
					return fmt.Errorf("after Reset %v", g)
				}
				return nil
			},
		}.Check(b)
		if err != nil {
			t.Fatal(err)
		}
	})
}
