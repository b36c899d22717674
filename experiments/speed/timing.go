package speed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// ErrOptions reports options that cannot be run.
var ErrOptions = errors.New("invalid options")

// Options say what to measure. What is not set has defaults.
type Options struct {
	// Filters are those of nest bench, nil for those of catalogue.DefaultBench. Base names the one that others are
	// compared with; "" is the first.
	Filters []catalogue.Entry
	Base    string
	Sizes   []int // numbers of slots, each a power of two, or of keys in a study
	Rounds  int   // how often everything is timed
	Quick   bool  // takes fewer sizes, unless they are set
}

const (
	// DefaultRounds make a 95% interval of the median that leaves out the fastest and the slowest.
	DefaultRounds = 11
	// QuickRounds still have such an interval: it is the whole range.
	QuickRounds = 6
)

// A study is a timing that has a name.
type study struct {
	name, title     string
	defaults, quick []int
	min, max        int
	of              func(s study, o Options) (*Timing, error)
}

// studies are all of them; the first is nest bench itself.
var studies = []study{
	{"bench", "The speed of filters", []int{1 << 10, 1 << 12, 1 << 14, 1 << 17, 1 << 20, 1 << 23},
		[]int{1 << 10, 1 << 14, 1 << 17, 1 << 20}, math.MinInt, math.MaxInt, bench},
	{"kinds", "Every kind of cuckoo filter beside a plain one", []int{62e3, 1e6, 16e6}, []int{62e3},
		1 << 10, 1 << 28, every},
	{"paired", "Paired slots beside plain buckets of the same rate", []int{1e6}, []int{1e5}, 1 << 10, 1 << 28, paired},
	{"growth", "A filter that has grown beside one of the right size", []int{32e3, 1e6, 8e6}, []int{32e3, 250e3},
		1 << 10, 1 << 28, growth},
	{"shared", "A filter for goroutines beside one for one", []int{1e6}, []int{1e5}, 1 << 10, 1 << 25, shared},
	{"together", "Sets that goroutines share", []int{1e6}, []int{1e5}, MinKeys(), 1 << 25, together},
}

// Studies returns the names of all studies.
func Studies() (names []string) {
	for _, s := range studies[1:] {
		names = append(names, s.name)
	}
	return names
}

// New is the experiment of a study, or of nest bench where the name is empty. The errors are [ErrOptions] and
// catalogue.ErrUnknown, and say what to give instead.
func New(name string, o Options) (*Timing, error) {
	at := slices.IndexFunc(studies, func(s study) bool { return s.name == cmp.Or(name, studies[0].name) })
	if at < 0 {
		return nil, fmt.Errorf("%q is %w: want one of %s", name, catalogue.ErrUnknown, strings.Join(Studies(), ", "))
	}
	s := studies[at]
	if o.Sizes == nil {
		o.Sizes = s.defaults
		if o.Quick {
			o.Sizes = s.quick
		}
	}
	o.Sizes, o.Rounds = slices.Compact(slices.Sorted(slices.Values(o.Sizes))), cmp.Or(o.Rounds, DefaultRounds)
	switch {
	case o.Rounds < 1 || o.Rounds > 1000:
		return nil, fmt.Errorf("speed: %w: %d rounds: want 1 to 1000", ErrOptions, o.Rounds)
	case len(o.Sizes) == 0:
		return nil, fmt.Errorf("speed: %w: no size: want one at least", ErrOptions)
	}
	for _, n := range o.Sizes {
		if n < s.min || n > s.max {
			return nil, fmt.Errorf("speed: %w: n = %d keys: %s wants %d to %d", ErrOptions, n, s.name, s.min, s.max)
		}
	}
	return s.of(s, o)
}

// A Timing is a timed experiment with what people are shown of it: a row for each size and value of one axis, a column
// for each value of another, and in each cell the median over the rounds with its ratio to that of a base.
type Timing struct {
	lab.Experiment
	Down, Across string
	Only         []string                 // which groups: axes and their values, as of lab.Among
	Base         func(g lab.Group) string // the series that one is compared with; empty for none
	Notes        []string
	Benchmark    func(g lab.Group) string // its name
}

// A Step is a value of the axis what: a row of a turn.
type Step struct {
	Name string
	Of   func(lab.Row) float64 // its value; nil is nanoseconds for each key
	Unit string                // of its benchmarks, if Of is set; empty for none
	Verb string                // in names of benchmarks
	Hit  float64
	// Batch is how many lookups are done at a time, 0 for one by one.
	Batch int
}

func stepOf(c lab.Cell) Step { return c.Of("what").(Step) }

// whats are values of the axis what.
func whats(all []Step) []lab.Value {
	return lab.ListOf(all, func(s Step) lab.Value { return lab.Named(s.Name, s) })(lab.Cell{})
}

// counts are those of every row: what was done with how many keys, how many of them answered, the nanoseconds that it
// took and the bytes of the table then. A row that a round lacks is of no keys.
const counts = "keys found ns bytes"

// rows are the counts of a turn, by the texts of the axes what and load.
type rows map[string][4]int

// What the value of a step may be.
var (
	nanos, micros  = lab.Per(1, "ns", "keys"), lab.Per(1e-3, "ns", "keys")
	plain, percent = lab.Per(1, "found", "keys"), lab.Per(100, "found", "keys")
	perItem, mops  = lab.Per(8, "bytes", "keys"), lab.Per(1000, "keys", "ns")
)

// value is the column of a row that its step says.
func value(r lab.Row) float64 {
	if of := stepOf(r.Cell).Of; of != nil {
		return of(r)
	}
	return nanos(r)
}

