package speed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// A study is a comparison that has a name.
type study struct {
	name, title     string
	defaults, quick []int // numbers of keys
	min, max        int
	of              func(s study, o Options) *Timing
}

// minKeys is the smallest number of keys of one goroutine.
const minKeys = 1 << 10

// MinKeys is the smallest number of keys that every study takes, goroutines that share them included: each has a block
// of its own.
func MinKeys() int { return 2 * block * max(runtime.GOMAXPROCS(0), slices.Max(Goroutines())) }

// studies are all of them.
func studies() []study {
	return []study{
		{"paired", "Paired slots beside plain buckets of the same rate", []int{1_000_000}, []int{100_000}, minKeys, 1 << 28, paired},
		{"growth", "A filter that has grown beside one of the right size", []int{32_000, 1_000_000, 16_000_000}, []int{32_000, 250_000}, minKeys, 1 << 28, growth},
		{"shared", "A filter for goroutines beside one for a single goroutine", []int{1_000_000}, []int{100_000}, minKeys, 1 << 25, shared},
		{"together", "Sets that goroutines share", []int{1_000_000}, []int{100_000}, MinKeys(), 1 << 25, together},
	}
}

// Studies returns the names of all studies.
func Studies() (names []string) {
	for _, s := range studies() {
		names = append(names, s.name)
	}
	return names
}

// Study is the experiment of a study. Sizes are numbers of keys; a quick one takes smaller ones where there are none.
// The errors are [ErrOptions] and catalogue.ErrUnknown, and say what to give.
func Study(name string, o Options, quick bool) (*Timing, error) {
	all := studies()
	at := slices.IndexFunc(all, func(s study) bool { return s.name == name })
	if at < 0 {
		return nil, fmt.Errorf("%q is %w: want one of %s", name, catalogue.ErrUnknown, strings.Join(Studies(), ", "))
	}
	s := all[at]
	defaults := s.defaults
	if quick {
		defaults = s.quick
	}
	if err := o.sizes(defaults); err != nil {
		return nil, err
	}
	for _, n := range o.Sizes {
		if n < s.min || n > s.max {
			return nil, fmt.Errorf("speed: %w: n = %d keys: %s wants %d to %d", ErrOptions, n, s.name, s.min, s.max)
		}
	}
	return s.of(s, o), nil
}

// first is the number whose digest is the first of n keys. The numbers behind it are those of the other keys, and then
// of absent ones.
func first(n int, seed uint64) uint64 { return rand.New(rand.NewPCG(seed, uint64(n))).Uint64() }

const (
	// timed is the number of lookups of a timing, and sampled that of the keys which the rounds ask for in turn, so
	// that a table that no cache holds does not fit by being asked for the same lines.
	timed   = 1 << 18
	sampled = 1 << 20
	// bytesPerKey bounds the memory for a key: those of the times of the filters' inserts, and of a sync.Map.
	bytesPerKey = 200
)

// A contender is a filter of a study, as one goroutine uses it.
type contender struct {
	catalogue.Entry
	base  string // the name of the one that it is compared with, one before it; empty for none
	slots int    // of a bucket, where the filter is made for a load and not for keys
}

// size is that of a filter for n keys, which are digests.
func (c contender) size(n int, made bool) catalogue.Size {
	s := catalogue.Size{Keys: n, Digests: true, Unwritten: made}
	if c.slots > 0 {
		s.Keys, s.Slots = 0, buckets(n, c.slots)*c.slots
	}
	return s
}

// beside are entries of which the others are compared with the first.
func beside(entries []catalogue.Entry) (all []contender) {
	for i, e := range entries {
		c := contender{Entry: e}
		if i > 0 {
			c.base = entries[0].Name
		}
		all = append(all, c)
	}
	return all
}

// A duel is a study of filters that one goroutine uses.
type duel struct {
	made     bool                     // making a filter is part of what an insert costs
	steps    []string                 // what is timed
	set      func(c *measure.Contest) // and how
	counted  []Step                   // what is counted, once
	count    func(a *arena, c contender, f *measure.Loops, rows map[string][]int) error
	contents []contender
}

// An arena is what one number of keys is measured with.
type arena struct {
	measure.Contest
	duel
	ctx      context.Context
	start    uint64
	entrants map[string]*measure.Entrant
	rounds   map[string]int
}

