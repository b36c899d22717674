package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
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

// A plot is a figure of a table in the making.
type plot struct {
	*Table
	PlotOptions
	rows   [][]string // that pass
	x, y   int        // the places of their columns
	along  int        // the parameter whose values are the points; -1 where x itself is one
	series []int
	names  Groups[string, struct{}] // of the x axis; none if it has numbers
	lines  Groups[string, Groups[float64, point]]
	notes  []string // what nobody named, and what could not be drawn
	basis  string   // what a point is
}

// A point is what is drawn of the rows of one series and one x.
type point struct {
	chart.Point
	key    float64
	xs, ys []float64
}

// Figure draws the table: for each series and x the median of y over the rows, with its 95% interval by order
// statistics where there are several (the whole range below six), or with the interval that the table has in columns
// such as rate_low and rate_high. Text on the x axis becomes names. The notes say what nobody named and what could not
// be drawn. The error names the flag with the wrong value, or the file and line of what is no number.
func (t *Table) Figure(o PlotOptions) (f *chart.Figure, notes []string, err error) {
	p := &plot{Table: t, PlotOptions: o, along: -1}
	for _, step := range []func() error{p.filter, p.layOut, p.split, p.collect} {
		if err := step(); err != nil {
			return nil, nil, err
		}
	}
	panel, err := p.panel()
	if err != nil {
		return nil, nil, err
	}
	f = &chart.Figure{
		Name: "chart", Title: cmp.Or(ascii(o.Title), panel.Y.Label+" by "+panel.X.Label), Panels: []chart.Panel{panel},
		Caption: fmt.Sprintf("%s against %s. %s", t.Columns[p.y], t.Columns[p.x], p.basis), Width: o.Width, Height: o.Height,
	}
	return f, append(p.notes, p.basis), f.Check()
}

func (p *plot) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// column is the place of a column, -1 of "".
func (p *plot) column(flag, name string) (int, error) {
	at := slices.Index(p.Columns, name)
	if at < 0 && name != "" {
		return 0, fmt.Errorf("%s: %s has no column %q: it has %s", flag, p.name, name, strings.Join(p.Columns, ", "))
	}
	return at, nil
}

// filter keeps the rows that pass: conditions on one column are alternatives, those on different columns must all hold.
func (p *plot) filter() error {
	wanted := map[int][]string{}
	for _, c := range p.Filters {
		name, value, ok := strings.Cut(c, "=")
		if !ok || name == "" {
			return fmt.Errorf("--where: %q: want column=value", c)
		}
		at, err := p.column("--where", name)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(p.Rows, func(row []string) bool { return equalCell(row[at], value) }) {
			return fmt.Errorf("--where: %s: no row has %s=%s: there are %s", p.name, name, value, some(p.Rows, at))
		}
		wanted[at] = append(wanted[at], value)
	}
	p.rows = slices.DeleteFunc(slices.Clone(p.Rows), func(row []string) bool {
		for at, values := range wanted {
			if !slices.ContainsFunc(values, func(v string) bool { return equalCell(row[at], v) }) {
				return true
			}
		}
		return false
	})
	if len(p.rows) == 0 {
		return fmt.Errorf("--where: %s: no row passes all of %q", p.name, p.Filters)
	}
	return nil
}

// equalCell compares as text, and as numbers: 0.10 is 0.1.
func equalCell(cell, value string) bool {
	a, ok := Number(cell)
	b, ok2 := Number(value)
	return cell == value || ok && ok2 && a == b
}

// some lists the first values of a column in rows.
func some(rows [][]string, column int) string {
	const most = 12
	all := values(rows, column)
	if len(all) > most {
		all = append(all[:most], "...")
	}
	return strings.Join(all, ", ")
}

// telling are columns that a picture is of, where there are others behind them.
var telling = []string{"ns/op", "measured_rate"}

