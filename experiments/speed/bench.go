package speed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// DefaultBatch is the number of lookups of a batch.
const DefaultBatch = measure.ContestBatch

// The defaults of Options, and what --quick takes.
const (
	// DefaultRounds make a 95% interval of the median that leaves out the fastest and the slowest.
	DefaultRounds = 11
	// QuickRounds still have such an interval: it is the whole range.
	QuickRounds = 6
)

// DefaultSlots are the numbers of slots of a run: tables of 1.5 KiB to 12 MiB at 12 bits.
func DefaultSlots() []int { return []int{1 << 10, 1 << 12, 1 << 14, 1 << 17, 1 << 20, 1 << 23} }

// QuickSlots are those of a quick run.
func QuickSlots() []int { return []int{1 << 10, 1 << 14, 1 << 17, 1 << 20} }

// The smallest and the largest number of slots: beyond it integer keys outgrow the probes.
const (
	MinSlots = 1 << 6
	MaxSlots = 1 << 30
)

// Lookups are swept over the loads at one size: the largest one up to sweepLimit, else of the smallest one if it is
// not beyond sweepAtMost, where a fill takes longer than all the rest.
const (
	sweepLimit  = 1 << 20
	sweepAtMost = 1 << 23
)

// minFill is the number of keys that a timed fill has at least. Smaller tables are filled several times.
const minFill = 1 << 16

// ErrOptions reports options that cannot be run.
var ErrOptions = errors.New("invalid options")

// Options say what to measure.
type Options struct {
	// Filters are nil for those of catalogue.DefaultBench. Base names the one that others are compared with; "" is the
	// first.
	Filters []catalogue.Entry
	Base    string
	// Sizes are numbers of slots, each a power of two, or of keys in a study; nil for the defaults.
	Sizes []int
	// Rounds is how often everything is timed; 0 is DefaultRounds.
	Rounds int
}

// sizes sorts the sizes, and checks the rounds.
func (o *Options) sizes(defaults []int) error {
	if o.Sizes == nil {
		o.Sizes = defaults
	}
	o.Sizes, o.Rounds = slices.Compact(slices.Sorted(slices.Values(o.Sizes))), cmp.Or(o.Rounds, DefaultRounds)
	switch {
	case o.Rounds < 1 || o.Rounds > 1000:
		return fmt.Errorf("speed: %w: %d rounds: want 1 to 1000", ErrOptions, o.Rounds)
	case len(o.Sizes) == 0:
		return fmt.Errorf("speed: %w: no size: want one at least", ErrOptions)
	}
	return nil
}

// The steps of nest bench.
var benchSteps = []Step{
	{Name: "insert", Unit: "ns", Verb: "Insert"}, {Name: "insert, to load", Unit: "ns", Verb: "Insert"},
	{Name: measure.StepAbsent, Unit: "ns", Verb: "Contains"}, {Name: measure.StepAbsentBatch, Unit: "ns", Verb: "Contains", Batch: DefaultBatch},
	{Name: "lookup, half", Unit: "ns", Verb: "Contains", Hit: .5}, {Name: "lookup, half, 256 at once", Unit: "ns", Verb: "Contains", Hit: .5, Batch: DefaultBatch},
	{Name: measure.StepPresent, Unit: "ns", Verb: "Contains", Hit: 1}, {Name: measure.StepPresentBatch, Unit: "ns", Verb: "Contains", Hit: 1, Batch: DefaultBatch},
	{Name: measure.StepDelete, Unit: "ns", Verb: "Delete"}, {Name: "build", Unit: "ns", Verb: "Build"},
}

// limit stands for the gather limit among the filters.
var limit = catalogue.Entry{Name: "gather", Label: "gather limit", Params: "filter=gather"}

// full is the number of keys of the filter of a cell at FullLoad.
func full(c lab.Cell) int { return catalogue.KeysAt(c.Int("n"), catalogue.FullLoad) }

func stepOf(c lab.Cell) Step             { return c.Of("what").(Step) }
func entryOf(c lab.Cell) catalogue.Entry { return c.Of("filter").(catalogue.Entry) }