// timing is the experiment of a duel.
func (d duel) timing(s study, o Options) *Timing {
	var steps []Step
	for _, name := range d.steps {
		steps = append(steps, Step{Name: name, Unit: "ns"})
	}
	if d.made { // of the two only that which counts the making
		steps = slices.DeleteFunc(steps, func(s Step) bool { return s.Name == measure.StepFill })
	}
	steps = append(append(steps, Step{Name: "longest insert", Unit: "us"}, Step{Name: "bits per item", Unit: "bits"}), d.counted...)
	t := studyTiming(s, o)
	t.Method = "Filters of one set of random digests are filled one by one, asked for present and as many absent keys a round, and keys are deleted and inserted " +
		"again. The longest insert is, over all inserts, the largest of the shorter of two times."
	t.Grid = lab.Grid{{Series: "{filter}", Trials: func(lab.Cell) int { return o.Rounds }, Axes: []lab.Axis{
		lab.Over("n", lab.Ints(o.Sizes...)), lab.Over("filter", lab.ListOf(d.contents, func(c contender) lab.Value { return lab.Named(c.Name, c) })),
	}}}
	t.Params, t.Rows, t.Columns = "n filter what", "what", "filter"
	t.Base = func(g lab.Group) []string {
		if c := g.Cell.Of("filter").(contender); c.base != "" {
			return []string{"filter", c.base}
		}
		return nil
	}
	t.Trial = lab.Trial{
		Counts: counts, Timed: "ns", Steps: []lab.Axis{lab.Over("what", lab.ListOf(steps, func(s Step) lab.Value { return lab.Named(s.Name, s) }))},
		Needs: func(c lab.Cell) (float64, int64) {
			n := float64(c.Int("n"))
			return (n*60 + timed*80) / 1e9, int64(n) * bytesPerKey
		},
		Key: func(c lab.Cell) string { return s.name + "/n=" + c.Text("n") },
		Bed: func(c lab.Cell) (string, func(context.Context) (any, func(), error)) {
			return s.name + "/n=" + c.Text("n"), func(ctx context.Context) (any, func(), error) {
				return &arena{duel: d, ctx: ctx, entrants: map[string]*measure.Entrant{}, rounds: map[string]int{}}, nil, nil
			}
		},
		Run: func(ctx context.Context, c lab.Cell, seed uint64) (out []int, err error) {
			a, f := c.Bed.(*arena), c.Of("filter").(contender)
			rows, err := a.turn(f, c.Int("n"), o.Rounds, seed)
			for _, s := range steps {
				row := rows[s.Name]
				if row == nil {
					row = make([]int, 4)
				}
				out = append(out, row...)
			}
			return out, err
		},
	}
	return t
}

// studyTiming is what all studies have.
func studyTiming(s study, o Options) *Timing {
	t := &Timing{
		Experiment: lab.Experiment{Name: s.name, Title: s.title, Columns: columns, Timed: "value", Claim: s.title + "."},
		Notes: []string{roundsNote(o.Rounds), fmt.Sprintf("One goroutine: ns a key, digests ready, so that hashing is not counted. Several: million operations a second (Mops) of all together, "+
			"half of the lookups absent, a write being a delete or an insert. %d processors.", runtime.GOMAXPROCS(0))},
	}
	word := strings.NewReplacer(", ", ",", " ", "-", "/", "-")
	t.Name = func(g lab.Group) string {
		name := fmt.Sprintf("BenchmarkStudy/study=%s/filter=%s/what=%s/n=%s", s.name, word.Replace(g.Series), word.Replace(g.Cell.Text("what")), g.Cell.Text("n"))
		if p := g.Cell.Text("point"); p != "" {
			name += "/point=" + word.Replace(p)
		}
		return name
	}
	return t
}

// mostBuilds is how often a filter of n keys is filled at most.
func mostBuilds(n int) int {
	if n > 1<<21 {
		return 5
	}
	return DefaultRounds
}

// prepare draws the keys.
func (a *arena) prepare(n, rounds int, seed uint64) {
	a.start = first(n, seed)
	key := func(place uint64) uint64 { return hashing.Mix64(a.start + place) } // a bijection
	hits, misses := make([]uint64, sampled), make([]uint64, sampled)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range hits {
		hits[i], misses[i] = key(uint64(random.IntN(n))), key(uint64(n+i))
	}
	a.Contest = measure.Contest{
		Keys: n, Key: key, Hits: hits, Misses: misses, Lookups: timed, Rounds: rounds, Builds: min(rounds, mostBuilds(n)), Singles: true, Deletes: true,
	}
	a.set(&a.Contest)
}

