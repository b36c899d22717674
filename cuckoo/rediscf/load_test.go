package rediscf

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

// stricter are the headers of the recordings that the server takes and a Loader does not.
var stricter = map[string]bool{
	"expansion 3 (not a power of two)":   true,
	"num_filters 65537 (kept mod 65536)": true,
}

func TestGolden_LoadChunk(t *testing.T) {
	var first []byte
	cases := 0
	for _, row := range rows(t, "testdata/loadchunk.tsv") {
		switch row[0] {
		case "header":
			cases++
			var l Loader
			err := l.Load(1, unhex(t, row[2]))
			if accept := row[3] == "OK" && !stricter[row[1]]; accept != (err == nil) {
				t.Errorf("header %q: %v, the server says %s", row[1], err, row[3])
			}
			if err == nil && strings.Replace(infoText(l.Info()), fmt.Sprint(uint64(math.MaxUint64)), "-1",
				1) != row[4] {
				t.Errorf("header %q: %v, the server's info is %s", row[1], l.Info(), row[4])
			}
			if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrTooLarge) {
				t.Errorf("header %q: %v", row[1], err)
			}
		case "first":
			first = unhex(t, row[1])
		case "chunk":
			cases++
			loadChunkCase(t, first, row)
		}
	}
	if cases < 20 {
		t.Errorf("only %d cases", cases)
	}
}

func loadChunkCase(t *testing.T, header []byte, row []string) {
	t.Helper()
	var l Loader
	if err := l.Load(1, header); err != nil {
		t.Fatal(err)
	}
	err := l.Load(int64(number(t, row[2])), unhex(t, row[3]))
	if (err == nil) != (row[4] == "OK") || err != nil && !errors.Is(err, ErrCorrupt) {
		t.Errorf("chunk %q: %v, the server says %s", row[1], err, row[4])
	}
	table := append(bytes.Clone(l.filter.subs[0].data()), l.filter.subs[1].data()...)
	if hex.EncodeToString(table) != row[5] {
		t.Errorf("chunk %q: the table is %x, the server's %s", row[1], table, row[5])
	}
}

// grown returns a filter of several sub-filters of different sizes.
func grown(t *testing.T) *Filter {
	t.Helper()
	f, err := New(Config{Capacity: 64, Expansion: 2})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 1500 {
		if err := f.AddString(fmt.Sprint("key ", k)); err != nil {
			t.Fatal(err)
		}
	}
	if f.Info().Filters < 4 {
		t.Fatalf("only %v", f.Info())
	}
	return f
}

// pieces cuts chunks at random places.
func pieces(chunks []chunk, r *rand.Rand) (list []chunk) {
	for _, c := range chunks {
		begin := c.position - int64(len(c.data))
		for at := 0; at < len(c.data); {
			end := min(at+1+r.IntN(100), len(c.data))
			list = append(list, chunk{begin + int64(end), c.data[at:end]})
			at = end
		}
	}
	return list
}

// TestLoader_AnyOrderAndSize loads a dump in pieces of random size in random order, and holds each of
// the last gaps to be noticed.
func TestLoader_AnyOrderAndSize(t *testing.T) {
	f := grown(t)
	chunks := chunksOf(f)
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		list := pieces(chunks[1:], r)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var l Loader
		if err := l.Load(chunks[0].position, chunks[0].data); err != nil {
			t.Fatal(err)
		}
		for k, c := range list {
			if _, err := l.Filter(); !errors.Is(err, ErrIncomplete) {
				t.Fatalf("seed %d: %d of %d pieces make a filter: %v", seed, k, len(list), err)
			}
			if err := l.Load(c.position, c.data); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		g, err := l.Filter()
		if err != nil || !bytes.Equal(dump(g), dump(f)) {
			t.Fatalf("seed %d: the filter differs, %v", seed, err)
		}
		if _, err := l.Filter(); !errors.Is(err, ErrIncomplete) {
			t.Fatalf("seed %d: a loader gives one filter, then %v", seed, err)
		}
	}
}