// Bench is the experiment of nest bench. The errors are [ErrOptions] and catalogue.ErrUnknown, and say what to give
// instead.
func Bench(o Options) (*Timing, error) {
	if err := o.sizes(DefaultSlots()); err != nil {
		return nil, err
	}
	if o.Filters == nil {
		o.Filters = catalogue.DefaultBench()
	}
	names := catalogue.Names(o.Filters)
	o.Base = cmp.Or(o.Base, names[0])
	if !slices.Contains(names, o.Base) {
		return nil, fmt.Errorf("speed: %w base: %q is none of the filters: %s", catalogue.ErrUnknown, o.Base, strings.Join(names, ", "))
	}
	swept := 0
	for _, n := range o.Sizes {
		if n < MinSlots || n > MaxSlots || n&(n-1) != 0 {
			return nil, fmt.Errorf("speed: %w: %d slots: want a power of two from %d to %d", ErrOptions, n, MinSlots, MaxSlots)
		}
		if n <= sweepLimit || swept == 0 && n <= sweepAtMost {
			swept = n
		}
	}
	left := []string{}
	for _, e := range o.Filters {
		if o.Sizes[0] < e.MinSlots {
			left = append(left, fmt.Sprintf("%s comes in %d slots or more and is left out of smaller tables.", e.Label, e.MinSlots))
		}
	}
	filters := append(slices.Clone(o.Filters), limit)
	t := &Timing{
		Experiment: lab.Experiment{
			Name: "bench", Title: "The speed of filters", Params: "n filter what load", Columns: columns, Timed: "value",
			Claim: "What it costs to fill filters, to look keys up, to delete and to build, from tables that fit the first-level cache to tables in memory.",
			Method: fmt.Sprintf("In each round every filter is filled at every size, stretch by stretch, and asked for keys in random order; keys are integers, hash included. "+
				"The gather limit reads two words of 8 bytes a key at random places of an array as large as a table of 12 bits a slot, digests ready. n is the number of slots; filters without slots are made for the keys of load %v.", catalogue.FullLoad),
			Limits: []string{"Times are this machine's. On a machine that others use too, tables beyond the caches vary by a quarter from hour to hour."},
			Grid: lab.Grid{{
				Series: "{filter}", Trials: func(lab.Cell) int { return o.Rounds },
				Axes: []lab.Axis{lab.Over("n", lab.Ints(o.Sizes...)), lab.Over("filter", lab.ListOf(filters, func(e catalogue.Entry) lab.Value { return lab.Named(e.Name, e) }))},
				Only: func(c lab.Cell) bool { return c.Int("n") >= entryOf(c).MinSlots },
			}},
		},
		Rows: "filter", Columns: "what",
		Only: func(g lab.Group) bool { return g.Cell.Float("load") == catalogue.FullLoad },
		Base: func(g lab.Group) []string {
			if g.Series == limit.Name {
				return nil
			}
			return []string{"filter", o.Base}
		},
		Notes: append([]string{
			fmt.Sprintf("ns per key at load %v, integer keys, hash included. %s The base is %s.", catalogue.FullLoad, roundsNote(o.Rounds), o.Base),
			"insert, to load: from load 0.9 to 0.95. build: bulk construction of ready digests, on all cores. gather: two reads of 8 bytes a key at random places of an array of equal size.",
		}, left...),
		Name: benchName,
	}
	t.Trial = lab.Trial{Counts: counts, Timed: "ns", Steps: benchRows(swept), Needs: benchNeeds(len(o.Filters)), Bed: benchBed, Run: benchTurn(swept), Key: func(c lab.Cell) string { return "bench/n=" + c.Text("n") }}
	t.Plots = benchPlots(o, swept)
	return t, nil
}

// benchRows are the rows of a turn. Lookups are made at every load of the size whose loads are swept.
func benchRows(swept int) []lab.Axis {
	what := func(c lab.Cell) (out []lab.Value) {
		for _, s := range benchSteps {
			e := entryOf(c)
			if e.Name == limit.Name && s.Name != measure.StepAbsentBatch {
				continue
			}
			out = append(out, lab.Named(s.Name, s))
		}
		return out
	}
	load := func(c lab.Cell) []lab.Value {
		s := stepOf(c)
		if s.Name == "insert, to load" || s.Verb == "Contains" && s.Hit != .5 && c.Int("n") == swept && entryOf(c).Slots {
			return lab.Shares(Loads()...)(c)
		}
		return lab.Shares(catalogue.FullLoad)(c)
	}
	return []lab.Axis{lab.Over("what", what), lab.Over("load", load)}
}

// benchNeeds is about what a turn takes, rounded up from a run of tables up to 8 million slots on two cores of a Xeon
// at 2.7 GHz, and bounds what all filters of a size hold together.
func benchNeeds(filters int) func(lab.Cell) (float64, int64) {
	return func(c lab.Cell) (float64, int64) {
		keys := float64(full(c))
		ns := 50*max(keys, minFill) + 25*keys + 36*float64(probeCount(full(c)))
		const tableBytes = 2
		return ns / 1e9, 1<<27 + int64(c.Int("n"))*(tableBytes*int64(filters+2)+16)
	}
}

