package plotfile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
)

// layouts are how the files of this module are drawn where nobody says otherwise: the first whose columns there are, and of
// whose columns x and y more than one value.
var layouts = []struct {
	x, y string
	// along is the parameter whose values are the points of a series where x is measured, as bits per item are.
	along string
	with  string // another column that the file has
}{
	{"share_of_capacity", "false_positive_rate", "percent", ""},
	{"n", "bits_per_item", "", "false_positive_rate"},
	{"positive_share", "million_per_second", "step", ""},
	{"occupancy", "million_per_second", "to_permille", ""},
	{"occupancy", "million_per_second", "from_permille", ""},
	{"occupancy", "positive_million_per_second", "occupancy_permille", ""},
	{"occupancy", "negative_million_per_second", "occupancy_permille", ""},
	{"to_permille", "kicks_per_insert", "", ""},
	{"to_permille", "ns_per_insert", "", ""},
	{"key_bytes", "ns_per_key", "", ""},
	{"table_bytes", "ns", "", "over_gather"},
	{"load", "ns", "", "over_gather"},
	{"bits_per_item", "false_positive_rate", "f", ""},
	{"bits_per_item", "false_positive_rate", "bits", ""},
	{"bits_per_item", "false_positive_rate", "", ""},
	{"f", "load_factor", "", ""},
	{"buckets", "load_factor", "", ""},
	{"bits_per_item", "measured_rate", "", "asked_rate"},
	{"f", "measured_rate", "", ""},
	{"n", "measured_rate", "", ""},
	{"load", "measured_rate", "", ""},
	{"n", "ns/op", "", ""},
	{"load", "ns/op", "", ""},
	{"filter", "ns/op", "", ""},
	{"benchmark", "ns/op", "", ""},
}

// A plan is what will be drawn: the rows, and the places of the columns.
type plan struct {
	rows   []int
	x, y   int
	series []int
	along  int      // the parameter whose values are the points; -1 where x itself is one
	notes  []string // what nobody named
}

func (d *Data) plan(o Options) (*plan, error) {
	p := &plan{x: -1, y: -1, along: -1}
	var err error
	if p.rows, err = d.filter(o.Filters); err != nil {
		return nil, err
	}
	if o.X != "" {
		if p.x, err = d.column("--x", o.X); err != nil {
			return nil, err
		}
	}
	if o.Y != "" {
		if p.y, err = d.column("--y", o.Y); err != nil {
			return nil, err
		}
	}
	if err := d.layOut(p); err != nil {
		return nil, err
	}
	for _, name := range o.Series {
		at, err := d.column("--series", name)
		if err != nil {
			return nil, err
		}
		p.series = append(p.series, at)
	}
	if o.Series == nil {
		d.splitSeries(p)
	}
	return p, nil
}

