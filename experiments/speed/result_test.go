package speed

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
)

// made is a result of known times: a base and another filter, at one size, and the gather limit.
func made(t *testing.T) *Result {
	t.Helper()
	filters, err := catalogue.ChooseBench("cuckoo-xor", "bloom")
	if err != nil {
		t.Fatal(err)
	}
	o, err := Options{Filters: filters, Sizes: []int{1024}, Rounds: 3}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Options: o, at: map[Point]*Series{}}
	put := func(of *catalogue.Entry, size, batch int, rounds ...int) {
		for _, ns := range rounds {
			r.add(Point{N: 1024, Verb: Contains, Load: catalogue.FullLoad, Batch: batch}, of, size, measure.Lap{Time: time.Duration(100 * ns), Keys: 100})
		}
	}
	for _, batch := range []int{DefaultBatch, 0} {
		put(&filters[0], 1544, batch, 4, 5, 8)
	}
	for _, batch := range []int{DefaultBatch, 0} {
		put(&filters[1], 1580, batch, 8, 20, 12)
	}
	put(&limit, 1544, DefaultBatch, 2, 2, 2)
	return r
}

// Ratios are those within rounds: the median of 8/4, 20/5 and 12/8, not 12/5.
func TestSeries_RatioIsWithinRounds(t *testing.T) {
	r := made(t)
	base := r.at[Point{Filter: "cuckoo-xor", N: 1024, Verb: Contains, Load: catalogue.FullLoad, Batch: DefaultBatch}]
	other := r.at[Point{Filter: "bloom", N: 1024, Verb: Contains, Load: catalogue.FullLoad, Batch: DefaultBatch}]
	if got := other.over(base); got != (measure.Interval{Median: 2, Lo: 1.5, Hi: 4}) {
		t.Errorf("%v", got)
	}
	if got := base.over(base); got != (measure.Interval{Median: 1, Lo: 1, Hi: 1}) {
		t.Errorf("over itself: %v", got)
	}
	for _, nothing := range []*Series{nil, {}} {
		if got := other.over(nothing); !math.IsNaN(got.Median) {
			t.Errorf("over nothing: %v", got)
		}
	}
	if got := other.Rounds.Interval(); got != (measure.Interval{Median: 12, Lo: 8, Hi: 20}) {
		t.Errorf("%v", got)
	}
}

func TestResult_TableExactly(t *testing.T) {
	table := made(t).table(ofSize)
	data, err := table.CSV()
	if err != nil {
		t.Fatal(err)
	}
	const want = `filter,n,table_bytes,bits_per_item,verb,from_load,load,hit,batch,keys,rounds,ns,ns_low,ns_high,ratio,ratio_low,ratio_high,over_gather
cuckoo-xor,1024,1544,12.7078,Contains,0,0.95,0,256,100,3,5,4,8,1,1,1,2.5
cuckoo-xor,1024,1544,12.7078,Contains,0,0.95,0,1,100,3,5,4,8,1,1,1,2.5
bloom,1024,1580,13.0041,Contains,0,0.95,0,256,100,3,12,8,20,2,1.5,4,6
bloom,1024,1580,13.0041,Contains,0,0.95,0,1,100,3,12,8,20,2,1.5,4,6
gather,1024,1544,,Contains,0,0.95,0,256,100,3,2,2,2,0.4,0.25,0.5,1
`
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
}

