package report

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
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

// Scores is the scoreboard in Markdown, of the paper's tables and figures or of all else.
func (p *page) Scores(paper bool) string {
	t := Table{Columns: []string{"table or figure", "claims of the paper", "checks of our own", "picture"}}
	for _, v := range p.Board(paper) {
		s := v.Score
		title := "**" + Markdown(strings.TrimPrefix(s.Number+": "+s.What, ": ")) + "**"
		if s.Sentence != "" {
			title += "<br>" + mdCell.Replace(s.Sentence)
		}
		picture := ""
		if name := v.file(); name != "" && paper {
			picture = `<img src="` + name + `" width="160" alt="">`
		}
		t.Add(title, s.Claims, s.Checks, picture)
	}
	return t.Marked()
}

// Judgements are the verdicts in Markdown.
func (v view) Judgements() string {
	t := Table{Columns: []string{"claim", "paper", "ours", "verdict", "why"}}
	shown, folded := v.Judged()
	for _, c := range append(shown, folded...) {
		t.Add(c.Says, c.Paper, ours(c), c.Status, c.Why)
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}

// ours is our number with its interval.
func ours(v claims.Verdict) string {
	if v.Interval == "" {
		return v.Ours
	}
	return v.Ours + " (" + v.Interval + ")"
}

// file is the name of the figure's file that a reader of Markdown shows, "" without any.
func (v view) file() string {
	for _, ending := range []string{".svg", ".png"} {
		if name := v.figure().Name + ending; slices.Contains(v.Files, name) {
			return name
		}
	}
	return ""
}

// Picture is the figure in Markdown, if there is such a file.
func (v view) Picture() string {
	if name := v.file(); name != "" {
		return "![" + Markdown(chart.PlainText(v.figure().Title)) + "](" + name + ")"
	}
	return ""
}

// Numbers is the first table in Markdown, unless it is empty or long.
func (v view) Numbers() string {
	if t := v.shown(); len(t.Rows) > 0 && len(t.Rows) <= maxMarkdownRows {
		return t.Markdown()
	}
	return ""
}
