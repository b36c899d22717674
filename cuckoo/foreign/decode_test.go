package foreign_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/hashing"
)

func TestDecode_RefusesWhatNoFilterWrites(t *testing.T) {
	none := func(int) int { return 0 }
	for name, c := range map[string]struct {
		data   []byte
		config foreign.Config
		want   error
		text   string
	}{
		"empty": {nil, foreign.Config{Format: foreign.Seiflotfy}, cuckoo.ErrTooShort, "0 bytes"},
		"less than a bucket": {make([]byte, 7), foreign.Config{Format: foreign.Panmari}, cuckoo.ErrTooShort,
			"bucket of 8"},
		"part of a bucket": {make([]byte, 10), foreign.Config{Format: foreign.Seiflotfy}, cuckoo.ErrCorrupt,
			"offset 8"},
		"three buckets": {make([]byte, 12), foreign.Config{Format: foreign.Seiflotfy}, cuckoo.ErrCorrupt,
			"3 buckets"},
		"three wide buckets": {make([]byte, 24), foreign.Config{Format: foreign.Panmari}, cuckoo.ErrCorrupt,
			"3 buckets"},
		"no such fingerprint": {append(make([]byte, 14), 255, 255), foreign.Config{Format: foreign.Panmari},
			cuckoo.ErrCorrupt, "offset 14"},
		"another size": {make([]byte, 16), foreign.Config{Format: foreign.Seiflotfy, Buckets: 8},
			cuckoo.ErrMismatch, "has 4"},
		"beyond MaxBytes": {make([]byte, 16), foreign.Config{Format: foreign.Seiflotfy, MaxBytes: 15},
			cuckoo.ErrTooLarge, "15"},
		"no format":      {make([]byte, 16), foreign.Config{}, cuckoo.ErrConfig, "Format is 0"},
		"unknown format": {make([]byte, 16), foreign.Config{Format: 3}, cuckoo.ErrConfig, "Format is 3"},
		"a capacity": {make([]byte, 16), foreign.Config{Format: foreign.Panmari, Capacity: 8},
			cuckoo.ErrConfig, "Capacity is 8"},
		"negative MaxBytes": {make([]byte, 16), foreign.Config{Format: foreign.Panmari, MaxBytes: -1},
			cuckoo.ErrConfig, "MaxBytes"},
		"lossy and no choices": {make([]byte, 16), foreign.Config{Format: foreign.Panmari, Lossy: true},
			cuckoo.ErrConfig, "Lossy"},
		"odd Buckets": {make([]byte, 16), foreign.Config{Format: foreign.Panmari, Buckets: 3, Choices: none},
			cuckoo.ErrConfig, "Buckets is 3"},
	} {
		f, err := foreign.Decode(c.data, c.config)
		if f != nil || !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), "foreign: ") ||
			!strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, %v; want %v and %q", name, f, err, c.want, c.text)
		}
	}
}

func TestNew_RefusesConfigurations(t *testing.T) {
	for _, c := range []struct {
		config foreign.Config
		want   error
	}{
		{foreign.Config{Format: foreign.Seiflotfy}, cuckoo.ErrConfig},
		{foreign.Config{Format: foreign.Seiflotfy, Capacity: 1, Buckets: 1}, cuckoo.ErrConfig},
		{foreign.Config{Format: foreign.Seiflotfy, Capacity: -1}, cuckoo.ErrConfig},
		{foreign.Config{Format: foreign.Seiflotfy, Buckets: -4}, cuckoo.ErrConfig},
		{foreign.Config{Capacity: 1}, cuckoo.ErrConfig},
		{foreign.Config{Format: foreign.Seiflotfy, Capacity: math.MaxInt}, cuckoo.ErrTooLarge},
		{foreign.Config{Format: foreign.Panmari, Capacity: math.MaxInt}, cuckoo.ErrTooLarge},
		{foreign.Config{Format: foreign.Panmari, Capacity: 1000, MaxBytes: 1000}, cuckoo.ErrTooLarge},
	} {
		if f, err := foreign.New(c.config); f != nil || !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.config, err, c.want)
		}
	}
}

