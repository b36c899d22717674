package report

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
)

// twoSections is a report with a table of counts, one of times, a verdict and benchmark lines.
func twoSections() *Report {
	counts := Table{Columns: []string{"filter", "trial", "stored"}}
	times := Table{Columns: []string{"filter", "round", "hit_ns"}, Timed: []string{"hit_ns"}}
	for i := range 12 {
		counts.Add("bloom", i, 100+i)
		times.Add("bloom", i, 10+float64(i)/10)
		times.Add("cuckoo", i, 5.0)
	}
	r := &Report{
		Kind: "test", Profile: "quick", Seed: 1,
		Machine: Machine{CPU: "A", Cores: 1, GOOS: "linux", GOARCH: "amd64", Go: "go1"},
		Sections: []Section{
			{ID: "counts", Table: counts, Verdicts: []claims.Verdict{{Claim: claims.Claim{Says: "rate", Paper: "1"}, Ours: "1",
				Status: claims.Holds}}},
			{ID: "times", Table: times, Verdicts: []claims.Verdict{{Claim: claims.Claim{Says: "flat", Paper: "1",
				Machine: true}, Ours: "1", Status: claims.Holds}}},
		},
	}
	for i := range 10 {
		r.Bench = append(r.Bench, Bench{Name: "BenchmarkContains/filter=bloom", N: 1,
			Metrics: []Metric{{Value: 10 + float64(i%3), Unit: "ns/op"}, {Value: 9.6, Unit: "bits/item"}}})
	}
	return r
}

// compared compares the sample with what change makes of it.
func compared(t *testing.T, change func(*Report)) (*Changes, string) {
	t.Helper()
	other := twoSections()
	change(other)
	a, err := ReadFolder(writtenOf(t, twoSections()))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadFolder(writtenOf(t, other))
	if err != nil {
		t.Fatal(err)
	}
	r := Compare(a, b)
	var text strings.Builder
	if err := r.Write(&text, 0, true); err != nil {
		t.Fatal(err)
	}
	return r, text.String()
}

func TestCompare_WhatTheSeedDecides(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Report)
		want   []string
	}{
		{"nothing", func(*Report) {}, nil},
		{"cell", func(r *Report) { r.Sections[0].Table.Rows[4][2] = "7" }, []string{"counts.csv:6:stored: 104, 7\n"}},
		{"empty cell", func(r *Report) { r.Sections[0].Table.Rows[0][2] = "" },
			[]string{"counts.csv:2:stored: 100, nothing\n"}},
		{"all cells", func(r *Report) {
			for _, row := range r.Sections[0].Table.Rows {
				row[2] = "7"
			}
		}, []string{"counts.csv:11:stored: 109, 7\ncounts.csv: and 2 cells more\n"}},
		{"row", func(r *Report) { r.Sections[0].Table.Rows = r.Sections[0].Table.Rows[:11] },
			[]string{"counts.csv: 12 rows, 11 rows"}},
		{"column", func(r *Report) { r.Sections[0].Table.Columns[2] = "kept" },
			[]string{"counts.csv: other columns", "kept"}},
		{"file", func(r *Report) { r.Sections = r.Sections[:1] }, []string{"times.csv: only in the first"}},
		{"new file", func(r *Report) {
			r.Sections = append(r.Sections, Section{ID: "x", Table: r.Sections[0].Table})
		}, []string{"x.csv: only in the second"}},
		{"seed", func(r *Report) { r.Seed = 2 }, []string{`seeds: "[1]", "[2]"`}},
		{"profile", func(r *Report) { r.Profile = "paper" }, []string{`profile: "quick", "paper"`}},
		{"verdict", func(r *Report) {
			r.Sections[0].Verdicts[0].Status, r.Sections[0].Verdicts[0].Why = claims.Differs, "why"
		}, []string{"verdict: counts: rate: holds, differs"}},
		{"claim", func(r *Report) { r.Sections[0].Verdicts[0].Says = "load" },
			[]string{"rate: holds, only in the first", "load: holds, only in the second"}},
		{"time", func(r *Report) { r.Sections[1].Table.Rows[0][2] = "99" }, nil},
		{"benchmark", func(r *Report) { r.Bench = nil }, nil},
	} {
		r, text := compared(t, c.change)
		if r.Same != (c.want == nil) || strings.Contains(text, "the same: ") != (c.want == nil) {
			t.Errorf("%s: same %v:\n%s", c.name, r.Same, text)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in:\n%s", c.name, want, text)
			}
		}
	}
}

