package speed

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// A Timing is a timed experiment with what people are shown of it: a row for each size and value of one axis, a column
// for each value of another, and in each cell the median over the rounds with its ratio to that of a base.
type Timing struct {
	lab.Experiment
	Rows, Columns string
	Base          func(g lab.Group) []string // where the base of a group is, as of lab.Among; nil for none
	Only          func(g lab.Group) bool     // what is shown; nil is all
	Notes         []string
	Name          func(g lab.Group) string // of its benchmark; empty is none
}

// A Step is a row of a script: the value of the axis what.
type Step struct {
	Name string
	Unit string // of its value: "ns" for each key, "us", "%" of the keys, "bits" for each key, "Mops"; empty is a number
	Verb string // in names of benchmarks
	Hit  float64
	// Batch is how many lookups are done at a time, 0 for one by one.
	Batch int
}

// counts are those of every row: what was done with how many keys, how many of them answered, the nanoseconds that it
// took and the bytes of the table then. A row that a round lacks is of no keys.
const counts = "keys found ns bytes"

// countsOf are the counts of a lap.
func countsOf(l measure.Lap, bytes int) []int { return []int{l.Keys, l.Found, int(l.Time), bytes} }

// value is the column of a row that its unit says.
func value(r lab.Row) float64 {
	keys, found, ns := float64(r.Count("keys")), float64(r.Count("found")), float64(r.Count("ns"))
	if keys == 0 {
		return math.NaN()
	}
	s, _ := r.Cell.Of("what").(Step)
	switch s.Unit {
	case "us":
		return ns / 1000
	case "%":
		return 100 * found / keys
	case "bits":
		return 8 * float64(r.Count("bytes")) / keys
	case "Mops":
		return 1000 * keys / ns
	case "":
		return found / keys
	}
	return ns / keys
}

var columns = []lab.Column{{Name: "value", Of: value}}

// median is the value of a group.
var median = lab.Median("value")

// rounds are the values of a group in its rounds, NaN where there is none.
func rounds(g lab.Group) (out measure.Rounds) {
	for _, r := range g.Rows {
		out = append(out, value(r))
	}
	return out
}

// Over is the ratio of two groups: the median of the ratios within the rounds that both have.
func Over(g, base lab.Group) claims.Estimate {
	ratios := rounds(g)
	for i, b := range rounds(base)[:len(ratios)] {
		ratios[i] /= b
	}
	ratios = slices.DeleteFunc(ratios, math.IsNaN)
	i := ratios.Interval()
	return claims.Estimate{Value: i.Median, Low: i.Lo, High: i.Hi}
}

// A Result is what a timing measured.
type Result struct {
	*Timing
	Data *lab.Data
	Seed uint64
}

// Run measures. It stops soon after ctx is done, with ctx's error. Others are measure.ErrLost, a refusal of a key that
// was promised room, and lab.ErrMemory.
func (t *Timing) Run(ctx context.Context, o lab.Options) (*Result, error) {
	findings, err := lab.Registry{Experiments: []*lab.Experiment{&t.Experiment}}.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Result{t, findings[0].Data, o.Seed}, nil
}

// Expected is about what a run takes, or why it cannot be.
func (t *Timing) Expected(o lab.Options) (lab.Estimate, error) {
	return lab.Registry{Experiments: []*lab.Experiment{&t.Experiment}}.Estimate(o)
}

// shown are the groups of the table.
func (r *Result) shown() (all []lab.Group) {
	for _, g := range r.Data.Groups {
		if r.Only == nil || r.Only(g) {
			all = append(all, g)
		}
	}
	return all
}

// overview is the table: the columns without a value are left out.
func (r *Result) overview() *report.Table {
	groups := r.shown()
	heads, parts := lab.Split(r.Columns, groups)
	t := &report.Table{Columns: []string{"n", ""}, Left: 2}
	for i, head := range heads {
		t.Columns = append(t.Columns, unitOf(head, r.Columns, parts[i][0]))
	}
	sizes, bySize := lab.Split("n", groups)
	for i, n := range sizes {
		names, rows := lab.Split(r.Rows, bySize[i])
		for k, name := range names {
			row := []string{n, unitOf(name, r.Rows, rows[k][0])}
			for _, head := range heads {
				row = append(row, r.cell(lab.Among(rows[k], r.Columns, head)))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// unitOf is a value of an axis with its unit.
func unitOf(name, axis string, g lab.Group) string {
	if s, ok := g.Cell.Of("what").(Step); ok && axis == "what" && s.Unit != "" && s.Unit != "bits" {
		return name + " (" + s.Unit + ")"
	}
	return name
}

// cell is a group as people read it.
func (r *Result) cell(of []lab.Group) string {
	if len(of) == 0 || math.IsNaN(median(of[0]).Value) {
		return ""
	}
	text := claims.Digits(median(of[0]).Value, 3)
	if base := r.base(of[0]); base != nil {
		if over := Over(of[0], *base).Value; !math.IsNaN(over) {
			text += " (" + strings.TrimSpace(claims.Digits(over, 3)) + ")"
		}
	}
	return text
}

// base is what a group is compared with, nil for nothing.
func (r *Result) base(g lab.Group) *lab.Group {
	if r.Base == nil {
		return nil
	}
	where := r.Base(g)
	if where == nil {
		return nil
	}
	for _, axis := range []string{"n", "what", "load"} {
		if !slices.Contains(where, axis) && g.Cell.Has(axis) {
			where = append(where, axis, g.Cell.Text(axis))
		}
	}
	if found := lab.Among(r.Data.Groups, where...); len(found) > 0 && found[0].Series+found[0].Cell.Text("point") != g.Series+g.Cell.Text("point") {
		return &found[0]
	}
	return nil
}

// Text returns the result for people. The width is that of the terminal, 0 if it is none.
func (r *Result) Text(width int) string {
	return r.overview().Text(width) + "\n" + report.Notes(width, r.Notes...)
}

// Report is the result as a report of one section, and one more for each further picture.
func (r *Result) Report() *report.Report {
	f := lab.Finding{Data: r.Data, Figures: r.Draw(r.Data)}
	o := r.overview()
	f.Shown = report.Table{Columns: o.Columns, Rows: o.Rows}
	sections := f.Sections()
	sections[0].Conditions += ". " + strings.Join(r.Notes, " ")
	return &report.Report{Kind: "bench", Title: r.Title, Summary: cmp.Or(r.Claim, r.Title), Seed: r.Seed, Sections: sections, Bench: r.Bench()}
}

// Bench returns every round in Go's benchmark format.
func (r *Result) Bench() (lines []report.Bench) {
	for _, g := range r.Data.Groups {
		name, s := r.Name(g), g.Cell.Of("what").(Step)
		if unit := map[string]string{"ns": "ns/op", "Mops": "Mops/s"}[s.Unit]; name != "" && unit != "" {
			for _, row := range g.Rows {
				if v := value(row); !math.IsNaN(v) {
					line := report.Bench{Name: name, N: row.Count("keys"), Metrics: []report.Metric{{Value: v, Unit: unit}}}
					if bytes := row.Count("bytes"); bytes > 0 && s.Unit == "ns" && g.Cell.Has("load") {
						line.Metrics = append(line.Metrics, report.Metric{Value: 8 * float64(bytes) / float64(full(g.Cell)), Unit: "bits/item"})
					}
					lines = append(lines, line)
				}
			}
		}
	}
	return lines
}

// note says how often everything is timed.
func roundsNote(n int) string {
	return fmt.Sprintf("Medians of %d rounds, in turns; in parentheses the median of the ratios within a round.", n)
}
