package bitsandblooms_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/bitsandblooms"
)

// file returns the bytes of a header and words.
func file(m, k, length uint64, words ...uint64) []byte {
	var b []byte
	for _, x := range append([]uint64{m, k, length}, words...) {
		b = binary.BigEndian.AppendUint64(b, x)
	}
	return b
}

func TestDecode_RefusesWhatNoFilterWrites(t *testing.T) {
	for name, c := range map[string]struct {
		data   []byte
		config bitsandblooms.Config
		want   error
		text   string
	}{
		"empty":           {nil, bitsandblooms.Config{}, bloom.ErrTooShort, "header of 24"},
		"no words":        {file(100, 3, 100), bitsandblooms.Config{}, bloom.ErrTooShort, "want 16"},
		"no bits":         {file(0, 3, 0), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 0"},
		"no hashes":       {file(64, 0, 64, 1), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 8"},
		"endless queries": {file(64, 1<<40, 64, 1), bitsandblooms.Config{}, bloom.ErrTooLarge, "offset 8"},
		"lying bits":      {file(1<<60, 3, 1<<60), bitsandblooms.Config{}, bloom.ErrTooLarge, "offset 0"},
		"most bits":       {file(1<<64-1, 3, 1<<64-1), bitsandblooms.Config{}, bloom.ErrTooLarge, "offset 0"},
		"a terabyte": {file(1<<30, 3, 1<<30), bitsandblooms.Config{}, bloom.ErrTooShort,
			"0 bytes from offset 24"},
		"short bit set":     {file(65, 3, 64, 1, 1), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 16"},
		"long bit set":      {file(65, 3, 192, 1, 1, 1), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 16"},
		"empty of New(0,k)": {file(1, 3, 0), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 16"},
		"other byte order":  {file(64, 3, 64<<56, 1), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 16"},
		"bits beyond":       {file(65, 3, 65, 1, 2), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 32"},
		"trailing":          {append(file(64, 3, 64, 1), 0), bitsandblooms.Config{}, bloom.ErrCorrupt, "offset 32"},
		"other Slots":       {file(64, 3, 64, 1), bitsandblooms.Config{Slots: 65}, bloom.ErrMismatch, "Slots is 65"},
		"other Hashes":      {file(64, 3, 64, 1), bitsandblooms.Config{Hashes: 2}, bloom.ErrMismatch, "Hashes is 2"},
		"beyond MaxBytes": {file(65, 3, 65, 1, 1), bitsandblooms.Config{MaxBytes: 8}, bloom.ErrTooLarge,
			"MaxBytes is 8"},
		"negative MaxBytes": {file(64, 3, 64, 1), bitsandblooms.Config{MaxBytes: -1}, bloom.ErrConfig,
			"MaxBytes is -1"},
	} {
		f, err := bitsandblooms.Decode(c.data, c.config)
		if f != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "bitsandblooms: ") ||
			!strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, %v; want %v and %q", name, f, err, c.want, c.text)
		}
	}
}

func TestDecode_TruncatedAtEveryLength(t *testing.T) {
	data, _ := hex.DecodeString(golden)
	for n := range len(data) {
		if f, err := bitsandblooms.Decode(data[:n], bitsandblooms.Config{}); f != nil ||
			!errors.Is(err, bloom.ErrTooShort) {
			t.Errorf("%d bytes: %v, %v", n, f, err)
		}
	}
}

// TestDecode_FlippedBits flips every bit. Those of m and of the bits beyond m cannot pass; others make
// another filter, whose bytes they are: the format has no checksum.
func TestDecode_FlippedBits(t *testing.T) {
	data, _ := hex.DecodeString(golden)
	for bit := range 8 * len(data) {
		flipped := bytes.Clone(data)
		flipped[bit/8] ^= 1 << (bit % 8)
		f, err := bitsandblooms.Decode(flipped, bitsandblooms.Config{})
		if err == nil && !bytes.Equal(f.Encode(), flipped) {
			t.Errorf("bit %d: decoded and encoded differ", bit)
		}
		if m, length := bit < 64, bit >= 128 && bit < 192; err == nil && (m || length && f.Slots() != 100) {
			t.Errorf("bit %d was taken: %v", bit, f)
		}
	}
}

// FuzzImport decodes any bytes, once as they are and once with a size that goes with them, and uses what is accepted.
func FuzzImport(f *testing.F) {
	data, _ := hex.DecodeString(golden)
	f.Add(data, []byte("keys"))
	f.Add(file(1, 1, 1, 1), []byte{})
	f.Add(file(64, 1024, 64, 1<<63), []byte{1, 2})
	f.Add(file(65, 7, 128, 3, 1), []byte{0})
	f.Add(file(1<<60, 2, 1<<60), []byte{0})
	f.Add(file(100, 3, 100), bytes.Repeat([]byte{255}, 33))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, data, key []byte) {
		imported(t, data, key)
		if mended := mend(data); mended != nil && !imported(t, mended, key) {
			t.Fatalf("%x: not decoded", mended)
		}
	})
}

// mend returns data with up to 4096 bits, up to 100 hashes, as many words as these bits need and no bit
// behind them, or nil of what has no header.
func mend(data []byte) []byte {
	if len(data) < 24 {
		return nil
	}
	be := binary.BigEndian
	m := be.Uint64(data)%4096 + 1
	length := (m + 63) / 64 * 64
	b := append(file(m, be.Uint64(data[8:])%100+1, length), data[24:]...)
	if data[16]&1 == 0 {
		be.PutUint64(b[16:], m) // writers have written both
	}
	b = append(b, make([]byte, length/8)...)[:24+length/8]
	last := b[len(b)-8:]
	be.PutUint64(last, be.Uint64(last)<<(length-m)>>(length-m))
	return b
}

// imported decodes data. What is accepted encodes to the same bytes, contains the key if they have all its
// bits, and takes it. It tells whether data was accepted.
func imported(t *testing.T, data, key []byte) bool {
	t.Helper()
	g, err := bitsandblooms.Decode(data, bitsandblooms.Config{MaxBytes: 1 << 12})
	if err != nil {
		if g != nil || errors.Is(err, bloom.ErrConfig) || errors.Is(err, bloom.ErrMismatch) {
			t.Fatalf("%v and %v", g, err)
		}
		return false
	}
	if got := g.Encode(); !bytes.Equal(got, data) {
		t.Fatalf("decoded %x, encoded %x", data, got)
	}
	single := newFilter(t, g.Slots(), g.Config().Hashes)
	single.Insert(key)
	has := true
	for i, b := range single.Encode()[24:] {
		has = has && b&^data[24+i] == 0
	}
	before := g.Clone()
	if err := single.Merge(g); err != nil {
		t.Fatal(err)
	}
	if g.Contains(key) != has || g.InsertUnique(key) == has || !g.Contains(key) || !g.Equal(single) || has &&
		!g.Equal(before) {
		t.Fatalf("key %x: contained before: %t, %v then %v", key, has, before, g)
	}
	if was, is := before.ScanStats(), g.ScanStats(); is.LoadFactor < was.LoadFactor ||
		!(is.FalsePositiveRate >= 0 && is.FalsePositiveRate <= 1) {
		t.Fatalf("%+v, then %+v", was, is)
	}
	return true
}

// TestDecode_LyingSizesAllocateNothing reads headers that claim what is not there.
func TestDecode_LyingSizesAllocateNothing(t *testing.T) {
	for _, m := range []uint64{1 << 20, 1 << 30, 1 << 36, 1 << 62, 1<<64 - 64} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := bitsandblooms.Decode(file(m, 3, m), bitsandblooms.Config{})
		runtime.ReadMemStats(&after)
		// Less than the smallest of the tables claimed; the error itself takes a few hundred bytes.
		if got := after.TotalAlloc - before.TotalAlloc; err == nil || got > 1<<16 {
			t.Errorf("%d bits claimed: %d bytes allocated, %v", m, got, err)
		}
	}
}
