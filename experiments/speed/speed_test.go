package speed

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// Every policy under every placement, and every Bloom filter, goes through all verbs at a small size: what
// the benchmarks do at large ones.
func TestOpen_EveryVerb(t *testing.T) {
	entries := append(catalogue.Blooms(), catalogue.Layouts()...)
	for _, p := range catalogue.Placements() {
		for _, k := range catalogue.Policies() {
			entries = append(entries, catalogue.Cuckoo(p, k))
		}
	}
	made := 0
	for _, e := range entries {
		turn, err := Open(t.Context(), e, 1<<10)
		if errors.Is(err, cuckoo.ErrConfig) {
			continue // Region
		}
		if err != nil {
			t.Fatal(err)
		}
		made++
		for range 2 { // an emptied filter is as good as new
			checkVerbs(t, e, turn)
		}
	}
	if made < 3+2*3 {
		t.Errorf("only %d filters are made", made)
	}
}

// checkVerbs fills a filter of 1024 slots to load 0.9 and goes through its verbs.
func checkVerbs(t *testing.T, e catalogue.Entry, b *measure.Turn) {
	t.Helper()
	laps, _, err := b.Fills(func() (*measure.Loops, error) { b.Reset(); return b.Loops, nil }, 0, 512, 921)
	if err != nil || laps[0].Keys != 512 || laps[1].Keys != 921-512 || b.Stored != 921 {
		t.Fatalf("%s: %v, %v, %d keys", e.Name, laps, err, b.Stored)
	}
	hits, batches := []float64{0, 0.5, 1}, []int{0, 1, 64, DefaultBatch, 1 << 20}
	if testing.Short() {
		hits, batches = []float64{0.5}, []int{0, DefaultBatch, 1 << 20}
	}
	for _, hit := range hits {
		for _, batch := range batches {
			if lap, err := b.Ask(Probes(b.Stored, hit, 1), batch); err != nil || lap.Keys != minProbes {
				t.Errorf("%s, hit=%v, batch=%d: %d keys, %v", e.Name, hit, batch, lap.Keys, err)
			}
		}
	}
	if (b.Remove != nil) != e.Slots || (b.Build != nil) != e.Slots {
		t.Errorf("%s deletes %t, builds %t", e.Name, b.Remove != nil, b.Build != nil)
	}
	if b.Remove != nil {
		if lap, err := b.Delete(b.Stored, nil); err != nil || lap.Keys != 921 || b.Stored != 0 {
			t.Errorf("%s: %v, %v", e.Name, lap, err)
		}
	}
	if b.Build != nil {
		hs := Digests(catalogue.KeysAt(1<<10, catalogue.FullLoad))
		lap, err := b.Bulk(hs)
		if walks := strings.Contains(e.Params, "kick="); walks && errors.Is(err, cuckoo.ErrFull) {
			return // walks may stop a little below load 0.95 in a table as small as this
		}
		if err != nil || lap.Keys != len(hs) {
			t.Errorf("%s: %v, %v", e.Name, lap, err)
		}
	}
}

