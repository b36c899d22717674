package sweep

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// small is a grid of 16 cells.
func small(t *testing.T) Grid {
	t.Helper()
	g, err := Parse(smallText(), lab.Parts{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func smallText() Text {
	return Text{
		Widths: "8,12", BucketSizes: "4", Slots: "2^10", Loads: "0.5,1", Placements: []string{"additive", "xor"},
		Policies: []string{"breadth-first"}, Hashes: []string{"mix64"}, Filters: []string{"cuckoo"}, Trials: 2, Probes: 1 << 12, Seed: 3,
	}
}

// rows runs a grid and returns its rows by the names of the columns.
func rows(t *testing.T, g Grid, workers int) []map[string]string {
	t.Helper()
	cells, _, err := g.Plan(workers)
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	columns := Columns(g.Timed)
	err = Run(t.Context(), cells, Options{Workers: workers}, func(o Outcome) error {
		row := map[string]string{}
		cells := o.Row()
		if len(cells) != len(columns) {
			t.Fatalf("%d values for %d columns", len(cells), len(columns))
		}
		for i, c := range columns {
			row[c] = cells[i]
		}
		out = append(out, row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRun_WorkersDoNotMatter(t *testing.T) {
	one, five := rows(t, small(t), 1), rows(t, small(t), 5)
	if len(one) != 16 {
		t.Fatalf("%d rows, want 16", len(one))
	}
	for i := range one {
		for c := range one[i] {
			if one[i][c] != five[i][c] {
				t.Errorf("row %d, %s: %q on one worker, %q on five", i, c, one[i][c], five[i][c])
			}
		}
	}
}

// TestRun_CountsAddUp holds columns of a row against each other, and the measured rate against the predicted one
// within 5 binomial standard errors: of 16 rows one is further off once in 10^5 runs of another seed.
func TestRun_CountsAddUp(t *testing.T) {
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for i, r := range rows(t, small(t), 2) {
		stored, slots := number(r["stored"]), number(r["slots"])
		if r["lost"] != "0" || slots != 1024 || math.Abs(number(r["load_reached"])-stored/slots) > 1e-5 {
			t.Errorf("row %d: %v", i, r)
		}
		if full := r["load"] == "1"; full != (r["refused_at"] == r["stored"]) || full && stored/slots < 0.9 || !full && stored != 512 {
			t.Errorf("row %d, load %s: stored %s, refused at %q", i, r["load"], r["stored"], r["refused_at"])
		}
		p, n := number(r["predicted_rate"]), number(r["probes"])
		if got := number(r["measured_rate"]); math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/n)+1/n {
			t.Errorf("row %d, seed 3: rate %v, predicted %v", i, got, p)
		}
	}
}

// TestRow_Golden holds a published row: the same on every machine, for good.
func TestRow_Golden(t *testing.T) {
	g := small(t)
	cells, _, err := g.Plan(1)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := Run(t.Context(), cells[2:3], Options{Workers: 1}, func(o Outcome) error {
		got = strings.Join(o.Row(), ",")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got != goldenRow {
		t.Errorf("got  %s\nwant %s", got, goldenRow)
	}
}

func TestRun_InterruptKeepsFinishedRows(t *testing.T) {
	g := small(t)
	g.Trials = 2000
	cells, _, err := g.Plan(2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var seen []int
	err = Run(ctx, cells, Options{Workers: 2}, func(o Outcome) error {
		seen = append(seen, slices.IndexFunc(cells, func(c Cell) bool { return c.Seed == o.Cell.Seed }))
		if len(seen) == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(seen) < 3 || len(seen) == len(cells) || !slices.IsSorted(seen) {
		t.Errorf("%v after the rows %v", err, seen)
	}
	broken := errors.New("disk full")
	if err := Run(t.Context(), cells, Options{Workers: 3}, func(Outcome) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("an error of emit: %v", err)
	}
}

// own are parts of a user.
func own() lab.Parts {
	return lab.Parts{
		Policies: []lab.Policy{{Name: "mine", Kick: cuckoo.RandomWalk}},
		Families: []hashing.Hasher{hashing.XXH64(9)},
		Filters: []lab.Filter{{Name: "set", Settings: []lab.Setting{{Bits: 64, OneIn: 1 << 30, New: func(int, uint64) (lab.Instance, error) {
			held := map[uint64]bool{}
			return lab.Adapt(func(h uint64) error { held[h] = true; return nil }, func(h uint64) bool { return held[h] }, 8192), nil
		}}}}},
	}
}

func TestRun_MeasuresOwnParts(t *testing.T) {
	text := smallText()
	text.Widths, text.Loads, text.Placements, text.Trials, text.Timed = "12", "0.5", []string{"xor"}, 1, true
	text.Policies, text.Hashes, text.Filters = []string{"mine"}, []string{"xxh64:9"}, []string{"set", "cuckoo"}
	g, err := Parse(text, own())
	if err != nil {
		t.Fatal(err)
	}
	got := rows(t, g, 2)
	if len(got) != 2 || got[0]["kick"] != "mine" || got[0]["hash"] != "xxh64:9" {
		t.Fatalf("rows: %v", got)
	}
	if set := got[1]; set["filter"] != "set" || set["b"] != "" || set["slots"] != "" || set["stored"] != "512" || set["false_positives"] != "0" || set["predicted_rate"] != "" {
		t.Errorf("row of a filter of one's own: %v", set)
	}
	for _, r := range got {
		for _, c := range timedColumns {
			if v, err := strconv.ParseFloat(r[c], 64); err != nil || v <= 0 {
				t.Errorf("%s of %s: %q", c, r["filter"], r[c])
			}
		}
	}
}

// bitsOf and countersOf make Instances of filters whose inserts return nothing.
type (
	bitsOf     struct{ *bloom.Filter }
	countersOf struct{ *counting.Filter }
)

func (f bitsOf) InsertHashes(hs []uint64) (int, error) {
	f.Filter.InsertHashes(hs)
	return len(hs), nil
}

func (f countersOf) InsertHashes(hs []uint64) (int, error) {
	f.Filter.InsertHashes(hs)
	return len(hs), nil
}

// TestPredicted_MethodOrStats asks filters that tell their rate in a method, in Stats of three types, and not at all.
func TestPredicted_MethodOrStats(t *testing.T) {
	spec := nest.Spec{Kind: nest.Bloom, Capacity: 100, FalsePositiveRate: 0.1}
	front, err1 := nest.New(spec)
	bits, err2 := bloom.New(bloom.Config{Capacity: 100, FalsePositiveRate: 0.1})
	counters, err3 := counting.New(counting.Config{Capacity: 100, FalsePositiveRate: 0.1})
	slots, err4 := cuckoo.New[fingerprint.Bits8](cuckoo.Config{Capacity: 100})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	set, err := own().Filters[0].Settings[0].New(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := predicted(set); got != nil {
		t.Errorf("a filter without a rate: %v", *got)
	}
	for _, f := range []lab.Instance{front, bitsOf{bits}, countersOf{counters}, slots} {
		for h := range uint64(50) {
			if _, err := f.InsertHashes([]uint64{hashing.Mix64(h)}); err != nil {
				t.Fatal(err)
			}
		}
		if got := predicted(f); got == nil {
			t.Errorf("%T: no rate", f)
		} else if *got <= 0 || *got >= 0.2 {
			t.Errorf("%T of 50 keys: %v", f, *got)
		}
	}
}

// A filter of one's own that panics, or is none, ends the sweep with an error that names its cell.
func TestRun_NamesBadOwnParts(t *testing.T) {
	text := smallText()
	text.Filters = []string{"set"}
	for want, empty := range map[string]func(int, uint64) (lab.Instance, error){
		"panic: at the disco":     func(int, uint64) (lab.Instance, error) { panic("at the disco") },
		`filter "set", setting 0`: func(int, uint64) (lab.Instance, error) { return nil, nil },
	} {
		parts := own()
		parts.Filters[0].Settings[0].New = empty
		g, err := Parse(text, parts)
		if err != nil {
			t.Fatal(err)
		}
		cells, _, err := g.Plan(1)
		if err != nil {
			t.Fatal(err)
		}
		err = Run(t.Context(), cells, Options{Workers: 1}, func(Outcome) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "filter=set/") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
