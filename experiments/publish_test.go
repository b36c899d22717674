package experiments

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// gapped has three trials of two jobs: two of the first and all of the second have divided nothing.
func gapped(derived ...lab.Column) *lab.Data {
	d := &lab.Data{Experiment: &lab.Experiment{Name: "gapped", Params: "n", Trial: lab.Trial{Counts: "of by"}, Columns: derived}}
	for job, counts := range [][][]int{{{6, 2}, {0, 0}, {0, 0}}, {{0, 0}, {0, 0}, {0, 0}}} {
		g := lab.Group{Series: "s"}
		for i, c := range counts {
			g.Rows = append(g.Rows, lab.Row{Series: "s", Params: lab.IntValues(job + 1), Trial: i, Counts: c, Experiment: d.Experiment})
		}
		d.Groups = append(d.Groups, g)
	}
	return d
}

var (
	gapRatio = lab.Column{Name: "ratio", Of: func(r lab.Row) float64 { return r.Ratio("of", "by") }}
	gapWhole = lab.Column{Name: "whole", Of: func(r lab.Row) float64 { return float64(r.Count("of")) }}
)

// What was never measured is no 0: not in the CSV, not in a mean, not in the number of trials behind it.
func TestData_NothingIsEmpty(t *testing.T) {
	d := gapped(gapRatio, gapWhole)
	table := d.Table()
	for i, want := range []string{"3", "", "", "", "", ""} {
		if got := table.Rows[i][6]; got != want {
			t.Errorf("row %d: ratio %q, want %q", i, got, want)
		}
	}
	for _, c := range []struct {
		d       *lab.Data
		columns string
		rows    []string
	}{
		{d, "series n trials ratio ratio_sd ratio_trials whole whole_sd", []string{"s 1 3 3  1 2 3.5", "s 2 3   0 0 0"}},
		{gapped(gapRatio), "series n trials measured ratio ratio_sd", []string{"s 1 3 1 3 ", "s 2 3 0  "}},
		{gapped(gapWhole), "series n trials whole whole_sd", []string{"s 1 3 2 3.5", "s 2 3 0 0"}},
	} {
		s := c.d.Summary()
		if got := strings.Join(s.Columns, " "); got != c.columns {
			t.Errorf("columns %s, want %s", got, c.columns)
		}
		for i, want := range c.rows {
			if got := strings.Join(s.Rows[i], " "); got != want {
				t.Errorf("%s: row %d is %q, want %q", c.columns, i, got, want)
			}
		}
	}
	if m := d.Groups[1].Mean("of", "by"); !math.IsNaN(m) || len(d.Groups[0].Ratios("of", "by")) != 1 {
		t.Errorf("the mean of nothing is %v, ratios %v", m, d.Groups[0].Ratios("of", "by"))
	}
}

// An insert that was never made has no cost, whatever an earlier version wrote.
func TestRebuild_RefusesZerosForNothing(t *testing.T) {
	var empty *report.Table
	for _, f := range tiny(t) {
		table := tables(t, []lab.Finding{f})[f.Data.Experiment.Name]
		for i, row := range table.Rows {
			at := slices.Index(table.Columns, "false_positive_rate")
			if at < 0 || row[slices.Index(table.Columns, "probes")] != "0" || empty != nil {
				continue
			}
			if row[at] != "" {
				t.Errorf("%s, row %d: the rate of no probes is %q", f.Data.Experiment.Name, i, row[at])
			}
			row[at], empty = "0", &table
			_, err := Default().Rebuild(lab.Options{Profile: lab.Tiny, Seed: 1}, map[string]report.Table{f.Data.Experiment.Name: table})
			if !errors.Is(err, lab.ErrRaw) || !strings.Contains(err.Error(), `false_positive_rate is "0", want ""`) {
				t.Error(err)
			}
		}
	}
	if empty == nil {
		t.Error("no experiment has a trial without probes: the test has nothing to test")
	}
}

func TestOptions_RunsAndHugeAreOfThePaperProfile(t *testing.T) {
	for _, o := range []lab.Options{{Profile: lab.Quick, Runs: 5}, {Profile: lab.Tiny, Huge: true}} {
		if _, err := Default().Estimate(o); err == nil || !strings.Contains(err.Error(), "profile "+string(o.Profile)) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// The summary's table goes into LaTeX and pages; an empty cell is one there too.
func TestSummary_OfNothingIsWritten(t *testing.T) {
	s := gapped(gapRatio).Summary()
	if data, err := s.CSV(); err != nil || !bytes.Contains(data, []byte("s,2,3,0,,\n")) {
		t.Errorf("%s, %v", data, err)
	}
}
