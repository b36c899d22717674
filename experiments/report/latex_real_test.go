package report_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// No table of the real report sticks out of the page, as its widths are estimated, and as pdflatex finds if it is there.
func TestLatex_RealTablesFitThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	o := lab.Options{Profile: lab.Tiny, Seed: 1}
	findings, err := experiments.Default().Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r := lab.NewReport(findings, o, nil)
	dir := filepath.Dir(page(t, &r))
	files, err := filepath.Glob(filepath.Join(dir, "*.tex"))
	if err != nil || len(files) <= len(findings) {
		t.Fatalf("%d tables of %d experiments, %v", len(files), len(findings), err)
	}
	body := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(text), "pdflscape") {
			t.Errorf("%s does not fit: %v", file, err)
		}
		body += "\\typeout{" + filepath.Base(file) + "}\\input{" + filepath.Base(file) + "}\\clearpage\n"
	}
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex")
	}
	out := report.Compile(t, pdflatex, dir, body)
	if at := strings.Index(out, "Overfull \\hbox"); at >= 0 {
		t.Errorf("a table is too wide: %s", out[max(0, at-300):min(at+200, len(out))])
	}
}
