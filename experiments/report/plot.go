package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
)

// PlotOptions say what to draw of a table. The zero value is enough for the tables of this module and its benchmarks.
type PlotOptions struct {
	X, Y string // names of columns; empty is that of the file, where it is one of this module
	// one series for each combination of their values; nil is what tells rows of one x apart, empty is one series
	Series  []string
	Filters []string // "column=value": alternatives if of one column
	Title   string   // empty is made of the columns' names

	LogX, LogY *bool // nil is by the values

	Width, Height float64 // in centimetres; 0 is the usual size
}

// manyPoints is from where on markers would hide the line.
const manyPoints = 60

// Figure draws the table: for each series and x the median of y over the rows, with its 95% interval by
// order statistics where there are several (the whole range below six), or with the interval that the
// table has in columns such as rate_low and rate_high. Text on the x axis becomes names. The notes say
// what nobody named and what could not be drawn. The error names the flag with the wrong value, or the
// file and line of what is no number.
func (d *Table) Figure(o PlotOptions) (f *chart.Figure, notes []string, err error) {
	p, err := d.plan(o)
	if err != nil {
		return nil, nil, err
	}
	c, err := d.collect(p)
	if err != nil {
		return nil, nil, err
	}
	panel := chart.Panel{X: chart.Axis{Label: label(d.Columns[p.x])}, Y: chart.Axis{Label: label(d.Columns[p.y])}}
	d.axes(&panel, p, c, o)
	dropped, alike := 0, 0
	for i, name := range c.series.Keys {
		line := chart.Series{Label: ascii(name), Style: chart.Numbered(i), NoLegend: len(c.series.Keys) == 1 && name == ""}
		if len(p.series) == 1 && d.Columns[p.series[0]] == "filter" {
			line.Style = chart.StylesFor(c.series.Keys...)[i]
		}
		for _, pt := range c.series.Values[i].Values {
			if pt.fit(panel.X.Log, panel.Y.Log) {
				line.Points = append(line.Points, pt.Point)
			} else {
				dropped++
			}
		}
		switch {
		case c.names.Keys != nil:
			line.Kind = chart.Marks
		case len(line.Points) > manyPoints:
			line.Kind = chart.Line
		}
		if slices.ContainsFunc(panel.Series, func(o chart.Series) bool { return chart.Alike(o.Style, line.Style) }) {
			alike++
		}
		panel.Series = append(panel.Series, line)
	}
	if dropped > 0 {
		p.note("%d points are not above 0 and have no place on a log axis", dropped)
	}
	if alike > 0 {
		var by []string
		for _, c := range p.series {
			by = append(by, fmt.Sprintf("%s (%s)", d.Columns[c], some(p.rows, c)))
		}
		return nil, nil, fmt.Errorf("--series: %s: %d series, and %d of them would look like another: keep some rows with "+
			"--where, or name fewer columns with --series; they differ in %s", d.name, len(panel.Series), alike,
			strings.Join(by, ", "))
	}
	title := ascii(o.Title)
	if title == "" {
		title = label(d.Columns[p.y]) + " by " + label(d.Columns[p.x])
	}
	f = &chart.Figure{
		Name: "chart", Title: title, Caption: fmt.Sprintf("%s against %s. %s", d.Columns[p.y], d.Columns[p.x], c.basis),
		Panels: []chart.Panel{panel}, Width: o.Width, Height: o.Height,
	}
	return f, append(p.notes, c.basis), f.Check()
}

