package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
)

// maxMarkdownRows of a table are shown in report.md; the CSV has them all.
const maxMarkdownRows = 60

// markdown is report.md.
func (p *page) markdown() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n\n", args...) }
	line("# %s", mdText(p.Title))
	if p.Summary != "" {
		line("%s", mdText(p.Summary))
	}
	if t := p.Tallies(); t != "" {
		line("%s", strings.TrimSpace("Verdicts: "+t+". "+p.Legend()))
		rows := [][]string{}
		for _, v := range p.Views {
			for _, r := range v.Verdicts {
				rows = append(rows, []string{v.ID, r.Says, r.Paper, r.Ours, r.Interval, r.Tolerance, r.Status.String()})
			}
		}
		mdTable(&b, []string{"section", "claim", "paper", "ours", "interval", "tolerance", "verdict"}, rows)
	}
	for _, v := range p.Views {
		p.mdSection(&b, v)
	}
	line("---")
	line("%s %s; %s.", mdText(p.Module.Path), mdText(p.Module.String()), mdText(p.Machine.String()))
	return []byte(strings.TrimSpace(b.String()) + "\n")
}

func (p *page) mdSection(b *strings.Builder, v view) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n\n", args...) }
	line("## %s", mdText(v.Title))
	if v.Claim != "" {
		line("**Claim.** %s", mdText(v.Claim))
	}
	if len(v.Verdicts) > 0 {
		rows := [][]string{}
		for _, r := range v.Verdicts {
			rows = append(rows, []string{r.Says, r.Paper, r.Ours, r.Interval, r.Tolerance, r.Status.String(), r.Why, r.Basis()})
		}
		mdTable(b, []string{"claim", "paper", "ours", "interval", "tolerance", "verdict", "why", "ours depends on"}, rows)
	}
	for _, picture := range []string{v.figure().Name + ".svg", v.figure().Name + ".png"} {
		if slices.Contains(v.Files, picture) {
			line("![%s](%s)", mdText(chart.PlainText(v.figure().Title)), picture)
			break
		}
	}
	if v.Caption != "" {
		line("%s", mdText(v.Caption))
	}
	line("*%s*", mdText(p.Circumstances(v)))
	if v.Method != "" {
		line("**Method.** %s", mdText(v.Method))
	}
	if len(v.Limits) > 0 {
		line("**What this does not show**")
		for _, l := range v.Limits {
			fmt.Fprintf(b, "- %s\n", mdText(l))
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
	row(columns, mdText)
	row(columns, func(string) string { return "---" })
	for _, r := range rows {
		row(r, mdText)
	}
	b.WriteByte('\n')
}

// mdEscape keeps plain text plain: no markup, no table border, no line break.
var mdEscape = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "|", `\|`, "\n", " ", "\r", " ", "#", `\#`, "&", "&amp;", "!", `\!`)

func mdText(s string) string { return mdEscape.Replace(s) }
