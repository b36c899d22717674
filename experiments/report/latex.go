package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/claims"
)

const (
	maxLatexRows = 500 // of a table: beyond some ten pages nobody prints it, and the CSV has it
	onePage      = 40  // rows of a table that stand on a page
)

//go:embed tables.tex
var latexText string

var latexTemplate = template.Must(template.New("").Delims("<<",
	">>").Funcs(template.FuncMap{"tex": tex, "wrap": texWrap, "ours": ours}).Parse(latexText))

// latex is the section's table for \input: a floating table with the rules of booktabs for every page of rows. LaTeX
// itself measures it, and shrinks what is wider than the text.
func (s *Section) latex() ([]byte, error) {
	t, title := s.shown(), s.Title
	if number, what := numbered(title); number != "" && what != "" { // LaTeX writes a number of its own before it
		title = strings.ToUpper(what[:1]) + what[1:] + " (" + number + " of the paper)"
	}
	columns, same := t.texColumns()
	caption := tex(title + ". " + strings.TrimRight(s.Conditions, ". "))
	if same = slices.DeleteFunc(same, func(v string) bool { return strings.Contains(s.Conditions, v) }); len(same) > 0 {
		caption += ". In all rows: " + tex(strings.Join(same, ", "))
	}
	rows := make([]int, len(t.Rows))
	for i := range rows {
		rows[i] = i
	}
	pages := slices.Collect(slices.Chunk(rows, onePage))
	if pages == nil {
		pages = [][]int{nil}
	}
	return latexFile("section", map[string]any{"ID": s.ID, "Columns": columns, "Pages": pages, "Title": tex(title),
		"Caption": strings.TrimSpace(caption)})
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
		{Name: "paper", Title: "Claims of the paper: " + paper.String(), Busy: busyLine(p.verdicts())},
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
	lists = slices.DeleteFunc(lists, func(l claimList) bool { return len(l.Rows) == 0 })
	return latexFile("verdicts", map[string]any{"Board": p.Board(true), "Lists": lists})
}

func latexFile(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := latexTemplate.ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// A texColumn is a column as it is printed, its cells as LaTeX wants them.
type texColumn struct {
	Head  []string // the words of its name, one below the other
	Side  string   // "r" for numbers, else "l"
	Cells []string
}

// texColumns returns the columns to print, and as text the numbers that are the same in all rows, which the caption
// says: a page is narrow. Empty columns are left out.
func (t *Table) texColumns() (columns []texColumn, same []string) {
	for i, name := range t.Columns {
		constant := len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(r []string) bool { return r[i] != t.Rows[0][i] })
		switch {
		case i > 0 && constant && t.Rows[0][i] == "":
		case i > 0 && constant && len(t.Rows) > 1 && t.numeric(i):
			same = append(same, strings.ReplaceAll(name, "_", " ")+" "+t.Rows[0][i])
		default:
			columns = append(columns, t.texColumn(i))
		}
	}
	return columns, same
}

// texColumn is one column. A number that is no whole one has at most four significant digits: three of them are sure in
// most columns, and six would be read as if all were.
func (t *Table) texColumn(at int) texColumn {
	digits := 4
	if name := t.Columns[at]; slices.Contains([]string{"sd", "low", "high"}, name[strings.LastIndex(name, "_")+1:]) {
		digits = 3 // the spread of another column
	}
	c := texColumn{Side: "l", Head: strings.Fields(tex(strings.ReplaceAll(t.Columns[at], "_", " ")))}
	numeric := t.numeric(at)
	if numeric {
		c.Side = "r"
	}
	for _, r := range t.Rows {
		text := r[at]
		v, err := strconv.ParseFloat(text, 64)
		mantissa, _, _ := strings.Cut(strings.TrimLeft(text, "-+0."), "e")
		if numeric && err == nil &&
			strings.ContainsAny(text, ".e") && len(strings.ReplaceAll(mantissa, ".", "")) > digits {
			text = claims.Digits(v, digits)
		}
		c.Cells = append(c.Cells, texCell(text, numeric))
	}
	return c
}

// A number as Format writes it; the exponent is apart.
var plainNumber = regexp.MustCompile(`^([-+]?(?:\d+\.?\d*|\.\d+))(?:[eE]([-+]?)0*(\d+))?$`)

// numeric reports whether a column holds numbers only, and at least one.
func (t *Table) numeric(column int) bool {
	some := false
	return !slices.ContainsFunc(t.Rows, func(r []string) bool {
		some = some || r[column] != ""
		return r[column] != "" && !plainNumber.MatchString(r[column])
	}) && some
}

// texCell is plain text, or a number: 1e-06 as a power of ten, - as a minus.
func texCell(s string, number bool) string {
	m := plainNumber.FindStringSubmatch(s)
	switch {
	case !number || m == nil:
		return tex(s)
	case m[3] != "":
		return "$" + m[1] + "{\\times}10^{" + strings.TrimPrefix(m[2], "+") + m[3] + "}$"
	case strings.HasPrefix(s, "-"):
		return "$" + s + "$"
	}
	return s
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