// Probes hold the share of hits, within six standard deviations, in an order that is not regular.
func TestProbes_ShareAndOrder(t *testing.T) {
	const held = 1000
	for _, hit := range []float64{0, 0.25, 0.5, 1} {
		p := Probes(held, hit, 7)
		keys := make([]uint64, p.N)
		said, hits, changes := p.Next(0, keys), 0, 0
		for i, k := range keys {
			is := k < held
			if is {
				hits++
			}
			if i > 0 && is != (keys[i-1] < held) {
				changes++
			}
		}
		n := float64(len(keys))
		if hits != said || math.Abs(float64(hits)-n*hit) > 6*math.Sqrt(n*hit*(1-hit)) {
			t.Errorf("hit=%v: %d hits, %d said, of %v", hit, hits, said, n)
		}
		want := 2 * hit * (1 - hit) * n
		if math.Abs(float64(changes)-want) > 6*math.Sqrt(n) {
			t.Errorf("hit=%v: %d changes, want about %v", hit, changes, want)
		}
	}
	if n := Probes(1<<25, 0, 1).N; n != maxProbes {
		t.Errorf("%d probes of a large table, want %d", n, maxProbes)
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
	run, bytes := Gather(100, 10)
	if lap, err := run(); bytes != 96 || lap.Keys != minProbes || lap.Time <= 0 || err != nil {
		t.Errorf("%d bytes, %v, %v", bytes, lap, err)
	}
}

// run measures a timing for a moment.
func run(t *testing.T, timing *Timing, err error) *Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := timing.Run(t.Context(), lab.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	page := r.Report()
	w, err := report.Create(t.TempDir()+"/out", report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(page.Check(), w.Add(page, []string{"svg"}), w.Commit()); err != nil {
		t.Error(err)
	}
	for _, f := range r.Draw(r.Data) {
		for _, p := range f.Panels {
			if len(p.Series) == 0 || len(p.Series[0].Points) == 0 {
				t.Errorf("%s: an empty panel", f.Name)
			}
		}
	}
	return r
}

func TestBench_MeasuresEverything(t *testing.T) {
	timing, err := Bench(Options{Sizes: []int{1 << 12, 1 << 10}, Rounds: 2})
	r := run(t, timing, err)
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
	} {
		if names[want] != 2 {
			t.Errorf("%s is there %d times", want, names[want])
		}
	}
	text := r.Text(0)
	if strings.Contains(text, "NaN") || !strings.Contains(text, "cuckoo-additive") || !strings.Contains(text, "gather") {
		t.Error(text)
	}
}

// An entry is all that nest bench needs of a filter: it is in its table, its benchmarks and its charts.
func TestBench_TakesAnyEntry(t *testing.T) {
	mine := catalogue.Cuckoo(cuckoo.XOR, nil)
	mine.Name, mine.Label, mine.Params = "mine", "my filter", "filter=mine"
	timing, err := Bench(Options{Filters: []catalogue.Entry{mine}, Sizes: []int{1 << 10}, Rounds: 1})
	r := run(t, timing, err)
	if text := r.Text(0); !strings.Contains(text, "1024  mine") || !strings.Contains(text, "The base is mine") {
		t.Error(text)
	}
	if lines := r.Bench(); !strings.HasPrefix(lines[0].Name, "BenchmarkInsert/filter=mine/n=1024") {
		t.Errorf("%+v", lines[0])
	}
	for _, f := range r.Draw(r.Data) {
		if f.Panels[0].Series[0].Label != "my filter" {
			t.Errorf("%s: the line is %q", f.Name, f.Panels[0].Series[0].Label)
		}
	}
}

// Each study is whole: what people get names its filters and its rows, and every ratio is of two times.
func TestStudy_EveryOneIsWhole(t *testing.T) {
	for name, want := range map[string][]string{
		"paired":   {"plain, 12 bits, b = 4", "paired, 11 bits, b = 8", "semi-sorted", "longest insert", "last tenth", "delete", "bits per item", "predicted"},
		"growth":   {"grown in steps", "grown at once", "rate over that of no doubling", "bits per item after it", "256 at once", "doublings"},
		"shared":   {"Concurrent, 16 bits", "7 at once", "of one rate"},
		"together": {"beside one that writes", "keys sorted", "batches sent", "sync.Map", "50% writes", "Filter, RWMutex"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func(long time.Duration) { turnTime = long }(turnTime)
			turnTime = time.Millisecond
			o := Options{Sizes: []int{MinKeys()}, Rounds: 2}
			if name == "growth" {
				o.Sizes = append(o.Sizes, 2*MinKeys()) // a second one, so that there is something to draw
			}
			timing, err := Study(name, o, false)
			r := run(t, timing, err)
			text := r.Text(0)
			for _, w := range want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in\n%s", w, text)
				}
			}
			if strings.Contains(text, "NaN") || len(r.Bench()) < 2*2*10 {
				t.Errorf("%d lines of benchmarks\n%s", len(r.Bench()), text)
			}
		})
	}
}

