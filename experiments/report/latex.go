package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/claims"
)

// maxLatexRows bounds a table for LaTeX: beyond some ten pages nobody prints it, and the CSV has it.
const maxLatexRows = 500

// onePage is how many rows of a table stand on a page.
const onePage = 40

//go:embed tables.tex
var latexText string

var latexTemplate = template.Must(template.New("").Delims("<<",
	">>").Funcs(template.FuncMap{"tex": tex, "wrap": texWrap, "ours": ours}).Parse(latexText))

// latex is the section's table for \input: a floating table with the rules of booktabs for every page of rows. LaTeX
// itself measures it, and shrinks what is wider than the text.
func (s *Section) latex() ([]byte, error) {
	columns, same := s.shown().texColumns()
	title := tex(texTitle(s.Title))
	caption := title + ". " + tex(strings.TrimRight(s.Conditions, ". "))
	same = slices.DeleteFunc(same, func(what string) bool { return strings.Contains(s.Conditions, what) })
	if len(same) > 0 {
		caption += ". In all rows: " + tex(strings.Join(same, ", "))
	}
	rows := make([]int, len(columns[0].Cells))
	for i := range rows {
		rows[i] = i
	}
	pages := slices.Collect(slices.Chunk(rows, onePage))
	if pages == nil {
		pages = [][]int{nil}
	}
	return latexFile("section", map[string]any{"ID": s.ID, "Title": title, "Caption": strings.TrimSpace(caption),
		"Columns": columns, "Pages": pages})
}

// A claimList is a part of the verdicts, for a table of their own.
type claimList struct {
	Name, Title string
	Rows        []claims.Verdict
	Busy        string
}

// verdictsLatex is verdicts.tex: the scoreboard, a long table of the claims of the paper and one of our own checks,
// whose texts wrap.
func (p *page) verdictsLatex() ([]byte, error) {
	paper, own := claims.Tallies(p.verdicts())
	lists := []claimList{
		{Name: "paper", Title: "Claims of the paper: " + paper.String()},
		{Name: "own", Title: "Checks of our own: " + own.String()}}
	for _, status := range claims.Statuses() {
		for _, v := range p.verdicts() {
			l := &lists[1]
			if v.OfPaper() {
				l = &lists[0]
			}
			if v.Status == status && !busy(v) {
				l.Rows = append(l.Rows, v)
			}
		}
	}
	lists[0].Busy = busyLine(p.verdicts())
	lists = slices.DeleteFunc(lists, func(l claimList) bool { return len(l.Rows) == 0 })
	return latexFile("verdicts", map[string]any{"Board": p.Board(true), "Lists": lists})
}

func latexFile(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := latexTemplate.ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// texTitle is a title for a caption, before which LaTeX writes a number of its own: of "Table 3: space" it is "Space
// (table 3 of the paper)".
func texTitle(title string) string {
	number, what, ok := strings.Cut(title, ": ")
	kind, _, _ := strings.Cut(number, " ")
	if !ok || what == "" || kind != "Table" && kind != "Figure" {
		return title
	}
	return strings.ToUpper(what[:1]) + what[1:] + " (" + strings.ToLower(number) + " of the paper)"
}

// texEscape keeps plain text plain.
var texEscape = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`, "~",
	`\textasciitilde{}`, "^", `\textasciicircum{}`,
	"<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, `\char34{}`, "[", "{[}", "*", "{*}", "\n", " ",
	"\r", " ", "\t", " ",
	"\u00d7", `$\times$`, "\u2264", `$\le$`, "\u2265", `$\ge$`, "\u00b1", `$\pm$`, "\u2013", "--", "\u2014", "---",
	"\u2212", "$-$",
	"\u2019", "'", "\u201c", "``", "\u201d", "''", "\u2026", `\ldots{}`, "\u00b5", `$\mu$`, "\u03b1", `$\alpha$`,
	"\u03b5", `$\varepsilon$`)

// texWrap is text in a narrow column: it breaks within formulas, and so do long words, by hyphens, which TeX denies
// the first word of a paragraph.
func texWrap(s string) string {
	const breakHere = `\hspace{0pt}`
	return breakHere + strings.NewReplacer("/", "/"+breakHere, "(", "("+breakHere, "+", "+"+breakHere).Replace(tex(s))
}

// tex writes plain text for LaTeX. Letters of the Latin alphabets stay; what pdflatex could not print is
// named by its number.
func tex(s string) string {
	if at := superscript.FindStringIndex(s); at != nil {
		return tex(s[:at[0]]) + `\textsuperscript{` + tex(s[at[0]+2:at[1]-1]) + "}" + tex(s[at[1]:])
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "?") {
		switch escaped := texEscape.Replace(string(r)); {
		case escaped != string(r):
			b.WriteString(escaped)
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case r > 0x17f || r > '~' && r < 0xc0:
			fmt.Fprintf(&b, "{[}U+%04X]", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
