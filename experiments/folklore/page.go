package folklore

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// A language is that of a page.
type language int

// The languages, in the order of the lines of texts.txt.
const (
	english language = iota
	chinese
)

//go:embed page.md.tmpl page.zh.md.tmpl
var templates embed.FS

//go:embed texts.txt
var textLines string

// texts are those of a file by their names: three lines, the name and the text in each language.
var texts = func() map[string][2]string {
	all := map[string][2]string{}
	for entry := range strings.SplitSeq(strings.TrimSpace(textLines), "\n\n") {
		lines := strings.Split(entry, "\n")
		all[lines[0]] = [2]string(lines[1:])
	}
	return all
}()

// in is a text in the language; it is empty if there is none.
func (l language) in(name string) string { return texts[name][l] }

// f writes a translated format.
func (l language) f(format string, args ...any) string { return fmt.Sprintf(l.in(format), args...) }

// page returns the page of the results of a run. The error is that of the template.
func (l language) page(said *lab.Data) (string, error) {
	name := []string{"page.md.tmpl", "page.zh.md.tmpl"}[l]
	table := func(rows [][]string, columns ...string) string {
		return strings.TrimSuffix((&report.Table{Columns: columns, Rows: rows}).Marked(), "\n")
	}
	page, err := template.New(name).Funcs(template.FuncMap{"table": table}).ParseFS(templates, name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = page.Execute(&b, saidRows(l, said))
	return b.String(), err
}

// saidRows has a row for each sentence: the sentence, its verdict, one thing that was measured, and why.
func saidRows(l language, d *lab.Data) (rows [][]string) {
	_, parts := lab.Split("sentence", judged(d))
	for _, groups := range parts {
		s := sentenceOf(groups[0].Cell)
		verdict := "**" + l.in(string(s.outcome(d))) + "**"
		if when := l.in(s.id + ", when"); when != "" {
			verdict += " " + report.Markdown(when)
		}
		at := slices.IndexFunc(groups, func(g lab.Group) bool { return partOf(g.Cell).id == s.shown })
		g := groups[at]
		unit := partOf(g.Cell).unit
		number := unit.text(unit.pooled(g), g.Sum("of"), l)
		measured := l.f("%s: %s", report.Markdown(l.in(s.id+", "+s.shown)), number)
		says, why := report.Markdown(l.in(s.id)), report.Markdown(l.in(s.id+", why"))
		if source := l.in(s.id + ", source"); source != "" {
			says += "<br>" + l.f("Source: %s", report.Markdown(source))
		}
		rows = append(rows, []string{says, verdict, measured, why})
	}
	return rows
}

// text writes a number of a unit with its interval.
func (u unit) text(e claims.Estimate, of int, l language) string {
	if events := e.Value * float64(of); u == share && events < 10 {
		return l.f("%.0[1]f of %[2]d", events, of)
	}
	number := func(x float64) string {
		switch {
		case u == share:
			return claims.Percent(x, 3)
		case u == load:
			return fmt.Sprintf("%.3f", x)
		case u == figure && x == math.Trunc(x):
			return fmt.Sprintf("%.0f", x)
		}
		return claims.Digits(x, 3)
	}
	if e.Low != e.High && e.Value != 0 && (u != share || e.Value != 1) {
		return l.f("%s (%s to %s)", number(e.Value), number(e.Low), number(e.High))
	}
	return number(e.Value)
}
