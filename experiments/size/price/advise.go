package price

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/size"
)

// MaxMeasured is the largest number of keys that filters are measured with. Beyond it the times are
// those at MaxMeasured.
const MaxMeasured = 10_000_000

// Options say what to advise on.
type Options struct {
	// Keys is the number of distinct keys, at least 1. With a Set it is the Set's.
	Keys int
	// Set holds keys to measure with; nil for random integers.
	Set *files.KeySet
	// FPR holds every filter to a rate, Bits to a number of bits per item. Where both are 0, each
	// family takes the rung that is best for it. Both set are [ErrOptions].
	FPR, Bits float64
	// Work is what the lookups are like.
	Work Workload
	// Layouts takes cuckoo filters of these layouts into the choice.
	Layouts []cuckoo.Layout
	// Seed decides random keys and the order of lookups.
	Seed uint64
	// Say is told what is done next, if it is not nil.
	Say func(what string)

	quick bool // measure hardly at all, for tests
}

// resolve fills in what follows from other fields and checks the rest.
func (o *Options) resolve() error {
	if o.Set != nil {
		o.Keys = len(o.Set.Keys)
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	switch {
	case o.Keys < 1:
		return fmt.Errorf("price: %w: %d keys, want at least 1", ErrOptions, o.Keys)
	case o.FPR != 0 && o.Bits != 0:
		return fmt.Errorf("price: %w: a rate of %v and %v bits per item are both given, want one of them", ErrOptions, o.FPR, o.Bits)
	}
	return o.Work.Validate()
}

// An Advice is the filters for a workload, the cheapest to ask first.
type Advice struct {
	// Keys is the number of keys that the filter is for, Measured that with which it was measured.
	Keys     int `json:"keys"`
	Measured int `json:"measured_keys"`
	// Source says which keys these were.
	Source string `json:"source"`
	// HashNs is the part of every lookup that is hashing the key.
	HashNs float64 `json:"hash_ns"`
	// Work is the workload.
	Work Workload `json:"workload"`
	// FPR and Bits are what filters were held to, 0 if they were not.
	FPR  float64 `json:"fpr,omitempty"`
	Bits float64 `json:"bits,omitempty"`
	// Rows are the filters by price, the best one first. There is at least one.
	Rows []Row `json:"rows"`
	// Winners says which kind wins at which cost of a miss, having no filter included.
	Winners []Stretch `json:"winners"`
	// Reasons say why the first one wins and when it would not.
	Reasons []string `json:"reasons"`
	// Code is Go source that makes the first one.
	Code string `json:"code"`

	ladder []Cost // of all families, empty where filters were held to a rate or a size
}

// A Row is one filter and its price.
type Row struct {
	Cost
	// Lookup and Wasted are the two parts of Price, in nanoseconds.
	Lookup float64 `json:"lookup_ns"`
	Wasted float64 `json:"wasted_ns"`
	Price  float64 `json:"price_ns"`
	// Upkeep is the time of an insert and the deletes that go with it.
	Upkeep float64 `json:"upkeep_ns"`
}

// scouting and final are how often the ladder and the filters chosen from it are timed.
var (
	scouting = Effort{Rounds: 5, Builds: 1}
	final    = Effort{Rounds: 9, Builds: 3, Rates: true}
)

// Advise measures the filters that will do and ranks them by price. For a million keys it takes about
// 5 seconds and 150 MB, in proportion for more. The error is [ErrOptions], size.ErrSpec or that of ctx.
func Advise(ctx context.Context, o Options) (*Advice, error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	a := &Advice{Keys: o.Keys, Measured: min(o.Keys, MaxMeasured), Work: o.Work, FPR: o.FPR, Bits: o.Bits}
	var subject *Subject
	if o.Set != nil && a.Measured == o.Keys {
		subject, a.Source = Strings(o.Set, o.Seed), o.Set.String()
	} else {
		subject, a.Source = Integers(a.Measured, o.Seed), fmt.Sprintf("%d random 64-bit integers", a.Measured)
	}
	if o.quick {
		subject.contest.Lookups = timedQuick
	}
	e := final
	e.Deletes = o.Work.deletes()
	ladder, finals, err := a.contenders(ctx, o, subject)
	if err != nil {
		return nil, err
	}
	o.Say(fmt.Sprintf("measuring %d filters of %d keys", len(finals), a.Measured))
	if finals, err = subject.Measure(ctx, finals, e); err != nil {
		return nil, err
	}
	if len(finals) == 0 {
		return nil, fmt.Errorf("price: %w: no filter took the %d keys", ErrOptions, a.Measured)
	}
	if o.Set != nil && a.Measured == o.Keys {
		a.HashNs = subject.contest.HashTimes.Interval().Median
	}
	a.judge(ladder, finals)
	return a, nil
}

// contenders returns the filters to measure: those of the rate or the bits that were asked for, or
// the best rung of each ladder, and then the ladders too.
func (a *Advice) contenders(ctx context.Context, o Options, s *Subject) (ladder, finals []Cost, err error) {
	if o.FPR != 0 || o.Bits != 0 {
		plans, err := size.AllPlans(nest.Spec{Capacity: a.Measured, FalsePositiveRate: o.FPR, BitsPerItem: o.Bits, MustDelete: o.Work.deletes()}, o.Layouts...)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range plans {
			c := Cost{Family: p.Kind, Plan: p, Rate: p.FPR}
			if p.Spec.Kind == nest.Cuckoo {
				c.Family = p.String()
			}
			finals = append(finals, c)
		}
		return nil, finals, nil
	}
	if ladder, err = s.scout(ctx, families(o.Work, true, o.Layouts...), scouting, o.Say); err != nil {
		return nil, nil, err
	}
	if finals = o.Work.Best(ladder); len(finals) == 0 {
		return nil, nil, fmt.Errorf("price: %w: no filter holds %d keys in %d bits each", ErrOptions, a.Measured, MaxBits)
	}
	return ladder, finals, nil
}

// scout measures the ladders of the families, as many rungs as it takes, and interpolates the others.
func (s *Subject) scout(ctx context.Context, fs []size.Form, e Effort, say func(string)) ([]Cost, error) {
	var all, few []Cost
	for _, f := range fs {
		rungs := rungsOf(f, s.contest.Keys)
		for i, c := range rungs {
			if measured(i, len(rungs)) {
				few = append(few, c)
			}
		}
		all = append(all, rungs...)
	}
	say(fmt.Sprintf("trying %d filters of %d keys", len(few), s.contest.Keys))
	few, err := s.Measure(ctx, few, e)
	if err != nil {
		return nil, err
	}
	return fill(all, few), nil
}

// rung returns where the costs have the rung of c, or -1.
func (c Cost) rung(costs []Cost) int {
	return slices.IndexFunc(costs, func(o Cost) bool { return o.Family == c.Family && o.Rung == c.Rung })
}

// fill gives all rungs the times of the few that were measured, or times between them, linearly in the bits per item. What
// neither was measured nor lies between two that were is left out.
func fill(all, few []Cost) (out []Cost) {
	var gap []Cost // the rungs above the last one of out, which were not measured
	for _, c := range all {
		at, last := c.rung(few), len(out)-1
		if last < 0 || out[last].Family != c.Family {
			gap = nil
		}
		if at < 0 {
			gap = append(gap, c)
			continue
		}
		for _, g := range gap {
			below, above := out[last].Plan.BitsPerItem, few[at].Plan.BitsPerItem
			g.Interpolated = true
			g.between(&out[last], &few[at], min(max((g.Plan.BitsPerItem-below)/(above-below), 0), 1))
			out = append(out, g)
		}
		gap, out = nil, append(out, few[at])
	}
	return out
}

// judge ranks the measured finals and says why. It is a function of the costs alone.
func (a *Advice) judge(ladder, finals []Cost) {
	finals = slices.Clone(finals)
	w := a.Work
	w.rank(finals)
	if ladder == nil {
		ladder = finals
	} else {
		ladder = calibrate(ladder, finals)
		a.ladder = ladder
	}
	a.Winners = w.Winners(ladder)
	for _, c := range finals {
		c.Plan = a.plan(c)
		a.Rows = append(a.Rows, Row{c, w.Lookup(c), w.Wasted(c), w.Price(c), w.Upkeep(c)})
	}
	a.Reasons = a.reasons()
	a.Code = size.Code(a.Rows[0].Plan, size.Spec{Keys: a.Keys, FPR: a.FPR, Delete: w.deletes()})
}

// plan returns the plan of a measured filter for all the keys, where it was measured with fewer.
func (a *Advice) plan(c Cost) size.Plan {
	if a.Keys == a.Measured {
		return c.Plan
	}
	s := c.Plan.Spec
	bits := a.Bits
	if c.Rung != 0 {
		bits = float64(c.Rung)
	}
	plans, err := size.Plans(nest.Spec{Kind: s.Kind, Capacity: a.Keys, FalsePositiveRate: a.FPR, BitsPerItem: bits, BucketSize: s.BucketSize, Layout: s.Layout, Placement: s.Placement})
	if err != nil {
		return c.Plan
	}
	return plans[0]
}

// calibrate returns the ladders with the times of each shifted by as much as its rung among the finals
// took more than when it was scouted, so that both tell one story.
func calibrate(ladder, finals []Cost) []Cost {
	out := slices.Clone(ladder)
	for _, f := range finals {
		at := f.rung(ladder)
		if at < 0 {
			continue
		}
		scouted := ladder[at]
		for i := range out {
			if out[i].Family == f.Family {
				out[i].shift(f, scouted)
			}
		}
		out[at].Rate = f.Rate
	}
	return out
}

// stretch returns the stretch of the winners in which a cost of a miss lies, the later one on a border.
func stretch(winners []Stretch, missCost float64) (at int) {
	for i, s := range winners {
		if s.From <= missCost {
			at = i
		}
	}
	return at
}

// MarshalJSON writes the stretch with null for no upper bound.
func (s Stretch) MarshalJSON() ([]byte, error) {
	to := "null"
	if !math.IsInf(s.To, 1) {
		to = fmt.Sprintf("%g", s.To)
	}
	return fmt.Appendf(nil, `{"kind":%q,"from_ns":%g,"to_ns":%s}`, s.Kind, s.From, to), nil
}
