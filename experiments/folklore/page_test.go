package folklore

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// update rewrites the pages: go test ./experiments/folklore -run Page -update.
var update = flag.Bool("update", false, "rewrite docs/FOLKLORE.md and docs/FOLKLORE.zh.md")

var docs = filepath.Join("..", "..", "docs")

// stored returns the findings of the finished run.
func stored(t *testing.T) []lab.Finding {
	t.Helper()
	lab.PaperNeeds64(t)
	raw, err := lab.ReadRaw(filepath.Join(docs, "results", "paper"))
	if err != nil {
		t.Fatal(err)
	}
	findings, err := lab.Registry{Experiments: All()}.Rebuild(raw.Options, map[string]report.Table{
		"folklore": raw.Tables["folklore"], "insert-time": raw.Tables["insert-time"]})
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// TestPages_AreOfTheStoredRun holds that the pages say what the results do, in both languages, and that they have the
// same rows.
func TestPages_AreOfTheStoredRun(t *testing.T) {
	findings := stored(t)
	var shapes [2][]string
	for i, l := range []language{english, chinese} {
		want, err := l.page(findings[0].Data)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(want) {
			if strings.HasPrefix(line, "|") {
				shapes[i] = append(shapes[i], fmt.Sprint(strings.Count(line, "|"), strings.Count(line, "<br>")))
			}
		}
		file := filepath.Join(docs, []string{"FOLKLORE.md", "FOLKLORE.zh.md"}[i])
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what the results say (%v): go test ./experiments/folklore -run Page -update", file, err)
		}
	}
	if !slices.Equal(shapes[0], shapes[1]) || len(shapes[0]) < len(sentences()) {
		t.Errorf("rows of %q and %q, %d sentences", shapes[0], shapes[1], len(sentences()))
	}
}

// TestSentences_SayUnderWhichCondition holds that the words fit the outcome of the stored run, and that each has a
// translation, which no other text has.
func TestSentences_SayUnderWhichCondition(t *testing.T) {
	d := stored(t)[0].Data
	used := map[string]bool{"%s: %s": true, "%.0[1]f of %[2]d": true, "%s (%s to %s)": true, "Source: %s": true,
		string(unknown): true, string(isTrue): true}
	for _, s := range sentences() {
		o, when := s.outcome(d), english.in(s.id+", when")
		if o == unknown || (o == conditional) != (when != "") {
			t.Errorf("%s is %s, its condition is %q", s.id, o, when)
		}
		for _, name := range []string{s.id, s.id + ", why", string(o)} {
			used[name] = true
		}
		used[s.id+", source"] = english.in(s.id+", source") != ""
		used[s.id+", when"] = when != ""
		for _, p := range s.part {
			if p.must.kind != unruled {
				used[s.id+", "+p.id] = true
			}
		}
	}
	for name, is := range used {
		if text := texts[name]; is && (text[0] == "" || text[1] == "") {
			t.Errorf("%q is %q", name, text)
		}
	}
	for name := range texts {
		if !used[name] {
			t.Errorf("nobody says %q", name)
		}
	}
}
