package report

import (
	"fmt"
	"slices"
	"strings"
)

// layouts are how the files of this module are drawn where nobody says otherwise: the first whose columns there are,
// and of whose columns x and y more than one value.
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

// A plan is what will be drawn: the rows, and the places of the columns, -1 for none.
type plan struct {
	rows   [][]string
	x, y   int
	series []int
	along  int      // the parameter whose values are the points; -1 where x itself is one
	notes  []string // what nobody named
}

func (d *Table) plan(o PlotOptions) (p *plan, err error) {
	p = &plan{along: -1}
	if p.rows, err = d.filter(o.Filters); err != nil {
		return nil, err
	}
	if p.x, err = d.column("--x", o.X); err != nil {
		return nil, err
	}
	if p.y, err = d.column("--y", o.Y); err != nil {
		return nil, err
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

// column is the place of a column, -1 of "".
func (d *Table) column(flag, name string) (int, error) {
	at := slices.Index(d.Columns, name)
	if at < 0 && name != "" {
		return 0, fmt.Errorf("%s: %s has no column %q: it has %s", flag, d.name, name, strings.Join(d.Columns, ", "))
	}
	return at, nil
}

// filter returns the rows that pass: conditions on one column are alternatives, those on different
// columns must all hold.
func (d *Table) filter(conditions []string) ([][]string, error) {
	var wanted Groups[int, []string]
	for _, c := range conditions {
		name, value, ok := strings.Cut(c, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--where: %q: want column=value", c)
		}
		at, err := d.column("--where", name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(d.Rows, func(row []string) bool { return equalCell(row[at], value) }) {
			return nil, fmt.Errorf("--where: %s: no row has %s=%s: there are %s", d.name, name, value, some(d.Rows, at))
		}
		values := wanted.Of(at)
		*values = append(*values, value)
	}
	rows := d.Rows
	for i, at := range wanted.Keys {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row []string) bool {
			return !slices.ContainsFunc(wanted.Values[i], func(v string) bool { return equalCell(row[at], v) })
		})
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("--where: %s: no row passes all of %q", d.name, conditions)
	}
	return rows, nil
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
	var values Groups[string, struct{}]
	for _, row := range rows {
		values.Index(row[column])
	}
	if len(values.Keys) > most {
		values.Keys = append(values.Keys[:most], "...")
	}
	return strings.Join(values.Keys, ", ")
}

// layOut takes the axes that nobody named from the first layout that fits: of those with the axis that somebody did
// name, and else of all.
func (d *Table) layOut(p *plan) error {
	x, y := p.x, p.y
	for _, l := range layouts {
		lx, ly, along := slices.Index(d.Columns, l.x), slices.Index(d.Columns, l.y), slices.Index(d.Columns, l.along)
		has := (l.along == "" || along >= 0) && (l.with == "" || slices.Contains(d.Columns, l.with))
		canX, canY := varies(p.rows, lx), varies(p.rows, ly) && numeric(p.rows, ly)
		if has && (p.x < 0 || p.x == lx) && (p.y < 0 || p.y == ly) && canX && canY {
			x, y, p.along = lx, ly, along
			break
		}
		if x < 0 && y >= 0 && y != lx && canX {
			x = lx
		}
		if y < 0 && x >= 0 && x != ly && canY {
			y = ly
		}
	}
	switch {
	case y < 0:
		return fmt.Errorf("--y: name the column to draw of %s: it has %s", d.name, strings.Join(d.Columns, ", "))
	case x < 0:
		return fmt.Errorf("--x: name the column to draw %s against: %s has %s", d.Columns[y], d.name,
			strings.Join(d.Columns, ", "))
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

// splitSeries takes every column that is a parameter and tells rows apart that the columns taken so far
// and the x axis do not: otherwise a point would be the median of different things. Parameters are
// columns of text, the parts of a benchmark's name, and what stands before the first column of repeats.
func (d *Table) splitSeries(p *plan) {
	var columns []int
	params := slices.IndexFunc(d.Columns, IsRepeat)
	for i, name := range d.Columns {
		isParam := i < params || !numeric(p.rows, i)
		if i != p.x && i != p.y && i != p.along && isParam && !IsRepeat(name) && !slices.Contains(d.Timed, name) {
			columns = append(columns, i)
		}
	}
	p.series = Split(nil, p.rows, columns)
	var names []string
	for _, c := range p.series {
		names = append(names, d.Columns[c])
	}
	if names != nil {
		p.note("a series for each %s", strings.Join(names, ", "))
	}
}

func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// numeric reports whether a column of the rows holds numbers only, and one at least, empty cells aside.
func numeric(rows [][]string, column int) bool {
	some := false
	return !slices.ContainsFunc(rows, func(r []string) bool {
		_, ok := Number(r[column])
		some = some || ok
		return !ok && r[column] != ""
	}) && some
}

// varies reports whether there is such a column with several values.
func varies(rows [][]string, column int) bool {
	return column >= 0 && slices.ContainsFunc(rows, func(r []string) bool { return r[column] != rows[0][column] })
}