// axes chooses scales and ranges by the values, where no option says them.
func (d *Table) axes(panel *chart.Panel, p *plan, c *plotted, o PlotOptions) {
	var xs, ys []float64
	for _, s := range c.series.Values {
		for _, pt := range s.Values {
			xs, ys = append(xs, pt.X), append(ys, pt.Y)
		}
	}
	whole := func(values []float64) bool {
		return !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	}
	choose := func(flag *bool, values []float64, column int, name string) bool {
		if flag != nil {
			return *flag
		}
		span := 100.0
		if strings.Contains(d.Columns[column], "rate") {
			span = 5 // rates are compared by their quotients
		}
		lo := slices.Min(values)
		if lo <= 0 || slices.Max(values) < span*lo {
			return false
		}
		p.note("%s has a log scale", name)
		return true
	}
	panel.X.Whole, panel.Y.Whole = whole(xs), whole(ys)
	panel.Y.Log = choose(o.LogY, ys, p.y, "y")
	if lo, hi := slices.Min(ys), slices.Max(ys); !panel.Y.Log && lo >= 0 && lo < hi/2 {
		panel.Y.Min, panel.Y.Max = 0, math.NaN() // heights can be compared
	}
	for i, name := range c.names.Keys {
		panel.X.Ticks = append(panel.X.Ticks, chart.Tick{At: float64(i), Label: ascii(name)})
	}
	if panel.X.Ticks != nil {
		return
	}
	panel.X.Log = choose(o.LogX, xs, p.x, "x")
	if panel.X.Log && !slices.ContainsFunc(xs, func(x float64) bool { frac, _ := math.Frexp(x); return frac != 0.5 }) {
		panel.X.Base = 2
	}
}

var powers = regexp.MustCompile(`\^(-?[0-9]+)`)

// ascii makes text that a chart can draw of any text.
func ascii(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return powers.ReplaceAllString(s, "^{$1}")
}

func label(column string) string { return ascii(strings.ReplaceAll(column, "_", " ")) }

// plotted are the points of each series by what tells them apart: x, or a parameter.
type plotted struct {
	names  Groups[string, struct{}] // of the x axis; none if it has numbers
	series Groups[string, Groups[float64, point]]
	basis  string // what a point is
}

// A point is what is drawn of the rows of one series and one x.
type point struct {
	chart.Point
	key    float64
	xs, ys []float64
}

// fit reports whether the axes have a place for the point.
func (p *point) fit(logX, logY bool) bool {
	p.Zero = logY && p.Y == 0 && p.Hi > 0
	return !(logX && p.X <= 0) && (!logY || p.Y > 0 || p.Zero)
}

// collect gathers the values and makes points of them.
func (d *Table) collect(p *plan) (*plotted, error) {
	c := &plotted{}
	named := !numeric(p.rows, p.x)
	low, high := d.Interval(d.Columns[p.y])
	if low >= 0 && (!numeric(p.rows, low) || !numeric(p.rows, high)) {
		low = -1
	}
	title := d.seriesLabels(p)
	most, empty := 0, 0
	for _, row := range p.rows {
		if row[p.x] == "" || row[p.y] == "" {
			empty++
			continue
		}
		y, ok := Number(row[p.y])
		if !ok {
			line := d.Line(slices.IndexFunc(d.Rows, func(r []string) bool { return &r[0] == &row[0] }))
			return nil, fmt.Errorf("--y: %s:%d: %s is %q, want a number", d.name, line, d.Columns[p.y], row[p.y])
		}
		x, _ := Number(row[p.x])
		if named {
			x = float64(c.names.Index(row[p.x]))
		}
		key := x
		if p.along >= 0 {
			key, _ = Number(row[p.along])
		}
		pt := c.series.Of(title(row)).Of(key)
		pt.key, pt.xs, pt.ys = key, append(pt.xs, x), append(pt.ys, y)
		most = max(most, len(pt.ys))
		if low >= 0 {
			pt.Lo, _ = Number(row[low])
			pt.Hi, _ = Number(row[high])
		}
	}
	if most == 0 {
		return nil, fmt.Errorf("--y: %s: no row has both %s and %s", d.name, d.Columns[p.x], d.Columns[p.y])
	}
	if empty > 0 {
		p.note("%d rows without a value are left out", empty)
	}
	c.summarize(most)
	if low >= 0 && most == 1 {
		c.basis += fmt.Sprintf("; intervals from %s and %s", d.Columns[low], d.Columns[high])
	}
	return c, nil
}

