package report

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/must"
)

// longSection has a table of three pages, with hostile cells that begin rows.
func longSection() Section {
	s := Section{ID: "long", Title: "Long", Conditions: hostile,
		Table: Table{Columns: []string{"false_positive_rate", "_a_", "text"}}}
	for i := range 3 * onePage {
		s.Table.Add(float64(i)*1e-9, -i, []string{hostile, "[x]", "* y", `\\ & % $ # ^ ~ { }`,
			"\u00e9 \u2260 \u2264 \U0001f426", ""}[i%6])
	}
	return s
}

func latexFiles(t *testing.T) (dir string, files []string) {
	t.Helper()
	r := sample()
	r.Sections = append(r.Sections, longSection())
	dir = writtenOf(t, r)
	return dir, slices.DeleteFunc(names(t, dir), func(name string) bool { return filepath.Ext(name) != ".tex" })
}

// Every row of a table has as many cells as the others, and what is opened is closed.
func TestLatex_Structure(t *testing.T) {
	dir, files := latexFiles(t)
	if got := strings.Join(files, " "); got != "fig3.tex fig4.tex long.tex verdicts.tex" {
		t.Fatalf("tables %s", got)
	}
	for _, name := range files {
		text := read(t, dir, name)
		needs, _, _ := strings.Cut(text, "\n")
		for pkg, use := range map[string]string{"booktabs": "\\toprule", "longtable": "\\begin{longtable}",
			"graphicx": "\\resizebox", "array": "\\arraybackslash"} {
			if strings.Contains(text, use) && !strings.Contains(needs, pkg) {
				t.Errorf("%s: the first line does not name %s: %s", name, pkg, needs)
			}
		}
		comeInOrder(t, text, "\\usepackage{", "\\caption{", "\\toprule", "\\midrule", "\\bottomrule")
		plain := strings.NewReplacer(`\\`, "\x01", `\&`, "", `\%`, "", `\{`, "", `\}`, "").Replace(text)
		for begin, end := range map[string]string{"\\begin{table}": "\\end{table}", "\\begin{tabular}": "\\end{tabular}",
			"\\begin{longtable}": "\\end{longtable}", "{": "}"} {
			if o, c := strings.Count(plain, begin), strings.Count(plain, end); o != c {
				t.Errorf("%s: %s %d times and %s %d times", name, begin, o, end, c)
			}
		}
		_, body, _ := strings.Cut(plain, "\\midrule")
		cells := -1
		for line := range strings.Lines(body) {
			n := strings.Count(line, "&")
			switch {
			case strings.Contains(line, "\\begin{longtable}"):
				cells = -1
			case !strings.HasSuffix(strings.TrimSpace(line), "\x01") || strings.Contains(line, "tabular") ||
				strings.Contains(line, "\\caption"):
			case cells < 0:
				cells = n
			case n != cells:
				t.Errorf("%s: %d cells, others have %d: %s", name, n+1, cells+1, line)
			}
		}
	}
	comeInOrder(t, read(t, dir, "fig3.tex"), "\\begin{tabular}{@{}rr@{}}", "8 & 0.1235", "16 & $1{\\times}10^{-6}$")
	verdicts := strings.ReplaceAll(read(t, dir, "verdicts.tex"), "\\hspace{0pt}", "")
	comeInOrder(t, verdicts, "tab:scoreboard", "Figure 3: 2", "1 holds, 1 differs", "sentences of the paper: 1 holds",
		"rate & 0.19\\% & 0.186\\% (0.18\\% to 0.19\\%) & holds & ", "crossover", "differs", "not measured",
		"check of our own", "speed & 5.00")
}

func TestLatex_Compiles(t *testing.T) {
	pdflatex, err := exec.LookPath("pdflatex")
	if err != nil || testing.Short() {
		t.Skip("no pdflatex, or -short")
	}
	dir, files := latexFiles(t)
	compile(t, pdflatex, dir, "\\input{"+strings.Join(files, "}\n\\input{")+"}")
}

// compile makes a document of the body, in article at 10 points as for a thesis, and returns what pdflatex says.
func compile(t *testing.T, pdflatex, dir, body string) string {
	t.Helper()
	document := "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{array,booktabs,graphicx,longtable}\n" +
		"\\begin{document}\n" + body + "\n\\end{document}\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "check.tex"), []byte(document), 0o644))
	cmd := exec.CommandContext(t.Context(), pdflatex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "check")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("pdflatex: %v\n%s", err, out[max(0, len(out)-1500):])
	}
	return string(out)
}

// A table has numbers as far as they mean something, no empty column and a title without a number. LaTeX shrinks it.
func TestLatex_NumbersTitlesAndWidths(t *testing.T) {
	table := Table{Columns: []string{"series", "n", "none", "rate", "paper_rate", "paper_formula", "wide"}}
	table.Add("a", 10, "", 9.52403e-6, 0.0009, 13.0201, 12345.678)
	table.Add("b", 2000000, "", 0.0126130, 0.01, 9.02487, -3.12116e-06)
	for title, want := range map[string]string{
		"Table 3: space of 2^{18}": `\caption{Space of 2\textsuperscript{18} (Table 3 of the paper). Ten runs}\label{tab:numbers}`,
		"Figure 3":                 `\caption{Figure 3. Ten runs}`,
		"Copies: of one key":       `\caption{Copies: of one key. Ten runs}`,
	} {
		data, err := (&Section{ID: "numbers", Title: title, Table: table, Conditions: "Ten runs."}).latex()
		if err != nil || strings.Contains(string(data), "none") {
			t.Fatal(string(data), err)
		}
		comeInOrder(t, string(data), `\begin{table}`, want, `\sbox0{\begin{tabular}{@{}lrrrrr@{}}`,
			`a & 10 & $9.524{\times}10^{-6}$ & 0.0009 & 13.02 & 12346 \\`+"\n"+
				`b & 2000000 & 0.01261 & 0.01 & 9.025 & $-3.121{\times}10^{-6}$ \\`+"\n",
			`\ifdim\wd0>\linewidth\resizebox{\linewidth}`, `\end{table}`)
	}
}
