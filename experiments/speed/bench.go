package speed

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/memory"
)

// A contender is a filter of a contest.
type contender struct {
	catalogue.Entry
	base  string // the name of the one that it is compared with
	slots int    // of a bucket, where a filter for n keys has slots for them at sharedLoad
}

func filterOf(c lab.Cell) contender { return c.Of("filter").(contender) }

// beside are entries of which all are compared with the one of a name.
func beside(base string, entries []catalogue.Entry) (all []contender) {
	for _, e := range entries {
		all = append(all, contender{Entry: e, base: base})
	}
	return all
}

// A contest has filters of every size filled stretch by stretch, asked, and deleted from, in each round.
type contest struct {
	filters []contender
	steps   []Step
	loads   []float64 // the ends of the stretches of a fill, as shares of n
	swept   int       // the n that has inserts and lookups of all of them, others of the last alone
	digests bool      // the keys are n digests, and not the integers of n slots
	made    bool      // to make a filter is part of what its inserts cost
	// count counts, once, what does not change; nil for nothing.
	count func(t *measure.Turn, f contender, n int) (rows, error)
}

// The steps of contests.
var (
	fillStep    = Step{Name: "insert", Verb: "Insert"}
	stretchStep = Step{Name: "insert, last stretch", Verb: "Insert"}
	lookups     = []Step{
		{Name: measure.StepAbsent, Verb: "Contains"},
		{Name: measure.StepAbsentBatch, Verb: "Contains", Batch: measure.ContestBatch},
		{Name: measure.StepPresent, Verb: "Contains", Hit: 1},
		{Name: measure.StepPresentBatch, Verb: "Contains", Hit: 1, Batch: measure.ContestBatch},
	}
	halves = []Step{
		{Name: "lookup, half", Verb: "Contains", Hit: .5},
		{Name: "lookup, half, 256 at once", Verb: "Contains", Hit: .5, Batch: measure.ContestBatch},
	}
	deleteStep  = Step{Name: measure.StepDelete, Verb: "Delete"}
	buildStep   = Step{Name: "build", Verb: "Build"}
	spaceStep   = Step{Name: "bits per item", Verb: "Size", Of: perItem, Unit: "bits/item"}
	longestStep = Step{Name: "longest insert (us)", Of: micros}
)

// minFill is the number of keys that a timed fill has at least. Smaller tables are filled several times. No more than
// mostDeletes are deleted.
const minFill, mostDeletes = 1 << 16, 1 << 18

// last is the load of a full filter.
func (f contest) last() float64 { return f.loads[len(f.loads)-1] }

// timing is the experiment.
func (f contest) timing(s study, o Options) *Timing {
	sweeps := func(c lab.Cell) bool { return c.Int("n") == f.swept && filterOf(c).Slots }
	each := []lab.Axis{
		lab.Over("what", func(c lab.Cell) []lab.Value {
			if filterOf(c).Name == limit.Name {
				return whats(lookups[1:2])
			}
			return whats(f.steps)
		}),
		lab.Over("load", func(c lab.Cell) []lab.Value {
			s, loads := stepOf(c), f.loads[len(f.loads)-1:]
			if sweeps(c) && (s.Name == stretchStep.Name || s.Verb == "Contains" && s.Hit != .5) {
				loads = f.loads
			}
			return lab.Shares(loads...)(c)
		}),
	}
	filters := lab.ListOf(f.filters, func(e contender) lab.Value { return lab.Named(e.Name, e) })
	t := o.timing(s, []lab.Axis{lab.Over("filter", filters)}, each, func(context.Context, lab.Cell) (any, func(), error) {
		return map[string]*measure.Turn{}, nil, nil
	}, f.turn)
	t.Params = "n filter what load"
	t.Method = "In each round every filter is filled at every size, stretch by stretch, and asked for keys in random " +
		"order; keys are deleted in the order of their insertion."
	t.Grid[0].Only = func(c lab.Cell) bool { return c.Int("n") >= filterOf(c).MinSlots }
	t.Trial.Needs = func(c lab.Cell) (float64, int64) {
		n := c.Int("n")
		keys := max(n, minFill) + n/2 + len(f.steps)*probeCount(n)/8 // a lookup takes an eighth of the time of an insert
		return float64(keys), 1<<27 + int64(n)*int64(2*len(f.filters)+20)
	}
	t.Only = []string{"load", lab.Share(f.last()).Text}
	t.Base = func(g lab.Group) string { return filterOf(g.Cell).base }
	t.Plots = f.plots(o, sweeps)
	return t
}

