package plotfile

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// repeats are the columns that tell repetitions of one measurement apart and mean nothing else.
var repeats = []string{"trial", "seed", "round", "run", "rep", "iterations"}

// figureAxes are x and y of the figures of this module's own files, where the columns tell the file: what is drawn
// if nobody says what, the first that there is.
var figureAxes = []struct {
	x, y string
	with string // another column that the file has
}{
	{"share_of_capacity", "false_positive_rate", ""},
	{"n", "bits_per_item", "false_positive_rate"},
	{"positive_share", "million_per_second", ""},
	{"occupancy", "million_per_second", ""},
	{"occupancy", "positive_million_per_second", ""},
	{"occupancy", "negative_million_per_second", ""},
	{"to_permille", "kicks_per_insert", ""},
	{"to_permille", "ns_per_insert", ""},
	{"key_bytes", "ns_per_key", ""},
	{"table_bytes", "ns", "over_gather"},
	{"load", "ns", "over_gather"},
}

// What is drawn of other files, the first that there is; without any of them the last numeric column against the
// first.
var (
	likelyX = []string{"positive_share", "occupancy", "bits_per_item", "f", "n", "load", "keys", "buckets", "fpr"}
	likelyY = []string{"false_positive_rate", "measured_rate", "load_factor", "ns/op", "bits_per_item"}
)

// A plan is what will be drawn: the rows, and the places of the columns.
type plan struct {
	rows   []int
	x, y   int
	series []int
	// along is the parameter whose values are the points of a series where x is measured, as bits per item
	// are; -1 where x itself is a parameter.
	along int
	notes []string // what was guessed
}

// plan resolves the options.
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
	d.guessFigure(p)
	if err := d.guessAxes(p); err != nil {
		return nil, err
	}
	for _, name := range o.Series {
		at, err := d.column("--series", name)
		if err != nil {
			return nil, err
		}
		p.series = append(p.series, at)
	}
	d.guessAlong(p)
	if o.Series == nil {
		d.guessSeries(p)
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
			return nil, fmt.Errorf("--filter: %q: want column=value", c)
		}
		at, err := d.column("--filter", name)
		if err != nil {
			return nil, err
		}
		match := func(row []string) bool { return equalCell(row[at], value) }
		if !slices.ContainsFunc(d.Rows, match) {
			return nil, fmt.Errorf("--filter: %s: no row has %s=%s: there are %s", d.Name, name, value, d.some(nil, at))
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
		return nil, fmt.Errorf("--filter: %s: no row passes all of %q", d.Name, conditions)
	}
	return rows, nil
}

