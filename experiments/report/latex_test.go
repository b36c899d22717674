package report

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// latexDocument reads the tables by \input, as a thesis would.
const latexDocument = `\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage{array,booktabs,longtable}
\begin{document}
%s
\end{document}
`

// longSection has a table of more than a page, with hostile cells that begin rows.
func longSection() Section {
	s := Section{ID: "long", Title: "Long", Conditions: hostile, Table: Table{Columns: []string{"false_positive_rate", "_a_", "text"}}}
	for i := range 3 * onePage {
		s.Table.Add(float64(i)*1e-9, -i, []string{hostile, "[x]", "* y", `\\ & % $ # ^ ~ { }`, "\u00e9 \u2260 \u2264 \U0001f426", ""}[i%6])
	}
	return s
}

func latexFiles(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "report")
	w, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := sample()
	r.Sections = append(r.Sections, longSection())
	if err := w.Add(r, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names(t, dir) {
		if strings.HasSuffix(name, ".tex") {
			files = append(files, name)
		}
	}
	return dir, files
}

// Every row of a table has as many cells as the others, and what is opened is closed.
func TestLatex_Structure(t *testing.T) {
	dir, files := latexFiles(t)
	if got := strings.Join(files, " "); got != "fig3.tex fig4.tex long.tex verdicts.tex" {
		t.Fatalf("tables %s", got)
	}
	for _, name := range files {
		text := read(t, dir, name)
		inOrder(t, text, "\\usepackage{booktabs", "\\caption{", "\\toprule", "\\midrule", "\\bottomrule")
		for _, env := range []string{"table", "tabular", "longtable"} {
			if o, c := strings.Count(text, "\\begin{"+env+"}"), strings.Count(text, "\\end{"+env+"}"); o != c {
				t.Errorf("%s: %s is opened %d times and closed %d times", name, env, o, c)
			}
		}
		plain := strings.NewReplacer(`\\`, "\x01", `\&`, "", `\%`, "", `\{`, "", `\}`, "").Replace(text)
		if strings.Count(plain, "{") != strings.Count(plain, "}") {
			t.Errorf("%s: %d braces open, %d close", name, strings.Count(plain, "{"), strings.Count(plain, "}"))
		}
		_, body, _ := strings.Cut(plain, "\\midrule")
		cells := -1
		for line := range strings.Lines(body) {
			n := strings.Count(line, "&")
			if !strings.HasSuffix(strings.TrimSpace(line), "\x01") || strings.Contains(line, "tabular") {
				continue
			}
			if cells < 0 {
				cells = n
			}
			if n != cells {
				t.Errorf("%s: %d cells, others have %d: %s", name, n+1, cells+1, line)
			}
		}
	}
	inOrder(t, read(t, dir, "fig3.tex"), "\\begin{tabular}{rr}", "8 & 0.123457", "16 & $1\\times 10^{-6}$")
	inOrder(t, read(t, dir, "verdicts.tex"), "rate & 0.19\\% & 0.186\\% (0.18\\% to 0.19\\%) & 3\\% & holds", "crossover", "differs", "not measured")
}

func TestLatex_TooLongTablesStayInTheCSV(t *testing.T) {
	r := &Report{Sections: []Section{{ID: "long", Table: Table{Columns: []string{"x"}}}}}
	for i := range maxLatexRows + 1 {
		r.Sections[0].Table.Add(i)
	}
	dir := filepath.Join(t.TempDir(), "report")
	w, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(r, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(names(t, dir), " "); got != "long.csv manifest.json report.html report.md" {
		t.Errorf("the folder holds %s", got)
	}
}

func TestLatex_Compiles(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil || testing.Short() {
		t.Skip("no pdflatex, or -short")
	}
	dir, files := latexFiles(t)
	body := ""
	for _, name := range files {
		body += "\\input{" + name + "}\n"
	}
	compile(t, pdflatex, dir, strings.Replace(latexDocument, "%s", body, 1))
}

func compile(t *testing.T, pdflatex, dir, document string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "check.tex"), []byte(document), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "check")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("pdflatex: %v\n%s", err, out[max(0, len(out)-1500):])
	}
}
