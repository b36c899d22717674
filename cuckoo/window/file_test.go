package window

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/container"
	"github.com/nestfilter/nest/internal/filetest"
)

// stored returns the file of a filter that has seen some generations, half of which are forgotten.
func stored[F fingerprint.Width](t testing.TB, c Config, keys int) (*Filter[F], []byte) {
	t.Helper()
	if fingerprint.WidthOf[F]() == 0 {
		c.FingerprintBits = 12
	}
	f := must[F](t, c)
	f.AdvanceTo(time.Unix(1_700_000_000, 0))
	for k := range keys {
		if k%max(1, keys/(2*f.config.Generations)) == 1 {
			f.Advance()
		}
		if err := f.InsertHash(hashing.Mix64(uint64(k))); err != nil {
			t.Fatal(err)
		}
	}
	b, err := f.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return f, b
}

// TestGolden_FileBytes: the files of one set of digests are the same for all time and on every machine.
func TestGolden_FileBytes(t *testing.T) {
	for _, x := range []struct {
		c    Config
		keys int
		want uint64
	}{
		{Config{Buckets: 3}, 0, 0xd039b96443bfa8b4},
		{Config{Buckets: 100, Window: time.Minute}, 300, 0x62f4370fe0bd9429},
		{Config{Buckets: 100, BucketSize: 8, Generations: 6, Keys: 350}, 1000, 0xb3208ec7770a4427},
		{Config{Buckets: 1000, BucketSize: 2, Generations: 2, ForgetEarly: true}, 1500, 0x3133b4f0df1c4f42},
	} {
		x.c.Hash = hashing.XXH64(0)
		if _, b := stored[fingerprint.Any](t, x.c, x.keys); xxhash.Sum64(b) != x.want {
			t.Errorf("%v of %d keys: %#x", x.c, x.keys, xxhash.Sum64(b))
		}
	}
}

// TestFile_GoesOn: a filter that was stored goes on as the one that was not, also when it is told the time hours later.
func TestFile_GoesOn(t *testing.T) {
	f, b := stored[fingerprint.Bits12](t, Config{Buckets: 200, Window: time.Minute}, 500)
	g, err := Decode[fingerprint.Bits12](b)
	if err != nil || !g.Equal(f) {
		t.Fatal(g, err)
	}
	wide, err := Decode[fingerprint.Any](b)
	if err != nil || wide.Config().FingerprintBits != 12 || wide.Generation() != f.Generation() {
		t.Fatal(wide, err)
	}
	for k := range uint64(5000) {
		if k%170 == 0 {
			f.Advance()
			g.Advance()
		}
		added1, err1 := f.TouchHash(hashing.Mix64(k))
		added2, err2 := g.TouchHash(hashing.Mix64(k))
		if added1 != added2 || (err1 == nil) != (err2 == nil) {
			t.Fatal(k, added1, added2, err1, err2)
		}
	}
	if !f.Equal(g) {
		t.Error("they went different ways")
	}
	if wide.AdvanceTo(time.Unix(1_700_003_600, 0)); wide.Len() != 0 || wide.ContainsHash(hashing.Mix64(499)) {
		t.Error("an hour later it remembers:", wide)
	}
}

// TestFile_Receivers: a file goes into a filter of its width, of any width, and changes nothing where it is refused.
func TestFile_Receivers(t *testing.T) {
	key := hashing.SipHash([16]byte{9})
	f, b := stored[fingerprint.Bits12](t, Config{Buckets: 100, Hash: key}, 100)
	g := must[fingerprint.Any](t, Config{FingerprintBits: 5, Buckets: 2, Hash: key, MaxBytes: 10_000})
	if n, err := g.ReadFrom(bytes.NewReader(b)); err != nil || int(n) != len(b) || g.Len() != f.Len() ||
		g.Config().MaxBytes != 10_000 {
		t.Error(g, n, err)
	}
	if v, err := OpenView[fingerprint.Bits12](b, key); err != nil || v.Len() != f.Len() ||
		v.VerifyChecksum() != nil || v.String() != f.String() ||
		v.Generation() != f.Generation() || v.FalsePositiveRate() != f.FalsePositiveRate() || v.Config().Hash != key {
		t.Error(v, err)
	}
	tiny, before := stored[fingerprint.Any](t, Config{Buckets: 2, MaxBytes: 100, Hash: key}, 3)
	for into, want := range map[*Filter[fingerprint.Any]]error{tiny: ErrTooLarge} {
		if err := into.UnmarshalBinary(b); !errors.Is(err, want) {
			t.Error(err)
		}
		if after, _ := into.MarshalBinary(); !bytes.Equal(after, before) {
			t.Error("a refusal changed the receiver")
		}
	}
	if _, err := Decode[fingerprint.Bits13](b, key); !errors.Is(err, ErrMismatch) {
		t.Error("another width:", err)
	}
	if _, err := Decode[fingerprint.Any](b); !errors.Is(err, ErrMismatch) {
		t.Error("without the key:", err)
	}
	if _, err := OpenView[fingerprint.Any](b[:70]); !errors.Is(err, ErrTooShort) {
		t.Error(err)
	}
	if _, err := new(Filter[fingerprint.Any]).MarshalBinary(); !errors.Is(err, ErrConfig) {
		t.Error("the zero filter:", err)
	}
}

