package lab

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/store"
)

// Rebuild draws and judges results that were counted earlier, and measures nothing: for the tables that
// [Registry.Run] makes it returns the findings of that run. The registry must be the one that ran, with
// the same parts of one's own; experiments without a table are left out. An error wraps [ErrExperiment]
// for a table of an unknown experiment and [store.ErrRaw] for one that the plan of the profile and the seed
// does not have, and says where.
func (g Registry) Rebuild(o Options, tables map[string]report.Table) ([]Finding, error) {
	var names []string
	for _, name := range g.Names() {
		if _, ok := tables[name]; ok {
			names = append(names, name)
		}
	}
	if len(names) < len(tables) {
		names = slices.Sorted(maps.Keys(tables)) // the unknown one is refused, with the known ones
	}
	g, err := g.Only(names...)
	if err != nil {
		return nil, err
	}
	findings, _, err := g.Plan(o)
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if err := f.Data.fill(tables[f.Data.About.Name]); err != nil {
			return nil, err
		}
	}
	return g.conclude(findings)
}

// fill takes the counts of a plan's rows from a table that Table made of them.
func (d *Data) fill(t report.Table) error {
	name := d.About.Name + ".csv"
	empty := Data{About: d.About}
	want := empty.Table().Columns
	if !slices.Equal(t.Columns, want) {
		return fmt.Errorf("experiments: %s:1: %w: columns %s, want %s: made by another version",
			name, store.ErrRaw, strings.Join(t.Columns, ","), strings.Join(want, ","))
	}
	first := 1 + len(d.About.Params) + 2
	at := 0
	for _, g := range d.Groups {
		for i := range g.Rows {
			if at == len(t.Rows) {
				return fmt.Errorf("experiments: %s: %w: ends after %d rows: no trial %d of %q", name, store.ErrRaw, at, i, g.Series)
			}
			if err := g.Rows[i].fill(t.Rows[at][first:]); err != nil {
				return fmt.Errorf("experiments: %s:%d: %w: %w", name, t.Line(at), store.ErrRaw, err)
			}
			at++
		}
	}
	if at < len(t.Rows) {
		return fmt.Errorf("experiments: %s:%d: %w: %d rows more than profile %s has", name, t.Line(at), store.ErrRaw, len(t.Rows)-at, d.Setup.Profile)
	}
	for i, row := range d.Table().Rows { // the labels and what is derived must follow
		for j, cell := range row {
			if got := t.Rows[i][j]; got != cell {
				return fmt.Errorf("experiments: %s:%d: %w: %s is %q, want %q: of another version, seed or profile, or altered",
					name, t.Line(i), store.ErrRaw, want[j], got, cell)
			}
		}
	}
	return nil
}

// seedText is hexadecimal, because spreadsheets round integers beyond 2^53.
func seedText(seed uint64) string { return fmt.Sprintf("0x%016x", seed) }

// fill takes the counts of a row.
func (r *Row) fill(cells []string) error {
	r.Counts = make([]int, len(r.About.Counts))
	for i, name := range r.About.Counts {
		n, err := strconv.Atoi(cells[i])
		if err != nil {
			return fmt.Errorf("%s is %q, want an integer", name, cells[i])
		}
		r.Counts[i] = n
	}
	return nil
}
