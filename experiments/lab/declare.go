package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// An Experiment is one table: what is claimed, which cells are measured and how, what follows from the counts, and what
// is drawn and judged. All is declared, nothing is run: [Registry.Run] does that.
type Experiment struct {
	Name   string   // a file stem: "fig2"
	Title  string   // of the section in the report
	Claim  string   // what the paper says
	Method string   // what is done here, in words
	Limits []string // what must not be concluded from it

	// Revision is to be raised when trials of equal parameters count otherwise: trials kept before are refused then.
	Revision int

	Params  string // names of the axes that are columns, in their order: "b f slots". Seeds follow from them
	Grid    Grid
	Trial   Trial
	Columns []Column // what follows from the counts of a row
	Timed   string   // names of those columns that the machine decides

	// PerKey is how many nanoseconds of one core a key of Trial.Needs takes, by profile, as a run's journal had it: for
	// estimates, until a run has trials of its own. 0 is 60.
	PerKey Size

	Plots  []Plot // the first one has the experiment's name
	Claims []Rule
	Table  func(*Data) report.Table // for readers; nil: means and standard deviations of the columns
}

// A Grid is blocks of cells, one behind the other.
type Grid []Block

// A Block is every choice of the values of its axes, the last one fastest.
type Block struct {
	Series string         // the line that a cell belongs to, axes in braces: "b = {b}"
	Axes   []Axis         // a later one may follow from earlier ones
	Trials func(Cell) int // how often each cell is measured, each time with another seed; see [Times]
	Only   func(Cell) bool
	Trial  *Trial // nil: that of the experiment; the names of its counts are those of the experiment
}

// An Axis is one parameter. One that is none of Params is no column, and no part of the seed but by Series.
type Axis struct {
	Name string
	Of   Values
}

// Over is an axis.
func Over(name string, of Values) Axis { return Axis{Name: name, Of: of} }

// A Trial is a kind of measurement. Every function of cell and seed is one.
type Trial struct {
	Counts string // names of what a row counts: "stored lost"
	Timed  string // those that the machine decides: trials of such an experiment run alone, in rounds that rotate

	// Steps are the axes of further rows inside a trial, such as the loads of a filter that is filled step by step; nil
	// is one row.
	Steps []Axis

	// Needs is about what a trial takes, for progress and estimates: how many keys it inserts and asks for, and the
	// bytes that it holds. Nil is little.
	Needs func(Cell) (keys float64, bytes int64)

	// Run returns the counts of every row, one behind the other. It depends on the cell and the seed alone, and returns
	// early when the context is cancelled.
	Run func(ctx context.Context, c Cell, seed uint64) ([]int, error)

	// Key is the text that the seed follows from in place of the experiment's name, the series and the parameters.
	Key func(Cell) string

	// Many is in the place of Run where cells of several experiments that have one Key share a trial: a filter is
	// filled once and measured in several ways. It counts for those of the experiments that are named; the counts of
	// one must not depend on which others there are.
	Many func(ctx context.Context, c Cell, seed uint64, of []string) (map[string][]int, error)

	// Shared is the keys of Many besides what each of the experiments Needs.
	Shared func(Cell) float64

	// Bed makes what cells of one name use one behind the other, such as a set of keys: once, before the first of them,
	// for Cell.Bed. The function that it returns, unless nil, is called behind the last one. Timed experiments alone
	// have beds.
	Bed func(Cell) (name string, open func(context.Context) (of any, end func(), err error))
}

// A Column follows from a row by one division, or otherwise so that it is the same number on every machine. Of nothing
// it is NaN: its cell is empty then, and no mean has it.
type Column struct {
	Name string
	Of   func(Row) float64
}

// A Plot is a picture that is a query over the groups.
type Plot struct {
	Name, Title, Caption string // Name: default the experiment's. Axes of the first cell in braces
	Columns              int    // of panels; 0 is one row
	Panels               []Panel
	Edit                 func(*Data, *chart.Figure) // what no query says; may be nil
}

// A Panel has a line for each series, with a point for each group.
type Panel struct {
	Title string
	Each  string // a panel for each value of this axis, which stands in braces in the title; empty is one panel
	By    string // a line for each value of this axis; empty is for each series
	X, Y  chart.Axis
	At    func(Group) float64 // x; see [At]
	Of    Stat                // y; points with NaN are left out
	Kind  chart.Kind
	Only  func(Group) bool         // which groups; nil is all
	Label func(line string) string // nil is as it is
	// Style is that of the i-th line by its first group; nil is the usual one, of chart.StylesFor.
	Style func(g Group, i int, usual chart.Style) chart.Style
	More  []More
}

