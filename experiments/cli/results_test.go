package cli

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/experiments/report"
)

var (
	update = flag.Bool("update", false, "rewrite what docs/results/README.md takes from the run beside it")
	from   = flag.String("from", "", "with -update: the report of a finished run of profile paper, for docs/results/paper")
)

// resultsMark encloses what docs/results/README.md takes from the run in the folder beside it.
const resultsMark = "<!-- made by: go test ./experiments/cli -run Results -update -->\n"

// resultsFolder is what is kept of the finished run of profile paper: its results, its pictures as SVG and
// report.md. nest report redraw makes the rest again.
var resultsFolder = filepath.Join("..", "..", "docs", "results", "paper")

// isKept tells of a file of a report whether it is kept.
func isKept(name string) bool {
	return slices.Contains([]string{".csv", ".svg", ".txt"}, filepath.Ext(name)) || name == "report.md"
}

func TestResults_AreAsTheRunWroteThem(t *testing.T) {
	if *update && *from != "" {
		keepResults(t, *from, resultsFolder)
	}
	m := must.Get(report.ReadManifest(resultsFolder))(t)
	if m.Profile != "paper" {
		t.Errorf("profile %q", m.Profile)
	}
	problems := must.Get(m.Verify(resultsFolder))(t)
	for _, p := range problems {
		if p.What != "missing" || isKept(p.File) {
			t.Error(p)
		}
	}
}

// keepResults puts the files of a report in the place of those that are kept.
func keepResults(t *testing.T, dir, to string) {
	m := must.Get(report.ReadManifest(dir))(t)
	if problems := must.Get(m.Verify(dir))(t); m.Profile != "paper" || len(problems) > 0 {
		t.Fatalf("%s: profile %q, %v", dir, m.Profile, problems)
	}
	must.Do(t, os.RemoveAll(to))
	must.Do(t, os.Mkdir(to, 0o755))
	for _, f := range must.Get(os.ReadDir(dir))(t) {
		if name := f.Name(); isKept(name) || name == "manifest.json" {
			must.Do(t, os.WriteFile(filepath.Join(to, name), must.Get(os.ReadFile(filepath.Join(dir, name)))(t), 0o644))
		}
	}
}

func TestResults_OfTheDocumentAreThoseOfTheRun(t *testing.T) {
	name := filepath.Join(resultsFolder, "..", "README.md")
	data := must.Get(os.ReadFile(name))(t)
	verdicts := must.Get(os.Open(filepath.Join(resultsFolder, "verdicts.csv")))(t)
	defer verdicts.Close()
	rows := must.Get(report.ReadTable("verdicts.csv", verdicts))(t)
	parts := strings.Split(string(data), resultsMark)
	if len(parts) != 5 {
		t.Fatalf("%s: want the line %q four times", name, resultsMark)
	}
	m := must.Get(report.ReadManifest(resultsFolder))(t)
	parts[1], parts[3] = report.Digest(m, rows)
	want := strings.Join(parts, resultsMark)
	if *update {
		must.Do(t, os.WriteFile(name, []byte(want), 0o644))
		return
	}
	if want != string(data) {
		t.Errorf("%s is not what verdicts.csv says: go test ./experiments/cli -run Results -update", name)
	}
}