// layOut takes the axes that nobody named. Of a table whose columns are parameters, repetitions and what was measured,
// in this order, y is the last column of numbers that vary, and x the parameter of most values, or that which tells
// points apart where x was measured.
func (p *plot) layOut() (err error) {
	if p.x, err = p.column("--x", p.X); err == nil {
		p.y, err = p.column("--y", p.Y)
	}
	if err != nil {
		return err
	}
	for i, name := range p.Columns {
		bound := strings.HasSuffix(name, "_low") || strings.HasSuffix(name, "_high")
		varies := len(values(p.rows, i)) > 1 && numeric(p.rows, i)
		best := p.y >= 0 && slices.Contains(telling, p.Columns[p.y])
		if p.Y == "" && varies && !bound && !IsRepeat(name) && i != p.x && !best {
			p.y = i
		}
	}
	columns := strings.Join(p.Columns, ", ")
	if p.y < 0 {
		return fmt.Errorf("--y: name the column to draw of %s: it has %s", p.name, columns)
	}
	if p.Y == "" {
		p.note("y is %s", p.Columns[p.y])
	}
	params, best, most := slices.IndexFunc(p.Columns, IsRepeat), -1, 1
	measured := params >= 0 && p.x >= params && !IsRepeat(p.Columns[p.x])
	if params < 0 {
		params = p.y
	}
	for i := range params {
		n := len(values(p.rows, i))
		if n > 1 && numeric(p.rows, i) {
			n += len(p.rows) // before names
		}
		if i != p.y && n > most {
			best, most = i, n
		}
	}
	switch {
	case p.x < 0 && best < 0:
		return fmt.Errorf("--x: name the column to draw %s against: %s has %s", p.Columns[p.y], p.name, columns)
	case p.x < 0:
		p.x = best
		p.note("x is %s", p.Columns[p.x])
	case measured && best >= 0:
		p.along = best
		p.note("a point for each %s", p.Columns[p.along])
	}
	return nil
}

// split takes the columns that make a series. Where nobody named them they are the parameters that tell rows apart
// which those taken so far and the x axis do not: otherwise a point would be the median of different things. Parameters
// are columns of text, the parts of a benchmark's name, and what stands before the first column of repeats.
func (p *plot) split() error {
	for _, name := range p.Series {
		at, err := p.column("--series", name)
		if err != nil {
			return err
		}
		p.series = append(p.series, at)
	}
	if p.Series != nil {
		return nil
	}
	params := slices.IndexFunc(p.Columns, IsRepeat)
	told, count := make([]string, len(p.rows)), 1
	var names []string
	for i, name := range p.Columns {
		if i == p.x || i == p.y || i == p.along || i >= params && numeric(p.rows, i) || IsRepeat(name) ||
			slices.Contains(p.Timed, name) {
			continue
		}
		longer := slices.Clone(told)
		for j, row := range p.rows {
			longer[j] += "\x00" + row[i]
		}
		if n := len(unique(longer)); n > count {
			told, count, names, p.series = longer, n, append(names, name), append(p.series, i)
		}
	}
	if names != nil {
		p.note("a series for each %s", strings.Join(names, ", "))
	}
	return nil
}

// collect gathers the values and makes points of them.
func (p *plot) collect() error {
	named := !numeric(p.rows, p.x)
	low, high := p.Interval(p.Columns[p.y])
	if low >= 0 && (!numeric(p.rows, low) || !numeric(p.rows, high)) {
		low = -1
	}
	title := p.seriesLabels()
	most, empty := 0, 0
	for _, row := range p.rows {
		if row[p.x] == "" || row[p.y] == "" {
			empty++
			continue
		}
		y, ok := Number(row[p.y])
		if !ok {
			line := p.Line(slices.IndexFunc(p.Rows, func(r []string) bool { return &r[0] == &row[0] }))
			return fmt.Errorf("--y: %s:%d: %s is %q, want a number", p.name, line, p.Columns[p.y], row[p.y])
		}
		x, _ := Number(row[p.x])
		if named {
			x = float64(p.names.Index(row[p.x]))
		}
		key := x
		if p.along >= 0 {
			key, _ = Number(row[p.along])
		}
		pt := p.lines.Of(title(row)).Of(key)
		pt.key, pt.xs, pt.ys = key, append(pt.xs, x), append(pt.ys, y)
		most = max(most, len(pt.ys))
		if low >= 0 {
			pt.Lo, _ = Number(row[low])
			pt.Hi, _ = Number(row[high])
		}
	}
	if most == 0 {
		return fmt.Errorf("--y: %s: no row has both %s and %s", p.name, p.Columns[p.x], p.Columns[p.y])
	}
	if empty > 0 {
		p.note("%d rows without a value are left out", empty)
	}
	p.summarize(most)
	if low >= 0 && most == 1 {
		p.basis += fmt.Sprintf("; intervals from %s and %s", p.Columns[low], p.Columns[high])
	}
	return nil
}

