package lab_test

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
)

// TestSimple_WhatIsMissingMakesNothing runs one that has only trials, and one without.
func TestSimple_WhatIsMissingMakesNothing(t *testing.T) {
	about := lab.About{Name: "x", Params: []string{"n"}, Counts: []string{"c"}}
	run := func(e lab.Old) ([]lab.Finding, error) {
		return lab.Registry{Experiments: []lab.Old{e}}.Run(t.Context(), lab.Options{Profile: lab.Tiny})
	}
	if _, err := run(lab.Simple{Declare: about}); !errors.Is(err, lab.ErrRegistry) {
		t.Errorf("without trials: %v", err)
	}
	trials := func(lab.Setup) ([]lab.Job, error) {
		return []lab.Job{{Series: "cuckoo", Params: lab.IntValues(3), Trials: 2, Run: func(context.Context, uint64) ([]int, error) { return []int{5}, nil }}}, nil
	}
	findings, err := run(lab.Simple{Declare: about, Trials: trials})
	if err != nil {
		t.Fatal(err)
	}
	f := findings[0]
	if len(f.Figures)+len(f.Verdicts)+len(f.Shown.Columns) > 0 || f.Data.Groups[0].Sum("c") != 10 {
		t.Errorf("only trials: %+v", f)
	}
	if s := f.Sections(); len(s) != 1 || s[0].Figure != nil {
		t.Errorf("sections: %+v", s)
	}
	lines := f.Data.Lines(chart.Line, func(g lab.Group) chart.Point { return chart.Point{X: float64(g.Param("n")), Y: g.Mean("c", "c")} })
	if len(lines) != 1 || len(lines[0].Points) != 1 || lines[0].Points[0] != (chart.Point{X: 3, Y: 1}) || !chart.Alike(lines[0].Style, chart.StyleFor("cuckoo")) {
		t.Errorf("lines: %+v", lines)
	}
	if lines := f.Data.Lines(chart.Line, func(lab.Group) chart.Point { return chart.Point{Y: math.NaN()} }); len(lines) > 0 {
		t.Errorf("lines of nothing: %+v", lines)
	}
}

// TestSimple_ExperimentsAreShort counts the lines of the smallest experiment, in docs/EXPERIMENTS.md, and of two whole files.
func TestSimple_ExperimentsAreShort(t *testing.T) {
	lines := func(file, from, to string) int {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text, found := strings.Cut(string(data), from)
		if !found {
			t.Fatalf("%s: no %q", file, from)
		}
		text, _, _ = strings.Cut(text, to)
		return strings.Count(text, "\n")
	}
	if n := lines("../../docs/EXPERIMENTS.md", "lab.ExampleExperiment -->\n```go\n", "```"); n >= 60 {
		t.Errorf("the smallest experiment has %d lines, want fewer than 60", n)
	}
	for _, file := range []string{"../panels/seeds.go", "../testdata/outside/parts/twins.go"} {
		if n := lines(file, "package ", "```"); n >= 120 {
			t.Errorf("%s has %d lines, want fewer than 120", file, n)
		}
	}
}