// A verdict on times may change from run to run: it is named, and the reports are the same.
func TestCompare_VerdictsOnTimesMayChange(t *testing.T) {
	r, text := compared(t, func(r *Report) {
		v := &r.Sections[1].Verdicts[0]
		v.Status, v.Why = claims.Undecided, "why"
	})
	if want := "verdict on times: times: flat: holds, undecided\n"; !r.Same || !strings.Contains(text, want) ||
		!strings.Contains(text, "the same: ") {
		t.Errorf("same %v, no %q in:\n%s", r.Same, want, text)
	}
	r, text = compared(t, func(r *Report) { r.Sections[1].Verdicts = nil })
	if want := "verdict: times: flat: holds, only in the first\n"; r.Same || !strings.Contains(text, want) {
		t.Errorf("a claim less: same %v, no %q in:\n%s", r.Same, want, text)
	}
}

func TestCompare_TimesAreRatios(t *testing.T) {
	r, text := compared(t, func(r *Report) {
		for _, row := range r.Sections[1].Table.Rows {
			if row[0] == "cuckoo" {
				row[2] = "10"
			}
		}
	})
	if len(r.Ratios) != 3 {
		t.Fatalf("ratios %+v", r.Ratios)
	}
	for i, want := range []Ratio{
		{"times.csv filter=bloom", "hit_ns", 10.55, 10.55, 12, 12, 10.2 / 10.9, 10.9 / 10.2},
		{"times.csv filter=cuckoo", "hit_ns", 5, 10, 12, 12, 2, 2},
		{"BenchmarkContains/filter=bloom", "ns/op", 11, 11, 10, 10, 10. / 12, 12. / 10},
	} {
		got := r.Ratios[i]
		if math.Abs(got.Lo-want.Lo) > 1e-9 || math.Abs(got.Hi-want.Hi) > 1e-9 || math.Abs(got.A-want.A) > 1e-9 ||
			math.Abs(got.B-want.B) > 1e-9 {
			t.Errorf("got %+v, want %+v", got, want)
		}
		got.Lo, got.Hi, got.A, got.B = want.Lo, want.Hi, want.A, want.B
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got.Certain() != (i == 1) {
			t.Errorf("%s is certain: %v", got.Name, got.Certain())
		}
	}
	if strings.Count(text, "*\n") != 1 {
		t.Errorf("marks in:\n%s", text)
	}
}

// TestCompare_ListsWhatIsCertain: without All the ratio of the one filter that changed, and how many others there are.
func TestCompare_ListsWhatIsCertain(t *testing.T) {
	r, _ := compared(t, func(r *Report) {
		for _, row := range r.Sections[1].Table.Rows {
			if row[0] == "cuckoo" {
				row[2] = "10"
			}
		}
	})
	var text strings.Builder
	if err := r.Write(&text, 0, false); err != nil {
		t.Fatal(err)
	}
	got := text.String()
	if strings.Contains(got, "filter=bloom") || !strings.Contains(got, "times.csv filter=cuckoo  hit_ns") ||
		!strings.Contains(got, "timed: 3 medians are compared; for 1 the interval of the ratio leaves out 1; --all lists all of them\n") {
		t.Error(got)
	}
}