// More is lines that no group has: theory, the paper's points.
type More = func(*Data, []Group) []chart.Series

// A Stat is a number of a group, with its interval.
type Stat func(Group) claims.Estimate

// A Rule holds claims against the data.
type Rule func(*Data) []claims.Verdict

// With returns the experiment with other values of an axis, in all blocks that have it: those of a flag, say.
func (e *Experiment) With(axis string, of Values) *Experiment {
	out := *e
	out.Grid = slices.Clone(e.Grid)
	for i := range out.Grid {
		b := &out.Grid[i]
		b.Axes = slices.Clone(b.Axes)
		for j := range b.Axes {
			if b.Axes[j].Name == axis {
				b.Axes[j].Of = of
			}
		}
	}
	return &out
}

// timed are the names of the columns that the machine decides.
func (e *Experiment) timed() []string { return strings.Fields(e.Trial.Timed + " " + e.Timed) }

// A job is a cell of a plan with the rows of its trials.
type job struct {
	cell  Cell   // as Trial.Run gets it
	steps []Cell // a row each
	trial *Trial
	key   string // the text that seeds follow from
	bed   *bed   // what Trial.Run uses, made before

	seconds, shared float64 // of a trial, and of one that serves several experiments what it takes besides
	bytes           int64
}

// plan lays the grid out.
func (e *Experiment) plan(s Setup) (jobs []*job, err error) {
	defer func() {
		r := recover()
		if thrown, ok := r.(error); ok && !errors.As(thrown, new(runtime.Error)) {
			err = thrown
		} else if r != nil {
			err = panicked(r)
		}
	}()
	for _, b := range e.Grid {
		walk(Cell{Setup: s}, b.Axes, func(c Cell) {
			if b.Only != nil && !b.Only(c) {
				return
			}
			c.Series, c.Trials = c.Fill(b.Series), b.Trials(c)
			t := b.Trial
			if t == nil {
				t = &e.Trial
			}
			if j := e.job(c, t); len(j.steps) > 0 {
				jobs = append(jobs, j)
			}
		})
	}
	return jobs, e.ownSeries(jobs)
}

// job is one cell with the rows of its trials.
func (e *Experiment) job(c Cell, t *Trial) *job {
	j := &job{cell: c, trial: t}
	walk(c, t.Steps, func(step Cell) { j.steps = append(j.steps, step) })
	if len(j.steps) == 0 {
		return j
	}
	second := 1e-9 * float64(cmp.Or(c.In(e.PerKey), 60)) // of a key
	if t.Needs != nil {
		j.seconds, j.bytes = t.Needs(c)
		j.seconds *= second
	}
	if j.key = e.text(j.steps[0]); t.Key != nil {
		j.key = t.Key(c)
	}
	if t.Bed != nil {
		name, open := t.Bed(c)
		j.bed = &bed{name: name, open: open}
	}
	if t.Many != nil && t.Shared != nil {
		j.shared = second * t.Shared(c)
	}
	return j
}

// values are the parameters of a cell.
func (e *Experiment) values(c Cell) (out []Value) {
	for name := range strings.FieldsSeq(e.Params) {
		v := c.Value(name)
		out = append(out, Value{Text: v.Text, Number: v.Number})
	}
	return out
}

// text tells a cell from all others: "fig2/m = 2^15/b=4/f=12".
func (e *Experiment) text(c Cell) string {
	text := e.Name + "/" + c.Series
	for name := range strings.FieldsSeq(e.Params) {
		text += "/" + name + "=" + c.Value(name).seed()
	}
	return text
}

// ownSeries refuses parts of a user whose rows would go into a series that is there already.
func (e *Experiment) ownSeries(jobs []*job) error {
	owners := map[string]string{}
	for _, j := range jobs {
		own := ""
		for _, v := range j.cell.values {
			own += v.own
		}
		was, ok := owners[j.cell.Series]
		switch {
		case ok && was != own && was != "" && own != "":
			return fmt.Errorf("%w: %s and %s: both would be the series %q of %s", ErrRegistry, was, own, j.cell.Series, e.Name)
		case ok && was != own:
			return fmt.Errorf("%w: %s: %s has a series %q already", ErrRegistry, was+own, e.Name, j.cell.Series)
		}
		owners[j.cell.Series] = own
	}
	return nil
}
