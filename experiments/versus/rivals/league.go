package rivals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus/native"
)

// MinSlots and MaxSlots bound the size of a table.
const (
	MinSlots = 1 << 10
	MaxSlots = 1 << 28
)

// DefaultSizes are the numbers of slots of a run that names none, DefaultRounds its rounds.
var (
	DefaultSizes  = []int{1 << 16, 1 << 20, 1 << 24}
	DefaultRounds = 5
)

// ErrOptions reports options that cannot be run.
var ErrOptions = errors.New("invalid options")

// Options say what to run.
type Options struct {
	_ struct{}

	// Laps is the journal of laps, "" for none. What it holds of programs that were compiled alike is not measured again.
	Laps string
	// Contenders take part; nil is all of them.
	Contenders []Contender
	// Sizes are the numbers of slots, powers of two.
	Sizes []int
	// Rounds is how often everything is timed.
	Rounds int
	// Seed chooses the keys. The default is 1.
	Seed uint64
	// Progress is called after every turn; nil for nobody.
	Progress func(lab.Progress)

	build string // how the programs were compiled; "" is as they were
}

func (o *Options) resolve() error {
	if o.Contenders == nil {
		o.Contenders = Contenders()
	}
	if len(o.Sizes) == 0 {
		o.Sizes = DefaultSizes
	}
	o.Rounds, o.Seed = cmp.Or(o.Rounds, DefaultRounds), cmp.Or(o.Seed, 1)
	if o.Rounds < 1 || o.Rounds > 1000 {
		return fmt.Errorf("rivals: %w: %d rounds: want 1 to 1000", ErrOptions, o.Rounds)
	}
	for _, n := range o.Sizes {
		if n < MinSlots || n > MaxSlots || n&(n-1) != 0 {
			return fmt.Errorf("rivals: %w: %d slots: want a power of two from 2^10 to 2^28", ErrOptions, n)
		}
	}
	return nil
}

// Run takes every turn that the journal of laps lacks, and returns all laps that it then has. The error is [ErrOptions],
// that of ctx, of a filter that cannot be made, or of the journal: it wraps [lab.ErrOther] if that is of another run.
func Run(ctx context.Context, o Options) (l *Laps, err error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	l = new(Laps)
	var twin *native.Twin
	if slices.ContainsFunc(o.Contenders, func(c Contender) bool { return c.Group == Native }) {
		twin, err = native.Start(ctx)
	}
	if errors.Is(err, native.ErrNoCompiler) {
		l.Note = "The native twin did not take part: " + native.ErrNoCompiler.Error() + "."
	} else if err != nil {
		return nil, err
	}
	if twin != nil {
		defer func() { err = errors.Join(err, twin.Close()) }()
	}
	l.Source = o.source(twin)
	o.build = cmp.Or(o.build, strings.Trim(l.Source.Build()+"; "+l.Source.Settings["compiler"], "; "))
	to := lab.Options{Seed: o.Seed, Report: o.Progress}
	if o.Laps != "" {
		if to.Store, err = lab.OpenJournal(o.Laps, to); err != nil {
			return nil, err
		}
	}
	return l, o.run(ctx, l, twin, to)
}

// run fills the laps.
func (o *Options) run(ctx context.Context, l *Laps, twin *native.Twin, to lab.Options) error {
	findings, err := lab.Registry{Experiments: []*lab.Experiment{o.experiment(twin)}}.Run(ctx, to)
	if to.Store != nil {
		err = errors.Join(err, to.Store.Close())
	}
	switch {
	case err != nil:
		return err
	case to.Store != nil:
		raw, err := lab.ReadRaw(o.Laps)
		if err != nil {
			return err
		}
		l.Source.Start = raw.Manifest.Start
		return l.load(raw, o.Laps, o.build)
	}
	return l.read(journal, findings[0].Data.Table())
}

// source describes the run.
func (o *Options) source(twin *native.Twin) Source {
	level, profile := buildSettings()
	s := Source{report.Manifest{Machine: report.ThisMachine(), Seeds: []uint64{o.Seed}, Start: time.Now().UTC(),
		Settings: map[string]string{"level": level, "profile": profile}}}
	if twin != nil {
		s.Settings["compiler"] = twin.Compiler + ", " + native.Flags
	}
	return s
}

