package report

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/chart"
)

// maxMarkdownRows of a table are shown in report.md; the CSV has them all.
const maxMarkdownRows = 60

//go:embed page.md
var markdownText string

var markdownTemplate = template.Must(template.New("report.md").Funcs(template.FuncMap{
	"md":   Markdown,
	"join": func(names []string) string { return strings.Join(names, ", ") },
}).Parse(markdownText))

// markdown is report.md: the same as report.html, in the same order.
func (p *page) markdown() ([]byte, error) {
	var buf bytes.Buffer
	err := markdownTemplate.Execute(&buf, p)
	return raised(buf.String()), err
}

// Texts are the paragraphs before the claims.
func (p *page) Texts() []string {
	return slices.DeleteFunc([]string{p.Summary, p.Verdicts(), p.Origin()}, func(s string) bool { return s == "" })
}

// Table is the list in Markdown.
func (l claimList) Table() string {
	t := Table{Columns: []string{"section", "claim", "source", "quote", "paper", "ours", "interval", "tolerance", "verdict", "why", "ours depends on"}}
	for _, r := range l.Rows {
		t.Add(r.In, r.Says, r.Source, r.Quote, r.Paper, r.Ours, r.Interval, r.Tolerance, r.Status, r.Why, r.Basis())
	}
	return t.Markdown()
}

// Picture is the figure in Markdown, if there is a file that a reader of Markdown shows.
func (v view) Picture() string {
	f := v.figure()
	for _, name := range []string{f.Name + ".svg", f.Name + ".png"} {
		if slices.Contains(v.Files, name) {
			return "![" + Markdown(chart.PlainText(f.Title)) + "](" + name + ")"
		}
	}
	return ""
}

// Shown is the first table in Markdown, unless it is empty or long.
func (v view) Shown() string {
	if t := v.shown(); len(t.Rows) > 0 && len(t.Rows) <= maxMarkdownRows {
		return t.Markdown()
	}
	return ""
}