// summarize sorts the points and makes each the median of its values. An interval of the table is that of a single
// value.
func (p *plot) summarize(most int) {
	for _, s := range p.lines.Values {
		slices.SortFunc(s.Values, func(a, b point) int { return cmp.Compare(a.key, b.key) })
		for i := range s.Values {
			pt := &s.Values[i]
			pt.X, pt.Y = claims.Median(pt.xs), claims.Median(pt.ys)
			if len(pt.ys) > 1 {
				pt.Lo, pt.Hi = claims.MedianInterval(pt.ys)
			} else if most > 1 {
				pt.Lo, pt.Hi = 0, 0
			}
		}
	}
	p.basis = "A point is one row"
	if most > 1 {
		p.basis = fmt.Sprintf("A point is the median of up to %d rows, with its 95%% interval (below six rows: the range)",
			most)
	}
}

// seriesLabels names the series of a row: the text as it is, numbers with their column's name.
func (p *plot) seriesLabels() func(row []string) string {
	prefix := make([]string, len(p.series))
	for i, c := range p.series {
		if numeric(p.rows, c) {
			prefix[i] = p.Columns[c] + "="
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

func (p *plot) panel() (panel chart.Panel, err error) {
	const manyPoints = 60 // from where on markers would hide the line
	p.axes(&panel)
	dropped, alike := 0, 0
	for i, name := range p.lines.Keys {
		line := chart.Series{Label: ascii(name), Style: chart.Numbered(i), NoLegend: len(p.lines.Keys) == 1 && name == ""}
		if len(p.series) == 1 && p.Columns[p.series[0]] == "filter" {
			line.Style = chart.StylesFor(p.lines.Keys...)[i]
		}
		for _, pt := range p.lines.Values[i].Values {
			pt.Zero = panel.Y.Log && pt.Y == 0 && pt.Hi > 0
			if panel.X.Log && pt.X <= 0 || panel.Y.Log && pt.Y <= 0 && !pt.Zero {
				dropped++
				continue
			}
			line.Points = append(line.Points, pt.Point)
		}
		switch {
		case p.names.Keys != nil:
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
	if alike == 0 {
		return panel, nil
	}
	var by []string
	for _, c := range p.series {
		by = append(by, fmt.Sprintf("%s (%s)", p.Columns[c], some(p.rows, c)))
	}
	return panel, fmt.Errorf("--series: %s: %d series, and %d of them would look like another: keep some rows with "+
		"--where, or name fewer columns with --series; they differ in %s", p.name, len(panel.Series), alike,
		strings.Join(by, ", "))
}

// axes chooses scales and ranges by the values, where no option says them.
func (p *plot) axes(panel *chart.Panel) {
	var xs, ys []float64
	for _, s := range p.lines.Values {
		for _, pt := range s.Values {
			xs, ys = append(xs, pt.X), append(ys, pt.Y)
		}
	}
	choose := func(name string, values []float64, column int, log *bool) (a chart.Axis) {
		a.Label = label(p.Columns[column])
		a.Whole = !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
		span := 100.0
		if strings.Contains(p.Columns[column], "rate") {
			span = 5 // rates are compared by their quotients
		}
		lo := slices.Min(values)
		if log != nil {
			a.Log = *log
		} else if lo > 0 && slices.Max(values) >= span*lo {
			a.Log = true
			p.note("%s has a log scale", name)
		}
		return a
	}
	panel.Y = choose("y", ys, p.y, p.LogY)
	if lo, hi := slices.Min(ys), slices.Max(ys); !panel.Y.Log && lo >= 0 && lo < hi/2 {
		panel.Y.Min, panel.Y.Max = 0, math.NaN() // heights can be compared
	}
	if p.names.Keys != nil {
		panel.X = chart.Axis{Label: label(p.Columns[p.x])}
	} else {
		panel.X = choose("x", xs, p.x, p.LogX)
	}
	for i, name := range p.names.Keys {
		panel.X.Ticks = append(panel.X.Ticks, chart.Tick{At: float64(i), Label: ascii(name)})
	}
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