func TestResult_TextExactly(t *testing.T) {
	text := made(t).Text(0)
	const want = `n     filter         KiB  miss  hit  batch miss  batch hit  x base  x gather  insert  last 5%  delete  build
1024  cuckoo xor    1.51  5.00             5.00               1.00      2.50
1024  bloom         1.54  12.0             12.0               2.00      6.00
1024  gather limit  1.51                   2.00
`
	if got, _, _ := strings.Cut(text, "\nns per key"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	const summary = "A lookup in cuckoo xor of 1024 slots, a table of 1.51 KiB, takes 5.00 ns one by one and 5.00 ns in batches of 256, 2.50 times the gather limit."
	if got := made(t).summary(); got != summary {
		t.Error(got)
	}
}

func TestResult_BenchLines(t *testing.T) {
	lines := made(t).Bench()
	if len(lines) != 5*3 {
		t.Fatalf("%d lines, want one for each of 3 rounds of 5 series", len(lines))
	}
	first, last := lines[0], lines[14]
	if first.Name != "BenchmarkContains/filter=cuckoo/f=12/b=4/placement=xor/n=1024/load=0.95/hit=0/batch=256" ||
		first.N != 100 || first.Metrics[0].Value != 4 || first.Metrics[1].Unit != "bits/item" {
		t.Errorf("%+v", first)
	}
	if last.Name != "BenchmarkContains/filter=gather/n=1024/hit=0/batch=256" || len(last.Metrics) != 1 {
		t.Errorf("%+v", last)
	}
}

func TestOptions_Refusals(t *testing.T) {
	filters := catalogue.Blooms()
	for _, c := range []struct {
		o    Options
		want string
		is   error
	}{
		{Options{Filters: []catalogue.Entry{}}, "0 filters", ErrOptions},
		{Options{Sizes: []int{}}, "0 sizes", ErrOptions},
		{Options{Sizes: []int{1000}}, "n = 1000 slots: want a power of two from 64 to 1073741824", ErrOptions},
		{Options{Sizes: []int{32}}, "n = 32", ErrOptions},
		{Options{Sizes: []int{-1}}, "n = -1", ErrOptions},
		{Options{Rounds: -1}, "-1 rounds", ErrOptions},
		{Options{Filters: filters, Base: "cuckoo-xor"}, "none of the filters: bloom, blocked-bloom, split-block-bloom", catalogue.ErrUnknown},
		{Options{Sizes: []int{1 << 26}, MemoryBytes: 1 << 30}, "n = 67108864 slots need", ErrOptions},
	} {
		if _, err := c.o.Resolve(); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if _, err := Run(t.Context(), c.o); !errors.Is(err, c.is) {
			t.Errorf("Run: %v", err)
		}
	}
	region, err := catalogue.ChooseBench("bloom")
	if err != nil {
		t.Fatal(err)
	}
	region[0].Open = func(catalogue.Size) (*measure.Loops, error) {
		return catalogue.Cuckoo(0, nil).Open(catalogue.Size{Slots: -4})
	}
	if _, err := Run(t.Context(), Options{Filters: region, Sizes: []int{64}}); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "none of the filters") {
		t.Errorf("nothing to measure: %v", err)
	}
}

func TestOptions_DefaultsAndPlans(t *testing.T) {
	o, err := Options{Sizes: []int{1 << 20, 1 << 10, 1 << 20}}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Sizes) != 2 || o.Sizes[0] != 1<<10 || o.Base != "cuckoo-additive" || o.Rounds != DefaultRounds {
		t.Errorf("%v, %q, %d rounds", o.Sizes, o.Base, o.Rounds)
	}
	larger := o
	larger.Sizes = []int{1 << 10, 1 << 23}
	if o.Expected() < time.Second || larger.Expected() <= o.Expected() {
		t.Errorf("expected %v and %v", o.Expected(), larger.Expected())
	}
	if large := (Options{Filters: catalogue.DefaultBench(), Sizes: []int{1 << 26}}).MemoryNeeded(); large < 2<<30 || large > 4<<30 {
		t.Errorf("2^26 slots need %d bytes", large)
	}
	for _, c := range []struct {
		sizes []int
		want  int
	}{{[]int{64, 1 << 20, 1 << 23}, 1 << 20}, {[]int{64, 128}, 128}, {[]int{1 << 23, 1 << 26}, 1 << 23}, {[]int{1 << 26}, 0}} {
		if got := (Options{Sizes: c.sizes}).sweepSize(); got != c.want {
			t.Errorf("of %v, %d is swept, want %d", c.sizes, got, c.want)
		}
	}
}

func TestTicks_Exactly(t *testing.T) {
	labels := func(ticks []chart.Tick) string {
		var out []string
		for _, tick := range ticks {
			out = append(out, tick.Label)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ got, want string }{
		{labels(sizeTicks(1000, 20<<20)), "1 KiB 8 KiB 64 KiB 512 KiB 4 MiB"},
		{labels(sizeTicks(1500, 300<<10)), "4 KiB 16 KiB 64 KiB 256 KiB"},
		{labels(measure.DecadeTicks(0.4, 30, 1, 2, 5)), "0.5 1 2 5 10 20"},
		{labels(measure.DecadeTicks(0.2, 30, 1, 1.5, 2, 3, 4, 5, 7)), "0.2 0.3 0.4 0.5 0.7 1 1.5 2 3 4 5 7 10 15 20 30"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
