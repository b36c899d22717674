package rediscf

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/nestfilter/nest/internal/packed"
)

func mustNew(t testing.TB, c Config) *Filter {
	t.Helper()
	f, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestConfig_Ranges holds both ends of each of the server's ranges, and what is beyond to name the range.
func TestConfig_Ranges(t *testing.T) {
	for _, c := range []struct {
		config Config
		text   string // "" is a valid configuration
	}{
		{Config{}, ""},
		{Config{Capacity: 4}, ""},
		{Config{Capacity: 3}, "Capacity is 3, want 4 to 1073741824"},
		{Config{Capacity: -1}, "Capacity is -1, want 4 to 1073741824"},
		{Config{Capacity: MaxCapacity}, ""},
		{Config{Capacity: MaxCapacity + 1}, "Capacity is 1073741825, want 4 to 1073741824"},
		{Config{Capacity: 2, BucketSize: 1}, ""},
		{Config{Capacity: 1, BucketSize: 1}, "want 2 to 1073741824"},
		{Config{Capacity: 510, BucketSize: 255}, ""},
		{Config{Capacity: 509, BucketSize: 255}, "want 510 to 1073741824"},
		{Config{BucketSize: 256}, "BucketSize is 256, want 1 to 255"},
		{Config{BucketSize: -1}, "BucketSize is -1, want 1 to 255"},
		{Config{MaxIterations: MaxMaxIterations}, ""},
		{Config{MaxIterations: 65536}, "MaxIterations is 65536, want 1 to 65535"},
		{Config{MaxIterations: -1}, "MaxIterations is -1, want 1 to 65535"},
		{Config{Expansion: NoGrowth}, ""},
		{Config{Expansion: MaxExpansion}, ""},
		{Config{Expansion: 32769}, "Expansion is 32769, want 1 to 32768"},
		{Config{Expansion: -2}, "Expansion is -2, want 1 to 32768"},
		{Config{Limits: Limits{Bytes: -1}}, "Limits.Bytes is -1"},
	} {
		err := c.config.Validate()
		if c.text == "" && err != nil || c.text != "" &&
			(!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%+v: %v, want %q", c.config, err, c.text)
		}
		if c.text == "" {
			continue // New would allocate a GiB for some
		}
		if _, again := New(c.config); fmt.Sprint(again) != fmt.Sprint(err) {
			t.Errorf("%+v: New says %v", c.config, again)
		}
	}
	if err := (Config{BucketSize: 300, Expansion: -5}).Validate(); strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two problems: %v", err)
	}
}

func TestConfig_Rounding(t *testing.T) {
	for _, c := range []struct {
		config             Config
		buckets, expansion int
	}{
		{Config{}, 512, 1},
		{Config{Capacity: 1024}, 512, 1},
		{Config{Capacity: 1000, BucketSize: 3}, 512, 1},
		{Config{Capacity: 7, BucketSize: 3}, 2, 1},
		{Config{Capacity: 1025}, 512, 1},
		{Config{Capacity: 1026}, 1024, 1},
		{Config{Capacity: 510, BucketSize: 255, Expansion: 3}, 2, 4},
		{Config{Expansion: 2}, 512, 2},
		{Config{Expansion: 32767}, 512, 32768},
		{Config{Expansion: NoGrowth}, 512, 0},
	} {
		i := mustNew(t, c.config).Info()
		if i.Buckets != uint64(c.buckets) || i.Expansion != c.expansion {
			t.Errorf("%+v: %v, want %d buckets and expansion %d", c.config, i, c.buckets, c.expansion)
		}
		if want := uint64(56 + c.buckets*i.BucketSize); i.Size != want {
			t.Errorf("%+v: size %d, want %d", c.config, i.Size, want)
		}
	}
	if powerOfTwo(0) != 1 || powerOfTwo(1) != 1 || powerOfTwo(1<<30) != 1<<30 {
		t.Error("powerOfTwo")
	}
}