// TestLoader_NoticesEachMissingByte loads all but one byte.
func TestLoader_NoticesEachMissingByte(t *testing.T) {
	header := header{items: 0, buckets: 32, filters: 3, bucketSize: 3, maxIterations: 1, expansion: 2}.append(nil)
	starts := []int{0, 96, 288, 672}
	for missing := range 672 {
		var l Loader
		if err := l.Load(1, header); err != nil {
			t.Fatal(err)
		}
		for k, start := range starts[:3] {
			end := starts[k+1]
			for _, part := range [][2]int{{start, min(max(missing, start), end)},
				{min(max(missing+1, start), end), end}} {
				if part[0] == part[1] {
					continue
				}
				if err := l.Load(int64(part[1])+1, make([]byte, part[1]-part[0])); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, err := l.Filter()
		if want := fmt.Sprintf("byte %d of all", missing); !errors.Is(err, ErrIncomplete) ||
			!strings.Contains(err.Error(), want) {
			t.Fatalf("without byte %d: %v", missing, err)
		}
	}
}

func TestLoader_Refuses(t *testing.T) {
	base := header{items: 0, buckets: 8, filters: 2, bucketSize: 2, maxIterations: 20, expansion: 2}
	for _, c := range []struct {
		name   string
		want   error
		text   string
		change func(*header)
	}{
		{"no buckets", ErrCorrupt, "byte 8", func(h *header) { h.buckets = 0 }},
		{"3 buckets", ErrCorrupt, "byte 8", func(h *header) { h.buckets = 3 }},
		{"no sub-filters", ErrCorrupt, "byte 24", func(h *header) { h.filters = 0 }},
		{"65536 sub-filters", ErrCorrupt, "1..65535", func(h *header) { h.filters, h.expansion = 1<<16, 1 }},
		{"all sub-filters", ErrCorrupt, "1..65535", func(h *header) { h.filters = math.MaxUint64 }},
		{"bucket size 0", ErrCorrupt, "1..255", func(h *header) { h.bucketSize = 0 }},
		{"bucket size 256", ErrCorrupt, "1..255", func(h *header) { h.bucketSize = 256 }},
		{"no iterations", ErrCorrupt, "1..65535", func(h *header) { h.maxIterations = 0 }},
		{"expansion 3", ErrCorrupt, "power of two", func(h *header) { h.expansion = 3 }},
		{"expansion 3 of one", ErrCorrupt, "power of two", func(h *header) { h.expansion, h.filters = 3, 1 }},
		{"expansion 32769", ErrCorrupt, "power of two", func(h *header) { h.expansion = 1<<15 + 1 }},
		{"no expansion of two", ErrCorrupt, "several", func(h *header) { h.expansion = 0 }},
		{"a huge table", ErrTooLarge, "Limits.Bytes is 1073741824", func(h *header) { h.buckets = 1 << 63 }},
		{"a large table", ErrTooLarge, "Limits.Bytes", func(h *header) { h.buckets, h.filters = 1<<30, 1 }},
		{"a large second table", ErrTooLarge, "sub-filter 1",
			func(h *header) { h.expansion = 1 << 15; h.buckets = 1 << 20 }},
		{"growth that overflows to 0", ErrTooLarge, "Limits.Bytes",
			func(h *header) { h.buckets, h.expansion, h.filters = 1, 1<<15, 6 }},
	} {
		h := base
		c.change(&h)
		var l Loader
		err := l.Load(1, h.append(nil))
		if !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v", c.name, err)
		}
		if l.filter != nil {
			t.Errorf("%s: the loader has a filter", c.name)
		}
		if err := l.Load(1, base.append(nil)); err != nil {
			t.Errorf("%s: the loader takes nothing more: %v", c.name, err)
		}
	}
}

func TestLoader_RefusesChunks(t *testing.T) {
	h := header{items: math.MaxUint64, buckets: 8, filters: 2, bucketSize: 2, maxIterations: 20,
		expansion: 2}.append(nil)
	var l Loader
	check := func(position int64, n int, want error) {
		t.Helper()
		if err := l.Load(position, make([]byte, n)); !errors.Is(err, want) {
			t.Errorf("position %d, %d bytes: %v, want %v", position, n, err, want)
		}
	}
	if l.Info() != (Info{}) {
		t.Errorf("no header, %v", l.Info())
	}
	check(17, 16, ErrNotFound)
	check(0, 38, ErrCorrupt)
	if _, err := l.Filter(); !errors.Is(err, ErrIncomplete) {
		t.Error(err)
	}
	if err := l.Load(1, h); err != nil {
		t.Fatal(err)
	}
	if err := l.Load(1, h); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	for _, c := range [][2]int{{-1, 1}, {math.MinInt32, 8}, {2, 2}, {17, 0}, {18, 16}, {17, 17}, {49, 33}, {50, 1},
		{50, 32}, {math.MaxInt32, 5}} {
		check(int64(c[0]), c[1], ErrCorrupt)
	}
	check(math.MaxInt64, 1, ErrCorrupt)
	check(math.MinInt64, 1, ErrCorrupt)
	check(17, 16, nil)
	check(49, 32, nil)
	if _, err := l.Filter(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("items and no fingerprint: %v", err)
	}
	if err := l.Load(20, []byte{7, 0, 9}); err != nil { // bytes that come again
		t.Error(err)
	}
	if _, err := l.Filter(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("2^64-1 items and 2 fingerprints: %v", err)
	}
	l.Repair = true
	f, err := l.Filter()
	if err != nil || f.Len() != 2 {
		t.Errorf("repaired: %v, %v", f, err)
	}
}

func TestLoader_Limits(t *testing.T) {
	h := header{buckets: 8, filters: 3, bucketSize: 2, maxIterations: 20, expansion: 1}
	const memory = 3*16 + 2*perFilter
	for _, c := range []struct {
		limits Limits
		want   error
	}{
		{Limits{Bytes: memory}, nil},
		{Limits{Bytes: memory - 1}, ErrTooLarge},
		{Limits{Filters: 3}, nil},
		{Limits{Filters: 2}, ErrTooLarge},
		{Limits{Iterations: 20}, nil},
		{Limits{Iterations: 19}, ErrTooLarge},
		{Limits{Bytes: -1}, ErrConfig},
		{Limits{Filters: -1}, ErrConfig},
		{Limits{Iterations: -1}, ErrConfig},
		{Limits{Filters: math.MaxInt, Iterations: math.MaxInt, Bytes: math.MaxInt}, nil},
	} {
		l := Loader{Limits: c.limits}
		if err := l.Load(1, h.append(nil)); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.limits, err, c.want)
		}
	}
}