// TestFile_WrongParameters: each parameter is checked, by a filter and by a view, and the lanes by a filter.
func TestFile_WrongParameters(t *testing.T) {
	f, good := stored[fingerprint.Any](t, Config{Buckets: 40, Generations: 5}, 100) // 7 ages of 8
	table := int(good[12])
	for _, x := range []struct {
		at    int
		bytes []byte
		want  error
		view  bool
	}{
		{widthAt, []byte{0}, ErrCorrupt, true},
		{widthAt, []byte{33}, ErrCorrupt, true},
		{widthAt, []byte{13}, ErrCorrupt, true},
		{bucketSizeAt, []byte{0}, ErrCorrupt, true},
		{bucketSizeAt, []byte{3}, ErrCorrupt, true},
		{generationsAt, []byte{0}, ErrCorrupt, true},
		{generationsAt, []byte{0x65}, ErrCorrupt, true},
		{generationsAt, []byte{0x0f}, ErrCorrupt, true},
		{generationsAt, []byte{0x06}, ErrCorrupt, false},
		{flagsAt, []byte{0}, ErrVersion, true},
		{flagsAt, []byte{countsKeys}, ErrVersion, true},
		{flagsAt, []byte{container.Additive | countsKeys}, ErrCorrupt, true},
		{flagsAt, []byte{2*container.Additive | forgetsEarly}, ErrCorrupt, true},
		{bucketsAt, []byte{38}, ErrCorrupt, true},
		{bucketsAt, []byte{255, 255, 255, 0}, ErrCorrupt, true},
		{nowAt, []byte{0}, ErrCorrupt, false},
		{nowAt + 7, []byte{0x7f}, ErrCorrupt, true},
		{periodAt, []byte{1}, ErrCorrupt, true},
		{periodAt + 7, []byte{0x80}, ErrCorrupt, true},
		{container.LenAt - container.ParamsAt, binary.LittleEndian.AppendUint64(nil, 1<<20), ErrCorrupt, true},
		{container.LenAt - container.ParamsAt, []byte{1}, ErrCorrupt, false},
		{table - container.ParamsAt, []byte{0, 0xf0}, ErrCorrupt, false},
	} {
		b := bytes.Clone(good)
		copy(b[container.ParamsAt+x.at:], x.bytes)
		if !filetest.Reseal(b) {
			t.Fatal("no file")
		}
		_, err1 := Decode[fingerprint.Any](b)
		_, err2 := OpenView[fingerprint.Any](b)
		if !errors.Is(err1, x.want) || x.view && !errors.Is(err2, x.want) {
			t.Errorf("%v at %d: %v, %v", x.bytes, x.at, err1, err2)
		}
	}
	if f.Generation() == 0 {
		t.Error("the generation is not tried")
	}
}

// FuzzUnmarshal reads whatever it is given.
func FuzzUnmarshal(f *testing.F) {
	for _, c := range []Config{{Buckets: 9}, {Buckets: 3, BucketSize: 8, Generations: 1},
		{Buckets: 16, Generations: 6, Keys: 40}, {Buckets: 20, Window: time.Hour, ForgetEarly: true}} {
		_, b := stored[fingerprint.Any](f, c, c.Buckets)
		f.Add(b)
		_, b = stored[fingerprint.Bits3](f, c, 3)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := filetest.Type[*Filter[fingerprint.Any]]{
			Own: func() *Filter[fingerprint.Any] {
				own, _ := stored[fingerprint.Any](t, Config{Buckets: 4}, 9)
				return own
			},
			View: func(b []byte) (filetest.View, error) { return OpenView[fingerprint.Any](b) },
			Rates: func(v filetest.View) (load, rate float64) {
				w := v.(*View[fingerprint.Any])
				return w.LoadFactor(), w.FalsePositiveRate()
			},
			Use: use,
		}.Check(b)
		if err != nil {
			t.Fatal(err)
		}
	})
}

// use runs the verbs of a filter that was read against what they promise.
func use(f *Filter[fingerprint.Any]) error {
	for k := range uint64(40) {
		if k%8 == 7 {
			f.Advance()
		}
		h := hashing.Mix64(k)
		seen, generation := f.ContainsHash(h), f.Generation()
		added, err := f.TouchHash(h)
		switch {
		case err != nil && (seen || !errors.Is(err, ErrFull)):
			return fmt.Errorf("a key that is remembered, %v, gives %w", seen, err)
		case err == nil && (added == seen || !f.ContainsHash(h)):
			return fmt.Errorf("added is %v, and it was there before: %v", added, seen)
		case f.Generation() != generation && f.quota == 0:
			return errors.New("a touch ended a generation")
		}
	}
	f.Sweep(1 << 30)
	n := 0
	for _, count := range f.Ages() {
		n += count
	}
	if used, err := f.engine.Table.Check(); n != f.Len() || int(used) != n || err != nil {
		return fmt.Errorf("%d keys alive, Len %d, %d lanes: %w", n, f.Len(), used, err)
	}
	f.advanceBy(f.ages)
	if f.now < lastGeneration && (f.Len() != 0 || f.LoadFactor() != 0) {
		return fmt.Errorf("after all generations %v", f)
	}
	return nil
}
