package speed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/internal/errs"
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

// DefaultSizes are the numbers of slots of a run: tables of 1.5 KiB to 12 MiB at 12 bits.
func DefaultSizes() []int { return []int{1 << 10, 1 << 12, 1 << 14, 1 << 17, 1 << 20, 1 << 23} }

// QuickSizes are those of a quick run.
func QuickSizes() []int { return []int{1 << 10, 1 << 14, 1 << 17, 1 << 20} }

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
	// Filters are the subjects; nil for those of catalogue.DefaultBench.
	Filters []catalogue.Entry
	// Base names the subject that the others are compared with; "" is the first one.
	Base string
	// Sizes are the numbers of slots, each a power of two from MinSize to MaxSize; nil for DefaultSizes().
	Sizes []int
	// Rounds is how often everything is timed; 0 is DefaultRounds.
	Rounds int
	// Seed decides the probes.
	Seed uint64
	// MemoryBytes is the memory that may be taken; 0 is as much as one likes.
	MemoryBytes uint64
	// Report is called after each turn of a subject; it may be nil.
	Report func(lab.Progress)
}

// The smallest and the largest number of slots: beyond it integer keys outgrow the probes.
const (
	MinSize = 1 << 6
	MaxSize = 1 << 30
)

// Resolve returns the options with defaults filled in. The error is [ErrOptions] or [catalogue.ErrUnknown], and says
// what to give instead.
func (o Options) Resolve() (Options, error) {
	if o.Filters == nil {
		o.Filters = catalogue.DefaultBench()
	}
	if o.Sizes == nil {
		o.Sizes = DefaultSizes()
	}
	o.Sizes = slices.Compact(slices.Sorted(slices.Values(o.Sizes)))
	o.Rounds = cmp.Or(o.Rounds, DefaultRounds)
	if len(o.Filters) == 0 || len(o.Sizes) == 0 {
		return o, fmt.Errorf("speed: %w: %d filters and %d sizes: want one of each at least", ErrOptions, len(o.Filters), len(o.Sizes))
	}
	o.Base = cmp.Or(o.Base, o.Filters[0].Name)
	names := catalogue.Names(o.Filters)
	if !slices.Contains(names, o.Base) {
		return o, fmt.Errorf("speed: %w base: %q is none of the filters: %s", catalogue.ErrUnknown, o.Base, strings.Join(names, ", "))
	}
	if o.Rounds < 1 || o.Rounds > 1000 {
		return o, fmt.Errorf("speed: %w: %d rounds: want 1 to 1000", ErrOptions, o.Rounds)
	}
	for _, n := range o.Sizes {
		if n < MinSize || n > MaxSize || n&(n-1) != 0 {
			return o, fmt.Errorf("speed: %w: n = %d slots: want a power of two from %d to %d", ErrOptions, n, MinSize, MaxSize)
		}
	}
	if need := o.MemoryNeeded(); o.MemoryBytes > 0 && need > o.MemoryBytes {
		return o, fmt.Errorf("speed: %w: n = %d slots need %d MiB of memory, and there are %d MiB: leave out large sizes or filters",
			ErrOptions, slices.Max(o.Sizes), need>>20, o.MemoryBytes>>20)
	}
	return o, nil
}

// sweepSize is the size whose loads are swept, 0 for none.
func (o Options) sweepSize() int {
	best := o.Sizes[0]
	for _, n := range o.Sizes {
		if n <= sweepLimit {
			best = n
		}
	}
	if best > sweepAtMost {
		return 0
	}
	return best
}

// What a turn takes, in nanoseconds a key: filling, deleting and building, and a lookup one by one and one
// in a batch. Rounded up from a run of tables up to 8 million slots on two cores of a Xeon at 2.7 GHz; larger
// tables take up to twice as long. They only serve to say beforehand how long a run will take, and to
// move the progress bar evenly.
const (
	costFill   = 50
	costBuild  = 25
	costLookup = 12
)

// turn is the expected time of one turn of a filter of n slots.
func (o Options) turn(n int) time.Duration {
	keys := float64(catalogue.KeysAt(n, catalogue.FullLoad))
	probes := min(max(keys, minProbes), maxProbes)
	total := costFill*max(keys, minFill) + costBuild*keys + 3*costLookup*probes
	if n == o.sweepSize() {
		total += costFill*keys + float64(2*len(Loads())-2)*costLookup*probes
	}
	return time.Duration(total)
}

// Expected is about how long the run of resolved options takes on an idle core.
func (o Options) Expected() (total time.Duration) {
	for _, n := range o.Sizes {
		total += time.Duration(o.Rounds*len(o.Filters)) * o.turn(n)
	}
	return total
}

// MemoryNeeded bounds the memory that resolved options take: at every size, the tables of all filters, of at most 16 bits
// a slot, the array of the gather limit, and for bulk building the digests of the keys, a second table and the
// digests in another order.
func (o Options) MemoryNeeded() uint64 {
	const tableBytes = 2
	need := uint64(1 << 27) // probes and what the program itself takes
	for _, n := range o.Sizes {
		need += uint64(n) * (tableBytes*uint64(len(o.Filters)+2) + 8 + 8)
	}
	return need
}

// Run measures. In each round every filter has one turn at every size, starting with another one each time,
// so that whatever disturbs the machine disturbs all of them. It stops soon after ctx is done, with ctx's error.
//
// Other errors are [ErrOptions], [catalogue.ErrUnknown], [measure.ErrLost], and a refusal of a key before load 0.95.
func Run(ctx context.Context, o Options) (*Result, error) {
	o, err := o.Resolve()
	if err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, Result: &Result{Options: o, at: map[Point]*Series{}}}
	var tables []*table
	for _, n := range o.Sizes {
		t, err := r.open(n)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	for round := range o.Rounds {
		for _, t := range tables {
			if err := r.round(t, round); err != nil {
				return nil, err
			}
		}
	}
	if len(r.Series) == 0 {
		return nil, fmt.Errorf("speed: %w: none of the filters comes in any of the sizes", ErrOptions)
	}
	return r.Result, nil
}