// TestTableRatios_CountsAreNoParameters has a trial's counts differ from trial to trial, and from report to
func TestTableRatios_CountsAreNoParameters(t *testing.T) {
	table := func(by int) Table {
		out := Table{Columns: []string{"series", "slots", "batch", "step", "trial", "seed", "stored", "ns", "share",
			"speed"}, Timed: []string{"ns", "speed"}}
		for _, series := range []string{"CF", "BF"} {
			for step := range 3 {
				for trial := range 7 {
					out.Add(series, 1024, "", step+1, trial, 99*by*trial, 100*by+trial, 7*by, 0.1*float64(by*trial), 1000*by+trial)
				}
			}
		}
		return out
	}
	got := tableRatios("fig5.csv", table(1), table(2))
	if len(got) != 6 {
		t.Fatalf("%d ratios, want one for each series and step, of what follows from ns: %+v", len(got), got)
	}
	for _, r := range got {
		if r.Metric != "speed" || r.NA != 7 || r.NB != 7 || r.A != 1003 || r.B != 2003 ||
			!(r.Lo < r.Value() && r.Value() < r.Hi) || !r.Certain() {
			t.Errorf("%+v", r)
		}
	}
	if got[1].Name != "fig5.csv series=CF step=2" {
		t.Errorf("name %q", got[1].Name)
	}
}

// TestTableRatios_OfOneRowEach has no repeats: what tells rows apart first is what they are of.
func TestTableRatios_OfOneRowEach(t *testing.T) {
	table := func(size int) Table {
		out := Table{Columns: []string{"filter", "n", "table_bytes", "verb", "ns"}, Timed: []string{"ns"}}
		out.Add("bloom", 64, size, "Contains", 10*size)
		out.Add("bloom", 64, size, "Insert", 20*size)
		out.Add("cuckoo", 64, size+1, "Insert", 30*size)
		return out
	}
	var names []string
	for _, r := range tableRatios("speed.csv", table(100), table(200)) {
		names = append(names, r.Name)
	}
	if got := strings.Join(names, "; "); got != "speed.csv filter=bloom verb=Contains; speed.csv filter=bloom verb=Insert; speed.csv filter=cuckoo verb=Insert" {
		t.Error(got)
	}
}

func TestCompare_MachinesAreNotCompared(t *testing.T) {
	r, text := compared(t, func(r *Report) { r.Machine.CPU = "B" })
	if !r.Same || !strings.Contains(text, "timed on different machines") || strings.Contains(text, "ns/op") {
		t.Errorf("same %v:\n%s", r.Same, text)
	}
}

func TestRatio_OneValueHasNoInterval(t *testing.T) {
	bench := func(ns float64) *timings {
		return ofBench([]BenchLine{{Bench: Bench{Name: "x", Metrics: []Metric{{Value: ns, Unit: "ns/op"}}}}})
	}
	r := ratios(bench(4), bench(2))[0]
	if r.Value() != 0.5 || !math.IsNaN(r.Lo) || r.Certain() {
		t.Errorf("%+v", r)
	}
}

func TestRatio_TakesTheIntervalsOfATable(t *testing.T) {
	table := func(ns, low, high float64) Table {
		out := Table{Columns: []string{"filter", "hit_ns", "hit_low", "hit_high"},
			Timed: []string{"hit_ns", "hit_low", "hit_high"}}
		out.Add("bloom", ns, low, high)
		return out
	}
	got := tableRatios("speed.csv", table(10, 8, 12), table(20, 18, 24))
	if len(got) != 1 || got[0].Metric != "hit_ns" || got[0].Lo != 1.5 || got[0].Hi != 3 || got[0].Value() != 2 ||
		!got[0].Certain() {
		t.Errorf("%+v", got)
	}
}

func TestRead_RefusesWhatWasAltered(t *testing.T) {
	dir := writtenOf(t, twoSections())
	if err := os.WriteFile(filepath.Join(dir, "counts.csv"), []byte("a\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFolder(dir); err == nil || !strings.Contains(err.Error(), "counts.csv: changed") {
		t.Error(err)
	}
	if _, err := ReadFolder(t.TempDir()); !errors.Is(err, ErrNoReport) {
		t.Error(err)
	}
}
