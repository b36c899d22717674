package experiments

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

// tables are those of findings, as a folder gives them back.
func tables(t *testing.T, findings []lab.Finding) map[string]report.Table {
	t.Helper()
	out := map[string]report.Table{}
	for _, f := range findings {
		table := f.Data.Table()
		data, err := table.CSV()
		if err != nil {
			t.Fatal(err)
		}
		name := f.Data.Experiment.Name
		if out[name], err = report.ReadTable(name+".csv", bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestRebuild_IsTheReportOfTheRun(t *testing.T) {
	o := lab.Options{Profile: lab.Tiny, Seed: 1}
	again := must.Get(Default().Rebuild(o, tables(t, tiny(t))))(t)
	text := func(findings []lab.Finding) string { // no end of an axis is NaN, which is not equal to itself
		r := lab.NewReport(findings, o, nil)
		r.Origins = nil // tables do not say them
		for i := range r.Sections {
			if s := &r.Sections[i]; s.Figure != nil {
				s.Caption += fmt.Sprintf("%+v", *s.Figure)
				s.Figure = nil
			}
		}
		return fmt.Sprintf("%+v", r)
	}
	if text(again) != text(tiny(t)) {
		t.Error("the report made of the tables is another one")
	}
}

func TestRebuild_OneFigureAlone(t *testing.T) {
	all := tables(t, tiny(t))
	findings, err := Default().Rebuild(lab.Options{Profile: lab.Tiny, Seed: 1}, map[string]report.Table{"fig4": all["fig4"]})
	if err != nil || len(findings) != 1 || findings[0].Data.Experiment.Name != "fig4" {
		t.Errorf("%d findings, %v", len(findings), err)
	}
}

func TestRebuild_RefusesWhatTheRunDidNotWrite(t *testing.T) {
	right := lab.Options{Profile: lab.Tiny, Seed: 1}
	for _, c := range []struct {
		name   string
		o      lab.Options
		change func(*report.Table)
		want   string
	}{
		{"seed", lab.Options{Profile: lab.Tiny, Seed: 2}, func(*report.Table) {}, "fig3.csv:2: "},
		{"profile", lab.Options{Profile: lab.Quick, Seed: 1}, func(*report.Table) {}, "fig3.csv:"},
		{"cut", right, func(t *report.Table) { t.Rows = t.Rows[:3] }, "fig3.csv:4: results cannot be read back: 3 rows, want 72"},
		{"long", right, func(t *report.Table) { t.Rows = append(t.Rows, t.Rows[0]) }, "73 rows, want 72"},
		{"column", right, func(t *report.Table) { t.Columns[2] = "width" }, "fig3.csv:1: "},
		{"count", right, func(t *report.Table) { t.Rows[4][6] = "many" }, `fig3.csv:6: results cannot be read back: stored is "many"`},
		{"derived", right, func(t *report.Table) { t.Rows[4][11] = "0.5" }, `fig3.csv:6: results cannot be read back: load_factor is "0.5"`},
		{"order", right, func(t *report.Table) { t.Rows[0], t.Rows[1] = t.Rows[1], t.Rows[0] }, "fig3.csv:2: "},
	} {
		changed := tables(t, tiny(t))["fig3"]
		c.change(&changed)
		_, err := Default().Rebuild(c.o, map[string]report.Table{"fig3": changed})
		if !errors.Is(err, lab.ErrRaw) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	_, err := Default().Rebuild(right, map[string]report.Table{"fig9": {}, "fig3": tables(t, tiny(t))["fig3"]})
	if !errors.Is(err, lab.ErrExperiment) || !strings.Contains(err.Error(), `"fig9"`) || !strings.Contains(err.Error(), "fig2, fig3, fig4") {
		t.Errorf("unknown experiment: %v", err)
	}
	if _, err := Default().Rebuild(right, nil); !errors.Is(err, lab.ErrExperiment) {
		t.Errorf("no table: %v", err)
	}
}

// rawFolder writes the tiny results of figure 3 into a new folder.
func rawFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "report")
	w := must.Get(report.Create(dir, report.Options{}))(t)
	defer w.Close()
	timings := []report.Bench{{Name: "BenchmarkInsert/filter=bloom", N: 7, Metrics: []report.Metric{{Value: 1.25, Unit: "ns/op"}}}}
	r := lab.NewReport([]lab.Finding{tinyOf(t, "fig3")}, lab.Options{Profile: lab.Tiny, Seed: 1}, timings)
	must.Do(t, errors.Join(w.Add(&r, []string{"svg"}), w.Commit()))
	return dir
}

func TestReadRaw_ReadsWhatWasWritten(t *testing.T) {
	raw := must.Get(lab.ReadRaw(rawFolder(t)))(t)
	if raw.Options.Profile != lab.Tiny || raw.Options.Seed != 1 || len(raw.Tables) != 1 || len(raw.Timings) != 1 || raw.Timings[0].N != 7 {
		t.Errorf("%+v", raw)
	}
	if want := tinyOf(t, "fig3").Data.Table(); !slices.EqualFunc(raw.Tables["fig3"].Rows, want.Rows, slices.Equal) {
		t.Error("other rows than were written")
	}
}

func TestReadRaw_RefusesWhatWasAltered(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"nothing there": {func(dir string) error { return os.RemoveAll(dir) }, "is no report"},
		"no manifest":   {func(dir string) error { return os.Remove(filepath.Join(dir, "manifest.json")) }, "is no report"},
		"cell": {func(dir string) error {
			path := filepath.Join(dir, "fig3.csv")
			data, err := os.ReadFile(path)
			data[len(data)-3] ^= 1
			return errors.Join(err, os.WriteFile(path, data, 0o644))
		}, "fig3.csv: changed"},
		"no timings": {func(dir string) error { return os.Remove(filepath.Join(dir, "bench.txt")) }, "bench.txt: missing"},
		"other kind": {func(dir string) error {
			return edit(filepath.Join(dir, "manifest.json"), `"kind": "reproduce"`, `"kind": "compare"`)
		}, `a report of "compare"`},
		"profile": {func(dir string) error {
			return edit(filepath.Join(dir, "manifest.json"), `"profile": "tiny"`, `"profile": "huge"`)
		}, `"huge"`},
		"no JSON": {func(dir string) error { return edit(filepath.Join(dir, "manifest.json"), `"kind":`, `kind`) }, "manifest.json: invalid character"},
	} {
		dir := rawFolder(t)
		must.Do(t, c.change(dir))
		if _, err := lab.ReadRaw(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func edit(path, from, to string) error {
	data, err := os.ReadFile(path)
	return errors.Join(err, os.WriteFile(path, bytes.Replace(data, []byte(from), []byte(to), 1), 0o644))
}