// TestHeader_SizesOverflow holds sizes beyond 64 bits to be refused where the limits say all.
func TestHeader_SizesOverflow(t *testing.T) {
	all := Limits{Bytes: math.MaxInt}.withDefaults()
	for _, h := range []header{
		{buckets: 1 << 48, filters: 3, bucketSize: 1, maxIterations: 1, expansion: 1 << 15},
		{buckets: 1, filters: 5, bucketSize: 1, maxIterations: 1, expansion: 1 << 15},
		{buckets: 1 << 63, filters: 1, bucketSize: 255, maxIterations: 1},
	} {
		if _, _, err := h.sizes(all); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%+v: %v", h, err)
		}
	}
	if n := (header{expansion: 1 << 15}).next(1 << 50); n != math.MaxUint64 {
		t.Errorf("2^65 is %d", n)
	}
}

// TestLoad_Errors gives a whole dump with something wrong in it.
func TestLoad_Errors(t *testing.T) {
	chunks := chunksOf(grown(t))
	seq := func(list []chunk) func(func(int64, []byte) bool) {
		return func(yield func(int64, []byte) bool) {
			for _, c := range list {
				if !yield(c.position, c.data) {
					return
				}
			}
		}
	}
	if _, err := Load(seq(chunks[1:]), Limits{}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	for k := 1; k < len(chunks); k++ {
		list := append(append([]chunk{}, chunks[:k]...), chunks[k+1:]...)
		if _, err := Load(seq(list), Limits{}); !errors.Is(err, ErrIncomplete) {
			t.Errorf("without chunk %d: %v", k, err)
		}
	}
	if _, err := Load(seq(chunks), Limits{Bytes: 1000}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if f, err := Load(seq(chunks), Limits{}); err != nil || f.Len() != 1500 {
		t.Error(err)
	}
}

// TestLoader_ManyFilters loads a filter of more sub-filters than inserts permit, as one command can make.
func TestLoader_ManyFilters(t *testing.T) {
	h := header{buckets: 1, filters: 65535, bucketSize: 1, maxIterations: 1, expansion: 1, items: 65535}
	var l Loader
	if err := l.Load(1, h.append(nil)); err != nil {
		t.Fatal(err)
	}
	for position := range int64(65535) {
		if err := l.Load(position+2, []byte{byte(position%255 + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	f, err := l.Filter()
	if err != nil || f.Len() != 65535 || f.CountHash(0) != 2*257 {
		t.Fatalf("%v, %v", f.CountHash(0), err)
	}
	if err := f.AddHash(1); !errors.Is(err, ErrExpansions) {
		t.Error(err)
	}
	if err := f.add(1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("the 65536th sub-filter: %v", err)
	}
}

// TestEmpty_IsWhatScanAllGives takes a filter whose items were deleted through both ways around an empty dump.
func TestEmpty_IsWhatScanAllGives(t *testing.T) {
	f := mustNew(t, Config{Capacity: 64, Expansion: 2})
	for k := range uint64(200) {
		_ = f.AddHash(hashing.Mix64(k))
	}
	for k := range uint64(200) {
		f.DelHash(hashing.Mix64(k))
	}
	for range f.Scan() {
		t.Error("a filter without items has a dump")
	}
	g, err := Load(f.ScanAll(), Limits{})
	if err != nil || g.Info() != f.Info() || g.LimitedBytes() != f.LimitedBytes() {
		t.Errorf("%v of ScanAll, %v; want %v", g, err, f.Info())
	}
	e, err := Empty(f.Info(), Limits{})
	if err != nil || e.Info() != f.Info() || f.Info().Filters < 2 && f.Info().Deletes == 0 {
		t.Errorf("%v of Empty, %v; want %v", e, err, f.Info())
	}
	for range new(Filter).ScanAll() {
		t.Error("a filter that was not reserved has a dump")
	}
	if e, err = Empty(Info{}, Limits{}); e != nil || !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v of no Info, %v", e, err)
	}
}
