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
	heads, rows, same := t.texRows()
	caption := tex(title + ". " + strings.TrimRight(s.Conditions, ". "))
	if same = slices.DeleteFunc(same, func(v string) bool { return strings.Contains(s.Conditions, v) }); len(same) > 0 {
		caption += ". In all rows: " + tex(strings.Join(same, ", "))
	}
	return latexFile("section", map[string]any{"ID": s.ID, "Heads": heads, "Title": tex(title),
		"Pages": slices.Collect(slices.Chunk(rows, onePage)), "Caption": strings.TrimSpace(caption)})
}

// A claimList is a part of the verdicts, for a table of their own.
type claimList struct {
	Name, Title, Busy string
	Rows              []claims.Verdict
}

// verdictsLatex is verdicts.tex: the scoreboard, a long table of each list of claims, whose texts wrap.
func (p *page) verdictsLatex() ([]byte, error) {
	all := p.verdicts()
	var lists []claimList
	for i, list := range claims.Lists() {
		t := claims.TallyOf(all, list)
		lists = append(lists, claimList{Name: list.String(), Title: list.Of(t.Total()) + ": " + t.String()})
		for _, v := range judged(all, claims.Statuses()...) {
			if v.List() == list {
				lists[i].Rows = append(lists[i].Rows, v)
			}
		}
	}
	lists[0].Busy = busyLine(all)
	return latexFile("verdicts", map[string]any{"Board": p.Board(true), "Lists": lists})
}

func latexFile(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := latexTemplate.ExecuteTemplate(&b, name, data)
	return b.Bytes(), err
}

// A texHead is the head of a column: the words of its name, one below the other, and "r" for numbers, else "l".
type texHead struct {
	Words []string
	Side  string
}

// texRows returns the columns to print, their cells as LaTeX wants them, and as text the numbers that are the same in
// all rows, which the caption says: a page is narrow. Empty columns are left out.
func (t *Table) texRows() (heads []texHead, rows [][]string, same []string) {
	rows = make([][]string, len(t.Rows))
	for i, column := range t.Columns {
		name, first, number := strings.ReplaceAll(column, "_", " "), t.Rows[0][i], numeric(t.Rows, i)
		constant := i > 0 && !slices.ContainsFunc(t.Rows, func(r []string) bool { return r[i] != first })
		switch {
		case constant && first == "":
			continue
		case constant && number && len(t.Rows) > 1:
			same = append(same, name+" "+first)
			continue
		}
		head, cell := texHead{strings.Fields(tex(name)), "l"}, tex
		if number {
			head.Side, cell = "r", texNumber
			if slices.Contains([]string{"sd", "low", "high"}, name[strings.LastIndex(name, " ")+1:]) {
				cell = func(s string) string { return texNumber(rounded(s, 3)) } // the spread of another column
			}
		}
		heads = append(heads, head)
		for j, r := range t.Rows {
			rows[j] = append(rows[j], cell(r[i]))
		}
	}
	return heads, rows, same
}

// rounded is a number with at most so many significant digits, if it is no whole one.
func rounded(s string, digits int) string {
	v, err := strconv.ParseFloat(s, 64)
	mantissa, _, _ := strings.Cut(strings.TrimLeft(s, "-+0."), "e")
	if err != nil || !strings.ContainsAny(s, ".e") || len(strings.ReplaceAll(mantissa, ".", "")) <= digits {
		return s
	}
	return claims.Digits(v, digits)
}

// exponent is that of a number as Format writes it.
var exponent = regexp.MustCompile(`e(-?)\+?0*(\d+)$`)

// texNumber writes a number: 1e-06 as a power of ten, - as a minus. One that is no whole one has at most four
// significant digits: three of them are sure in most columns, and six would be read as if all were.
func texNumber(s string) string {
	s = rounded(s, 4)
	if power := exponent.ReplaceAllString(s, "{\\times}10^{$1$2}"); power != s || strings.HasPrefix(s, "-") {
		return "$" + power + "$"
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
