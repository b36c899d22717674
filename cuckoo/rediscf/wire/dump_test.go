package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/cuckoo/rediscf"
	"github.com/nestfilter/nest/cuckoo/rediscf/wire"
)

func written(t testing.TB, f *rediscf.Filter) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := wire.WriteDump(&b, f); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes, %d reported, %v", b.Len(), n, err)
	}
	return b.Bytes()
}

func read(b []byte) (*rediscf.Filter, error) {
	return wire.ReadDump(bytes.NewReader(b), rediscf.Limits{Bytes: 1 << 21})
}

// sealed puts the right checksum behind b.
func sealed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// record is one record of a file.
func record(position uint64, length uint32, data ...byte) []byte {
	return append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, position), length), data...)
}

func TestDump_ThereAndBack(t *testing.T) {
	for name, f := range samples(t) {
		b := written(t, f)
		if g, err := read(b); err != nil || !equal(f, g) {
			t.Errorf("%s: %v", name, err)
		}
		if g, err := wire.ReadDump(iotest.OneByteReader(bytes.NewReader(b)), rediscf.Limits{}); err != nil ||
			!equal(f, g) {
			t.Errorf("%s a byte at a time: %v", name, err)
		}
	}
}

// TestGolden_Dump freezes the bytes: do not change them. The filter is that of docs/REDIS.md.
func TestGolden_Dump(t *testing.T) {
	f, err := rediscf.New(rediscf.Config{Capacity: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "b"} {
		if err := f.AddString(key); err != nil {
			t.Fatal(err)
		}
	}
	const want = "896366640d0a1a01" +
		"0100000000000000" + "26000000" +
		"0300000000000000040000000000000000000000000000000100000000000000020014000100" +
		"0900000000000000" + "08000000" + "0000c40000001010" +
		"0000000000000000" + "00000000" + "8ae4e332"
	if got := hex.EncodeToString(written(t, f)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestReadDump_RefusesEveryTruncationAndDamage(t *testing.T) {
	good := written(t, filled(t, rediscf.Config{Capacity: 8, Expansion: 2}, 20))
	for n := range good {
		if _, err := read(good[:n]); !errors.Is(err, wire.ErrTooShort) {
			t.Fatalf("%d of %d bytes: %v", n, len(good), err)
		}
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[n] ^= 1 << bit
			if _, err := read(bad); err == nil {
				t.Fatalf("bit %d of byte %d does not matter", bit, n)
			}
		}
	}
	if _, err := read(append(good, 0)); !errors.Is(err, rediscf.ErrCorrupt) {
		t.Errorf("a byte more: %v", err)
	}
}

// TestReadDump_RefusesWhatLies has right checksums.
func TestReadDump_RefusesWhatLies(t *testing.T) {
	const magic = "\x89cfd\r\n\x1a\x01"
	f := filled(t, rediscf.Config{Capacity: 8, Expansion: 2}, 20)
	_, header, _ := f.ScanDump(0)
	huge := bytes.Clone(header)
	binary.LittleEndian.PutUint64(huge[8:], 1<<40)
	head, end := record(1, 38, header...), record(0, 0)
	var body, records []byte
	for position, chunk := range f.Scan() {
		if position > 1 {
			body = append(body, chunk...)
			records = append(records, record(uint64(position), uint32(len(chunk)), chunk...)...)
		}
	}
	file := func(parts ...[]byte) []byte {
		return sealed(bytes.Join(append([][]byte{[]byte(magic)}, parts...), nil))
	}
	first, rest := body[:8], body[8:] // sub-filter 0 has 8 bytes
	more := bytes.Clone(header)
	more[0]++
	for _, c := range []struct {
		name string
		b    []byte
		want error
	}{
		{"nothing", file(), wire.ErrTooShort},
		{"no magic", sealed([]byte("0123456789abcdef")), rediscf.ErrCorrupt},
		{"version 2", append([]byte("\x89cfd\r\n\x1a\x02"), file(head)[8:]...), wire.ErrVersion},
		{"no header", file(end), rediscf.ErrIncomplete},
		{"chunk before the header", file(record(9, 8, first...), head, end), rediscf.ErrCorrupt},
		{"header of 37 bytes", file(record(1, 37, header[:37]...), end), rediscf.ErrCorrupt},
		{"two headers", file(head, head, end), rediscf.ErrCorrupt},
		{"header alone", file(head, end), rediscf.ErrIncomplete},
		{"one chunk missing", file(head, record(9, 8, first...), end), rediscf.ErrIncomplete},
		{"a gap", file(head, record(uint64(len(body))+1, uint32(len(rest)), rest...), end), rediscf.ErrCorrupt},
		{"crosses a border", file(head, record(uint64(len(body))+1, uint32(len(body)), body...), end),
			rediscf.ErrCorrupt},
		{"again", file(head, record(9, 8, first...), record(9, 8, first...), end), rediscf.ErrCorrupt},
		{"empty chunk", file(head, record(1, 0), end), rediscf.ErrCorrupt},
		{"position beyond 63 bits", file(head, record(1<<63+9, 8, first...), end), rediscf.ErrCorrupt},
		{"length of 4 GiB", file(head, record(1<<32, 1<<32-1, first...)), rediscf.ErrCorrupt},
		{"header asks for much", file(record(1, 38, huge...), record(1<<32, 1<<32-1, first...)), rediscf.ErrTooLarge},
		{"wrong number of items", file(record(1, 38, more...), records, end), rediscf.ErrCorrupt},
	} {
		_, err := read(c.b)
		if !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "wire: dump: at byte ") {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestReadDump_LyingLengthCostsNothing gives a header within the limits and a length that the file does
// not have: no more is read, and no more allocated than the tables and the buffers.
func TestReadDump_LyingLengthCostsNothing(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 1 << 20}, 10)
	b := written(t, f)[:100]
	var before, behind runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := read(b); !errors.Is(err, wire.ErrTooShort) {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&behind)
	allocated := behind.TotalAlloc - before.TotalAlloc
	if most := uint64(1<<20 + 1<<17 + 1<<18); allocated > most {
		t.Errorf("%d bytes are allocated, want at most %d", allocated, most)
	}
}

// TestReadDump_ManySubFiltersCostNoMoreEach reads a file of as many sub-filters as there can be, of two bytes each.
func TestReadDump_ManySubFiltersCostNoMoreEach(t *testing.T) {
	const filters = 65535
	header := make([]byte, rediscf.HeaderSize)
	header[8], header[32], header[34], header[36] = 1, 2, 20, 1 // one bucket of two slots, 20 iterations, expansion 1
	binary.LittleEndian.PutUint16(header[24:], filters)
	file := append([]byte("\x89cfd\r\n\x1a\x01"), record(1, uint32(len(header)), header...)...)
	for k := range uint64(filters) {
		file = append(file, record(2*k+3, 2, 0, 0)...)
	}
	file = sealed(append(file, record(0, 0)...))
	var before, behind runtime.MemStats
	runtime.ReadMemStats(&before)
	f, err := wire.ReadDump(bytes.NewReader(file), rediscf.Limits{})
	runtime.ReadMemStats(&behind)
	if err != nil || f.Info().Filters != filters {
		t.Fatal(err)
	}
	if each := (behind.TotalAlloc - before.TotalAlloc) / filters; each > 2048 {
		t.Errorf("%d bytes are allocated for each sub-filter", each)
	}
}

func TestDump_ErrorsOfTheStream(t *testing.T) {
	f := filled(t, rediscf.Config{Capacity: 8, Expansion: 2}, 20)
	b := written(t, f)
	for n := range b {
		if _, err := wire.WriteDump(&full{n}, f); !errors.Is(err, errFull) {
			t.Fatalf("%d bytes fit: %v", n, err)
		}
		if _, err := wire.ReadDump(io.MultiReader(bytes.NewReader(b[:n]), iotest.ErrReader(errFull)),
			rediscf.Limits{}); !errors.Is(err, errFull) {
			t.Fatalf("%d bytes come: %v", n, err)
		}
	}
	if _, err := wire.ReadDump(io.MultiReader(bytes.NewReader(b), iotest.ErrReader(errFull)),
		rediscf.Limits{}); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if n, err := wire.WriteDump(io.Discard, new(rediscf.Filter)); n != 0 || !errors.Is(err, wire.ErrEmpty) {
		t.Error(n, err)
	}
}

var errFull = errors.New("disk full")

// full is a disk with room for n bytes.
type full struct{ n int }

func (f *full) Write(b []byte) (int, error) {
	m := min(len(b), f.n)
	f.n -= m
	if m < len(b) {
		return m, errFull
	}
	return m, nil
}

// FuzzReadDump reads anything within limits; what it takes it writes again.
func FuzzReadDump(f *testing.F) {
	for _, sample := range samples(f) {
		if b := written(f, sample); len(b) < 10_000 {
			f.Add(b[:len(b)-4])
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		filter, err := wire.ReadDump(bytes.NewReader(sealed(b)), rediscf.Limits{Bytes: 1 << 16, Filters: 8})
		if err != nil {
			return
		}
		again, err := read(written(t, filter))
		if err != nil || !equal(filter, again) {
			t.Fatal(err)
		}
	})
}