// The rate that is measured over that of no doubling is 1 + g/2 in a full table and 1 + g in one that has just grown,
// within the noise of the rate.
func TestStudy_GrowthFollowsItsLaw(t *testing.T) {
	timing, err := Study("growth", Options{Sizes: []int{MinKeys()}, Rounds: 1}, false)
	r := run(t, timing, err)
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

// What cannot be run is an error that says what to give.
func TestOptions_BadOnes(t *testing.T) {
	study := func(name string, o Options) error { _, err := Study(name, o, false); return err }
	bench := func(o Options) error { _, err := Bench(o); return err }
	for _, c := range []struct {
		err  error
		is   error
		want string
	}{
		{study("sieve", Options{}), catalogue.ErrUnknown, `"sieve" is unknown: want one of paired, growth, shared`},
		{study("paired", Options{Sizes: []int{5}}), ErrOptions, "n = 5 keys: paired wants"},
		{study("growth", Options{Sizes: []int{1 << 29}}), ErrOptions, "n = 536870912 keys"},
		{study("shared", Options{Rounds: -1}), ErrOptions, "-1 rounds"},
		{bench(Options{Rounds: 1001}), ErrOptions, "1001 rounds"},
		{bench(Options{Sizes: []int{1000}}), ErrOptions, "1000 slots: want a power of two"},
		{bench(Options{Sizes: []int{}}), ErrOptions, "no size"},
		{bench(Options{Base: "sieve"}), catalogue.ErrUnknown, `base: "sieve" is none of the filters: cuckoo-additive`},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}

func TestTiming_StopsWhenToldTo(t *testing.T) {
	for _, name := range append(Studies(), "") {
		timing, err := Bench(Options{Sizes: []int{1 << 10}, Rounds: 2})
		if name != "" {
			timing, err = Study(name, Options{Sizes: []int{MinKeys()}, Rounds: 2}, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("enough")
		if r, err := timing.Run(ctx, lab.Options{Report: func(lab.Progress) { cancel(reason) }}); r != nil || !errors.Is(err, reason) {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

// A filter that has no room for the keys that it was made for is an error.
func TestStudy_RefusalsAreErrors(t *testing.T) {
	small := catalogue.Paired()[0]
	open := small.Open
	small.Open = func(s catalogue.Size) (*measure.Loops, error) { s.Keys /= 2; return open(s) }
	d := duel{contents: beside([]catalogue.Entry{small}), steps: alone, set: func(*measure.Contest) {}}
	timing := d.timing(studies()[0], Options{Sizes: []int{MinKeys()}, Rounds: 1})
	if _, err := timing.Run(t.Context(), lab.Options{}); !errors.Is(err, cuckoo.ErrFull) {
		t.Error(err)
	}
}

// forgetful is a set that loses every key.
func forgetful() *set {
	none := func([]uint64) int { return 0 }
	return same(func([]uint64) (int, error) { return 0, nil }, verbs{ask: none, replace: none})
}

// TestTurn_LostKeysAreErrors has a set that denies its keys, one by one and in batches, and is only asked or only
// written.
func TestTurn_LostKeysAreErrors(t *testing.T) {
	for _, whole := range []bool{false, true} {
		for _, writes := range []float64{0, .1, 1} {
			_, err := turn(forgetful(), whole, Point{Goroutines: 2, Writes: writes}, time.Millisecond, make([]uint64, MinKeys()), make([]uint64, 2*block), 1)
			if !errors.Is(err, measure.ErrLost) {
				t.Errorf("whole %t, writes %v: %v", whole, writes, err)
			}
		}
	}
}

// TestWorker_KeysAreItsOwn: no two goroutines of a turn replace one key, they get to all of them, and the share of
// writes is right.
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
		w := worker{verbs: all, keys: keys, absent: make([]uint64, 2*block), first: first, step: 3, random: rand.New(rand.NewPCG(1, 1))}
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

// TestHandover_IsATimeOrNone: what two processors take is some nanoseconds; a goroutine that waits for nobody gives up.
func TestHandover_IsATimeOrNone(t *testing.T) {
	if ns := handover(); ns < 1 || ns > 1e5 {
		t.Errorf("%v ns", ns)
	}
	if ns := alternate(new(atomic.Int64), 1, 10, 2); !math.IsNaN(ns) {
		t.Errorf("%v ns with nobody", ns)
	}
}

// TestSets_HoldTheirKeys: each set has the keys that it was filled with, for each of its goroutines, and replaces them;
// absent ones are found in few.
func TestSets_HoldTheirKeys(t *testing.T) {
	n := MinKeys()
	all := Digests(2 * n)
	keys, absent := all[:n:n], all[n:]
	for _, s := range Sets() {
		set, err := s.make(n)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := set.insert(keys); err != nil {
			t.Fatal(s.Name, err)
		}
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
				t.Errorf("%s, goroutine %d: %d of %d, and %d of %d that are absent", s.Name, g, found, 2*len(own), strange, n)
			}
		}
		if set.end != nil {
			set.end()
		}
	}
}
