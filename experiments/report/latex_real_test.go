package report_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// No table of the real report sticks out of the page, nor has to be shrunk by more than a quarter.
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
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex")
	}
	body := ""
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(strings.ReplaceAll(string(text), `\ifdim`, `\typeout{wide: \the\wd0}\ifdim`)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		body += "\\typeout{" + filepath.Base(file) + "}\\input{" + filepath.Base(file) + "}\\clearpage\n"
	}
	out := report.Compile(t, pdflatex, dir, body)
	if at := strings.Index(out, "Overfull \\hbox"); at >= 0 {
		t.Errorf("a table is too wide: %s", out[max(0, at-300):min(at+200, len(out))])
	}
	widths := regexp.MustCompile(`wide: ([0-9.]+)pt`).FindAllStringSubmatch(out, -1)
	for _, m := range widths {
		if w, err := strconv.ParseFloat(m[1], 64); err != nil || w > 345/0.75 {
			t.Errorf("a table is %s pt wide before it is shrunk to 345, %v", m[1], err)
		}
	}
	if len(widths) < len(findings) {
		t.Errorf("the widths of %d tables", len(widths))
	}
}