// turn is one round of a filter, and returns the counts of its rows. What does not change is counted in the first one.
func (a *arena) turn(f contender, n, rounds int, seed uint64) (map[string][]int, error) {
	if a.Contest.Keys == 0 {
		a.prepare(n, rounds, seed)
	}
	e, round := a.entrants[f.Name], a.rounds[f.Name]
	a.rounds[f.Name]++
	if e == nil {
		// A table has up to 4 bytes a key; four times as much asks for each of its cache lines eight times before it is
		// timed.
		e = &measure.Entrant{Name: f.Name, Bytes: 16 * n, Open: func() (*measure.Loops, error) { return f.Open(f.size(n, a.made)) }}
		a.entrants[f.Name] = e
		if err := a.Enter(a.ctx, e); err != nil {
			return nil, err
		}
	}
	if err := a.Round(e, round); err != nil {
		return nil, err
	}
	rows := map[string][]int{}
	for step, lap := range e.Last {
		rows[step] = countsOf(lap, 0)
	}
	clear(e.Last)
	if round == 0 && e.Held != nil {
		rows["bits per item"] = []int{n, 0, 0, e.Held.SizeBytes()}
		if e.Slowest > 0 {
			rows["longest insert"] = []int{1, 0, int(e.Slowest), 0}
		}
		if a.count != nil {
			return rows, a.count(a, f, e.Held, rows)
		}
	}
	return rows, nil
}

// share is a number of counts that is a share, exact to a billionth.
func share(x float64) []int { return []int{1e9, int(math.Round(1e9 * x)), 0, 0} }

// rate counts the absent digests that a filter of all keys reports.
func (a *arena) rate(f *measure.Loops) []int {
	const probes = 1 << 24
	ask, hs := f.Batches(measure.ContestBatch), make([]uint64, measure.Chunk)
	found, next := 0, a.start+uint64(a.Contest.Keys)
	for range probes / len(hs) {
		for i := range hs {
			hs[i] = hashing.Mix64(next)
			next++
		}
		found += ask(hs)
	}
	return []int{probes, found, 0, 0}
}

// The steps of one goroutine.
var alone = []string{
	measure.StepAbsent, measure.StepPresent, measure.StepAbsentBatch, measure.StepPresentBatch, measure.StepFill, measure.StepLastTenth, measure.StepDelete,
}

const measuredRate, predictedRate = "false positives, measured", "false positives, predicted"

// paired measures paired slots at the promised capacity.
func paired(s study, o Options) *Timing {
	return duel{
		contents: beside(catalogue.Paired()), steps: alone, set: func(c *measure.Contest) { c.Slowest = true },
		counted: []Step{{Name: measuredRate, Unit: "%"}, {Name: predictedRate, Unit: "%"}},
		count: func(a *arena, _ contender, f *measure.Loops, rows map[string][]int) error {
			rows[measuredRate] = a.rate(f)
			rows[predictedRate] = share(f.Filter.(interface{ FalsePositiveRate() float64 }).FalsePositiveRate())
			return nil
		},
	}.timing(s, o)
}

// The rows of filters that have grown. growthWidth is the width of their fingerprints, and growthSlots b.
const (
	overUngrown, doublings   = "rate over that of no doubling, same load", "doublings"
	beforeLast, afterLast    = "bits per item before the last doubling", "bits per item after it"
	growthWidth, growthSlots = 16, 4
)

// growth measures filters that grow.
func growth(s study, o Options) *Timing {
	t := duel{
		contents: beside(catalogue.Growing()), made: true, steps: append([]string{measure.StepBuild}, alone[:len(alone)-1]...),
		set:     func(c *measure.Contest) { c.Slowest, c.Deletes = true, false },
		counted: []Step{{Name: measuredRate, Unit: "%"}, {Name: overUngrown}, {Name: doublings}, {Name: beforeLast, Unit: "bits"}, {Name: afterLast, Unit: "bits"}},
		count: func(a *arena, c contender, f *measure.Loops, rows map[string][]int) error {
			rows[measuredRate] = a.rate(f)
			grower, ok := f.Filter.(interface {
				Doublings() int
				LoadFactor() float64
			})
			if !ok {
				return nil
			}
			rate := float64(rows[measuredRate][1]) / float64(rows[measuredRate][0])
			rows[overUngrown] = share(rate / (2 * growthSlots * grower.LoadFactor() / math.Exp2(growthWidth-1)) / 1000)
			rows[overUngrown][0] = 1e6
			rows[doublings] = []int{1, grower.Doublings(), 0, 0}
			return a.grown(c, rows)
		},
	}.timing(s, o)
	if len(o.Sizes) > 1 {
		panel := func(title, step string) lab.Panel {
			return lab.Panel{Title: title, X: chart.Axis{Label: "keys n (log scale)", Log: true, Base: 2}, Y: chart.Axis{Label: "ns per lookup"},
				At: lab.At("n"), Of: median, Only: lab.Is("what", step), Kind: chart.LineMarks, Style: lab.Numbered}
		}
		t.Plots = []lab.Plot{{
			Title: "Lookups of absent keys in filters of n keys", Caption: "Nanoseconds per lookup of an absent key against the number of keys, median and 95% interval.",
			Panels: []lab.Panel{panel("(a) one by one", measure.StepAbsent), panel("(b) 256 at once", measure.StepAbsentBatch)},
		}}
	}
	return t
}