// A bed is what one size is measured with.
type bed struct {
	turns  map[string]*measure.Turn
	probes map[[2]float64]measure.Probes // by load and share of hits
	gather func() (measure.Lap, error)
	bytes  int // of the array that it reads
	hs     []uint64
}

// benchBed makes one for each size.
func benchBed(c lab.Cell) (string, func(context.Context) (any, func(), error)) {
	return "bench/n=" + c.Text("n"), func(context.Context) (any, func(), error) {
		b := &bed{turns: map[string]*measure.Turn{}, probes: map[[2]float64]measure.Probes{}}
		b.gather, b.bytes = Gather(c.Int("n")*12/8, full(c))
		return b, nil, nil
	}
}

// ask looks probes of a share of hits up.
func (b *bed) ask(t *measure.Turn, s Step, seed uint64) (measure.Lap, error) {
	key := [2]float64{float64(t.Stored), s.Hit}
	if b.probes[key].Next == nil {
		b.probes[key] = Probes(t.Stored, s.Hit, seed)
	}
	return t.Ask(b.probes[key], s.Batch)
}

// benchTurn is one round of one filter: a timed fill, lookups, deletes, a build, and where loads are swept a fill with
// lookups on the way.
func benchTurn(swept int) func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
	return func(ctx context.Context, c lab.Cell, seed uint64) (out []int, err error) {
		b, e := c.Bed.(*bed), entryOf(c)
		if e.Name == limit.Name {
			lap, err := b.gather()
			return countsOf(lap, b.bytes), err
		}
		if b.turns[e.Name] == nil {
			if b.turns[e.Name], err = Open(ctx, e, c.Int("n")); err != nil {
				return nil, err
			}
		}
		s := script{Turn: b.turns[e.Name], bed: b, n: c.Int("n"), seed: seed, laps: map[string][]measure.Lap{}}
		if err := s.run(); err != nil {
			return nil, err
		}
		if s.n == swept && e.Slots {
			if err := s.sweep(); err != nil {
				return nil, err
			}
		}
		for _, step := range benchSteps {
			laps := s.laps[step.Name]
			if laps == nil {
				laps = make([]measure.Lap, 1) // a verb that the filter does not have
			}
			for _, lap := range laps {
				out = append(out, countsOf(lap, s.SizeBytes())...)
			}
		}
		return out, nil
	}
}

// A script is the turn of a filter of nest bench, and its laps by the names of the steps, in the order of loads.
type script struct {
	*measure.Turn
	bed  *bed
	n    int
	seed uint64
	laps map[string][]measure.Lap
}

// run times a fill, lookups, deletes and a build.
func (s *script) run() (err error) {
	empty := func() (*measure.Loops, error) { s.Reset(); return s.Loops, nil }
	stretches, _, err := s.Fills(empty, minFill, Stops(s.n)...)
	if err != nil {
		return err
	}
	whole := measure.Lap{}
	for _, lap := range stretches {
		whole.Add(lap)
	}
	s.laps["insert"], s.laps["insert, to load"] = []measure.Lap{whole}, stretches
	if err := s.lookups(0, .5, 1); err != nil {
		return err
	}
	note := func(step string, lap measure.Lap) { s.laps[step] = []measure.Lap{lap} }
	if s.Remove != nil {
		lap, err := s.Delete(s.Stored, nil)
		if note(measure.StepDelete, lap); err != nil {
			return err
		}
	}
	if s.Build == nil {
		return nil
	}
	if s.bed.hs == nil {
		s.bed.hs = Digests(catalogue.KeysAt(s.n, catalogue.FullLoad))
	}
	lap, err := s.Bulk(s.bed.hs)
	note("build", lap)
	return err
}

// lookups times probes of each share of hits, one by one and in batches.
func (s *script) lookups(hits ...float64) error {
	for _, step := range benchSteps {
		if step.Verb == "Contains" && slices.Contains(hits, step.Hit) {
			lap, err := s.bed.ask(s.Turn, step, s.seed)
			if err != nil {
				return err
			}
			s.laps[step.Name] = append(s.laps[step.Name], lap)
		}
	}
	return nil
}