// A round is one turn of a filter, with its rows.
type round struct {
	contest
	*measure.Turn
	rows rows
	n    int
	seed uint64
}

func (r round) note(s Step, load float64, l measure.Lap) {
	r.rows[s.Name+lab.Share(load).Text] = [4]int{l.Keys, l.Found, int(l.Time), r.SizeBytes()}
}

// turn is one round of one filter.
func (f contest) turn(ctx context.Context, c lab.Cell, seed uint64) (rows, error) {
	bed, e, n := c.Bed.(map[string]*measure.Turn), filterOf(c), c.Int("n")
	t, known := bed[e.Name]
	if !known {
		t = measure.NewTurn(ctx, nil, nil)
		if f.digests {
			t.Key = func(place uint64) uint64 { return hashing.Mix64(seed + place) } // a bijection
		}
		bed[e.Name] = t
	}
	stops := make([]int, len(f.loads))
	for i, load := range f.loads {
		stops[i] = catalogue.KeysAt(n, load)
	}
	laps, whole, err := t.Fills(func() (*measure.Loops, error) {
		if t.Loops == nil || f.made {
			return f.open(e, n)
		}
		t.Reset()
		return t.Loops, nil
	}, minFill, stops...)
	if err != nil {
		return nil, err
	}
	r := round{f, t, rows{}, n, seed}
	if !f.made {
		whole = measure.Lap{}
	}
	for i, l := range laps {
		whole.Add(l)
		r.note(stretchStep, f.loads[i], l)
	}
	r.note(fillStep, f.last(), whole)
	r.note(spaceStep, f.last(), measure.Lap{Keys: t.Stored})
	if n == f.swept && e.Slots { // all of it again
		t.Reset()
		t.Stored = 0
	}
	if err := r.ask(stops); err != nil {
		return nil, err
	}
	if !known && f.count != nil {
		if err := r.once(e); err != nil {
			return nil, err
		}
	}
	return r.rows, r.empty()
}

// ask times lookups at the stops from what is stored on.
func (r round) ask(stops []int) error {
	for i, stop := range stops {
		if stop < r.Stored {
			continue
		}
		if _, err := r.Fill(stop); err != nil {
			return err
		}
		for _, s := range r.steps {
			if s.Verb != "Contains" || s.Hit == .5 && i < len(stops)-1 {
				continue
			}
			l, err := r.Ask(Probes(r.Turn, s.Hit, r.seed), s.Batch)
			if r.note(s, r.loads[i], l); err != nil {
				return err
			}
		}
	}
	return nil
}

// once counts what does not change, and the longest insert.
func (r round) once(e contender) error {
	out, err := r.count(r.Turn, e, r.n)
	if err == nil {
		err = r.longest(r.Turn, e, r.n, out)
	}
	for what, counts := range out {
		r.rows[what+lab.Share(r.last()).Text] = counts
	}
	return err
}

// empty times deletes, and the making of another filter in bulk.
func (r round) empty() error {
	if r.Remove != nil {
		l, err := r.Delete(min(r.Stored, mostDeletes), nil)
		if r.note(deleteStep, r.last(), l); err != nil {
			return err
		}
	}
	if r.Build == nil || r.digests {
		return nil
	}
	hs, err := Digests(catalogue.KeysAt(r.n, r.last())), error(nil)
	r.note(buildStep, r.last(), measure.Timed(len(hs), func() { err = r.Build(hs) }))
	return err
}

// open makes a filter.
func (f contest) open(e contender, n int) (*measure.Loops, error) {
	size := catalogue.Size{Slots: n}
	switch {
	case e.slots > 0:
		size.Slots = buckets(n, e.slots) * e.slots
	case f.digests:
		size = catalogue.Size{Keys: n}
	}
	size.Digests, size.Unwritten = f.digests, f.made
	return e.Open(size)
}

