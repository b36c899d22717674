package plotfile

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// Options say what to draw. The zero value is enough for the tables of this module and its benchmarks.
type Options struct {
	X, Y    string   // names of columns; empty is that of the file, where it is one of this module
	Series  []string // one series for each combination of their values; nil is what tells rows of one x apart, empty is one series
	Filters []string // "column=value": alternatives if of one column
	Title   string   // empty is made of the columns' names

	LogX, LogY *bool // nil is by the values

	Width, Height float64 // in centimetres; 0 is the usual size
	Theme         chart.Theme
}

// manyPoints is from where on markers would hide the line.
const manyPoints = 60

// Figure draws the table: for each series and x the median of y over the rows, with its 95% interval by
// order statistics where there are several (the whole range below six), or with the interval that the
// table has in columns such as rate_low and rate_high. Text on the x axis becomes names. The notes say
// what nobody named and what could not be drawn. The error names the flag with the wrong value, or the
// file and line of what is no number.
func (d *Data) Figure(o Options) (f *chart.Figure, notes []string, err error) {
	p, err := d.plan(o)
	if err != nil {
		return nil, nil, err
	}
	cells, err := d.collect(p)
	if err != nil {
		return nil, nil, err
	}
	panel := chart.Panel{X: chart.Axis{Label: label(d.Columns[p.x])}, Y: chart.Axis{Label: label(d.Columns[p.y])}}
	d.axes(&panel, p, cells, o)
	dropped := 0
	for i, s := range cells.series {
		line := chart.Series{Label: ascii(s.label), Style: cells.style(i, d, p), NoLegend: len(cells.series) == 1 && s.label == ""}
		for _, pt := range s.points {
			if point, ok := pt.draw(panel.X.Log, panel.Y.Log); ok {
				line.Points = append(line.Points, point)
			} else {
				dropped++
			}
		}
		switch {
		case cells.names != nil:
			line.Kind = chart.Marks
		case len(line.Points) > manyPoints:
			line.Kind = chart.Line
		}
		panel.Series = append(panel.Series, line)
	}
	if dropped > 0 {
		p.note("%d points are not above 0 and have no place on a log axis", dropped)
	}
	if err := d.tellApart(p, panel.Series); err != nil {
		return nil, nil, err
	}
	title := ascii(o.Title)
	if title == "" {
		title = label(d.Columns[p.y]) + " by " + label(d.Columns[p.x])
	}
	f = &chart.Figure{
		Name: "chart", Title: title, Caption: fmt.Sprintf("%s against %s. %s", d.Columns[p.y], d.Columns[p.x], cells.basis),
		Panels: []chart.Panel{panel}, Width: o.Width, Height: o.Height, Theme: o.Theme,
	}
	return f, append(p.notes, cells.basis), f.Check()
}

// tellApart returns an error if two series look the same, which says what to leave out.
func (d *Data) tellApart(p *plan, drawn []chart.Series) error {
	distinct := 0
	for i, s := range drawn {
		if !slices.ContainsFunc(drawn[:i], func(o chart.Series) bool { return chart.Alike(o.Style, s.Style) }) {
			distinct++
		}
	}
	if distinct == len(drawn) {
		return nil
	}
	var by []string
	for _, c := range p.series {
		by = append(by, fmt.Sprintf("%s (%s)", d.Columns[c], d.some(p.rows, c)))
	}
	example := d.Columns[p.series[0]] + "=" + d.Rows[p.rows[0]][p.series[0]]
	return fmt.Errorf("--series: %s: %d series, and %d of them would look like another: keep some rows, such as --where %q, or name fewer columns with --series; they differ in %s",
		d.Name, len(drawn), len(drawn)-distinct, example, strings.Join(by, ", "))
}

func whole(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
}

func (d *Data) axes(panel *chart.Panel, p *plan, cells *cells, o Options) {
	var xs, ys []float64
	for _, s := range cells.series {
		for _, pt := range s.points {
			xs, ys = append(xs, pt.x), append(ys, pt.y)
		}
	}
	choose := func(flag *bool, values []float64, column int, name string) bool {
		if flag != nil {
			return *flag
		}
		if spansDecades(d.Columns[column], values) {
			p.note("%s has a log scale", name)
			return true
		}
		return false
	}
	panel.X.Whole, panel.Y.Whole = whole(xs), whole(ys)
	panel.Y.Log = choose(o.LogY, ys, p.y, "y")
	if lo, hi := slices.Min(ys), slices.Max(ys); !panel.Y.Log && lo >= 0 && lo < hi/2 {
		panel.Y.Min, panel.Y.Max = 0, math.NaN() // heights can be compared
	}
	if cells.names != nil {
		for i, name := range cells.names {
			panel.X.Ticks = append(panel.X.Ticks, chart.Tick{At: float64(i), Label: ascii(name)})
		}
		return
	}
	panel.X.Log = choose(o.LogX, xs, p.x, "x")
	if panel.X.Log && !slices.ContainsFunc(xs, func(x float64) bool { frac, _ := math.Frexp(x); return frac != 0.5 }) {
		panel.X.Base = 2
	}
}