// grown fills a filter once more and notes its bits per item just before and just after its last doubling.
func (a *arena) grown(c contender, rows map[string][]int) error {
	n := a.Contest.Keys
	f, err := c.Open(c.size(n, true))
	if err != nil {
		return err
	}
	key, size := make([]uint64, 1), f.SizeBytes()
	for i := range n {
		key[0] = a.Key(uint64(i))
		if _, err := f.Insert(key); err != nil {
			return err
		}
		if grown := f.SizeBytes(); grown != size {
			rows[beforeLast], rows[afterLast] = []int{i, 0, 0, size}, []int{i + 1, 0, 0, grown}
			size = grown
		}
	}
	return nil
}

// shared measures a filter for goroutines, used by one.
func shared(s study, o Options) *Timing {
	const promised = "bits per item of one rate, at the promised load"
	entries := catalogue.Shared() // a Filter and a Concurrent of 12 bits, and of 16: a bucket of a Concurrent fills a word
	all := append(beside(entries[:2]), beside(entries[2:])...)
	for i, slots := range []int{4, 64 / 12, 4, 64 / 16} {
		all[i].slots = slots
	}
	return duel{
		contents: all, steps: slices.Insert(slices.Clone(alone), 4, measure.StepAbsentSmall, measure.StepPresentSmall),
		set: func(c *measure.Contest) { c.Small = true }, counted: []Step{{Name: promised}},
		count: func(a *arena, c contender, _ *measure.Loops, rows map[string][]int) error {
			bits, err := promisedBits(a.Contest.Keys, map[bool]uint{true: 12, false: 16}[strings.Contains(c.Name, "12")], c.base != "")
			rows[promised] = share(bits / 1000)
			rows[promised][0] = 1e6
			return err
		},
	}.timing(s, o)
}

// promisedBits returns the bits per item of a Filter of n keys at its promised load, or of a Concurrent at its own, to
// which the bits are added that would give it the rate of the Filter.
func promisedBits(n int, width uint, concurrent bool) (float64, error) {
	c, size, err := cuckoo.Plan(cuckoo.Config{Capacity: n}, width)
	if err != nil || !concurrent {
		return 8 * float64(size) / float64(n), err
	}
	rate := c.PredictRate(width, n)
	c, size, err = cuckoo.PlanConcurrent(cuckoo.Config{Capacity: n}, width)
	if err != nil {
		return 0, err
	}
	return 8*float64(size)/float64(n) + math.Log2(c.PredictRate(width, n)/rate), nil
}

// handoverStep is how near two processors are.
var handoverStep = Step{Name: "one processor sees what another has written", Unit: "ns"}

// together measures what goroutines do with a set that they share.
func together(s study, o Options) *Timing {
	t := studyTiming(s, o)
	t.Method = "Goroutines look keys up, half of them present and half absent, and for a share of their operations delete a key of their own and insert it again. " +
		"The reader beside a writer is counted alone. Batches have 256 operations, and filters per core are asked by goroutines that sort their digests and wait, or, keys sorted, by the one that owns them."
	t.Params, t.Rows, t.Columns = "n set point what", "set", "point"
	sets := lab.ListOf(Sets(), func(s Set) lab.Value { return lab.Named(s.Label, s) })
	procs := runtime.GOMAXPROCS(0)
	named := func(of []Point) lab.Values {
		return lab.ListOf(of, func(p Point) lab.Value { return lab.Named(p.String(), p) })
	}
	t.Grid = lab.Grid{{Series: "{set}", Trials: func(lab.Cell) int { return o.Rounds },
		Axes: []lab.Axis{lab.Over("n", lab.Ints(o.Sizes...)), lab.Over("point", named(points())), lab.Over("set", sets)},
		Only: func(c lab.Cell) bool {
			p := c.Of("point").(Point)
			return !c.Of("set").(Set).sorted || p.Goroutines == procs && !p.Beside
		},
	}}
	t.Base = func(g lab.Group) []string {
		return []string{"set", rivals[g.Cell.Of("set").(Set).whole], "point", g.Cell.Text("point")}
	}
	t.Trial = lab.Trial{
		Counts: counts, Timed: "ns",
		Steps: []lab.Axis{lab.Over("what", lab.List(lab.Named("throughput", Step{Name: "throughput", Unit: "Mops"}), lab.Named(handoverStep.Name, handoverStep)))},
		Needs: func(c lab.Cell) (float64, int64) { return turnTime.Seconds(), int64(c.Int("n")) * bytesPerKey },
		Bed: func(c lab.Cell) (string, func(context.Context) (any, func(), error)) {
			return "together/n=" + c.Text("n"), func(context.Context) (any, func(), error) { return openField(c.Int("n"), o) }
		},
		Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
			f, p, s := c.Bed.(*field), c.Of("point").(Point), c.Of("set").(Set)
			lap, err := turn(f.sets[s.Name], s.whole, p, turnTime, f.keys, f.absent, seed)
			near := []int{0, 0, 0, 0}
			if h := handover(); !math.IsNaN(h) && p == points()[0] {
				near = []int{1000, 0, int(1000 * h), 0}
			}
			return append(countsOf(lap, 0), near...), err
		},
	}
	t.Only = lab.Is("what", "throughput")
	t.Plots = togetherPlots(procs)
	return t
}