// filter returns the rows that pass: conditions on one column are alternatives, those on different
// columns must all hold.
func (d *Data) filter(conditions []string) ([]int, error) {
	wanted := map[int][]string{}
	for _, c := range conditions {
		name, value, ok := strings.Cut(c, "=")
		if !ok {
			return nil, fmt.Errorf("--where: %q: want column=value", c)
		}
		at, err := d.column("--where", name)
		if err != nil {
			return nil, err
		}
		match := func(row []string) bool { return equalCell(row[at], value) }
		if !slices.ContainsFunc(d.Rows, match) {
			return nil, fmt.Errorf("--where: %s: no row has %s=%s: there are %s", d.Name, name, value, d.some(nil, at))
		}
		wanted[at] = append(wanted[at], value)
	}
	var rows []int
	for i, row := range d.Rows {
		pass := true
		for at, values := range wanted {
			pass = pass && slices.ContainsFunc(values, func(v string) bool { return equalCell(row[at], v) })
		}
		if pass {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("--where: %s: no row passes all of %q", d.Name, conditions)
	}
	return rows, nil
}

// equalCell compares as text, and as numbers: 0.10 is 0.1.
func equalCell(cell, value string) bool {
	if cell == value {
		return true
	}
	a, ok := report.Number(cell)
	b, ok2 := report.Number(value)
	return ok && ok2 && a == b
}

// some lists the values of a column in those rows, or in all without any: the first of many.
func (d *Data) some(rows []int, column int) string {
	const most = 12
	var values []string
	if rows == nil {
		rows = make([]int, len(d.Rows))
		for i := range rows {
			rows[i] = i
		}
	}
	for _, i := range rows {
		if row := d.Rows[i]; !slices.Contains(values, row[column]) {
			if len(values) == most {
				return strings.Join(append(values, "..."), ", ")
			}
			values = append(values, row[column])
		}
	}
	return strings.Join(values, ", ")
}

// layOut takes the axes that nobody named from the first layout that fits: of those with the axis that somebody did name,
// and else of all.
func (d *Data) layOut(p *plan) error {
	x, y := p.x, p.y
	for _, l := range layouts {
		lx, ly, along := slices.Index(d.Columns, l.x), slices.Index(d.Columns, l.y), slices.Index(d.Columns, l.along)
		has := (l.along == "" || along >= 0) && (l.with == "" || slices.Contains(d.Columns, l.with))
		if has && (p.x < 0 || p.x == lx) && (p.y < 0 || p.y == ly) && d.usable(p.rows, lx, false) && d.usable(p.rows, ly, true) {
			x, y, p.along = lx, ly, along
			break
		}
		if x < 0 && y >= 0 && y != lx && d.usable(p.rows, lx, false) {
			x = lx
		}
		if y < 0 && x >= 0 && x != ly && d.usable(p.rows, ly, true) {
			y = ly
		}
	}
	switch {
	case y < 0:
		return fmt.Errorf("--y: name the column to draw of %s: it has %s", d.Name, strings.Join(d.Columns, ", "))
	case x < 0:
		return fmt.Errorf("--x: name the column to draw %s against: %s has %s", d.Columns[y], d.Name, strings.Join(d.Columns, ", "))
	}
	if p.y < 0 {
		p.note("y is %s", d.Columns[y])
	}
	if p.x < 0 {
		p.note("x is %s", d.Columns[x])
	}
	if p.x, p.y = x, y; p.along >= 0 {
		p.note("a point for each %s", d.Columns[p.along])
	}
	return nil
}

// usable tells whether there is such a column with several values, all of them numbers where they have to be.
func (d *Data) usable(rows []int, column int, numbers bool) bool {
	return column >= 0 && d.varies(rows, column) && (!numbers || d.numeric(rows, column))
}

// splitSeries takes every column that is a parameter and tells rows apart that the columns taken so far
// and the x axis do not: otherwise a point would be the median of different things. Parameters are
// columns of text, the parts of a benchmark's name, and what stands before the first column of repeats.
func (d *Data) splitSeries(p *plan) {
	var columns []int
	for i, name := range d.Columns {
		isParam := i < d.params() || !d.numeric(p.rows, i)
		if i != p.x && i != p.y && i != p.along && isParam && !report.IsRepeat(name) && !slices.Contains(d.Timed, name) {
			columns = append(columns, i)
		}
	}
	rows := make([][]string, len(p.rows))
	for i, at := range p.rows {
		rows[i] = d.Rows[at]
	}
	if p.series = report.Split(nil, rows, columns); len(p.series) > 0 {
		p.note("a series for each %s", strings.Join(d.names(p.series), ", "))
	}
}

// params is the number of columns that are parameters for certain: those before the first column of
// repeats.
func (d *Data) params() int {
	return max(0, slices.IndexFunc(d.Columns, report.IsRepeat))
}

func (d *Data) names(columns []int) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = d.Columns[c]
	}
	return out
}

func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// spansDecades chooses a log axis for positive numbers that span two orders of magnitude; for rates, which are
// compared by their quotients, less will do.
func spansDecades(column string, values []float64) bool {
	span := 100.0
	if strings.Contains(column, "rate") {
		span = 5
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo > 0 && hi >= span*lo
}