// equalCell compares as text, and as numbers: 0.10 is 0.1.
func equalCell(cell, value string) bool {
	if cell == value {
		return true
	}
	a, ok := number(cell)
	b, ok2 := number(value)
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

// guessFigure takes the axes of a figure of this module's own, if those that somebody named are its.
func (d *Data) guessFigure(p *plan) {
	if p.x >= 0 && p.y >= 0 {
		return
	}
	usable := func(name string) int {
		at := slices.Index(d.Columns, name)
		if at >= 0 && d.numeric(p.rows, at) && d.varies(p.rows, at) {
			return at
		}
		return -1
	}
	for _, axes := range figureAxes {
		x, y := usable(axes.x), usable(axes.y)
		fits := x >= 0 && y >= 0 && (p.x < 0 || p.x == x) && (p.y < 0 || p.y == y)
		if !fits || axes.with != "" && !slices.Contains(d.Columns, axes.with) {
			continue
		}
		if p.y < 0 {
			p.note("y is %s", axes.y)
		}
		if p.x < 0 {
			p.note("x is %s", axes.x)
		}
		p.x, p.y = x, y
		return
	}
}

// guessAxes chooses the axes that nobody named.
func (d *Data) guessAxes(p *plan) error {
	var numeric []int
	for i, name := range d.Columns {
		if !slices.Contains(repeats, name) && d.numeric(p.rows, i) {
			numeric = append(numeric, i)
		}
	}
	pick := func(likely []string, other int, fallback func([]int) int) int {
		free := slices.DeleteFunc(slices.Clone(numeric), func(i int) bool { return i == other || !d.varies(p.rows, i) })
		for _, name := range likely {
			if at := slices.Index(d.Columns, name); slices.Contains(free, at) {
				return at
			}
		}
		if len(free) == 0 {
			return -1
		}
		return fallback(free)
	}
	complete := func(i int) bool {
		return !slices.ContainsFunc(p.rows, func(row int) bool { return d.Rows[row][i] == "" })
	}
	if p.y < 0 {
		p.y = pick(likelyY, p.x, func(free []int) int { return free[len(free)-1] })
		if p.y < 0 {
			return fmt.Errorf("--y: %s has no second column of different numbers: name one of %s", d.Name, strings.Join(d.Columns, ", "))
		}
		p.note("y is %s", d.Columns[p.y])
	}
	numeric = slices.DeleteFunc(numeric, func(i int) bool { return !complete(i) })
	if p.x < 0 {
		p.x = pick(likelyX, p.y, func(free []int) int { return free[0] })
		if p.x < 0 || d.bench && slices.Contains(d.metrics, d.Columns[p.x]) {
			p.x = d.firstText(p)
		}
		if p.x < 0 {
			return fmt.Errorf("--x: %s has no column to draw %s against: name one of %s", d.Name, d.Columns[p.y], strings.Join(d.Columns, ", "))
		}
		p.note("x is %s", d.Columns[p.x])
	}
	return nil
}

// firstText is the first column of differing names, or -1.
func (d *Data) firstText(p *plan) int {
	for i := range d.Columns {
		if i != p.y && d.varies(p.rows, i) && !d.numeric(p.rows, i) {
			return i
		}
	}
	return -1
}

// guessSeries takes every column that is a parameter and tells rows apart that the columns taken so far
// and the x axis do not: otherwise a point would be the median of different things. Parameters are
// columns of text, the parts of a benchmark's name, and what stands before the first column of repeats.
func (d *Data) guessSeries(p *plan) {
	groups := d.groups(p)
	for i, name := range d.Columns {
		isParam := i < d.params() || !d.numeric(p.rows, i)
		if i == p.x || i == p.y || i == p.along || !isParam || slices.Contains(repeats, name) || slices.Contains(d.Timed, name) {
			continue
		}
		p.series = append(p.series, i)
		if n := d.groups(p); n > groups {
			groups = n
			continue
		}
		p.series = p.series[:len(p.series)-1]
	}
	if len(p.series) > 0 {
		p.note("a series for each %s", strings.Join(d.names(p.series), ", "))
	}
}

// params is the number of columns that are parameters for certain: those before the first column of
// repeats.
func (d *Data) params() int {
	return max(0, slices.IndexFunc(d.Columns, func(name string) bool { return slices.Contains(repeats, name) }))
}

// guessAlong chooses the parameter of the most values where x is none.
func (d *Data) guessAlong(p *plan) {
	if p.x < d.params() {
		return
	}
	most := 1
	for i := range d.params() {
		if slices.Contains(p.series, i) || !d.numeric(p.rows, i) {
			continue
		}
		values := map[string]bool{}
		for _, row := range p.rows {
			values[d.Rows[row][i]] = true
		}
		if len(values) > most {
			most, p.along = len(values), i
		}
	}
	if p.along >= 0 {
		p.note("a point for each %s", d.Columns[p.along])
	}
}

func (d *Data) names(columns []int) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = d.Columns[c]
	}
	return out
}

// groups is the number of different series of the plan.
func (d *Data) groups(p *plan) int {
	seen := map[string]bool{}
	for _, i := range p.rows {
		key := ""
		for _, c := range p.series {
			key += d.Rows[i][c] + "\x00"
		}
		seen[key] = true
	}
	return len(seen)
}

func (p *plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// guessLog chooses a log axis for positive numbers that span two orders of magnitude; for rates, which are
// compared by their quotients, less will do.
func guessLog(column string, values []float64) bool {
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