// turnTime is that of one measurement of throughput.
var turnTime = 40 * time.Millisecond

// rivals are the labels of what throughput is compared with, one by one and in batches.
var rivals = map[bool]string{false: "Filter, RWMutex", true: "Filter, RWMutex, batches"}

// A field is the sets of a number of keys.
type field struct {
	sets         map[string]*set
	keys, absent []uint64
}

// openField fills the sets.
func openField(n int, o Options) (any, func(), error) {
	all := make([]uint64, n+1<<16)
	for i, start := 0, first(n, uint64(o.Rounds)); i < len(all); i++ {
		all[i] = hashing.Mix64(start + uint64(i))
	}
	f := &field{map[string]*set{}, all[:n:n], all[n:]}
	end := func() {
		for _, s := range f.sets {
			if s.end != nil {
				s.end()
			}
		}
	}
	for _, s := range Sets() {
		made, err := s.make(n)
		if err == nil {
			f.sets[s.Name] = made
			_, err = made.insert(f.keys)
		}
		if err != nil {
			end()
			return nil, nil, fmt.Errorf("%s: %w", s.Label, err)
		}
	}
	return f, end, nil
}

// togetherPlots are throughput by goroutines and by writes.
func togetherPlots(procs int) []lab.Plot {
	point := func(g lab.Group) Point { return g.Cell.Of("point").(Point) }
	panels := func(x chart.Axis, at func(Point) float64, only func(Point) bool) (out []lab.Panel) {
		for i, title := range []string{"(a) one by one", "(b) batches of 256"} {
			out = append(out, lab.Panel{
				Title: title, X: x, Y: chart.Axis{Label: "million operations per second", Log: true}, Of: median, Kind: chart.LineMarks, Style: lab.Numbered,
				At: func(g lab.Group) float64 { return at(point(g)) },
				Only: func(g lab.Group) bool {
					return only(point(g)) && g.Cell.Of("set").(Set).whole == (i == 1) && g.Cell.Text("what") == "throughput"
				},
			})
		}
		return out
	}
	below := func(_ *lab.Data, f *chart.Figure) {
		f.Below = true
		for i := range f.Panels {
			for _, s := range f.Panels[i].Series {
				slices.SortFunc(s.Points, func(a, b chart.Point) int { return int(math.Copysign(1, a.X-b.X)) })
			}
		}
	}
	var ticks []chart.Tick
	for _, g := range Goroutines() {
		ticks = append(ticks, chart.Tick{At: float64(g), Label: fmt.Sprint(g)})
	}
	return []lab.Plot{{
		Title: "Throughput by goroutines", Caption: "Throughput of each set, with the interval of the median.", Edit: below,
		Panels: panels(chart.Axis{Label: "goroutines", Log: true, Base: 2, Ticks: ticks}, func(p Point) float64 { return float64(p.Goroutines) },
			func(p Point) bool { return p.Writes == DefaultWrites && !p.Beside }),
	}, {
		Name: "writes", Title: "Throughput by writes", Caption: "Throughput of each set, with the interval of the median.", Edit: below,
		Panels: panels(chart.Axis{Label: "writes (%)"}, func(p Point) float64 { return 100 * p.Writes },
			func(p Point) bool { return p.Goroutines == procs && !p.Beside }),
	}}
}