// longest fills the filter twice and times every insert by itself. Of each it takes the shorter time: what disturbs the
// machine seldom meets an insert twice. It notes the longest, and the bits per item before and after the last growth.
func (f contest) longest(t *measure.Turn, e contender, n int, out rows) error {
	best, key := make([]time.Duration, n), make([]uint64, 1)
	for pass := range 2 {
		l, err := f.open(e, n)
		if err != nil {
			return err
		}
		size := l.SizeBytes()
		for i := range best {
			key[0] = t.Key(uint64(i))
			lap := measure.Timed(1, func() { _, err = l.Insert(key) })
			if i&0xffff == 0 && err == nil {
				err = t.Context().Err()
			}
			if err != nil {
				return err
			}
			if pass == 0 || lap.Time < best[i] {
				best[i] = lap.Time
			}
			if grown := l.SizeBytes(); grown != size {
				out[beforeLast], out[afterLast] = [4]int{i, 0, 0, size}, [4]int{i + 1, 0, 0, grown}
				size = grown
			}
		}
	}
	out[longestStep.Name] = [4]int{1, 0, int(slices.Max(best)), 0}
	return nil
}

// plots are lookups against n, and where they are swept lookups and inserts against the load.
func (f contest) plots(o Options, sweeps func(lab.Cell) bool) (plots []lab.Plot) {
	label := func(name string) string {
		at := slices.IndexFunc(f.filters, func(e contender) bool { return e.Name == name })
		return cmp.Or(f.filters[at].Label, name)
	}
	draw := func(name, title, axis string, only func(lab.Cell) bool, verb string, steps ...Step) {
		p := lab.Plot{Name: name, Title: title, Caption: "Nanoseconds per " + verb + ", median and 95% interval."}
		for i, s := range steps {
			x := chart.Axis{Label: axis, Max: 1}
			if axis == "n" {
				x = chart.Axis{Label: "n (log scale)", Log: true, Base: 2}
			}
			p.Panels = append(p.Panels, lab.Panel{
				Title: []string{"(a) one by one", "(b) 256 at once"}[i], X: x, At: lab.At(axis), Of: median, Kind: chart.LineMarks,
				Y: chart.Axis{Label: "ns per " + verb + " (log scale)", Log: true}, Label: label, Style: lab.Numbered,
				Only: func(g lab.Group) bool { return g.Cell.Text("what") == s.Name && only(g.Cell) },
			})
		}
		plots = append(plots, p)
	}
	if len(o.Sizes) > 1 {
		full := func(c lab.Cell) bool { return c.Float("load") == f.last() }
		draw("", "Lookups of absent keys in full filters of size n", "n", full, "lookup", lookups[:2]...)
	}
	if f.swept > 0 && slices.ContainsFunc(f.filters, func(e contender) bool { return e.Slots }) {
		of := fmt.Sprintf(" against the load, %d slots", f.swept)
		draw("load", "Lookups of absent keys"+of, "load", sweeps, "lookup", lookups[:2]...)
		draw("fill", "Inserts of the stretch up to a load"+of, "load", sweeps, "insert", stretchStep)
	}
	return plots
}

// Loads are the ends of the stretches of a fill of nest bench: every tenth of the table, and the last half tenth.
func Loads() []float64 {
	return []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, catalogue.FullLoad}
}

// sweepLimit bounds the number of slots at which lookups are swept over the loads.
const sweepLimit = 1 << 20

// bench is nest bench itself.
func bench(s study, o Options) (*Timing, error) {
	if o.Filters == nil {
		o.Filters = catalogue.DefaultBench()
	}
	names := catalogue.Names(o.Filters)
	o.Base = cmp.Or(o.Base, names[0])
	if !slices.Contains(names, o.Base) {
		return nil, fmt.Errorf("speed: %w base: %q is none of the filters: %s", catalogue.ErrUnknown, o.Base,
			strings.Join(names, ", "))
	}
	f := contest{filters: beside(o.Base, append(slices.Clone(o.Filters), limit)), loads: Loads()}
	f.steps = slices.Concat([]Step{fillStep, stretchStep}, lookups, halves, []Step{deleteStep, buildStep, spaceStep})
	for _, n := range o.Sizes {
		if n < 1<<6 || n > 1<<30 || n&(n-1) != 0 {
			return nil, fmt.Errorf("speed: %w: %d slots: want a power of two from 2^6 to 2^30", ErrOptions, n)
		}
		if n <= sweepLimit {
			f.swept = n
		}
	}
	t := f.timing(s, o)
	t.Claim = "What it costs to fill filters, to look keys up, to delete and to build."
	t.Limits = []string{"Times are this machine's. On a machine that others use too, tables beyond the caches vary by a " +
		"quarter from hour to hour."}
	t.Down, t.Across, t.Benchmark = "filter", "what", benchName
	t.Notes = append(t.Notes, fmt.Sprintf("n is the number of slots, at load %v; filters without slots are made for as "+
		"many keys. Keys are integers, hash included. The base is %s. insert, last stretch: from load 0.9. build: bulk "+
		"construction of ready digests, on all cores. gather: two reads of 8 bytes a key at random places of an array as "+
		"large as a table of 12 bits a slot.", catalogue.FullLoad, o.Base))
	for _, e := range o.Filters {
		if o.Sizes[0] < e.MinSlots {
			t.Notes = append(t.Notes, fmt.Sprintf("%s comes in %d slots or more.", e.Label, e.MinSlots))
		}
	}
	return t, nil
}

