package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxLatexRows bounds a table for LaTeX: beyond some ten pages nobody prints it, and the CSV has it.
const maxLatexRows = 500

// onePage is how many rows a table that must not break over pages may have.
const onePage = 40

// manyColumns is from where on a table is set small, to fit a page of text width.
const manyColumns = 8

// latexNeeds is the comment in front of every table.
const latexNeeds = "% Table of a report of nest, to be read by \\input. Needs \\usepackage{booktabs,longtable}.\n"

// latex is the section's table for \input: a floating table with the rules of booktabs, a longtable if
// it is longer than a page.
func (s *Section) latex() []byte {
	t := s.shown()
	var b strings.Builder
	b.WriteString(latexNeeds)
	size := "\\small"
	if len(t.Columns) > manyColumns {
		size = "\\scriptsize\\setlength{\\tabcolsep}{3pt}"
	}
	right := make([]bool, len(t.Columns))
	spec, heads := "", []string{}
	for i, c := range t.Columns {
		right[i] = t.numeric(i)
		side := "l"
		if right[i] {
			side = "r"
		}
		spec += side
		// Names of several words take as many lines: columns stay as narrow as their numbers.
		heads = append(heads, "\\begin{tabular}[b]{@{}"+side+"@{}}"+strings.ReplaceAll(tex(strings.ReplaceAll(c, "_", " ")), " ", "\\\\")+"\\end{tabular}")
	}
	caption := strings.TrimSpace(tex(s.Title) + ". " + tex(s.Conditions))
	row := func(r []string) {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = tex(c)
			if right[i] {
				cells[i] = texNumber(c)
			}
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	openLatex(&b, len(t.Rows) > onePage, size, spec, caption, s.ID, strings.Join(heads, " & "))
	for _, r := range t.Rows {
		row(r)
	}
	closeLatex(&b, len(t.Rows) > onePage)
	return []byte(b.String())
}

// verdictsLatex is the table of all verdicts, whose texts wrap.
func verdictsLatex(r *Report) []byte {
	var b strings.Builder
	b.WriteString(latexNeeds)
	column := func(share string) string { return ">{\\raggedright\\arraybackslash}p{" + share + "\\linewidth}" }
	spec := column(".3") + column(".13") + column(".24") + column(".16") + "l"
	b.WriteString("% Needs \\usepackage{array} too.\n")
	openLatex(&b, true, "\\footnotesize\\setlength{\\tabcolsep}{3pt}", spec, "Claims and verdicts. "+tex(r.Title), verdictsID,
		"claim & paper & ours & tolerance & verdict")
	for i, s := range r.Sections {
		if i > 0 && len(s.Verdicts) > 0 {
			b.WriteString("\\midrule\n")
		}
		for _, v := range s.Verdicts {
			ours := tex(v.Ours)
			if v.Interval != "" {
				ours += " (" + tex(v.Interval) + ")"
			}
			fmt.Fprintf(&b, "%s & %s & %s & %s & %s \\\\\n\\addlinespace[2pt]\n", tex(v.Claim), tex(v.Paper), ours, tex(v.Tolerance), v.Status)
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
	fmt.Fprintf(b, "\\begin{table}\n\\centering%s\n\\caption{%s}\\label{tab:%s}\n\\begin{tabular}{%s}\n", size, caption, id, spec)
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

// texNumber writes 1e-06 as a power of ten and - as a minus.
func texNumber(s string) string {
	m := plainNumber.FindStringSubmatch(s)
	switch {
	case m == nil:
		return tex(s)
	case m[3] != "":
		return "$" + m[1] + "\\times 10^{" + strings.TrimPrefix(m[2], "+") + m[3] + "}$"
	case strings.HasPrefix(s, "-"):
		return "$" + s + "$"
	}
	return s
}

// texEscape keeps plain text plain.
var texEscape = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, `\char34{}`, "[", "{[}", "*", "{*}", "\n", " ", "\r", " ", "\t", " ",
	"\u00d7", `$\times$`, "\u2264", `$\le$`, "\u2265", `$\ge$`, "\u00b1", `$\pm$`, "\u2013", "--", "\u2014", "---", "\u2212", "$-$",
	"\u2019", "'", "\u201c", "``", "\u201d", "''", "\u2026", `\ldots{}`, "\u00b5", `$\mu$`, "\u03b1", `$\alpha$`, "\u03b5", `$\varepsilon$`)

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
