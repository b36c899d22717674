package cli

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

var update = flag.Bool("update", false, "rewrite the verdicts in docs/results/README.md")

// resultsMark encloses what docs/results/README.md takes from the run in the folder beside it.
const resultsMark = "<!-- made by: go test ./experiments/cli -run Results -update -->\n"

// resultsFolder is what is kept of the finished run of profile paper: its results, its pictures as SVG and
// report.md. nest report redraw makes the rest again.
var resultsFolder = filepath.Join("..", "..", "docs", "results", "paper")

func TestResults_AreAsTheRunWroteThem(t *testing.T) {
	m := must(report.ReadManifest(resultsFolder))(t)
	if m.Profile != "paper" {
		t.Errorf("profile %q", m.Profile)
	}
	problems := must(m.Verify(resultsFolder))(t)
	for _, p := range problems {
		if p.What != "missing" || slices.Contains([]string{".csv", ".svg", ".txt"}, filepath.Ext(p.File)) || p.File == "report.md" {
			t.Error(p)
		}
	}
}

func TestResults_OfTheDocumentAreThoseOfTheRun(t *testing.T) {
	name := filepath.Join(resultsFolder, "..", "README.md")
	data := must(os.ReadFile(name))(t)
	verdicts := must(os.ReadFile(filepath.Join(resultsFolder, "verdicts.csv")))(t)
	rows := must(csv.NewReader(bytes.NewReader(verdicts)).ReadAll())(t)
	parts := strings.Split(string(data), resultsMark)
	if len(parts) != 3 {
		t.Fatalf("%s: want the line %q twice", name, resultsMark)
	}
	want := parts[0] + resultsMark + resultsText(rows) + resultsMark + parts[2]
	if *update {
		check(t, os.WriteFile(name, []byte(want), 0o644))
		return
	}
	if want != string(data) {
		t.Errorf("%s is not what verdicts.csv says: go test ./experiments/cli -run Results -update", name)
	}
}

// resultsText is the rows of verdicts.csv as a table for each list of claims, headed by how many are of each outcome.
func resultsText(rows [][]string) string {
	cell := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	columns := []string{"section", "claim", "source", "paper", "ours", "interval", "tolerance", "verdict"}
	var b strings.Builder
	titles := map[string]func(n int) string{"paper": func(n int) string { return fmt.Sprint(n, " claims of the paper") }}
	for _, list := range claims.Lists() {
		titles[list.String()] = list.Of
	}
	for _, list := range []string{"paper", "sentence", "reading", "own"} { // paper: of runs before there were three lists
		tally, lines := claims.Tally{}, ""
		for _, row := range rows[1:] {
			if cell(row, "list") != list {
				continue
			}
			for _, status := range claims.Statuses() {
				if cell(row, "verdict") == status.String() {
					tally[status]++
				}
			}
			for _, name := range columns {
				lines += "| " + report.Markdown(cell(row, name)) + " "
			}
			lines += "|\n"
		}
		if lines == "" {
			continue
		}
		fmt.Fprintf(&b, "\nOf %s: %s.\n\n| %s |\n|%s\n%s", titles[list](tally.Total()), tally, strings.Join(columns, " | "),
			strings.Repeat("---|", len(columns)), lines)
	}
	return b.String() + "\n"
}