// TestDecode_OtherHash takes a dump of a process that had changed the hash.
func TestDecode_OtherHash(t *testing.T) {
	c := foreign.Config{Format: foreign.Seiflotfy, Capacity: 64, Hash: hashing.XXH64(0)}
	f := newFilter(t, c)
	if err := f.InsertString("key"); err != nil {
		t.Fatal(err)
	}
	g, err := foreign.Decode(f.Encode(), foreign.Config{Format: foreign.Seiflotfy, Hash: hashing.XXH64(0)})
	if err != nil || !g.ContainsString("key") || !g.Equal(f) {
		t.Errorf("%v, %v", g, err)
	}
	h, err := foreign.Decode(f.Encode(), foreign.Config{Format: foreign.Seiflotfy})
	if err != nil || h.Equal(f) {
		t.Errorf("filters of two hashes are equal: %v, %v", h, err)
	}
}

// FuzzImport decodes any bytes in both formats, and what is accepted encodes to the same bytes. The verbs then
// keep Len and Count right on it and, where the choices are given, do what the model does.
func FuzzImport(f *testing.F) {
	f.Add([]byte{}, uint8(0), []byte{1, 2, 3})
	f.Add(make([]byte, 16), uint8(0), []byte{200, 1, 1, 200})
	f.Add(bytes.Repeat([]byte{0xff}, 16), uint8(1), []byte{9})
	f.Add(bytes.Repeat([]byte{7, 0}, 64), uint8(3), []byte("keys"))
	f.Add([]byte("0000\xd3000\xed000\x84000"), uint8(2), []byte{0, 0, 0})
	f.Add([]byte("0000\xd3000\xed000\x84000"), uint8(6), []byte("lossy, \x00 to \xff"))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, ops []byte) {
		choose := func() func(int) int { return rand.New(rand.NewPCG(testSeed, uint64(len(ops)))).IntN }
		c := foreign.Config{Format: formats[kind%2], MaxBytes: 1 << 12, Lossy: kind&6 == 6}
		if kind&2 != 0 {
			c.Choices = choose()
		}
		g, err := foreign.Decode(data, c)
		if err != nil {
			if g != nil {
				t.Fatalf("a filter and %v", err)
			}
			return
		}
		if got := g.Encode(); !bytes.Equal(got, data) {
			t.Fatalf("decoded %x, encoded %x", data, got)
		}
		m := modelOf(c.Format, data)
		if m.choices = choose(); m.count != g.Len() {
			t.Fatalf("Len is %d of %d slots that are used", g.Len(), m.count)
		}
		for _, op := range ops[:min(len(ops), 200)] {
			if kind&2 != 0 {
				follow(t, g, m, op, c.Lossy)
			} else {
				count(t, g, op)
			}
		}
	})
}

// follow makes one operation on the filter and on the model, which have the same choices to come.
func follow(t *testing.T, g *foreign.Filter, m *model, op byte, lossy bool) {
	t.Helper()
	k, table, stored := []byte{op >> 1}, slices.Clone(m.table), m.count
	if op&1 != 0 {
		if got, want := g.Delete(k), m.remove(k); got != want {
			t.Fatalf("operation %d: Delete is %t, want %t", op, got, want)
		}
	} else {
		err, want := g.Insert(k), m.insert(k)
		if (err == nil) != want || err != nil && !errors.Is(err, cuckoo.ErrFull) {
			t.Fatalf("operation %d: Insert: %v, want success %t", op, err, want)
		}
		if !want && !lossy {
			m.table, m.count = table, stored
		}
	}
	if !bytes.Equal(g.Encode(), m.dump()) || g.Len() != m.count || g.Contains(k) != m.contains(k) {
		t.Fatalf("operation %d: %x, Len %d, want %x and %d", op, g.Encode(), g.Len(), m.dump(), m.count)
	}
}

// count makes one operation on the filter, and expects what Count and Len are to say after it.
func count(t *testing.T, g *foreign.Filter, op byte) {
	t.Helper()
	k := []byte{op >> 1}
	length, n, before := g.Len(), g.Count(k), g.Encode()
	if op&1 == 0 {
		if err := g.Insert(k); err == nil {
			n, length = n+1, length+1
		} else if !errors.Is(err, cuckoo.ErrFull) || !bytes.Equal(before, g.Encode()) {
			t.Fatalf("insert: %v", err)
		}
	} else if g.Delete(k) {
		n, length = n-1, length-1
	}
	if g.Len() != length || g.Count(k) != n || g.Contains(k) != (n > 0) {
		t.Fatalf("operation %d: Len %d, Count %d, want %d and %d", op, g.Len(), g.Count(k), length, n)
	}
}