// timing is what all timed experiments have: cells for each n and value of the given axes, one bed and one seed for
// those of an n, and rows that a turn of a cell counts.
func (o Options) timing(s study, over []lab.Axis, each []lab.Axis,
	bed func(context.Context, lab.Cell) (any, func(), error),
	turn func(ctx context.Context, c lab.Cell, seed uint64) (rows, error),
) *Timing {
	key := func(c lab.Cell) string { return s.name + "/n=" + c.Text("n") }
	series := over[len(over)-1].Name
	t := &Timing{
		Experiment: lab.Experiment{
			Name: s.name, Title: s.title, Claim: s.title + ".", Params: "n", Timed: "value",
			Columns: []lab.Column{{Name: "value", Of: value}},
			Grid: lab.Grid{{
				Series: "{" + series + "}", Trials: func(lab.Cell) int { return o.Rounds },
				Axes: append([]lab.Axis{lab.Over("n", lab.Ints(o.Sizes...))}, over...),
			}},
			Trial: lab.Trial{
				Counts: counts, Timed: "ns", Steps: each, Key: key,
				Bed: func(c lab.Cell) (string, func(context.Context) (any, func(), error)) {
					return key(c), func(ctx context.Context) (any, func(), error) { return bed(ctx, c) }
				},
				Run: func(ctx context.Context, c lab.Cell, seed uint64) (out []int, err error) {
					got, err := turn(ctx, c, seed)
					for _, row := range cells(c, each) {
						counts := got[row.Text("what")+row.Text("load")]
						out = append(out, counts[:]...)
					}
					return out, err
				},
			},
		},
		Notes: []string{fmt.Sprintf("Medians of %d rounds, in turns; in parentheses the median of the ratios within a "+
			"round. Nanoseconds for each key where no unit is named.", o.Rounds)},
	}
	t.Table = t.overview
	return t
}

// cells are those of all choices of axes.
func cells(c lab.Cell, axes []lab.Axis) []lab.Cell {
	all := []lab.Cell{c}
	for _, a := range axes {
		var more []lab.Cell
		for _, c := range all {
			for _, v := range a.Of(c) {
				more = append(more, c.With(a.Name, v))
			}
		}
		all = more
	}
	return all
}

// median is the value of a group.
var median = lab.Median("value")

// A Result is what a timing measured.
type Result struct {
	*Timing
	lab.Finding
	Seed uint64
}

// Run measures. It stops soon after ctx is done, with ctx's error. Others are measure.ErrLost, a refusal of a key that
// was promised room, and lab.ErrMemory.
func (t *Timing) Run(ctx context.Context, o lab.Options) (*Result, error) {
	findings, err := t.registry().Run(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Result{t, findings[0], o.Seed}, nil
}

func (t *Timing) registry() lab.Registry {
	return lab.Registry{Experiments: []*lab.Experiment{&t.Experiment}}
}

// Expected is about what a run takes, or why it cannot be.
func (t *Timing) Expected(o lab.Options) (lab.Estimate, error) { return t.registry().Estimate(o) }

// overview is the table that people are shown.
func (t *Timing) overview(d *lab.Data) report.Table {
	groups := d.Where(t.Only...)
	heads, _ := lab.Split(t.Across, groups)
	out := report.Table{Columns: append([]string{"n", ""}, heads...), Left: 2}
	sizes, bySize := lab.Split("n", groups)
	for i, n := range sizes {
		names, rows := lab.Split(t.Down, bySize[i])
		for k, name := range names {
			row := []string{n, name}
			for _, head := range heads {
				row = append(row, t.cell(lab.Among(rows[k], t.Across, head)))
			}
			out.Rows = append(out.Rows, row)
		}
	}
	return out
}

// cell is a group as people read it.
func (t *Timing) cell(of []lab.Group) string {
	if len(of) == 0 || math.IsNaN(median(of[0]).Value) {
		return ""
	}
	g := of[0]
	text := claims.Digits(median(g).Value, 3)
	where := []string{"series", t.Base(g)}
	for axis := range strings.FieldsSeq(t.Params) {
		if v := g.Cell.Text(axis); v != g.Series {
			where = append(where, axis, v)
		}
	}
	base := g.Data.Where(where...)
	if len(base) == 0 || base[0].Series == g.Series {
		return text
	}
	if over := measure.Rounds(g.Values("value")).Over(base[0].Values("value")).Median; !math.IsNaN(over) {
		text += " (" + strings.TrimSpace(claims.Digits(over, 3)) + ")"
	}
	return text
}

// Text returns the result for people. The width is that of the terminal, 0 if it is none.
func (r *Result) Text(width int) string {
	return r.Shown.Text(width) + "\n" + report.Notes(width, r.Notes...)
}

// Report is the result as a report of one section, and one more for each further picture.
func (r *Result) Report() *report.Report {
	sections := r.Sections()
	sections[0].Conditions += ". " + strings.Join(r.Notes, " ")
	return &report.Report{
		Kind: "bench", Title: r.Title, Summary: r.Claim, Seed: r.Seed, Sections: sections, Bench: r.Bench(),
	}
}

// Bench returns all rounds in Go's benchmark format.
func (r *Result) Bench() (lines []report.Bench) {
	for _, g := range r.Data.Groups {
		name, s := r.Benchmark(g), stepOf(g.Cell)
		unit := s.Unit
		if s.Of == nil {
			unit = "ns/op"
		}
		for _, row := range g.Rows {
			if v := value(row); name != "" && unit != "" && !math.IsNaN(v) {
				line := report.Bench{Name: name, N: row.Count("keys"), Metrics: []report.Metric{{Value: v, Unit: unit}}}
				lines = append(lines, line)
			}
		}
	}
	return lines
}
