package folklore

import (
	"embed"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// A Language is that of a page: the name of its template.
type Language string

// The languages.
const (
	English Language = "page.md.tmpl"
	Chinese Language = "page.zh.md.tmpl"
)

//go:embed page.md.tmpl page.zh.md.tmpl
var templates embed.FS

//go:embed chinese.txt
var chineseText string

// chinese is the translation of each text: two lines of a file, with an empty one behind them.
var chinese = func() map[string]string {
	all := map[string]string{}
	for pair := range strings.SplitSeq(strings.TrimSpace(chineseText), "\n\n") {
		en, zh, _ := strings.Cut(pair, "\n")
		all[en] = zh
	}
	return all
}()

// in translates a text or a format. A text without a translation is empty.
func (l Language) in(en string) string {
	if l == Chinese {
		return chinese[en]
	}
	return en
}

// f writes a translated format.
func (l Language) f(format string, args ...any) string { return fmt.Sprintf(l.in(format), args...) }

// Page returns the page of the results of a run in a language. Machine says where the times of the second come from.
// The error is that of the template.
func Page(l Language, said, times *lab.Data, machine string) (string, error) {
	page, err := template.New(string(l)).Funcs(template.FuncMap{"table": marked}).ParseFS(templates, string(l))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = page.Execute(&b, map[string]any{
		"Said": saidRows(l, said), "Times": timeRows(l, times), "Machine": machine,
		"Exponent": bits.TrailingZeros(uint(times.Groups[0].Param("slots"))),
	})
	return b.String(), err
}

// marked is a table of cells in Markdown.
func marked(rows [][]string, columns ...string) string {
	t := report.Table{Columns: columns, Rows: rows}
	return strings.TrimSuffix(t.Marked(), "\n")
}

// saidRows has a row for each sentence: the sentence, its verdict, what was measured, and why.
func saidRows(l Language, d *lab.Data) (rows [][]string) {
	_, parts := lab.Split("sentence", judged(d))
	for _, groups := range parts {
		s := sentenceOf(groups[0].Cell)
		verdict := "**" + l.in(string(s.outcome(d))) + "**"
		if s.when != "" {
			verdict += "<br>" + l.f("Condition: %s", report.Markdown(l.in(s.when)))
		}
		var measured []string
		for _, g := range groups {
			p := partOf(g.Cell)
			number := p.unit.text(p.unit.pooled(g), g.Sum("of"), l)
			measured = append(measured, l.f("%s: %s", report.Markdown(l.in(p.of)), number))
		}
		rows = append(rows, []string{
			report.Markdown(l.in(s.says)), verdict, strings.Join(measured, "<br>"), report.Markdown(l.in(s.why)),
		})
	}
	return rows
}

// timeRows has a row for each load.
func timeRows(l Language, d *lab.Data) (rows [][]string) {
	for _, percent := range append(timeLoads, 101) {
		load := fmt.Sprintf("%.2f", float64(percent)/100)
		if percent > 100 {
			load = l.in("a refused insert")
		}
		ns := func(k cuckoo.KickPolicy) string { return claims.Digits(claims.Median(timeOf(d, k, percent)), 2) }
		rows = append(rows, []string{load, ns(cuckoo.RandomWalk), ns(cuckoo.BreadthFirst)})
	}
	return rows
}

// text writes a number of a unit with its interval.
func (u unit) text(e claims.Estimate, of int, l Language) string {
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
		rounded, _ := strconv.ParseFloat(fmt.Sprintf("%.3g", x), 64) // 0.9997 is 1.00 and not 1.000
		return claims.Digits(rounded, 3)
	}
	if e.Low != e.High && e.Value != 0 && (u != share || e.Value != 1) {
		return l.f("%s (%s to %s)", number(e.Value), number(e.Low), number(e.High))
	}
	return number(e.Value)
}
