package rivals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/versus/native"
)

// MinSlots and MaxSlots bound the size of a table.
const (
	MinSlots = 1 << 10
	MaxSlots = 1 << 28
)

// DefaultRounds are those of a run that names none.
const DefaultRounds = 5

// Options say what to run.
type Options struct {
	_ struct{}

	Laps       string             // the journal of laps, "" for none: what it holds of such programs is not measured again
	Contenders []Contender        // nil is all of them
	Sizes      []int              // numbers of slots, powers of two
	Rounds     int                // how often everything is timed
	Seed       uint64             // chooses the keys
	Progress   func(lab.Progress) // called after every turn; nil for nobody

	build string // how the programs were compiled; "" is as they were
}

// Check fills in the defaults, and says what is wrong.
func (o *Options) Check() error {
	if o.Contenders == nil {
		o.Contenders = Contenders()
	}
	o.Rounds, o.Seed = cmp.Or(o.Rounds, DefaultRounds), cmp.Or(o.Seed, 1)
	if o.Rounds < 1 || o.Rounds > 1000 {
		return fmt.Errorf("rivals: %d rounds: want 1 to 1000", o.Rounds)
	}
	for _, n := range o.Sizes {
		if n < MinSlots || n > MaxSlots || n&(n-1) != 0 {
			return fmt.Errorf("rivals: %d slots: want a power of two from 2^10 to 2^28", n)
		}
	}
	return nil
}

