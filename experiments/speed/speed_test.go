package speed

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

// Every policy under every placement, and every Bloom filter, goes through all verbs at a small size: what the
// benchmarks do at large ones.
func TestBench_EveryFilter(t *testing.T) {
	all := catalogue.Bench()
	for _, k := range catalogue.Policies() {
		all = append(all, catalogue.Cuckoo(cuckoo.Additive, k), catalogue.Cuckoo(cuckoo.XOR, k))
	}
	for _, e := range all {
		if e.MinSlots > 1<<10 {
			continue
		}
		f := contest{filters: beside("", []catalogue.Entry{e}), loads: []float64{.45, .9}}
		f.steps = slices.Concat(lookups, halves)
		bed := map[string]*measure.Turn{}
		c := lab.Cell{Bed: bed}.With("filter", lab.Named(e.Name, f.filters[0])).With("n", lab.Int(1<<10))
		for range 2 { // an emptied filter is as good as new
			out := must.Get(f.turn(t.Context(), c, 1))(t)
			deleted, stored := out["delete0.9"], bed[e.Name].Stored
			if deleted[0]+stored != 921 || (deleted[0] > 0) != e.Slots || deleted[0] != deleted[1] || out["insert0.9"][1] < 921 {
				t.Errorf("%s: %v, %d stored", e.Name, out, stored)
			}
			for _, s := range f.steps {
				asked := out[s.Name+"0.9"]
				if want := s.Hit * 65536; asked[0] != 65536 || float64(asked[1]) < want-900 || float64(asked[1]) > want+4000 {
					t.Errorf("%s, %s: %v", e.Name, s.Name, asked)
				}
			}
		}
	}
}

// Probes hold the share of hits, within six standard deviations, in an order that is not regular.
func TestProbes_ShareAndOrder(t *testing.T) {
	turn := measure.NewTurn(t.Context(), nil, nil)
	turn.Stored = 1000
	for _, hit := range []float64{0, 0.25, 0.5, 1} {
		p := Probes(turn, hit, 7)
		keys := make([]uint64, p.N)
		said, hits, changes, was := p.Next(0, keys), 0, 0, keys[0] < 1000
		for _, k := range keys {
			is := k < 1000
			if is {
				hits++
			}
			if is != was {
				changes++
			}
			was = is
		}
		n := float64(len(keys))
		if hits != said || math.Abs(float64(hits)-n*hit) > 6*math.Sqrt(n*hit*(1-hit)) {
			t.Errorf("hit=%v: %d hits, %d said, of %v", hit, hits, said, n)
		}
		if want := 2 * hit * (1 - hit) * n; math.Abs(float64(changes)-want) > 6*math.Sqrt(n) {
			t.Errorf("hit=%v: %d changes, want about %v", hit, changes, want)
		}
	}
	if turn.Stored = 1 << 25; Probes(turn, 0, 1).N != 1<<20 {
		t.Errorf("%d probes of a large table", Probes(turn, 0, 1).N)
	}
}

// The gather limit reads two words for each digest, anywhere in the array.
func TestGather_ReadsTwoWordsAnywhere(t *testing.T) {
	words := []uint64{1, 1 << 16, 1 << 32, 1 << 48} // counters of the reads of each word
	hs := Digests(1 << 12)
	sum, reads := gather(words, hs), 0
	for i := range words {
		n := int(sum >> (16 * i) & 0xffff)
		reads += n
		if n < 2048-6*40 || n > 2048+6*40 { // of 8192 reads a quarter, and six standard deviations of 39
			t.Errorf("word %d is read %d times", i, n)
		}
	}
	if reads != 2*len(hs) {
		t.Errorf("%d reads of %d digests", reads, len(hs))
	}
	if l := must.Get(Gather(catalogue.Size{Slots: 64}))(t); l.SizeBytes() != 96 || l.Contains(hs) != len(hs) {
		t.Errorf("%d bytes", l.SizeBytes())
	}
}

// run measures a timing for a moment.
func run(t *testing.T, name string, o Options) *Result {
	t.Helper()
	r := must.Get(must.Get(New(name, o))(t).Run(t.Context(), lab.Options{Seed: 1}))(t)
	page, w := r.Report(), must.Get(report.Create(t.TempDir()+"/out", report.Options{}))(t)
	if err := errors.Join(page.Check(), w.Add(page, []string{"svg"}), w.Commit()); err != nil {
		t.Error(err)
	}
	for _, f := range r.Figures {
		for _, p := range f.Panels {
			if len(p.Series) == 0 || len(p.Series[0].Points) == 0 {
				t.Errorf("%s: an empty panel", f.Name)
			}
		}
	}
	if text := r.Text(0); strings.Contains(text, "NaN") {
		t.Error(text)
	}
	return r
}

