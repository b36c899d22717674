package parquet_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/bloom/parquet"
	"github.com/nestfilter/nest/hashing"
)

// tail is everything of a header behind the size, which is what every writer writes.
const tail = "1c1c00001c1c00001c1c000000"

// unhex returns the bytes of hexadecimal digits.
func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// filter returns a filter of that many blocks with a few keys.
func filter(t testing.TB, blocks int) *bloom.SplitBlock {
	t.Helper()
	f, err := bloom.NewSplitBlock(bloom.Config{Slots: 256 * blocks})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 10 * blocks {
		f.InsertString(fmt.Sprint("key ", n))
	}
	return f
}

// encoded returns the bytes of a filter.
func encoded(t testing.TB, f *bloom.SplitBlock) []byte {
	t.Helper()
	b, err := parquet.Encode(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestEncode_HeaderBytes checks headers whose size takes one, two and three bytes. The zigzag code of n is 2n.
func TestEncode_HeaderBytes(t *testing.T) {
	for blocks, header := range map[int]string{1: "1540", 2: "158001", 1000: "1580f403"} {
		f := filter(t, blocks)
		data := encoded(t, f)
		want := append(unhex(header+tail), f.Bitset()...)
		if !bytes.Equal(data, want) {
			t.Errorf("%d blocks: header %x, want %s%s", blocks, data[:18], header, tail)
		}
		g, err := parquet.Decode(data, bloom.Config{})
		if err != nil || !g.Equal(f) || g.Len() != 0 || !g.ContainsString("key 3") {
			t.Errorf("%d blocks: decoded %v, %v", blocks, g, err)
		}
		if _, err := parquet.Decode(data, f.Config()); err != nil {
			t.Errorf("%d blocks, with the configuration: %v", blocks, err)
		}
	}
}

func TestEncode_RefusesOtherHash(t *testing.T) {
	for _, h := range []hashing.Hasher{hashing.XXH64(1), hashing.DigestsOnly} {
		f, err := bloom.NewSplitBlock(bloom.Config{Slots: 256, Hash: h})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := parquet.Encode(f); !errors.Is(err, bloom.ErrMismatch) || b != nil {
			t.Errorf("%s: %q, %v", h.Recipe(), b, err)
		}
	}
}

// TestDecode_SkipsUnknownFields puts a field 5 of every type into the header, and a field into the empty
// structure of the algorithm.
func TestDecode_SkipsUnknownFields(t *testing.T) {
	f := filter(t, 1)
	known := "1540" + "1c1c00001c1c00001c1c0000"
	for name, field := range map[string]string{
		"true": "11", "false": "12", "int8": "13ff", "int16": "148001", "int32": "15ffffffff0f",
		"int64": "16ffffffffffffffffff01", "double": "17" + "0000000000000000", "binary": "1803616263",
		"list of int": "1935020406", "list of bool": "192102" + "01", "empty list": "1905",
		"long list":     "19f3" + "10" + strings.Repeat("07", 16),
		"set of binary": "1a18" + "0161", "map": "1b02" + "83" + "0161" + "07" + "0162" + "08", "empty map": "1b00",
		"struct": "1c" + "1502" + "2c00" + "00", "list of struct": "192c" + "00" + "150400",
		"uuid":                    "1d" + strings.Repeat("ab", 16),
		"long form of the number": "05" + "c801" + "02",
	} {
		data := append(unhex(known+field+"00"), f.Bitset()...)
		if g, err := parquet.Decode(data, bloom.Config{}); err != nil || !g.Equal(f) {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
	inside := "1540" + "1c1c" + "1502" + "0000" + "1c1c0000" + "1c1c0000" + "00"
	if g, err := parquet.Decode(append(unhex(inside), f.Bitset()...), bloom.Config{}); err != nil || !g.Equal(f) {
		t.Errorf("a field of the algorithm: %v, %v", g, err)
	}
	longForm := "050240" + "0c041c0000" + "0c061c0000" + "0c081c0000" + "00"
	if g, err := parquet.Decode(append(unhex(longForm), f.Bitset()...), bloom.Config{}); err != nil || !g.Equal(f) {
		t.Errorf("field numbers in their long form: %v, %v", g, err)
	}
}

// refusals are headers that are not taken, each with its error and a part of the text.
var refusals = map[string]struct {
	header string
	want   error
	text   string
}{
	"other algorithm": {"1540" + "1c2c0000" + "1c1c00001c1c000000", bloom.ErrVersion, "algorithm 2"},
	"other hash":      {"1540" + "1c1c0000" + "1c2c0000" + "1c1c000000", bloom.ErrVersion, "hash 2"},
	"compressed":      {"1540" + "1c1c0000" + "1c1c0000" + "1c2c000000", bloom.ErrVersion, "compression 2"},
	"no algorithm":    {"1540" + "2c1c0000" + "1c1c000000", bloom.ErrCorrupt, "no algorithm"},
	"no size":         {"2c1c0000" + "1c1c0000" + "1c1c000000", bloom.ErrCorrupt, "no numBytes"},
	"empty union":     {"1540" + "1c00" + "1c1c00001c1c000000", bloom.ErrCorrupt, "empty algorithm"},
	"two algorithms":  {"1540" + "1c1c001c0000" + "1c1c00001c1c000000", bloom.ErrCorrupt, "second algorithm"},
	"algorithm of integer": {"1540" + "1c1502" + "00" + "1c1c00001c1c000000", bloom.ErrCorrupt,
		"algorithm 1 of type 5"},
	"size twice":         {"1540" + "050240" + tail, bloom.ErrCorrupt, "numBytes twice"},
	"size as a string":   {"180161" + tail, bloom.ErrCorrupt, "numBytes of type 8"},
	"hash as an integer": {"1540" + "1c1c0000" + "1502" + "1c1c000000", bloom.ErrCorrupt, "hash of type 5"},
	"size of 64 bits":    {"15" + "8080808020" + tail, bloom.ErrCorrupt, "does not fit into 32 bits"},
	"endless varint":     {"15" + "ffffffffffffffffffff01" + tail, bloom.ErrCorrupt, "more than 64 bits"},
	"negative size":      {"153f" + tail, bloom.ErrCorrupt, "-32 bytes"},
	"no blocks":          {"1500" + tail, bloom.ErrCorrupt, "0 bytes"},
	"part of a block":    {"1542" + tail, bloom.ErrCorrupt, "33 bytes"},
	"type 14":            {"1540" + tail[:24] + "1e00", bloom.ErrCorrupt, "type 14"},
	"lying list":         {"1540" + tail[:24] + "19f3ffffffff0f", bloom.ErrTooShort, "does not end"},
	"lying string":       {"1540" + tail[:24] + "18ffffffffffffffff7f", bloom.ErrTooShort, "does not end"},
	"too deep":           {"1540" + tail[:24] + strings.Repeat("1c", 40), bloom.ErrCorrupt, "deep"},
	"lists too deep":     {"1540" + tail[:24] + strings.Repeat("19", 40), bloom.ErrCorrupt, "deep"},
	"endless header":     {"1540" + tail[:24] + strings.Repeat("13ff", 2500), bloom.ErrCorrupt, "4096"},
}

func TestDecode_RefusesHeaders(t *testing.T) {
	for name, c := range refusals {
		data := unhex(c.header)
		if c.want != bloom.ErrTooShort {
			data = append(data, make([]byte, 64)...)
		}
		f, err := parquet.Decode(data, bloom.Config{})
		if f != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "parquet: ") ||
			!strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, %v; want %v and %q", name, f, err, c.want, c.text)
		}
		if f, err := parquet.DecodeAt(bytes.NewReader(data), 0, bloom.Config{}); f != nil || !errors.Is(err, c.want) {
			t.Errorf("%s, from a file: %v, %v; want %v", name, f, err, c.want)
		}
	}
}

func TestDecode_RefusesSizesAndConfigurations(t *testing.T) {
	data := encoded(t, filter(t, 2))
	for name, c := range map[string]struct {
		data   []byte
		config bloom.Config
		want   error
	}{
		"trailing":          {append(bytes.Clone(data), 0), bloom.Config{}, bloom.ErrCorrupt},
		"other hash":        {data, bloom.Config{Hash: hashing.XXH64(7)}, bloom.ErrMismatch},
		"other bits":        {data, bloom.Config{Slots: 256}, bloom.ErrMismatch},
		"beyond MaxBytes":   {data, bloom.Config{MaxBytes: 63}, bloom.ErrTooLarge},
		"negative MaxBytes": {data, bloom.Config{MaxBytes: -1}, bloom.ErrConfig},
		"lying size":        {unhex("158080808001" + tail), bloom.Config{}, bloom.ErrTooShort},
	} {
		if f, err := parquet.Decode(c.data, c.config); f != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, f, err, c.want)
		}
	}
	for n := range data {
		if f, err := parquet.Decode(data[:n], bloom.Config{}); f != nil || !errors.Is(err, bloom.ErrTooShort) {
			t.Errorf("%d bytes: %v, %v", n, f, err)
		}
		if f, err := parquet.DecodeAt(bytes.NewReader(data[:n]), 0, bloom.Config{}); f != nil ||
			!errors.Is(err, bloom.ErrTooShort) {
			t.Errorf("%d bytes of a file: %v, %v", n, f, err)
		}
	}
}

