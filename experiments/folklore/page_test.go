package folklore

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/labtest"
	"github.com/nestfilter/nest/experiments/report"
)

// update rewrites the pages: go test ./experiments/folklore -run Page -update.
var update = flag.Bool("update", false, "rewrite docs/FOLKLORE.md and docs/FOLKLORE.zh.md")

// docs is where the pages are, and results the finished run behind them.
var (
	docs    = filepath.Join("..", "..", "docs")
	results = filepath.Join(docs, "results", "folklore")
)

// stored returns the findings of the finished run.
func stored(t *testing.T) []lab.Finding {
	t.Helper()
	labtest.PaperNeeds64(t)
	tables := map[string]report.Table{}
	registry := lab.Registry{Experiments: All()}
	for _, name := range registry.Names() {
		f, err := os.Open(filepath.Join(results, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		tables[name], err = report.ReadTable(name+".csv", f)
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	findings, err := registry.Rebuild(lab.Options{Profile: lab.Paper, Seed: 1}, tables)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// TestPages_AreOfTheStoredRun holds that the pages say what the results do, in both languages.
func TestPages_AreOfTheStoredRun(t *testing.T) {
	findings := stored(t)
	m, err := report.ReadManifest(results)
	if err != nil {
		t.Fatal(err)
	}
	machine := m.Machine.CPU + ", " + m.Machine.Go
	for name, l := range map[string]Language{"FOLKLORE.md": English, "FOLKLORE.zh.md": Chinese} {
		want := Page(l, findings[0].Data, findings[1].Data, machine)
		file := filepath.Join(docs, name)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what the results say (%v): go test ./experiments/folklore -run Page -update", name, err)
		}
	}
}

// TestPages_HaveEqualRows compares the pages number by number: the Chinese one has the rows of the English one.
func TestPages_HaveEqualRows(t *testing.T) {
	findings := stored(t)
	pages := make([][]string, 2)
	for l := range pages {
		for line := range strings.Lines(Page(Language(l), findings[0].Data, findings[1].Data, "m")) {
			if strings.HasPrefix(line, "|") {
				pages[l] = append(pages[l], line)
			}
		}
	}
	if len(pages[0]) != len(pages[1]) || len(pages[0]) < len(sentences()) {
		t.Fatalf("%d and %d rows, %d sentences", len(pages[0]), len(pages[1]), len(sentences()))
	}
	for i, en := range pages[0] {
		for _, mark := range []string{"|", "<br>"} {
			if strings.Count(en, mark) != strings.Count(pages[1][i], mark) {
				t.Errorf("row %d has other cells or parts:\n%s%s", i, en, pages[1][i])
			}
		}
	}
}

// TestSentences_SayUnderWhichCondition holds that the words fit the outcome of the stored run.
func TestSentences_SayUnderWhichCondition(t *testing.T) {
	d := stored(t)[0].Data
	for _, s := range sentences() {
		o := s.outcome(d)
		if o == unknown || (o == conditional) != (s.when.en != "") {
			t.Errorf("%s is %s, its condition is %q", s.id, outcomeNames[o].en, s.when.en)
		}
		for _, x := range []text{s.says, s.why, outcomeNames[o]} {
			if x.en == "" || x.zh == "" || strings.Contains(x.en+x.zh, "\n") {
				t.Errorf("%s: a text is missing or has two lines: %q", s.id, x)
			}
		}
		if (s.when.en == "") != (s.when.zh == "") {
			t.Errorf("%s: the condition is in one language: %q", s.id, s.when)
		}
	}
}
