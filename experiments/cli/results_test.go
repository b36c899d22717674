package cli

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/report"
)

var update = flag.Bool("update", false, "rewrite the verdicts in docs/results/README.md")

// resultsMark encloses what docs/results/README.md takes from the run in the folder beside it.
const resultsMark = "<!-- made by: go test ./experiments/cli -run Results -update -->\n"

// resultsFolder is what is kept of the finished run of profile paper: its results, its pictures as SVG and
// report.md. nest redraw makes the rest again.
var resultsFolder = filepath.Join("..", "..", "docs", "results", "paper")

func TestResults_AreAsTheRunWroteThem(t *testing.T) {
	m, err := report.ReadManifest(resultsFolder)
	if err != nil {
		t.Fatal(err)
	}
	if m.Profile != "paper" {
		t.Errorf("profile %q", m.Profile)
	}
	problems, err := m.Verify(resultsFolder)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if p.What != "missing" || keptOfResults(p.File) {
			t.Error(p)
		}
	}
}

// keptOfResults reports whether a file of the run is in the project.
func keptOfResults(name string) bool {
	switch filepath.Ext(name) {
	case ".csv", ".svg", ".txt":
		return true
	}
	return name == "report.md"
}

func TestResults_OfTheDocumentAreThoseOfTheRun(t *testing.T) {
	name := filepath.Join(resultsFolder, "..", "README.md")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := os.ReadFile(filepath.Join(resultsFolder, "verdicts.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(verdicts)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(data), resultsMark)
	if len(parts) != 3 {
		t.Fatalf("%s: want the line %q twice", name, resultsMark)
	}
	want := parts[0] + resultsMark + resultsText(rows) + resultsMark + parts[2]
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(data) {
		t.Errorf("%s is not what verdicts.csv says: go test ./experiments/cli -run Results -update", name)
	}
}

// resultsText is the rows of verdicts.csv as a table, headed by how many are of each outcome.
func resultsText(rows [][]string) string {
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	tally := map[string]int{}
	var b strings.Builder
	b.WriteString("| section | claim | paper | ours | interval | tolerance | verdict |\n|---|---|---|---|---|---|---|\n")
	for _, row := range rows[1:] {
		tally[row[column["verdict"]]]++
		for _, name := range []string{"section", "claim", "paper", "ours", "interval", "tolerance", "verdict"} {
			b.WriteString("| " + markdownCell.Replace(row[column[name]]) + " ")
		}
		b.WriteString("|\n")
	}
	return fmt.Sprintf("\n%d claims: %d hold, %d differ, %d are not measured in this profile.\n\n%s\n", len(rows)-1,
		tally["holds"], tally["differs"], tally["not measured"], &b)
}

// markdownCell keeps what a text holds from being Markdown.
var markdownCell = strings.NewReplacer("|", "\\|", "<", "&lt;", "*", "\\*", "_", "\\_", "\n", " ")