// Run takes every turn that the journal of laps lacks, and returns the league with what is kept. The error is
// that of the options, of ctx, of a filter that cannot be made, or of the journal: it wraps [lab.ErrOther] if that is
// of another run.
func Run(ctx context.Context, o Options) (r *Result, err error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	r = new(Result)
	var twin *native.Twin
	if slices.ContainsFunc(o.Contenders, func(c Contender) bool { return c.Group == Native }) {
		twin, err = native.Start(ctx)
	}
	if errors.Is(err, native.ErrNoCompiler) {
		r.Note = "The native twin did not take part: " + native.ErrNoCompiler.Error() + "."
	} else if err != nil {
		return nil, err
	}
	if twin != nil {
		defer func() { err = errors.Join(err, twin.Close()) }()
	}
	r.Source = o.source(twin)
	o.build = cmp.Or(o.build, strings.Trim(r.Source.Settings["level"]+"; "+r.Source.Settings["compiler"], "; "))
	to := lab.Options{Seed: o.Seed, Report: o.Progress}
	if o.Laps != "" {
		if to.Store, err = lab.OpenJournal(o.Laps, to); err != nil {
			return nil, err
		}
	}
	findings, err := lab.Registry{Experiments: []*lab.Experiment{o.experiment(twin)}}.Run(ctx, to)
	if to.Store != nil {
		if err = errors.Join(err, to.Store.Close()); err == nil {
			var raw *lab.Raw
			if raw, err = lab.ReadRaw(o.Laps); err == nil {
				r.Source.Start = raw.Manifest.Start
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return r, r.fill(findings[0].Data.Table(), o.Contenders)
}

// checkedLater is how many keys are looked up again in rounds behind the first one, in which all are.
const checkedLater = 1 << 20

// journal is the name of the table of laps in the folder of a run.
const journal = "league"

// experiment declares the league: a cell for each size and filter, a trial for each round. All cells have the keys of
// their round.
func (o *Options) experiment(twin *native.Twin) *lab.Experiment {
	contender := func(c lab.Cell) *Contender { return c.Of("filter").(*Contender) }
	filters := lab.ListOf(o.Contenders, func(c Contender) lab.Value { return lab.Named(c.Name, &c) })
	var times []string
	for _, t := range timed {
		times = append(times, t.column)
	}
	columns := counted + " " + strings.Join(times, " ")
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
			Counts: columns, Timed: strings.Join(times, " "),
			Key:   func(lab.Cell) string { return journal },
			Needs: func(c lab.Cell) (float64, int64) { return 1e6 + 20*c.Float("slots"), 0 },
			Run: func(ctx context.Context, c lab.Cell, seed uint64) (counts []int, err error) {
				l := lap{"keys": KeysOf(c.Int("slots"))}
				if l["checked"] = l["keys"]; seed != lab.TrialSeed(o.Seed, journal, 0) {
					l["checked"] = min(l["keys"], checkedLater)
				}
				err = l.turn(ctx, contender(c), twin, c.Int("slots"), seed)
				for name := range strings.FieldsSeq(columns) {
					counts = append(counts, l[name])
				}
				return counts, err
			},
		},
	}
}

// turn makes a filter and measures it.
func (l lap) turn(ctx context.Context, c *Contender, twin *native.Twin, slots int, seed uint64) error {
	p, err := c.player(ctx, twin, slots, seed)
	if err != nil {
		return err
	}
	if err := l.fill(c, p); err != nil || l["refused"] > 0 {
		return cmp.Or(context.Cause(ctx), err)
	}
	l["bytes"] = p.bytes()
	held, err := p.ask(0, l["checked"])
	if err != nil {
		return err
	}
	l["lost"], l["asked"] = l["checked"]-held.Found, 1<<20
	absent, err := p.ask(1<<40, 1<<40+l["asked"]) // away from the keys and the probes
	l["false"] = absent.Found
	if err != nil {
		return err
	}
	return cmp.Or(l.lookups(p), l.deletes(p))
}

// fill inserts the keys, the last ones apart.
func (l lap) fill(c *Contender, p *player) error {
	keys := l["keys"]
	first := keys
	if !c.Static {
		first -= lastOf(keys)
	}
	all, err := p.fill(first)
	var rest measure.Lap
	if err == nil && first < keys {
		rest, err = p.fill(keys)
		all.Add(rest)
	}
	if err != nil && all.Found > 0 && all.Found < keys {
		l["refused"] = all.Found
		return nil
	}
	l.took(add, all)
	l.took(last, rest)
	return err
}

// lookups times lookups, each time by other probes. The first ones bring the filter into the caches and are not
// counted.
func (l lap) lookups(p *player) error {
	l["probes"] = probeCount(l["keys"])
	round := 0
	one := func(verb, share int, find finding) error {
		if find == nil {
			return nil
		}
		s, err := find(share, l["probes"], l["keys"], round)
		round++
		l[timed[verb].column] += int(s.Time)
		if errors.Is(err, measure.ErrLost) || err == nil && s.Found < s.Hits {
			l["lost"] = max(1, l["lost"]) // the check may not have seen them
			return nil
		}
		return err
	}
	err := one(again, 50, p.find)
	for i, share := range shares {
		err = cmp.Or(err, one(find+i, share, p.find))
	}
	err = cmp.Or(err, one(batch, 0, p.batch), one(batch+1, 100, p.batch))
	l[timed[again].column] = 0
	for _, share := range shares {
		err = cmp.Or(err, one(again, share, p.find))
	}
	return err
}

// deletes times deletes of a quarter of the keys, and of another quarter in batches, and counts which of the others are
// lost by them.
func (l lap) deletes(p *player) error {
	if p.remove == nil {
		return nil
	}
	n := min(l["keys"]/4, 1<<18)
	l["deletes"] = n
	gone, removed := 0, 0
	for i, run := range []span{p.remove, p.removeBatch} {
		if run == nil {
			continue
		}
		s, err := run(gone, gone+n)
		if err != nil && !errors.Is(err, measure.ErrLost) {
			return err
		}
		l.took(remove+i, s)
		gone, removed = gone+n, removed+s.Found
	}
	left, err := p.ask(gone, gone+n)
	// What the fill lost already is not found here either.
	l["lost"] += max(0, n-left.Found, gone-removed)
	return err
}
