package report

import (
	"fmt"
	"slices"
	"strings"
)

// maxLatexRows bounds a table for LaTeX: beyond some ten pages nobody prints it, and the CSV has it.
const maxLatexRows = 500

// onePage is how many rows a table that must not break over pages may have.
const onePage = 40

// latexNeeds is the comment in front of every table.
const latexNeeds = "%% Table of a report of nest, to be read by \\input. Needs \\usepackage{%s}.\n"

// latex is the section's table for \input: a floating table with the rules of booktabs, a longtable if
// it is longer than a page.
func (s *Section) latex() []byte {
	columns, same := s.shown().texColumns()
	l := layout(columns)
	long := len(columns[0].cells) > onePage
	var b strings.Builder
	fmt.Fprintf(&b, latexNeeds, "booktabs,longtable")
	b.WriteString(l.warning())
	caption := tex(texTitle(s.Title)) + ". " + tex(s.Conditions)
	same = slices.DeleteFunc(same, func(what string) bool { return strings.Contains(s.Conditions, what) })
	if len(same) > 0 {
		caption += ". In all rows: " + tex(strings.Join(same, ", "))
	}
	openLatex(&b, long, l.size.setting(), l.spec(), strings.TrimSpace(caption), s.ID, l.header())
	b.WriteString(l.rows())
	closeLatex(&b, long)
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

// verdictsLatex is the table of all verdicts, whose texts wrap.
func verdictsLatex(r *Report) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, latexNeeds, "array,booktabs,longtable")
	column := func(share string) string { return ">{\\raggedright\\arraybackslash}p{" + share + "\\linewidth}" }
	// The names of sections and the space between columns take the rest.
	spec := "@{}l" + column(".21") + column(".1") + column(".19") + column(".16") + column(".11") + "@{}"
	openLatex(&b, true, "\\footnotesize\\setlength{\\tabcolsep}{3pt}", spec, "Claims and verdicts. "+tex(r.Title), verdictsID,
		"section & claim & paper & ours & tolerance & verdict")
	for i, s := range r.Sections {
		if i > 0 && len(s.Verdicts) > 0 {
			b.WriteString("\\midrule\n")
		}
		for _, v := range s.Verdicts {
			ours := v.Ours
			if v.Interval != "" {
				ours += " (" + v.Interval + ")"
			}
			fmt.Fprintf(&b, "%s & %s & %s & %s & %s & %s \\\\\n\\addlinespace[2pt]\n", tex(s.ID), texWrap(v.Says), texWrap(v.Paper), texWrap(ours), texWrap(v.Tolerance), v.Status)
		}
	}
	closeLatex(&b, true)
	return []byte(b.String())
}

// openLatex begins a table, up to the first row.
func openLatex(b *strings.Builder, long bool, size, spec, caption, id, heads string) {
	if long {
		fmt.Fprintf(b, "{%s\n\\begin{longtable}{%s}\n\\caption{%s}\\label{tab:%s}\\\\\n", size, spec, caption, id)
		fmt.Fprintf(b, "\\toprule\n%s \\\\\n\\midrule\n\\endfirsthead\n\\toprule\n%s \\\\\n\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n", heads, heads)
		return
	}
	fmt.Fprintf(b, "\\begin{table}\n\\centering%s\\setlength{\\belowcaptionskip}{4pt}\n\\caption{%s}\\label{tab:%s}\n\\begin{tabular}{%s}\n", size, caption, id, spec)
	fmt.Fprintf(b, "\\toprule\n%s \\\\\n\\midrule\n", heads)
}

// closeLatex ends what openLatex began.
func closeLatex(b *strings.Builder, long bool) {
	if long {
		b.WriteString("\\end{longtable}}\n")
		return
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
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
