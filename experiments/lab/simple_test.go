package lab_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
)

// TestExperiment_WhatIsMissingMakesNothing runs one that has only trials.
func TestExperiment_WhatIsMissingMakesNothing(t *testing.T) {
	e := &lab.Experiment{
		Name: "x", Params: "n", Grid: lab.Grid{{Series: "cuckoo", Trials: lab.Times(2, 2, 2), Axes: []lab.Axis{lab.Over("n", lab.Ints(3))}}},
		Trial: lab.Trial{Counts: "c", Run: func(context.Context, lab.Cell, uint64) ([]int, error) { return []int{5}, nil }},
	}
	findings, err := lab.Registry{Experiments: []*lab.Experiment{e}}.Run(t.Context(), lab.Options{Profile: lab.Tiny})
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
}

// TestExperiment_IsShort counts the lines of the smallest experiment, in docs/EXPERIMENTS.md, and of two whole files.
func TestExperiment_IsShort(t *testing.T) {
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