func TestBench_MeasuresEverything(t *testing.T) {
	r := run(t, "", Options{Sizes: []int{1 << 12, 1 << 10}, Rounds: 2})
	names := map[string]int{}
	for _, b := range r.Bench() {
		names[b.Name]++
		if b.N == 0 || !(b.Metrics[0].Value > 0) {
			t.Errorf("%+v", b)
		}
	}
	for _, want := range []string{
		"BenchmarkContains/filter=cuckoo/f=12/b=4/placement=additive/n=4096/load=0.95/hit=0.5/batch=256",
		"BenchmarkContains/filter=cuckoo/f=12/b=4/placement=xor/n=4096/load=0.3/hit=1",
		"BenchmarkContains/filter=bloom/bits=13/k=9/n=1024/hit=0",
		"BenchmarkContains/filter=gather/n=1024/hit=0/batch=256",
		"BenchmarkInsert/filter=cuckoo/f=12/b=4/placement=xor/n=1024/load=0.95",
		"BenchmarkInsert/filter=cuckoo/f=12/b=4/placement=xor/n=1024/load=0.95/from=0.9",
		"BenchmarkDelete/filter=cuckoo/f=12/b=4/placement=xor/n=1024/load=0.95",
		"BenchmarkBuild/filter=cuckoo/f=12/b=4/placement=xor/n=1024/load=0.95",
		"BenchmarkSize/filter=bloom/bits=13/k=9/n=1024",
	} {
		if names[want] != 2 {
			t.Errorf("%s is there %d times", want, names[want])
		}
	}
}

// An entry is all that nest bench needs of a filter: it is in its table, its benchmarks and its charts.
func TestBench_TakesAnyEntry(t *testing.T) {
	mine := catalogue.Cuckoo(cuckoo.XOR, nil)
	mine.Name, mine.Label, mine.Params = "mine", "my filter", "filter=mine"
	r := run(t, "", Options{Filters: []catalogue.Entry{mine}, Sizes: []int{1 << 10}, Rounds: 1})
	if text := r.Text(0); !strings.Contains(text, "1024  mine") || !strings.Contains(text, "The base is mine") {
		t.Error(text)
	}
	if lines := r.Bench(); !strings.HasPrefix(lines[0].Name, "BenchmarkInsert/filter=mine/n=1024") {
		t.Errorf("%+v", lines[0])
	}
	for _, f := range r.Figures {
		if f.Panels[0].Series[0].Label != "my filter" {
			t.Errorf("%s: the line is %q", f.Name, f.Panels[0].Series[0].Label)
		}
	}
}

// Each study is whole: what people get names its filters and its rows, and every ratio is of two times.
func TestStudy_EveryOneIsWhole(t *testing.T) {
	defer func(long time.Duration) { turnTime = long }(turnTime)
	turnTime = time.Millisecond
	for name, want := range map[string]string{
		"kinds":    "plain, 12 bits, XOR/Concurrent, 16 bits/grown, 16 bits/maplet/width at run time/measured/delete",
		"paired":   "plain, 12 bits, b = 4/paired, 11 bits, b = 8/semi-sorted/longest insert/last stretch/delete/predicted",
		"growth":   "grown in steps/grown at once/rate over that of no doubling/bits per item after it/256 at once/doublings",
		"shared":   "Concurrent, 16 bits/7 at once/of one rate",
		"together": "beside one that writes/keys sorted/batches sent/sync.Map/50% writes/Filter, RWMutex",
	} {
		o := Options{Sizes: []int{MinKeys()}, Rounds: 2}
		if name == "growth" {
			o.Sizes = append(o.Sizes, 2*MinKeys()) // a second one, so that there is something to draw
		}
		r := run(t, name, o)
		text := r.Text(0)
		for w := range strings.SplitSeq(want, "/") {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in\n%s", w, text)
			}
		}
		if len(r.Bench()) < 2*2*10 {
			t.Errorf("%d lines of benchmarks\n%s", len(r.Bench()), text)
		}
		if name != "growth" {
			continue
		}
		// The rate that is measured over that of no doubling is 1 + g/2 in a full table and 1 + g in one that has just
		// grown, within the noise of the rate.
		at := func(what string) float64 {
			return median(r.Data.Where("series", "grown in steps", "what", what)[0]).Value
		}
		if g, over := at(doublings), at(overUngrown); g < 2 || over < 0.9*(1+g/2) || over > 1.1*(1+g) {
			t.Errorf("%v doublings, %v times the rate", g, over)
		}
		if full, just := at(beforeLast), at(afterLast); just < 1.9*full || just > 2.1*full {
			t.Errorf("%v bits before the last doubling, %v after it", full, just)
		}
	}
}