// experiment declares the league: a cell for each size and filter, a trial for each round. All cells have the keys of
// their round.
func (o *Options) experiment(twin *native.Twin) *lab.Experiment {
	contender := func(c lab.Cell) *Contender { return c.Of("filter").(*Contender) }
	filters := lab.ListOf(o.Contenders, func(c Contender) lab.Value { return lab.Named(c.Name, &c) })
	return &lab.Experiment{
		Name: journal, Params: "slots build",
		Grid: lab.Grid{{
			Series: "{filter}",
			Axes: []lab.Axis{
				lab.Over("slots", lab.Ints(o.Sizes...)), lab.Over("filter", filters), lab.Over("build", lab.Words(o.build)),
			},
			Trials: func(lab.Cell) int { return o.Rounds },
			Only: func(c lab.Cell) bool {
				return contender(c).takes(c.Int("slots")) && (contender(c).Group != Native || twin != nil)
			},
		}},
		Trial: lab.Trial{
			Counts: counted + " " + timed(), Timed: timed(),
			Key:   func(lab.Cell) string { return journal },
			Needs: func(c lab.Cell) (float64, int64) { return 0.1 + 1e-6*c.Float("slots"), 0 },
			Run: func(ctx context.Context, c lab.Cell, seed uint64) (counts []int, err error) {
				slots := c.Int("slots")
				l := Lap{Filter: contender(c).Name, Slots: slots, Keys: KeysOf(slots)}
				if err := l.turn(ctx, contender(c), twin, seed); err != nil {
					return nil, err
				}
				for _, n := range l.counts() {
					counts = append(counts, *n)
				}
				return counts, nil
			},
		},
	}
}

// turn makes a filter and measures it.
func (l *Lap) turn(ctx context.Context, c *Contender, twin *native.Twin, seed uint64) error {
	before := heapBytes()
	p, err := c.player(ctx, twin, l.Slots, seed)
	if err != nil {
		return err
	}
	if err := l.fill(c, p); err != nil || l.Refused > 0 {
		return cmp.Or(context.Cause(ctx), err)
	}
	if p.bytes != nil {
		l.Bytes = p.bytes()
	} else {
		l.Bytes = max(1, heapBytes()-before-8*measure.Chunk)
	}
	runtime.KeepAlive(p)
	held, err := p.ask(0, l.Keys)
	if err != nil {
		return err
	}
	l.Lost, l.Asked = l.Keys-held.Found, 1<<20
	absent, err := p.ask(1<<40, 1<<40+l.Asked) // away from the keys and the probes
	l.False = absent.Found
	if err != nil || c.Cores > 0 {
		return err
	}
	if err := l.lookups(p); err != nil {
		return err
	}
	return l.deletes(p)
}

func heapBytes() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// fill inserts the keys, the last ones apart.
func (l *Lap) fill(c *Contender, p *player) error {
	first := l.Keys
	if !c.atOnce() {
		first -= lastOf(l.Keys)
	}
	if c.Cores > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Cores))
	}
	all, err := p.fill(first)
	if err == nil && first < l.Keys {
		var rest measure.Lap
		rest, err = p.fill(l.Keys)
		all.Add(rest)
		l.Times[last] = int(rest.Time)
	}
	if err != nil && all.Found > 0 && all.Found < l.Keys {
		l.Refused, l.Times[last] = all.Found, 0
		return nil
	}
	l.Times[add] = int(all.Time)
	return err
}

// lookups times lookups. The first ones bring the filter into the caches and are not counted.
func (l *Lap) lookups(p *player) error {
	l.Probes = probeCount(l.Keys)
	if s, err := p.find(50, l.Probes, l.Keys, 1); l.lost(s, err) != nil {
		return l.lost(s, err)
	}
	one := func(verb, share int, find finding) error {
		s, err := find(share, l.Probes, l.Keys, 0)
		l.Times[verb] = int(s.Time)
		return l.lost(s, err)
	}
	for i, share := range shares {
		if err := one(find+i, share, p.find); err != nil {
			return err
		}
	}
	if p.batch == nil {
		return nil
	}
	return cmp.Or(one(batch, 0, p.batch), one(batch+1, 100, p.batch))
}

// lost is the error of lookups that deny keys: none if the filter lost some before, which it will be charged with.
func (l *Lap) lost(s measure.Lap, err error) error {
	switch {
	case l.Lost > 0 && errors.Is(err, measure.ErrLost):
		return nil
	case l.Lost == 0 && err == nil && s.Found < s.Hits:
		return fmt.Errorf("%w: %d of %d", measure.ErrLost, s.Hits-s.Found, s.Hits)
	}
	return err
}

// deletes times deletes of a quarter of the keys, and of another quarter in batches, and counts which of the others are
// lost by them.
func (l *Lap) deletes(p *player) error {
	if p.remove == nil {
		return nil
	}
	n := min(l.Keys/4, 1<<20)
	l.Deletes = n
	gone, removed := 0, 0
	for i, run := range []func(from, to int) (measure.Lap, error){p.remove, p.removeBatch} {
		if run == nil {
			continue
		}
		s, err := run(gone, gone+n)
		if err != nil && !errors.Is(err, measure.ErrLost) {
			return err
		}
		l.Times[remove+i] = int(s.Time)
		gone, removed = gone+n, removed+s.Found
	}
	left, err := p.ask(gone, gone+n)
	// What the fill lost already is not found here either.
	l.Lost += max(0, n-left.Found, gone-removed)
	return err
}
