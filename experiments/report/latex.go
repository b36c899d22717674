package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
)

// maxLatexRows bounds a table for LaTeX: beyond some ten pages nobody prints it, and the CSV has it.
const maxLatexRows = 500

// onePage is how many rows of a table stand on a page.
const onePage = 40

// latexNeeds is the comment in front of every file.
const latexNeeds = "%% Table of a report of nest, to be read by \\input. Needs \\usepackage{%s}.\n"

// latex is the section's table for \input: a floating table with the rules of booktabs for every page of rows. LaTeX itself measures
// it, and shrinks what is wider than the text.
func (s *Section) latex() []byte {
	columns, same := s.shown().texColumns()
	caption := tex(texTitle(s.Title)) + ". " + tex(strings.TrimRight(s.Conditions, ". "))
	same = slices.DeleteFunc(same, func(what string) bool { return strings.Contains(s.Conditions, what) })
	if len(same) > 0 {
		caption += ". In all rows: " + tex(strings.Join(same, ", "))
	}
	caption = strings.TrimSpace(caption)
	var sides, heads strings.Builder
	for i, c := range columns {
		if i > 0 {
			heads.WriteString(" & ")
		}
		sides.WriteString(c.side)
		fmt.Fprintf(&heads, "\\begin{tabular}[b]{@{}%s@{}}%s\\end{tabular}", c.side, strings.Join(c.head, "\\\\"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, latexNeeds, "booktabs,graphicx")
	rows := len(columns[0].cells)
	for from := 0; from == 0 || from < rows; from += onePage {
		if from > 0 {
			b.WriteString("\\addtocounter{table}{-1}\n")
			caption = tex(texTitle(s.Title)) + ", continued"
		}
		fmt.Fprintf(&b, "\\begin{table}\n\\centering\\small\\setlength{\\tabcolsep}{4pt}\\setlength{\\belowcaptionskip}{4pt}\n\\caption{%s}", caption)
		if from == 0 {
			fmt.Fprintf(&b, "\\label{tab:%s}", s.ID)
		}
		fmt.Fprintf(&b, "\n\\sbox0{\\begin{tabular}{@{}%s@{}}\n\\toprule\n%s \\\\\n\\midrule\n", &sides, &heads)
		for i := from; i < min(from+onePage, rows); i++ {
			cells := make([]string, len(columns))
			for j, c := range columns {
				cells[j] = c.cells[i]
			}
			b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		}
		b.WriteString("\\bottomrule\n\\end{tabular}}%\n\\ifdim\\wd0>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi\n\\end{table}\n")
	}
	return []byte(b.String())
}

// texTitle is a title for a caption, before which LaTeX writes a number of its own: of "Table 3: space" it is "Space (table 3 of the
// paper)".
func texTitle(title string) string {
	number, what, ok := strings.Cut(title, ": ")
	kind, _, _ := strings.Cut(number, " ")
	if !ok || what == "" || kind != "Table" && kind != "Figure" {
		return title
	}
	return strings.ToUpper(what[:1]) + what[1:] + " (" + strings.ToLower(number) + " of the paper)"
}

// verdictsLatex is verdicts.tex: a long table of the claims of the paper and one of our own checks, whose texts wrap.
func (p *page) verdictsLatex() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, latexNeeds, "array,booktabs,longtable")
	column := func(share string) string { return ">{\\raggedright\\arraybackslash}p{" + share + "\\linewidth}" }
	// The space between columns takes the rest.
	spec := "@{}" + column(".31") + column(".12") + column(".21") + column(".16") + column(".12") + "@{}"
	const heads = "\\toprule\nclaim & paper & ours & tolerance & verdict \\\\\n\\midrule\n"
	for i, l := range p.lists(claims.Statuses()...) {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n\\begin{longtable}{%s}\n\\caption{%s}\\label{tab:%s-%s}\\\\\n", spec, tex(l.String()), verdictsID, l.Name)
		b.WriteString(heads + "\\endfirsthead\n" + heads + "\\endhead\n\\bottomrule\n\\endlastfoot\n")
		for _, r := range l.Rows {
			where, ours := r.In, r.Ours
			if r.Source != "" {
				where = r.Source
			}
			if r.Interval != "" {
				ours += " (" + r.Interval + ")"
			}
			fmt.Fprintf(&b, "%s (%s) & %s & %s & %s & %s \\\\\n\\addlinespace[2pt]\n",
				texWrap(r.Says), texWrap(where), texWrap(r.Paper), texWrap(ours), texWrap(r.Tolerance), texWrap(r.Status.String()))
		}
		b.WriteString("\\end{longtable}}\n")
	}
	return []byte(b.String())
}

// texEscape keeps plain text plain.
var texEscape = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, `\char34{}`, "[", "{[}", "*", "{*}", "\n", " ", "\r", " ", "\t", " ",
	"\u00d7", `$\times$`, "\u2264", `$\le$`, "\u2265", `$\ge$`, "\u00b1", `$\pm$`, "\u2013", "--", "\u2014", "---", "\u2212", "$-$",
	"\u2019", "'", "\u201c", "``", "\u201d", "''", "\u2026", `\ldots{}`, "\u00b5", `$\mu$`, "\u03b1", `$\alpha$`, "\u03b5", `$\varepsilon$`)

// texWrap is text in a narrow column: it breaks within formulas, and so do long words, by hyphens, which TeX denies the first
// word of a paragraph.
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