// What cannot be run is an error that says what to give.
func TestOptions_BadOnes(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		is   error
		want string
	}{
		{"sieve", Options{}, catalogue.ErrUnknown, `"sieve" is unknown: want one of kinds, paired, growth, shared`},
		{"paired", Options{Sizes: []int{5}}, ErrOptions, "n = 5 keys: paired wants"},
		{"growth", Options{Sizes: []int{1 << 29}}, ErrOptions, "n = 536870912 keys"},
		{"shared", Options{Rounds: -1}, ErrOptions, "-1 rounds"},
		{"", Options{Rounds: 1001}, ErrOptions, "1001 rounds"},
		{"", Options{Sizes: []int{1000}}, ErrOptions, "1000 slots: want a power of two"},
		{"", Options{Sizes: []int{}}, ErrOptions, "no size"},
		{"", Options{Base: "sieve"}, catalogue.ErrUnknown, `base: "sieve" is none of the filters: cuckoo-additive`},
	} {
		if _, err := New(c.name, c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestTiming_StopsWhenToldTo(t *testing.T) {
	for _, name := range append(Studies(), "") {
		timing := must.Get(New(name, Options{Sizes: []int{1 << 13}, Rounds: 2}))(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("enough")
		r, err := timing.Run(ctx, lab.Options{Report: func(lab.Progress) { cancel(reason) }})
		if r != nil || !errors.Is(err, reason) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// A filter that has no room for the keys that it was made for is an error.
func TestStudy_RefusalsAreErrors(t *testing.T) {
	small := catalogue.Paired()[0]
	open := small.Open
	small.Open = func(s catalogue.Size) (*measure.Loops, error) { s.Keys /= 2; return open(s) }
	f := contest{filters: beside("", []catalogue.Entry{small})}
	o := Options{Sizes: []int{MinKeys()}, Rounds: 1}
	if _, err := f.duel(studies[1], o).Run(t.Context(), lab.Options{}); !errors.Is(err, cuckoo.ErrFull) {
		t.Error(err)
	}
}

// A set that denies its keys is found out, one by one and in batches, only asked or only written.
func TestTurn_LostKeysAreErrors(t *testing.T) {
	none := func([]uint64) int { return 0 }
	forgetful := &set{client: func(int) verbs { return verbs{ask: none, replace: none} }}
	keys, absent := make([]uint64, MinKeys()), make([]uint64, 2*block)
	for _, whole := range []bool{false, true} {
		for _, writes := range []float64{0, .1, 1} {
			p := point{goroutines: 2, writes: writes}
			if _, err := turn(forgetful, whole, p, 1, keys, absent, 1); !errors.Is(err, measure.ErrLost) {
				t.Errorf("whole %t, writes %v: %v", whole, writes, err)
			}
		}
	}
}

// No two goroutines of a turn replace one key, they get to all of them, and the share of writes is right.
func TestWorker_KeysAreItsOwn(t *testing.T) {
	keys := make([]uint64, 16*block)
	for k := range keys {
		keys[k] = uint64(k)
	}
	for first := range 3 {
		replaced, writes, ops := map[uint64]bool{}, 0, 0
		all := verbs{ask: func(hs []uint64) int { return len(hs) }, replace: func(hs []uint64) int {
			for _, h := range hs {
				replaced[h] = true
			}
			writes += 2 * len(hs)
			return len(hs)
		}}
		w := worker{verbs: all, keys: keys, absent: make([]uint64, 2*block), first: first, step: 3}
		w.random = rand.New(rand.NewPCG(1, 1))
		for range 2000 {
			ops += w.work(.3)
		}
		if share := float64(writes) / float64(ops); share < .29 || share > .31 || w.lost > 0 {
			t.Errorf("share of writes %v, %d lost", share, w.lost)
		}
		for h := range replaced {
			if h%3 != uint64(first) {
				t.Errorf("worker %d of 3 replaces key %d", first, h)
			}
		}
		if len(replaced) < len(keys)/3-block {
			t.Errorf("worker %d of 3 has replaced %d keys", first, len(replaced))
		}
	}
}

// What two processors take is some nanoseconds; one has none.
func TestHandover_IsATimeOrNone(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	if l := handover(); l.Keys > 0 && (l.PerKey() < 1 || l.PerKey() > 1e5) {
		t.Errorf("%v ns", l.PerKey())
	}
	if runtime.GOMAXPROCS(1); handover().Keys != 0 {
		t.Error("a handover to nobody")
	}
}

// Each set has the keys that it was filled with, for each of its goroutines, and replaces them, and few others.
func TestKinds_HoldTheirKeys(t *testing.T) {
	n := MinKeys()
	all := Digests(2 * n)
	keys, absent := all[:n:n], all[n:]
	for _, k := range kinds() {
		set := must.Get(k.make(n, k.whole))(t)
		must.Get(measure.Each(keys, set.insert))(t)
		for g := range runtime.GOMAXPROCS(0) {
			own := keys
			if set.keys != nil {
				own = set.keys(g)
			}
			v, found, strange := set.client(g), 0, 0
			for part := range slices.Chunk(own, block) {
				found += v.replace(part) + v.ask(part)
			}
			for part := range slices.Chunk(absent, block) {
				strange += v.ask(part)
			}
			if found != 2*len(own) || strange > n/100 {
				t.Errorf("%s, goroutine %d: %d of %d, and %d of %d that are absent", k.name, g, found, 2*len(own), strange, n)
			}
		}
		if set.end != nil {
			set.end()
		}
	}
}
