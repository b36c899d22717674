package speed

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// tiny are options that measure everything in a moment. The sizes are below those that Region comes in.
func tiny() Options { return Options{Sizes: []int{1 << 12, 1 << 10}, Rounds: 2, Seed: 1} }

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
	g := NewGather(100, 10)
	if lap, err := g.Run(); g.SizeBytes() != 96 || lap.Keys != minProbes || lap.Time <= 0 || err != nil {
		t.Errorf("%d bytes, %v, %v", g.SizeBytes(), lap, err)
	}
}

func TestRun_MeasuresEverything(t *testing.T) {
	o := tiny()
	var shares []float64
	o.Report = func(p lab.Progress) {
		if p.Done > p.Total || p.Experiment != "n=1024" && p.Experiment != "n=4096" {
			t.Errorf("%+v", p)
		}
		shares = append(shares, p.Share)
	}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(shares) || math.Abs(shares[len(shares)-1]-1) > 1e-9 {
		t.Errorf("shares %v", shares)
	}
	names := map[string]int{}
	for _, s := range r.Series {
		names[s.Name()]++
		if len(s.Rounds) != 2 || s.Keys == 0 || !(s.Rounds.Interval().Median > 0) {
			t.Errorf("%s: %v, %d keys", s.Name(), s.Rounds, s.Keys)
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
		if names[want] != 1 {
			t.Errorf("%s is there %d times", want, names[want])
		}
	}
	checkReport(t, r)
}

// checkReport holds that every section of a run's report has what it should show, and can be written.
func checkReport(t *testing.T, r *Result) {
	t.Helper()
	page := r.Report()
	if err := page.Check(); err != nil {
		t.Error(err)
	}
	var ids []string
	for _, s := range page.Sections {
		ids = append(ids, s.ID)
		if len(s.Table.Rows) == 0 || s.Figure == nil && s.ID != "verbs" {
			t.Errorf("section %s: %d rows", s.ID, len(s.Table.Rows))
		}
	}
	if want := []string{"size", "load", "fill", "verbs"}; !slices.Equal(ids, want) {
		t.Errorf("sections %q, want %q", ids, want)
	}
	w, err := report.Create(t.TempDir()+"/out", report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Add(page, []string{"svg"}), w.Commit()); err != nil {
		t.Error(err)
	}
	text := r.Text(0)
	if strings.Contains(text, "NaN") || !strings.Contains(text, "cuckoo additive") || !strings.Contains(text, "gather limit") {
		t.Error(text)
	}
}

func TestRun_StopsWhenToldTo(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	o := tiny()
	o.Report = func(lab.Progress) { cancel(reason) }
	if r, err := Run(ctx, o); r != nil || !errors.Is(err, reason) {
		t.Errorf("%v, %v", r, err)
	}
}