func TestConfig_Limits(t *testing.T) {
	for _, c := range []Config{
		{Capacity: MaxCapacity, BucketSize: 3},
		{Limits: Limits{Bytes: 1023}},
		{Limits: Limits{Iterations: 19}},
	} {
		if _, err := New(c); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	mustNew(t, Config{Limits: Limits{Bytes: 1024, Filters: 1, Iterations: 20}})
}

// TestFilter_LimitsStopGrowth adds one key until the limits stop the growth that a server would not: the
// filter is then as it was, and takes other keys.
func TestFilter_LimitsStopGrowth(t *testing.T) {
	for _, c := range []struct {
		limits  Limits
		filters int
	}{
		{Limits{Filters: 3}, 3},
		{Limits{Bytes: 64 + 128 + 256 + 2*perFilter}, 3},
		{Limits{Bytes: 64 + 128 + 256 + 2*perFilter - 1}, 2},
		{Limits{Bytes: 64}, 1},
	} {
		f := mustNew(t, Config{Capacity: 64, Expansion: 2, Limits: c.limits})
		var err error
		for err == nil {
			err = f.AddString("hot")
		}
		if !errors.Is(err, ErrTooLarge) || f.Info().Filters != c.filters || f.Len() != 4*c.filters ||
			f.CountString("hot") != f.Len() {
			t.Fatalf("%+v: %v, %v, want %d sub-filters", c.limits, err, f.Info(), c.filters)
		}
		before := dump(f)
		if err := f.AddString("hot"); !errors.Is(err, ErrTooLarge) || !bytes.Equal(before, dump(f)) {
			t.Fatalf("%+v: again %v, or the filter changed", c.limits, err)
		}
		if err := f.AddString("cold"); err != nil {
			t.Fatalf("%+v: another key: %v", c.limits, err)
		}
	}
}

// TestFilter_CountsItsMemory holds the 576 bytes that a sub-filter is counted for to be enough.
func TestFilter_CountsItsMemory(t *testing.T) {
	const scheme = 32 // the closure, made anew for the newest sub-filter
	// A slice that grows has up to twice the room.
	if size := 2*int(reflect.TypeFor[sub]().Size()) + 2*packed.Padding + scheme; size > perFilter {
		t.Errorf("a sub-filter takes up to %d bytes besides its table, counted are %d", size, perFilter)
	}
	f := mustNew(t, Config{Capacity: 8, Expansion: 2})
	for range 60 {
		if err := f.AddHash(1); err != nil {
			t.Fatal(err)
		}
	}
	check := func() {
		t.Helper()
		i := f.Info()
		if want := i.Size - 40 - 16*uint64(i.Filters) + perFilter*uint64(i.Filters-1); f.used != want {
			t.Errorf("%d bytes are counted, want %d: %v", f.used, want, i)
		}
	}
	check()
	for range 50 {
		f.DelHash(1)
	}
	check()
}

// TestFilter_MaximumExpansions holds that every inserting command is refused at 32 sub-filters, before
// anything else, and that one command that inserts many passes that number on its way.
func TestFilter_MaximumExpansions(t *testing.T) {
	f := mustNew(t, Config{Capacity: 4, MaxIterations: 1})
	for k := range 4 * 32 {
		if err := f.AddString("hot"); (err == nil) != (k <= 4*31) || err != nil && !errors.Is(err, ErrExpansions) {
			t.Fatalf("copy %d: %v with %v", k, err, f.Info())
		}
	}
	before := dump(f)
	dst := make([]Result, 1)
	if _, err := f.AddNXString("hot"); !errors.Is(err, ErrExpansions) {
		t.Errorf("AddNX of a key that exists: %v", err)
	}
	if n, err := f.InsertStrings([]string{"cold"}, dst, InsertOptions{}); n != 0 || !errors.Is(err, ErrExpansions) {
		t.Errorf("Insert: %d, %v", n, err)
	}
	if n, err := f.InsertStrings([]string{"hot"}, dst, InsertOptions{NX: true}); n != 0 ||
		!errors.Is(err, ErrExpansions) {
		t.Errorf("InsertNX: %d, %v", n, err)
	}
	if n, err := f.InsertStrings(nil, nil, InsertOptions{}); n != 0 || !errors.Is(err, ErrExpansions) {
		t.Errorf("Insert of nothing: %d, %v", n, err)
	}
	if !bytes.Equal(before, dump(f)) {
		t.Error("a refused insert changed the filter")
	}
	for f.Info().Filters == 32 {
		if !f.DelString("hot") {
			t.Fatal("the copies are gone and the sub-filters are not")
		}
	}
	if err := f.AddString("cold"); err != nil {
		t.Errorf("after deletes: %v", err)
	}
	g := mustNew(t, Config{Capacity: 4, MaxIterations: 1})
	keys := slicesRepeat("hot", 4*40)
	results := make([]Result, len(keys))
	if n, err := g.InsertStrings(keys, results, InsertOptions{}); n != len(keys) || err != nil ||
		g.Info().Filters != 40 {
		t.Errorf("one command: %d, %v, %v", n, err, g.Info())
	}
	if again, err := Load(g.Scan(), Limits{}); err != nil || !bytes.Equal(dump(again), dump(g)) {
		t.Errorf("40 sub-filters do not load: %v", err)
	}
}

func slicesRepeat(key string, n int) (keys []string) {
	for range n {
		keys = append(keys, key)
	}
	return keys
}

func TestFilter_NoGrowthIsFull(t *testing.T) {
	f := mustNew(t, Config{Capacity: 64, Expansion: NoGrowth})
	for k := range 4 {
		if err := f.AddString("hot"); err != nil {
			t.Fatalf("copy %d: %v", k, err)
		}
	}
	before := dump(f)
	if err := f.AddString("hot"); !errors.Is(err, ErrFull) || !bytes.Equal(before, dump(f)) {
		t.Fatalf("the fifth copy: %v, or the filter changed", err)
	}
	dst := make([]Result, 4)
	n, err := f.InsertStrings([]string{"hot", "cold", "hot", "warm"}, dst, InsertOptions{})
	if want := []Result{Refused, Added, Refused, Added}; n != 4 || err != nil || !reflect.DeepEqual(dst, want) {
		t.Errorf("Insert: %d, %v, %v, want %v", n, err, dst, want)
	}
	n, err = f.Insert([][]byte{[]byte("hot"), []byte("new"), []byte("new")}, dst, InsertOptions{NX: true})
	if want := []Result{Existed, Added, Existed}; n != 3 || err != nil || !reflect.DeepEqual(dst[:3], want) {
		t.Errorf("InsertNX: %d, %v, %v, want %v", n, err, dst, want)
	}
}

// TestFilter_Zero holds the zero Filter to be a key that does not exist.
func TestFilter_Zero(t *testing.T) {
	var f Filter
	f.Compact()
	if f.ExistsString("k") || f.CountString("k") != 0 || f.DelString("k") || f.Len() != 0 || f.Info() != (Info{}) ||
		chunksOf(&f) != nil || f.ScanStats() != (Stats{}) {
		t.Error("the zero Filter is not empty")
	}
	dst := make([]Result, 1)
	if _, err := f.InsertStrings([]string{"k"}, dst, InsertOptions{NoCreate: true}); !errors.Is(err, ErrNotFound) {
		t.Errorf("NoCreate: %v", err)
	}
	for _, capacity := range []int{-1, 3, MaxCapacity + 1} {
		if _, err := f.InsertStrings([]string{"k"}, dst, InsertOptions{Capacity: capacity}); !errors.Is(err,
			ErrConfig) {
			t.Errorf("Capacity %d: %v", capacity, err)
		}
	}
	if f.Info() != (Info{}) {
		t.Errorf("a refused insert made %v", f.Info())
	}
	if _, err := f.InsertStrings([]string{"k"}, dst, InsertOptions{Capacity: 100}); err != nil ||
		infoText(f.Info()) != "184 64 1 1 0 2 1 20" {
		t.Errorf("%v: %v", f.Info(), err)
	}
	if n, err := f.InsertStrings([]string{"l"}, dst, InsertOptions{Capacity: 9999, NoCreate: true}); n != 1 ||
		err != nil || f.Info().Buckets != 64 {
		t.Errorf("options of a filter that exists: %v, %v", f.Info(), err)
	}
	if err := f.Reserve(Config{}); !errors.Is(err, ErrExists) || f.Len() != 2 {
		t.Errorf("reserved twice: %v", err)
	}
	var g, h Filter
	if err := g.Add(nil); err != nil || infoText(g.Info()) != "1080 512 1 1 0 2 1 20" || !g.ExistsString("") {
		t.Errorf("%v: %v", g.Info(), err)
	}
	if added, err := h.AddNX([]byte("k")); !added || err != nil || h.Info() != g.Info() {
		t.Errorf("%v: %v", h.Info(), err)
	}
}

// TestFilter_DumpsNothingWithoutItems also after items were there.
func TestFilter_DumpsNothingWithoutItems(t *testing.T) {
	f := mustNew(t, Config{})
	for range 2 {
		if next, data, err := f.ScanDump(0); next != 0 || data != nil || err != nil {
			t.Errorf("%d, %x, %v", next, data, err)
		}
		if next, data, err := f.ScanDump(1); next != 0 || data != nil || err != nil {
			t.Errorf("%d, %x, %v", next, data, err)
		}
		if err := f.AddString("k"); err != nil || !f.DelString("k") {
			t.Fatal(err)
		}
	}
}

// TestFilter_ScanDumpInsideSubFilter has what servers (module versions 8.8.0 and main of June 2026) replied after
// CF.RESERVE q 8, CF.ADD q a and CF.ADD q b twice.
func TestFilter_ScanDumpInsideSubFilter(t *testing.T) {
	f := mustNew(t, Config{Capacity: 8})
	for _, key := range []string{"a", "b", "b"} {
		if err := f.AddString(key); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		position, next int64
		chunk          string
	}{
		{0, 1, "0300000000000000040000000000000000000000000000000100000000000000020014000100"},
		{1, 9, "0000c40000001010"}, {2, 10, "0000c40000001010"}, {3, 11, "0000c40000001010"},
		{8, 16, "0000c40000001010"}, {9, 0, ""},
	} {
		next, data, err := f.ScanDump(c.position)
		if next != c.next || hex.EncodeToString(data) != c.chunk || err != nil {
			t.Errorf("position %d: %d, %x, %v, the server %d, %s", c.position, next, data, err, c.next, c.chunk)
		}
	}
}

// TestFilter_ScanDumpAnywhere holds the rule of chunks from every position, not only from those of a scan: a
// sub-filter of up to 16 MiB is one chunk, wherever in it the position is.
func TestFilter_ScanDumpAnywhere(t *testing.T) {
	f := grown(t)
	end := f.bytes()
	for position := int64(1); position < end+3; position++ {
		next, data, err := f.ScanDump(position)
		if position > end {
			if next != 0 || data != nil || err != nil {
				t.Fatalf("position %d: %d, %x, %v", position, next, data, err)
			}
			continue
		}
		k, _, _ := f.locate(position - 1)
		if err != nil || next != position+int64(len(data)) || !bytes.Equal(data, f.subs[k].data()) {
			t.Fatalf("position %d: %d, %d bytes, %v", position, next, len(data), err)
		}
	}
	for _, position := range []int64{-1, math.MinInt64} {
		if _, _, err := f.ScanDump(position); !errors.Is(err, ErrCorrupt) {
			t.Errorf("position %d: %v", position, err)
		}
	}
	if next, data, err := f.ScanDump(math.MaxInt64); next != 0 || data != nil || err != nil {
		t.Error("behind the end")
	}
	for range f.Scan() {
		break // a scan that its caller leaves
	}
}

// TestFilter_LargeChunks cuts a table above 16 MiB.
func TestFilter_LargeChunks(t *testing.T) {
	f := mustNew(t, Config{Capacity: 3 << 24, BucketSize: 3})
	if err := f.AddString("k"); err != nil {
		t.Fatal(err)
	}
	var positions []int64
	for position := range f.Scan() {
		positions = append(positions, position)
	}
	if want := []int64{1, 1 + 16<<20, 1 + 32<<20, 1 + 48<<20}; !reflect.DeepEqual(positions, want) {
		t.Errorf("positions %d, want %d", positions, want)
	}
	if next, data, err := f.ScanDump(1 + 5); next != 6+16<<20 || len(data) != 16<<20 ||
		&data[0] != &f.subs[0].data()[5] || err != nil {
		t.Errorf("position 6: %d, %d bytes, %v", next, len(data), err)
	}
	if next, data, err := f.ScanDump(48 << 20); next != 1+48<<20 || len(data) != 1 || err != nil {
		t.Errorf("position 48 MiB: %d, %d bytes, %v", next, len(data), err)
	}
	g, err := Load(f.Scan(), Limits{})
	if err != nil || !g.ExistsString("k") || g.Len() != 1 {
		t.Error(err)
	}
}

// TestFilter_SameBucketsCountTwice holds what happens where both buckets are one: BucketSize copies fit,
// each counted twice.
func TestFilter_SameBucketsCountTwice(t *testing.T) {
	f := mustNew(t, Config{Capacity: 6, BucketSize: 3, Expansion: NoGrowth})
	h := uint64(0)
	for fp, alternate := split(h); (alternate^h)&1 != 0; fp, alternate = split(h) {
		h++
		_ = fp
	}
	for k := 1; k <= 3; k++ {
		if err := f.AddHash(h); err != nil || f.CountHash(h) != 2*k {
			t.Fatalf("copy %d is counted %d times, %v", k, f.CountHash(h), err)
		}
	}
	if err := f.AddHash(h); !errors.Is(err, ErrFull) {
		t.Errorf("the fourth copy: %v", err)
	}
}

// TestFilter_RateWithinBounds holds the prediction against the mean of 20 filters of each load and
// number of sub-filters. The bound is 5 standard errors of that mean, from the spread of the 20: a false
// alarm in about 10^5 runs with other seeds (t distribution with 19 degrees of freedom).
func TestFilter_RateWithinBounds(t *testing.T) {
	const builds = 20
	probes, items := 100_000, []int{3000, 12000, 60000}
	if testing.Short() {
		probes, items = 20_000, items[:2]
	}
	for _, n := range items {
		var sum, squares, predicted float64
		for seed := range uint64(builds) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			f := mustNew(t, Config{Capacity: 8192, BucketSize: 4, Expansion: 2})
			for range n {
				if err := f.AddHash(r.Uint64()); err != nil {
					t.Fatal(err)
				}
			}
			if s := f.ScanStats(); s.Used != f.Len() || s.LoadFactor != float64(s.Used)/float64(s.Slots) ||
				uint64(s.Slots) < 4*f.Info().Buckets {
				t.Fatalf("%d items: %+v, %+v", n, s, f.Info())
			}
			hits := 0
			for range probes {
				if f.ExistsHash(r.Uint64()) {
					hits++
				}
			}
			rate := float64(hits) / float64(probes)
			sum += rate
			squares += rate * rate
			predicted += f.ScanStats().FalsePositiveRate / builds
		}
		mean := sum / builds
		sigma := math.Sqrt((squares/builds - mean*mean) / (builds - 1))
		if math.Abs(mean-predicted) > 5*sigma {
			t.Errorf("%d items: measured %.5f, predicted %.5f, standard error %.5f", n, mean, predicted, sigma)
		}
	}
}