// sweep times lookups at each load below the last one, which is timed already and stands behind them.
func (s *script) sweep() error {
	full := s.laps
	s.laps = map[string][]measure.Lap{}
	s.Reset()
	s.Stored = 0
	for _, stop := range Stops(s.n)[:len(Loads())-1] {
		if _, err := s.Fill(stop); err != nil {
			return err
		}
		if err := s.lookups(0, 1); err != nil {
			return err
		}
	}
	for name, laps := range full {
		s.laps[name] = append(s.laps[name], laps...)
	}
	return nil
}

// benchName is the name of the benchmark of a row.
func benchName(g lab.Group) string {
	s, e := stepOf(g.Cell), entryOf(g.Cell)
	name := fmt.Sprintf("Benchmark%s/%s/n=%s", s.Verb, e.Params, g.Cell.Text("n"))
	if e.Slots {
		name += "/load=" + g.Cell.Text("load")
	}
	switch {
	case s.Name == "insert, to load" && (!e.Slots || g.Cell.Float("load") == Loads()[0]):
		return ""
	case s.Name == "insert, to load":
		name += fmt.Sprintf("/from=%v", before(g.Cell.Float("load")))
	case s.Verb == "Contains":
		name += fmt.Sprintf("/hit=%v", s.Hit)
	}
	if s.Batch > 0 {
		name += fmt.Sprintf("/batch=%d", s.Batch)
	}
	return name
}

// before is the load where the stretch to a load begins.
func before(load float64) float64 {
	if i := slices.Index(Loads(), load); i > 0 {
		return Loads()[i-1]
	}
	return 0
}

// benchPlots are lookups against the size and the load, and inserts against the load.
func benchPlots(o Options, swept int) []lab.Plot {
	is := func(step string) func(lab.Group) bool { return lab.Is("what", step) }
	atFull := func(g lab.Group) bool { return g.Cell.Float("load") == catalogue.FullLoad }
	label := func(name string) string {
		if i := slices.Index(catalogue.Names(o.Filters), name); i >= 0 {
			return o.Filters[i].Label
		}
		return limit.Label
	}
	panel := func(title, step string, x, y chart.Axis, at func(lab.Group) float64, only func(lab.Group) bool) lab.Panel {
		return lab.Panel{Title: title, X: x, Y: y, At: at, Of: median, Kind: chart.LineMarks, Label: label,
			Only: func(g lab.Group) bool { return is(step)(g) && only(g) }}
	}
	ns, load := chart.Axis{Label: "ns per lookup (log scale)", Log: true}, chart.Axis{Label: "load", Min: 0, Max: 1}
	table := chart.Axis{Label: "KiB of the table (log scale)", Log: true}
	kib := func(g lab.Group) float64 { return lab.Total("bytes", g) / float64(len(g.Rows)) / 1024 }
	sweeps := func(g lab.Group) bool { return g.Cell.Int("n") == swept && entryOf(g.Cell).Slots }
	plots := []lab.Plot{{
		Title:   "Lookups of absent keys against the size of the table",
		Caption: fmt.Sprintf("Nanoseconds per lookup of an absent key against the size of the table, load %v, median and 95%% interval.", catalogue.FullLoad),
		Panels: []lab.Panel{
			panel("(a) one by one", measure.StepAbsent, table, ns, kib, atFull), panel("(b) 256 at once", measure.StepAbsentBatch, table, ns, kib, atFull),
		},
	}}
	if swept == 0 || !slices.ContainsFunc(o.Filters, func(e catalogue.Entry) bool { return e.Slots }) {
		return plots
	}
	return append(plots, lab.Plot{
		Name: "load", Title: fmt.Sprintf("Lookups of absent keys against the load, %d slots", swept),
		Caption: fmt.Sprintf("Nanoseconds per lookup of an absent key against the load of a table of %d slots, median and 95%% interval.", swept),
		Panels: []lab.Panel{
			panel("(a) one by one", measure.StepAbsent, load, ns, lab.At("load"), sweeps), panel("(b) 256 at once", measure.StepAbsentBatch, load, ns, lab.At("load"), sweeps),
		},
	}, lab.Plot{
		Name: "fill", Title: fmt.Sprintf("Inserts against the load, %d slots", swept),
		Caption: "Nanoseconds per insert within each tenth of a fill and from load 0.9 to 0.95, at the middle of the stretch, median and 95% interval.",
		Panels: []lab.Panel{panel("", "insert, to load", load, chart.Axis{Label: "ns per insert (log scale)", Log: true},
			func(g lab.Group) float64 { to := g.Cell.Float("load"); return (before(to) + to) / 2 }, sweeps)},
	})
}
