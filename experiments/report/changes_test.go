package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/must"
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
	section := func(id string, t Table, says string) Section {
		return Section{ID: id, Table: t, Verdicts: []claims.Verdict{{Claim: claims.Claim{Says: says, Paper: "1",
			Machine: t.Timed != nil}, Ours: "1", Status: claims.Holds}}}
	}
	r := &Report{
		Kind: "test", Profile: "quick", Seed: 1,
		Machine:  Machine{CPU: "A", Cores: 1, GOOS: "linux", GOARCH: "amd64", Go: "go1"},
		Sections: []Section{section("counts", counts, "rate"), section("times", times, "flat")},
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
	a := must.Get(ReadFolder(writtenOf(t, twoSections())))(t)
	b := must.Get(ReadFolder(writtenOf(t, other)))(t)
	r := Compare(a, b)
	var text strings.Builder
	must.Do(t, r.Write(&text, 0, true))
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
		comeInOrder(t, text, c.want...)
	}
}

// A verdict on times may change from run to run: it is named, and the reports are the same.
func TestCompare_VerdictsOnTimesMayChange(t *testing.T) {
	r, text := compared(t, func(r *Report) {
		v := &r.Sections[1].Verdicts[0]
		v.Status, v.Why = claims.Undecided, "why"
	})
	if comeInOrder(t, text, "verdict on times: times: flat: holds, undecided\n", "the same: "); !r.Same {
		t.Error("they are not the same")
	}
	r, text = compared(t, func(r *Report) { r.Sections[1].Verdicts = nil })
	if comeInOrder(t, text, "verdict: times: flat: holds, only in the first\n"); r.Same {
		t.Error("a claim less is the same")
	}
}

// What was timed is compared by medians: those that differ are listed, or all; trials of equal parameters are a sample.
func TestCompare_TimesAreMedians(t *testing.T) {
	r, all := compared(t, func(r *Report) {
		for _, row := range r.Sections[1].Table.Rows {
			if row[0] == "cuckoo" {
				row[2] = "10"
			}
		}
	})
	var text strings.Builder
	must.Do(t, r.Write(&text, 0, false))
	some := text.String()
	for _, text := range []string{all, some} {
		comeInOrder(t, text, "times.csv filter=cuckoo", "+100.00%", "p=0.000 n=12", "timed: 4 medians are compared; 1 differ at p < 0.05")
	}
	for _, want := range []string{"times.csv filter=bloom", "BenchmarkContains/filter=bloom", "bits/item"} {
		if !r.Same || !strings.Contains(all, want) || strings.Contains(some, want) {
			t.Errorf("same %v, %q in\n%s\nor not in\n%s", r.Same, want, some, all)
		}
	}
}

func TestCompare_MachinesAreNotCompared(t *testing.T) {
	r, text := compared(t, func(r *Report) { r.Machine.CPU = "B" })
	if !r.Same || !strings.Contains(text, "timed on different machines") || strings.Contains(text, "ns/op") {
		t.Errorf("same %v:\n%s", r.Same, text)
	}
}

func TestRead_RefusesWhatWasAltered(t *testing.T) {
	dir := writtenOf(t, twoSections())
	must.Do(t, os.WriteFile(filepath.Join(dir, "counts.csv"), []byte("a\n1\n"), 0o644))
	_, err := ReadFolder(dir)
	refused(t, err, "counts.csv: changed")
	if _, err := ReadFolder(t.TempDir()); !errors.Is(err, ErrNoReport) {
		t.Error(err)
	}
}