// summarize sorts the points and makes each the median of its values. An interval of the table is that of a single
// value.
func (c *plotted) summarize(most int) {
	for _, s := range c.series.Values {
		slices.SortFunc(s.Values, func(a, b point) int { return cmp.Compare(a.key, b.key) })
		for i := range s.Values {
			p := &s.Values[i]
			p.X, p.Y = claims.Median(p.xs), claims.Median(p.ys)
			if most > 1 {
				p.Lo, p.Hi = 0, 0
			}
			if len(p.ys) > 1 {
				p.Lo, p.Hi = claims.MedianInterval(p.ys)
			}
		}
	}
	c.basis = "A point is one row"
	if most > 1 {
		c.basis = fmt.Sprintf("A point is the median of up to %d rows, with its 95%% interval (below six rows: the range)",
			most)
	}
}

// seriesLabels names the series of a row: the text as it is, numbers with their column's name.
func (d *Table) seriesLabels(p *plan) func(row []string) string {
	prefix := make([]string, len(p.series))
	for i, c := range p.series {
		if numeric(p.rows, c) {
			prefix[i] = d.Columns[c] + "="
		}
	}
	return func(row []string) string {
		var parts []string
		for i, c := range p.series {
			if row[c] != "" {
				parts = append(parts, prefix[i]+row[c])
			}
		}
		return strings.Join(parts, ", ")
	}
}

// maxFile bounds a file: its table takes some ten times as much memory.
const maxFile = 256 << 20

// benchmark is what tells a benchmark file from a CSV; noBenchmark is what go test ends with.
var (
	benchmark   = regexp.MustCompile(`(?m)^Benchmark\S*[ \t]+\d+[ \t]+\S+[ \t]+\S`)
	noBenchmark = regexp.MustCompile(`(?m)^(PASS|FAIL|ok  \t.*|FAIL\t.*)$`)
)

// ReadAny reads a table: in Go's benchmark format if a line of it is a benchmark's result, else as CSV. The
// error names the file and the line.
//
// Of a benchmark file each result is a row. Its columns are "benchmark" (the function's name), the keys of
// its name's parts ("filter=bloom"), "procs", "package" if there are several, "iterations", and a column
// for each unit ("ns/op").
func ReadAny(name string, r io.Reader) (t Table, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return t, fmt.Errorf("report: %w", err)
	case len(text) > maxFile:
		return t, fmt.Errorf("report: %s: more than %d MiB: draw a part of it", name, maxFile>>20)
	case benchmark.Match(text):
		t, err = benchTable(name, text)
	case noBenchmark.Match(text):
		return t, fmt.Errorf("report: %s: go test printed no benchmark's result: its -bench matches none, or it failed", name)
	default:
		t, err = ReadTable(name, bytes.NewReader(text))
	}
	if err == nil && len(t.Rows) == 0 {
		err = fmt.Errorf("report: %s: a header and no rows", name)
	}
	return t, err
}

// benchTable makes a table of benchmark results.
func benchTable(name string, text []byte) (t Table, err error) {
	lines, err := ReadBench(name, bytes.NewReader(text))
	if err != nil || len(lines) == 0 {
		return t, err
	}
	several := slices.ContainsFunc(lines, func(l BenchLine) bool { return l.Package != lines[0].Package })
	var params, metrics Groups[string, map[int]string] // the cells of each column by row
	for i, l := range lines {
		set := func(columns *Groups[string, map[int]string], name, value string) {
			cells := columns.Of(name)
			if *cells == nil {
				*cells = map[int]string{}
			}
			(*cells)[i] = value
		}
		for _, p := range l.Params() {
			set(&params, p.Key, p.Value)
		}
		if several {
			set(&params, "package", l.Package)
		}
		set(&metrics, "iterations", strconv.Itoa(l.N))
		for _, m := range l.Metrics {
			set(&metrics, m.Unit, strconv.FormatFloat(m.Value, 'g', -1, 64))
		}
	}
	for _, m := range metrics.Keys {
		if slices.Contains(params.Keys, m) {
			return t, fmt.Errorf("report: %s: %q is both a part of a benchmark's name and a metric", name, m)
		}
	}
	t = Table{name: name, Columns: slices.Concat(params.Keys, metrics.Keys), Timed: metrics.Keys[1:]}
	for i, l := range lines {
		var row []string
		for _, cells := range slices.Concat(params.Values, metrics.Values) {
			row = append(row, cells[i])
		}
		t.AddLine(l.Line, row)
	}
	return t, nil
}
