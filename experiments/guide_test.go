package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/must"
)

// guideMark encloses the generated table in docs/REPRODUCING.md.
const guideMark = "<!-- made by: go test ./experiments -run Guide -update -->\n"

func TestGuide_OfTheDocumentIsCurrent(t *testing.T) {
	lab.PaperNeeds64(t)
	name := filepath.Join("..", "docs", "REPRODUCING.md")
	data := must.Get(os.ReadFile(name))(t)
	table := must.Get(Default().GuideTable())(t)
	parts := strings.Split(string(data), guideMark)
	if len(parts) != 3 {
		t.Fatalf("%s: want the line %q twice", name, guideMark)
	}
	want := parts[0] + guideMark + table + guideMark + parts[2]
	if *update {
		must.Do(t, os.WriteFile(name, []byte(want), 0o644))
		return
	}
	if want != string(data) {
		t.Errorf("%s is not what the plans say: go test ./experiments -run Guide -update", name)
	}
}

func TestGuide_HasEveryExperiment(t *testing.T) {
	findings := tiny(t)
	text := string(lab.NewReport(findings, lab.Options{Profile: lab.Tiny, Seed: 1, Runs: 2}, nil).Guide)
	for _, f := range findings {
		if want := "--only " + f.Data.Experiment.Name + " --profile tiny --seed 1 --runs 2`"; !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}
