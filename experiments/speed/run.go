package speed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/internal/errs"
)

// DefaultBatch is the number of lookups of a batch.
const DefaultBatch = 256

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

// The loads of one table are swept: of the largest one up to sweepLimit, else of the smallest one if it is
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
	// Filters are the subjects; nil for Default().
	Filters []Subject
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
	// Report is called after each turn of a subject, with the share of the expected work done; it may be
	// nil.
	Report func(n, done, total int, share float64)
}

// The smallest and the largest number of slots: beyond it integer keys outgrow the probes.
const (
	MinSize = 1 << 6
	MaxSize = 1 << 30
)

// Resolve returns the options with defaults filled in. The error is [ErrOptions] or [ErrUnknown], and says
// what to give instead.
func (o Options) Resolve() (Options, error) {
	if o.Filters == nil {
		o.Filters = Default()
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
	names := Names(o.Filters)
	if !slices.Contains(names, o.Base) {
		return o, fmt.Errorf("speed: %w: the base %q is none of the filters: %s", ErrUnknown, o.Base, strings.Join(names, ", "))
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

// Run measures. In each round every filter has one turn at every size, starting with another one each time,
// so that whatever disturbs the machine disturbs all of them. It stops soon after ctx is done, with ctx's error.
//
// Other errors are [ErrOptions], [ErrUnknown], [ErrLost], and a refusal of a key before load 0.95.
func Run(ctx context.Context, o Options) (*Result, error) {
	o, err := o.Resolve()
	if err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, o: o, result: &Result{Options: o, at: map[Point]*Series{}}}
	if err := r.open(); err != nil {
		return nil, err
	}
	for round := range o.Rounds {
		for _, t := range r.tables {
			if err := r.round(t, round); err != nil {
				return nil, err
			}
		}
	}
	if !r.measured {
		return nil, fmt.Errorf("speed: %w: none of the filters comes in any of the sizes", ErrOptions)
	}
	return r.result, nil
}

// A runner is the state of a run.
type runner struct {
	ctx    context.Context
	o      Options
	result *Result
	tables []*table // by size
	done   int      // turns
	share  float64  // of the work

	measured bool // something was: not all filters were left out at all sizes
}

// A table is what one size is measured with.
type table struct {
	n      int
	beds   []*Bed
	gather *Gather
	hs     []uint64
	probes map[Point]*Probes // by Load and Hit alone
	sweep  bool
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

// open makes the tables of every size.
func (r *runner) open() error {
	for _, n := range r.o.Sizes {
		t := &table{n: n, probes: map[Point]*Probes{}, sweep: n == r.o.sweepSize()}
		if err := r.fit(t); err != nil {
			return err
		}
		r.tables = append(r.tables, t)
	}
	return nil
}

// fit makes the filters of a size, and the array of the gather limit as large as the first cuckoo filter.
func (r *runner) fit(t *table) error {
	limit := 0
	for _, s := range r.o.Filters {
		b, err := NewBed(s, t.n)
		if errors.Is(err, errs.Config) {
			r.result.Notes = append(r.result.Notes, fmt.Sprintf("%s does not come in %d slots and is left out there.", s.Label, t.n))
			r.step(t.n, r.o.Rounds)
			continue
		}
		if err != nil {
			return err
		}
		t.beds = append(t.beds, b)
		if b.Slots && limit == 0 {
			limit = b.SizeBytes()
		}
	}
	if limit == 0 && len(t.beds) > 0 {
		limit = t.beds[0].SizeBytes()
	}
	t.gather = NewGather(limit, Keys(t.n))
	return nil
}

// round measures the gather limit and gives every filter of a size a turn.
func (r *runner) round(t *table, round int) error {
	var limit measure.Lap // before each turn, so that it sees the same disturbances as the filters
	for i := range measure.Turns(round, len(t.beds)) {
		limit.Add(t.gather.Run())
		if err := r.turn(t, t.beds[i]); err != nil {
			return err
		}
		r.measured = true
		r.step(t.n, 1)
	}
	if limit.Keys > 0 {
		r.result.addGather(t.n, t.gather, limit)
	}
	return nil
}

// step counts turns at a size and reports them.
func (r *runner) step(n, turns int) {
	r.done += turns
	r.share += float64(turns) * turnNanos(n, n == r.o.sweepSize()) / float64(r.o.Expected())
	if r.o.Report != nil {
		r.o.Report(n, r.done, r.o.Turns(), min(1, r.share))
	}
}

// turn is one round of one filter: a timed fill, lookups, deletes, a build, and where loads are swept a fill
// with lookups on the way.
func (r *runner) turn(t *table, b *Bed) error {
	if err := r.fill(b); err != nil {
		return err
	}
	for _, hit := range []float64{0, 0.5, 1} {
		if err := r.lookups(t, b, FullLoad, hit); err != nil {
			return err
		}
	}
	if b.Builds() && t.hs == nil {
		t.hs = Digests(t.n)
	}
	for _, v := range []struct {
		verb string
		has  bool
		lap  func() (measure.Lap, error)
	}{{Delete, b.Deletes(), b.Delete}, {Build, b.Builds(), func() (measure.Lap, error) { return b.Build(t.hs) }}} {
		if !v.has {
			continue
		}
		lap, err := v.lap()
		if err != nil {
			return err
		}
		r.result.add(Point{Filter: b.Name, N: b.N, Verb: v.verb, Load: FullLoad}, b, lap)
	}
	if t.sweep && b.Slots {
		return r.loads(t, b)
	}
	return nil
}

// fill times the stretches of a fill, and the whole of it.
func (r *runner) fill(b *Bed) error {
	var whole measure.Lap
	stretches := make([]measure.Lap, len(Loads()))
	for whole.Keys < minFill {
		b.Empty()
		for i, load := range Loads() {
			lap, err := r.stretch(b, load)
			if err != nil {
				return err
			}
			stretches[i].Add(lap)
			whole.Add(lap)
		}
	}
	r.result.add(Point{Filter: b.Name, N: b.N, Verb: Insert, Load: FullLoad}, b, whole)
	from := 0.
	for i, load := range Loads() {
		r.result.add(Point{Filter: b.Name, N: b.N, Verb: Insert, From: from, Load: load}, b, stretches[i])
		from = load
	}
	return nil
}

// stretch fills the bed up to a load, unless the run is to end: at large sizes that is a matter of seconds.
func (r *runner) stretch(b *Bed, load float64) (measure.Lap, error) {
	if r.ctx.Err() != nil {
		return measure.Lap{}, context.Cause(r.ctx)
	}
	return b.Fill(load)
}

// lookups times probes one by one and in batches.
func (r *runner) lookups(t *table, b *Bed, load, hit float64) error {
	key := Point{Load: load, Hit: hit}
	if t.probes[key] == nil {
		t.probes[key] = NewProbes(keysAt(t.n, load), hit, r.o.Seed)
	}
	for _, batch := range []int{0, DefaultBatch} {
		lap, err := b.Contains(t.probes[key], batch)
		if err != nil {
			return err
		}
		r.result.add(Point{Filter: b.Name, N: b.N, Verb: Contains, Load: load, Hit: hit, Batch: batch}, b, lap)
	}
	return nil
}

// loads times lookups at lower loads. That of FullLoad is timed already.
func (r *runner) loads(t *table, b *Bed) error {
	b.Empty()
	for _, load := range Loads()[:len(Loads())-1] {
		if _, err := r.stretch(b, load); err != nil {
			return err
		}
		for _, hit := range []float64{0, 1} {
			if err := r.lookups(t, b, load, hit); err != nil {
				return err
			}
		}
	}
	return nil
}