// A runner is the state of a run.
type runner struct {
	*Result
	ctx   context.Context
	turns int
	spent time.Duration // as expected
}

// A bed is a filter of a size.
type bed struct {
	catalogue.Entry
	*measure.Turn
}

// A table is what one size is measured with.
type table struct {
	n      int
	beds   []bed
	gather *Gather
	hs     []uint64
	probes map[Point]measure.Probes // by Load and Hit alone
}

// open makes the filters of a size, and the array of the gather limit as large as the first cuckoo filter.
func (r *runner) open(n int) (*table, error) {
	t := &table{n: n, probes: map[Point]measure.Probes{}}
	size := 0
	for _, s := range r.Options.Filters {
		turn, err := Open(r.ctx, s, n)
		if errors.Is(err, errs.Config) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s does not come in %d slots and is left out there.", s.Label, n))
			r.step(n, r.Options.Rounds)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("speed: %w", err)
		}
		t.beds = append(t.beds, bed{s, turn})
		if s.Slots && size == 0 {
			size = turn.SizeBytes()
		}
	}
	if size == 0 && len(t.beds) > 0 {
		size = t.beds[0].SizeBytes()
	}
	t.gather = NewGather(size, catalogue.KeysAt(n, catalogue.FullLoad))
	return t, nil
}

// round measures the gather limit and gives every filter of a size a turn.
func (r *runner) round(t *table, round int) error {
	var lap measure.Lap // before each turn, so that it sees the same disturbances as the filters
	for i := range measure.Turns(round, len(t.beds)) {
		limit, err := t.gather.Run()
		if err == nil {
			lap.Add(limit)
			err = r.turn(t, t.beds[i])
		}
		if err != nil {
			return fmt.Errorf("speed: %s of %d slots: %w", t.beds[i].Name, t.n, err)
		}
		r.step(t.n, 1)
	}
	if lap.Keys > 0 {
		r.add(Point{N: t.n, Verb: Contains, Load: catalogue.FullLoad, Batch: DefaultBatch}, &limit, t.gather.SizeBytes(), lap)
	}
	return nil
}

// step counts turns at a size and reports them.
func (r *runner) step(n, turns int) {
	o := r.Options
	r.turns += turns
	r.spent += time.Duration(turns) * o.turn(n)
	if o.Report != nil {
		o.Report(lab.Progress{Experiment: fmt.Sprintf("n=%d", n), Done: r.turns, Total: o.Rounds * len(o.Filters) * len(o.Sizes),
			Share: float64(r.spent) / float64(o.Expected())})
	}
}

// turn is one round of one filter: a timed fill, lookups, deletes, a build, and where loads are swept a fill
// with lookups on the way.
func (r *runner) turn(t *table, b bed) error {
	note := func(p Point, lap measure.Lap) {
		p.N = t.n
		r.add(p, &b.Entry, b.SizeBytes(), lap)
	}
	empty := func() (*measure.Loops, error) { b.Reset(); return b.Loops, nil }
	stretches, _, err := b.Fills(empty, minFill, Stops(t.n)...)
	if err != nil {
		return err
	}
	whole, from := measure.Lap{}, 0.
	for _, lap := range stretches {
		whole.Add(lap)
	}
	note(Point{Verb: Insert, Load: catalogue.FullLoad}, whole)
	for i, load := range Loads() {
		note(Point{Verb: Insert, From: from, Load: load}, stretches[i])
		from = load
	}
	if err := r.lookups(t, b, note, catalogue.FullLoad, 0, 0.5, 1); err != nil {
		return err
	}
	if b.Remove != nil {
		lap, err := b.Delete(b.Stored, nil)
		if err != nil {
			return err
		}
		note(Point{Verb: Delete, Load: catalogue.FullLoad}, lap)
	}
	if b.Build != nil {
		if t.hs == nil {
			t.hs = Digests(catalogue.KeysAt(t.n, catalogue.FullLoad))
		}
		lap, err := b.Bulk(t.hs)
		if err != nil {
			return err
		}
		note(Point{Verb: Build, Load: catalogue.FullLoad}, lap)
	}
	return r.loads(t, b, note)
}

// loads times lookups at each load, where loads are swept; that of FullLoad is timed already.
func (r *runner) loads(t *table, b bed, note func(Point, measure.Lap)) error {
	if t.n != r.Options.sweepSize() || !b.Entry.Slots {
		return nil
	}
	b.Reset()
	b.Stored = 0
	for _, load := range Loads()[:len(Loads())-1] {
		if _, err := b.Fill(catalogue.KeysAt(t.n, load)); err != nil {
			return err
		}
		if err := r.lookups(t, b, note, load, 0, 1); err != nil {
			return err
		}
	}
	return nil
}

// lookups times probes of each share of hits, one by one and in batches.
func (r *runner) lookups(t *table, b bed, note func(Point, measure.Lap), load float64, hits ...float64) error {
	for _, hit := range hits {
		key := Point{Load: load, Hit: hit}
		probes, drawn := t.probes[key]
		if !drawn {
			probes = Probes(catalogue.KeysAt(t.n, load), hit, r.Options.Seed)
			t.probes[key] = probes
		}
		for _, batch := range []int{0, DefaultBatch} {
			lap, err := b.Ask(probes, batch)
			if err != nil {
				return err
			}
			note(Point{Verb: Contains, Load: load, Hit: hit, Batch: batch}, lap)
		}
	}
	return nil
}
