package speed

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// small is a grid of 16 cells.
func small() Grid {
	return Grid{
		Widths: "8,12", BucketSizes: "4", Slots: "2^10", Loads: "0.5,1", Placements: []string{"additive", "xor"},
		Kicks: []string{"breadth-first"}, Hashes: []string{RandomDigests}, Filters: []string{"cuckoo"}, Trials: 2,
		Probes: 1 << 12,
	}
}

// sweepOf measures a grid and hands its rows over.
func sweepOf(ctx context.Context, g Grid, own lab.Parts, workers int, rows func(lab.Row) error) error {
	e, err := Sweep(g, own)
	if err != nil {
		return err
	}
	o := lab.Options{Seed: 3, Workers: workers, Rows: rows}
	_, err = lab.Registry{Experiments: []*lab.Experiment{e}}.Run(ctx, o)
	return err
}

// rowsOf are the rows of a grid by the names of the columns, and as lines.
func rowsOf(t *testing.T, g Grid, own lab.Parts, workers int) (out []map[string]string, lines []string) {
	t.Helper()
	columns := Swept(g.Timed)
	err := sweepOf(t.Context(), g, own, workers, func(r lab.Row) error {
		row, cells := map[string]string{}, SweptRow(r)
		if len(cells) != len(columns) {
			t.Fatalf("%d values for %d columns", len(cells), len(columns))
		}
		for i, c := range columns {
			row[c] = cells[i]
		}
		out, lines = append(out, row), append(lines, strings.Join(cells, ","))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, lines
}

// Workers do not matter, columns of a row are held against each other, and the measured rate against the predicted one
// within 5 binomial standard errors: of 16 rows one is further off once in 10^5 runs of another seed.
func TestSweep_GoldenRowsAddUp(t *testing.T) {
	const third = `cuckoo,8,4,additive,breadth-first,mix64,1024,1,0,0xce4205daa8a7d3d9,1024,1025,1008,1008,0.984375,` +
		`215,8,0,118,4096,0.0288086,0.024111,0.0343892,0.0303519,8.19048`
	rows, one := rowsOf(t, small(), lab.Parts{}, 1)
	if _, five := rowsOf(t, small(), lab.Parts{}, 5); len(one) != 16 || !slices.Equal(one, five) || one[2] != third {
		t.Errorf("%q on one worker,\n%q on five", one, five)
	}
	for i, r := range rows {
		number := func(c string) float64 { return must.Get(strconv.ParseFloat(r[c], 64))(t) }
		stored, slots := number("stored"), number("slots")
		if r["lost"] != "0" || slots != 1024 || math.Abs(number("load_reached")-stored/slots) > 1e-5 {
			t.Errorf("row %d: %v", i, r)
		}
		if full := r["load"] == "1"; full != (r["refused_at"] != "") || full != (number("offered") == slots+1) {
			t.Errorf("row %d: %v", i, r)
		}
		rate := number("predicted_rate")
		if off := math.Abs(number("measured_rate")-rate) / math.Sqrt(rate/number("probes")); off > 5 {
			t.Errorf("row %d: rate %s, predicted %s", i, r["measured_rate"], r["predicted_rate"])
		}
	}
}

// Rows come in their order, and an error of one ends the run.
func TestSweep_RowsEndTheRun(t *testing.T) {
	g, trials, broken := small(), []int(nil), errors.New("disk full")
	g.Trials = 500
	err := sweepOf(t.Context(), g, lab.Parts{}, 3, func(r lab.Row) error {
		if trials = append(trials, r.Trial); len(trials) == 3 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || !slices.Equal(trials, []int{0, 1, 2}) {
		t.Errorf("%v after the trials %v", err, trials)
	}
}

// ownParts are parts of a user.
func ownParts() lab.Parts {
	exact := func(int, uint64) (lab.Instance, error) {
		held := map[uint64]bool{}
		insert := func(h uint64) error { held[h] = true; return nil }
		return lab.Adapt(insert, func(h uint64) bool { return held[h] }, 8192), nil
	}
	return lab.Parts{
		Policies: []lab.Policy{{Name: "mine", Kick: cuckoo.RandomWalk}}, Families: []hashing.Hasher{hashing.XXH64(9)},
		Filters: []lab.Filter{{Name: "set", Settings: []lab.Setting{{Bits: 64, OneIn: 1 << 30, New: exact}}}},
	}
}

func TestSweep_MeasuresOwnParts(t *testing.T) {
	g := small()
	g.Widths, g.Loads, g.Placements, g.Trials, g.Timed = "12", "0.5", []string{"xor"}, 1, true
	g.Kicks, g.Hashes, g.Filters = []string{"mine"}, []string{"xxh64:9"}, []string{"set", "cuckoo"}
	got, _ := rowsOf(t, g, ownParts(), 2)
	if len(got) != 2 || got[0]["kick"] != "mine" || got[0]["hash"] != "xxh64:9" {
		t.Fatalf("rows: %v", got)
	}
	if set := got[1]; set["filter"] != "set" || set["b"] != "" || set["slots"] != "" || set["stored"] != "512" ||
		set["false_positives"] != "0" || set["predicted_rate"] != "" {
		t.Errorf("row of a filter of one's own: %v", set)
	}
	for _, r := range got {
		for _, c := range strings.Fields(timedColumns) {
			if v, err := strconv.ParseFloat(r[c], 64); err != nil || v <= 0 {
				t.Errorf("%s of %s: %q", c, r["filter"], r[c])
			}
		}
	}
}

// A filter of one's own that panics, or is none, ends the sweep with an error that names its cell.
func TestSweep_NamesBadOwnParts(t *testing.T) {
	g := small()
	g.Filters = []string{"set"}
	for want, empty := range map[string]func(int, uint64) (lab.Instance, error){
		"panic: at the disco":     func(int, uint64) (lab.Instance, error) { panic("at the disco") },
		`filter "set", setting 0`: func(int, uint64) (lab.Instance, error) { return nil, nil },
	} {
		parts := ownParts()
		parts.Filters[0].Settings[0].New = empty
		err := sweepOf(t.Context(), g, parts, 1, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "filter=set/") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// bitsOf makes an Instance of a filter whose inserts return nothing.
type bitsOf struct{ *bloom.Filter }

func (f bitsOf) InsertHashes(hs []uint64) (int, error) {
	f.Filter.InsertHashes(hs)
	return len(hs), nil
}

// TestPredicted_MethodOrStats asks filters that tell their rate in a method, in Stats of three types, and not at all.
func TestPredicted_MethodOrStats(t *testing.T) {
	front := must.Get(nest.New(nest.Spec{Kind: nest.Bloom, Capacity: 100, FalsePositiveRate: 0.1}))(t)
	bits := must.Get(bloom.New(bloom.Config{Capacity: 100, FalsePositiveRate: 0.1}))(t)
	slots := must.Get(cuckoo.New[fingerprint.Bits8](cuckoo.Config{Capacity: 100}))(t)
	set := must.Get(ownParts().Filters[0].Settings[0].New(100, 1))(t)
	counters := must.Get(counting.NewDLeft(counting.DLeftConfig{Capacity: 100, RemainderBits: 8}))(t)
	if got := predicted(set); !math.IsNaN(got) {
		t.Errorf("a filter without a rate: %v", got)
	}
	for _, f := range []lab.Instance{front, bitsOf{bits}, counters, slots} {
		for h := range uint64(50) {
			must.Get(f.InsertHashes([]uint64{hashing.Mix64(h)}))(t)
		}
		if got := predicted(f); !(got > 0 && got < 0.2) {
			t.Errorf("%T of 50 keys: %v", f, got)
		}
	}
}

func TestFloats_ReadsListsAndRanges(t *testing.T) {
	for text, want := range map[string]string{
		"8..12": "[8 9 10 11 12]", "2,4": "[2 4]", "1e3,2^10": "[1000 1024]", "0.5..0.9:0.1": "[0.5 0.6 0.7 0.8 0.9]",
		"4, 4 ,5": "[4 5]", "8..12:2": "[8 10 12]", "8..11:2": "[8 10]", "7..7": "[7]", "0.5..0.9:0.4": "[0.5 0.9]",
		"0.1..0.3:0.2": "[0.1 0.3]", "0.5..0.5:0.1": "[0.5]", "0..1": "[0 1]", "0.1..0.4:0.1": "[0.1 0.2 0.3 0.4]",
	} {
		if got, err := Floats(text); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	refused := map[string]string{
		// A range that would measure one end only was taken for its first value.
		"0.5..0.9": `"0.5..0.9": want a step behind a colon, such as 0.5..0.9:0.1`, "0.5..2": "such as 0.5..2:0.1",
		"1..2.5": "such as 1..2.5:0.1", "0.5..0.9:0.6": `"0.5..0.9:0.6": want a step of at most 0.4`,
		"8..9:2": "want a step of at most 1", "0..1:1e-9": "want at most 100000 values",
	}
	for _, text := range strings.Fields("a 8.. ..8 9..8 1..2:0 1..2:-1 2^ 2^99 1..2..3 NaN Inf 1,,2 2^-1 , ") {
		refused[text] = "want a number"
	}
	for text, want := range refused {
		if got, err := Floats(text); !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"0.5", "1e30", ""} {
		if got, err := Ints(text); !errors.Is(err, ErrGrid) {
			t.Errorf("integers %q: %v, %v", text, got, err)
		}
	}
	// As many values as a grid may have are read at once, not in hours.
	if got, err := Floats("1..100000,1e5"); err != nil || len(got) != maxCells {
		t.Errorf("%d values, %v, want %d", len(got), err, maxCells)
	}
}

// TestSweep_RefusesWhatCannotBeMade: a zero too, which a package below would take for its default, and lists what is
// known.
func TestSweep_RefusesWhatCannotBeMade(t *testing.T) {
	for want, change := range map[string]func(*Grid){
		"f: 0, want 1 to 32":            func(g *Grid) { g.Widths = "8,0" },
		"f: 33, want":                   func(g *Grid) { g.Widths = "33" },
		"f: -1, want":                   func(g *Grid) { g.Widths = "-1" },
		"b: 0, want 1, 2, 4 or 8":       func(g *Grid) { g.BucketSizes = "4,0" },
		"b: 3, want":                    func(g *Grid) { g.BucketSizes = "3" },
		"n: 0, want at least 1":         func(g *Grid) { g.Slots = "0" },
		"load: 0, want above 0":         func(g *Grid) { g.Loads = "0" },
		"load: 1.5":                     func(g *Grid) { g.Loads = "1.5" },
		`f: grid cannot be`:             func(g *Grid) { g.Widths = "z" },
		"kick: no value":                func(g *Grid) { g.Kicks = nil },
		"seeds: no":                     func(g *Grid) { g.Trials = -1 },
		"probes: no":                    func(g *Grid) { g.Probes = 0 },
		"more than 100000 cells":        func(g *Grid) { g.Trials = 1 << 30 },
		"want some of cuckoo, set":      func(g *Grid) { g.Filters = []string{"y"} },
		"tabulation, xxh64:9":           func(g *Grid) { g.Hashes = []string{"maphash"} }, // which cannot be measured again
		"round-robin, look-ahead, mine": func(g *Grid) { g.Kicks = []string{"x"} },
		`"plain" is unknown: want some of additive, xor, plainxor`: func(g *Grid) { g.Placements[0] = "plain" },
	} {
		g := small()
		change(&g)
		err := sweepOf(t.Context(), g, ownParts(), 1, nil)
		if !errors.Is(err, ErrGrid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