// draw is the point in a chart, if the axes have a place for it.
func (p point) draw(logX, logY bool) (chart.Point, bool) {
	out := chart.Point{X: p.x, Y: p.y, Lo: p.lo, Hi: p.hi}
	switch {
	case logX && p.x <= 0:
		return out, false
	case logY && p.y <= 0:
		out.Zero = p.y == 0 && p.hi > 0
		return out, out.Zero
	}
	return out, true
}

// style is that of the filter, if each series is one, else the next of those for numbers.
func (c *cells) style(i int, d *Data, p *plan) chart.Style {
	if len(p.series) == 1 && d.Columns[p.series[0]] == "filter" {
		names := make([]string, len(c.series))
		for j, s := range c.series {
			names[j] = s.label
		}
		return chart.StylesFor(names...)[i]
	}
	return chart.Numbered(i)
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

type cells struct {
	names  []string       // of the x axis; nil if it has numbers
	places map[string]int // of the names
	series []series
	index  map[string]int // of the series with a label
	basis  string         // what a point is
}

type series struct {
	label  string
	points []point
	index  map[float64]int // of the points, by key, until they are sorted
}

// A point is what is drawn of the rows of one series and one x.
type point struct {
	key          float64 // what tells the points of a series apart: x, or a parameter
	x, y, lo, hi float64
	xs, values   []float64
}

// collect gathers the values and makes points of them.
func (d *Data) collect(p *plan) (*cells, error) {
	c := &cells{index: map[string]int{}, places: map[string]int{}}
	named := !d.numeric(p.rows, p.x)
	low, high := d.interval(p)
	title := d.seriesLabels(p)
	most, empty := 0, 0
	for _, i := range p.rows {
		row := d.Rows[i]
		if row[p.x] == "" || row[p.y] == "" {
			empty++
			continue
		}
		y, ok := report.Number(row[p.y])
		if !ok {
			return nil, fmt.Errorf("--y: %s:%d: %s is %q, want a number", d.Name, d.Line(i), d.Columns[p.y], row[p.y])
		}
		x, _ := report.Number(row[p.x])
		if named {
			x = float64(c.place(row[p.x]))
		}
		key := x
		if p.along >= 0 {
			key, _ = report.Number(row[p.along])
		}
		pt := c.at(title(row), key)
		pt.xs, pt.values = append(pt.xs, x), append(pt.values, y)
		most = max(most, len(pt.values))
		if low >= 0 {
			pt.lo, _ = report.Number(row[low])
			pt.hi, _ = report.Number(row[high])
		}
	}
	if most == 0 {
		return nil, fmt.Errorf("--y: %s: no row has both %s and %s", d.Name, d.Columns[p.x], d.Columns[p.y])
	}
	if empty > 0 {
		p.note("%d rows without a value are left out", empty)
	}
	c.summarize(most, low >= 0)
	if low >= 0 && most == 1 {
		c.basis += fmt.Sprintf("; intervals from %s and %s", d.Columns[low], d.Columns[high])
	}
	return c, nil
}

func (c *cells) place(name string) int {
	at, ok := c.places[name]
	if !ok {
		at = len(c.names)
		c.names = append(c.names, name)
		c.places[name] = at
	}
	return at
}

// at returns the point of a series, a new one if need be.
func (c *cells) at(label string, key float64) *point {
	i, ok := c.index[label]
	if !ok {
		i = len(c.series)
		c.series = append(c.series, series{label: label, index: map[float64]int{}})
		c.index[label] = i
	}
	s := &c.series[i]
	j, ok := s.index[key]
	if !ok {
		j = len(s.points)
		s.points = append(s.points, point{key: key})
		s.index[key] = j
	}
	return &s.points[j]
}

// summarize sorts the points and makes each the median of its values.
func (c *cells) summarize(most int, own bool) {
	for _, s := range c.series {
		slices.SortFunc(s.points, func(a, b point) int { return cmp.Compare(a.key, b.key) })
		for i := range s.points {
			p := &s.points[i]
			p.x, p.y = stat.Median(p.xs), stat.Median(p.values)
			if most > 1 || !own {
				p.lo, p.hi = 0, 0
			}
			if len(p.values) > 1 {
				p.lo, p.hi = stat.MedianInterval(p.values)
			}
		}
	}
	c.basis = "A point is one row"
	if most > 1 {
		c.basis = fmt.Sprintf("A point is the median of up to %d rows, with its 95%% interval (below six rows: the range)", most)
	}
}

// seriesLabels names the series of a row: the text as it is, numbers with their column's name.
func (d *Data) seriesLabels(p *plan) func(row []string) string {
	numeric := make([]bool, len(p.series))
	for i, c := range p.series {
		numeric[i] = d.numeric(p.rows, c)
	}
	return func(row []string) string {
		var parts []string
		for i, c := range p.series {
			switch text := row[c]; {
			case text == "":
			case numeric[i]:
				parts = append(parts, d.Columns[c]+"="+text)
			default:
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, ", ")
	}
}

// interval finds the columns of numbers that hold the interval of y, or -1.
func (d *Data) interval(p *plan) (low, high int) {
	low, high = d.Interval(d.Columns[p.y])
	if low < 0 || !d.numeric(p.rows, low) || !d.numeric(p.rows, high) {
		return -1, -1
	}
	return low, high
}