// TestDecode_LyingSizesAllocateNothing reads headers that claim up to 1 GiB that is not there.
func TestDecode_LyingSizesAllocateNothing(t *testing.T) {
	for _, header := range []string{"1580808001", "158080808001", "1580808080" + "04"} {
		data := append(unhex(header+tail), make([]byte, 100)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := parquet.Decode(data, bloom.Config{})
		_, errAt := parquet.DecodeAt(bytes.NewReader(data), 0, bloom.Config{})
		runtime.ReadMemStats(&after)
		// Less than the smallest of the bitsets claimed, 1 MiB; reading a header takes 4 KiB.
		if got := after.TotalAlloc - before.TotalAlloc; err == nil || errAt == nil || got > 1<<16 {
			t.Errorf("header %s: %d bytes allocated, %v, %v", header, got, err, errAt)
		}
	}
}

// TestDecode_FlippedHeaderBits flips every bit of a header. Nothing that is taken has another bitset.
func TestDecode_FlippedHeaderBits(t *testing.T) {
	f := filter(t, 2)
	data := encoded(t, f)
	for bit := range 8 * (len(data) - f.SizeBytes()) {
		flipped := bytes.Clone(data)
		flipped[bit/8] ^= 1 << (bit % 8)
		if g, err := parquet.Decode(flipped, bloom.Config{}); err == nil && !g.Equal(f) {
			t.Errorf("bit %d: %v", bit, g)
		}
	}
}

// broken is a file that fails behind some offset.
type broken struct {
	io.ReaderAt
	from int64
}

var errBroken = errors.New("broken")

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > b.from {
		return 0, errBroken
	}
	return b.ReaderAt.ReadAt(p, off)
}

func TestDecodeAt_InTheMiddleOfAFile(t *testing.T) {
	f := filter(t, 300)
	file := bytes.NewReader(append(append(make([]byte, 777), encoded(t, f)...), make([]byte, 9000)...))
	g, err := parquet.DecodeAt(file, 777, bloom.Config{})
	if err != nil || !g.Equal(f) {
		t.Fatalf("%v, %v", g, err)
	}
	if _, err := parquet.DecodeAt(file, -1, bloom.Config{}); !errors.Is(err, bloom.ErrConfig) {
		t.Errorf("a negative offset: %v", err)
	}
	if _, err := parquet.DecodeAt(file, 1<<40, bloom.Config{}); !errors.Is(err, bloom.ErrTooShort) {
		t.Errorf("an offset behind the end: %v", err)
	}
	for _, from := range []int64{0, 6000} {
		if _, err := parquet.DecodeAt(broken{file, from}, 777, bloom.Config{}); !errors.Is(err, errBroken) {
			t.Errorf("a file broken from %d on: %v", from, err)
		}
	}
}