// benchName is the name of the benchmark of a row.
func benchName(g lab.Group) string {
	s, e := stepOf(g.Cell), filterOf(g.Cell)
	name := fmt.Sprintf("Benchmark%s/%s/n=%s", s.Verb, e.Params, g.Cell.Text("n"))
	if e.Slots {
		name += "/load=" + g.Cell.Text("load")
	}
	if at := slices.Index(Loads(), g.Cell.Float("load")); s.Name == stretchStep.Name {
		name += fmt.Sprintf("/from=%v", append([]float64{0}, Loads()...)[at])
	}
	if s.Verb == "Contains" {
		name += fmt.Sprintf("/hit=%v", s.Hit)
	}
	if s.Batch > 0 {
		name += fmt.Sprintf("/batch=%d", s.Batch)
	}
	return name
}

// Digests returns the digests of the integers 0 to n-1, which are the keys.
func Digests(n int) []uint64 {
	hs := make([]uint64, n)
	for k := range hs {
		hs[k] = hashing.Mix64(uint64(k))
	}
	return hs
}

// probeCount is how many probes a filter of so many keys has: as many as keys, but enough for the timer and for a
// branch predictor not to know them by heart, and not more than take long.
func probeCount(held int) int { return min(max(held, 1<<16), 1<<20) }

// Probes draws probes for a filter: each is one of its keys with probability hit, and absent else. There are as many as
// keys, within 65,536 and 1,048,576.
func Probes(t *measure.Turn, hit float64, seed uint64) measure.Probes {
	draw, bound := rand.NewPCG(seed, uint64(t.Stored)), uint64(hit*(1<<32))
	return measure.Probes{N: probeCount(t.Stored), Next: func(at int, keys []uint64) (hits int) {
		for i := range keys {
			x, place := draw.Uint64(), uint64(t.Stored+at+i)
			if x&math.MaxUint32 < bound {
				place, _ = bits.Mul64(x, uint64(t.Stored))
				hits++
			}
			keys[i] = t.Key(place)
		}
		return hits
	}}
}

// limit stands for the gather limit among the filters: an array as large as a table, of which a lookup reads two words.
var limit = catalogue.Entry{Name: "gather", Label: "gather limit", Params: "filter=gather", Open: Gather}

// Gather opens what measures what the memory allows: each lookup hashes its integer and reads 8 bytes at two random
// places of an array of 12 bits a slot. A large array asks for large pages as the tables of filters do.
func Gather(s catalogue.Size) (*measure.Loops, error) {
	words, hs, sum := memory.Words(max(1, s.Slots*12/64)), make([]uint64, measure.Chunk), uint64(0)
	for i := range words {
		words[i] = hashing.Mix64(uint64(i)) // written, or all of it may be one page of zeros
	}
	return &measure.Loops{
		Insert: func(keys []uint64) (int, error) { return len(keys), nil },
		Contains: func(keys []uint64) int {
			for part := range slices.Chunk(keys, len(hs)) {
				sum += gather(words, measure.Mixed(part, hs))
			}
			return len(keys)
		},
		Reset: func() {}, SizeBytes: func() int { return 8 * len(words) },
	}, nil
}

// gather is the loop. Both halves of the digest choose a word. By itself its place in the machine code, which is worth
// a quarter of its time, does not depend on what calls it.
//
//go:noinline
func gather(words, hs []uint64) (sum uint64) {
	n := uint64(len(words))
	for _, h := range hs {
		i, _ := bits.Mul64(h, n)
		j, _ := bits.Mul64(bits.RotateLeft64(h, 32), n)
		sum += words[i] + words[j]
	}
	return sum
}
