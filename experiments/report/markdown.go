package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
)

// maxMarkdownRows of a table are shown in report.md; the CSV has them all.
const maxMarkdownRows = 60

// markdown is report.md: the same as report.html, in the same order.
func (p *page) markdown() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n\n", args...) }
	line("# %s", Markdown(p.Title))
	for _, text := range []string{p.Summary, p.Verdicts(), p.Origin()} {
		if text != "" {
			line("%s", Markdown(text))
		}
	}
	if p.Open() {
		line("## Claims that do not hold or are undecided")
		mdClaims(&b, p.Refuted())
		mdClaims(&b, p.Undecided())
		if missing := p.Missing(); missing != "" {
			line("%s They are at the end.", missing)
		}
	}
	for _, v := range p.Views {
		v.markdown(&b)
	}
	if rest := p.Rest(); len(rest) > 0 {
		line("## All other claims")
		mdClaims(&b, rest)
	}
	line("---")
	line("%s %s.", Markdown(p.Module.Path), Markdown(p.Module.String()))
	return raised(strings.TrimSpace(b.String()) + "\n")
}

// mdClaims writes lists of verdicts.
func mdClaims(b *strings.Builder, lists []claimList) {
	for _, l := range lists {
		fmt.Fprintf(b, "### %s\n\n", Markdown(l.String()))
		rows := [][]string{}
		for _, r := range l.Rows {
			rows = append(rows, []string{r.In, r.Says, r.Source, r.Quote, r.Paper, r.Ours, r.Interval, r.Tolerance, r.Status.String(), r.Why, r.Basis()})
		}
		mdTable(b, []string{"section", "claim", "source", "quote", "paper", "ours", "interval", "tolerance", "verdict", "why", "ours depends on"}, rows)
	}
}

// markdown writes the section.
func (v view) markdown(b *strings.Builder) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n\n", args...) }
	line("## %s", Markdown(v.Title))
	if v.Claim != "" {
		line("**Claim.** %s", Markdown(v.Claim))
	}
	for _, picture := range []string{v.figure().Name + ".svg", v.figure().Name + ".png"} {
		if slices.Contains(v.Files, picture) {
			line("![%s](%s)", Markdown(chart.PlainText(v.figure().Title)), picture)
			break
		}
	}
	if v.Caption != "" {
		line("%s", Markdown(v.Caption))
	}
	if t := v.Tallies(); t != "" {
		line("Verdicts: %s.", t)
	}
	if c := v.Circumstances(); c != "" {
		line("*%s*", Markdown(c))
	}
	if v.Method != "" {
		line("**Method.** %s", Markdown(v.Method))
	}
	if len(v.Limits) > 0 {
		line("**What this does not show**")
		for _, l := range v.Limits {
			fmt.Fprintf(b, "- %s\n", Markdown(l))
		}
		b.WriteByte('\n')
	}
	if t := v.shown(); len(t.Rows) > 0 && len(t.Rows) <= maxMarkdownRows {
		mdTable(b, t.Columns, t.Rows)
	}
	if len(v.Files) > 0 {
		line("Files: %s", strings.Join(v.Files, ", "))
	}
}

// mdTable writes a table without the columns that are empty in every row.
func mdTable(b *strings.Builder, columns []string, rows [][]string) {
	var used []int
	for i := range columns {
		if slices.ContainsFunc(rows, func(r []string) bool { return r[i] != "" }) {
			used = append(used, i)
		}
	}
	row := func(cells []string, cell func(string) string) {
		for _, i := range used {
			b.WriteString("| " + cell(cells[i]) + " ")
		}
		b.WriteString("|\n")
	}
	row(columns, Markdown)
	row(columns, func(string) string { return "---" })
	for _, r := range rows {
		row(r, Markdown)
	}
	b.WriteByte('\n')
}

// mdEscape keeps plain text plain: no markup, no table border, no line break.
var mdEscape = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|", `\|`, "\n", " ", "\r", " ", "#", `\#`, "&", "&amp;", "!", `\!`)

// Markdown is plain text in a line or a table of Markdown.
func Markdown(s string) string { return mdEscape.Replace(s) }
