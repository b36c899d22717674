package report

import (
	"fmt"
	"slices"
	"strings"
)

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
	if p.x, err = d.column("--x", o.X); err == nil {
		p.y, err = d.column("--y", o.Y)
	}
	if err == nil {
		err = d.layOut(p)
	}
	if err != nil {
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
func (d *Table) layOut(p *plan) error {
	named := p.y >= 0
	for i, name := range d.Columns {
		bound := strings.HasSuffix(name, "_low") || strings.HasSuffix(name, "_high")
		varies := len(values(p.rows, i)) > 1 && numeric(p.rows, i)
		best := p.y >= 0 && slices.Contains(telling, d.Columns[p.y])
		if varies && !named && !bound && !IsRepeat(name) && i != p.x && !best {
			p.y = i
		}
	}
	if p.y < 0 {
		return fmt.Errorf("--y: name the column to draw of %s: it has %s", d.name, strings.Join(d.Columns, ", "))
	}
	params, best, most := slices.IndexFunc(d.Columns, IsRepeat), -1, 1
	measured := params >= 0 && p.x >= params && !IsRepeat(d.Columns[p.x])
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
	if !named {
		p.note("y is %s", d.Columns[p.y])
	}
	switch {
	case p.x < 0 && best < 0:
		return fmt.Errorf("--x: name the column to draw %s against: %s has %s", d.Columns[p.y], d.name,
			strings.Join(d.Columns, ", "))
	case p.x < 0:
		p.x = best
		p.note("x is %s", d.Columns[p.x])
	case measured && best >= 0:
		p.along = best
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
	p.series = apart(p.rows, columns)
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
