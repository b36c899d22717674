package catalogue

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/hashing"
)

// LifeSize is what a profile measures in Table 3 and in figures 5 to 8.
type LifeSize struct {
	Q       int // tables of 2^q slots of 12 bits
	rounds  int
	Lookups int // of one lap
	Probes  int // absent keys, for the false-positive rate
}

// LifeSizes are those of the profiles. Quick tables take 3 MiB; the interval of nine rounds leaves out the one that was
// disturbed most on either side. Six are the fewest that have an interval; the paper's tables get three times as many,
// of a hundred minutes in all, so that what drifts from hour to hour is in their intervals.
var LifeSizes = map[lab.Profile]LifeSize{
	lab.Tiny: {11, 2, 1 << 8, 1 << 14}, lab.Quick: {21, 9, 1 << 15, 1 << 19},
	lab.Paper: {PaperSlots, 18, 1 << 18, 10_000_000},
}

// room is what occupancy is a share of.
func (e Entry) room(q int) int {
	if !e.Slots {
		return e.Items(q)
	}
	return 1 << q
}

// OccupancyStep is the width of a step of occupancy, in thousandths: the paper's.
const OccupancyStep = 50

// Windows are the upper ends of the steps, in thousandths.
func (e Entry) Windows() (out []int) {
	for to := OccupancyStep; to <= e.fullest; to += OccupancyStep {
		out = append(out, to)
	}
	return out
}

// Stops are the middles of the steps, in thousandths; the last one of a filter that is filled until it refuses a
// key is wherever that happens.
func (e Entry) Stops() []int {
	out := e.Windows()
	for i := range out {
		out[i] -= OccupancyStep / 2
	}
	if e.UntilFull() {
		out[len(out)-1] = 1000
	}
	return out
}

// DownFrom are the occupancies at which the steps of deleting begin, in thousandths, from the top: none of a filter
// that cannot delete.
func (e Entry) DownFrom(q int) (out []int) {
	top := e.fullest
	if items := e.Items(q); items > 0 && e.Own == nil {
		top = ((1000*items-1)>>q + OccupancyStep) / OccupancyStep * OccupancyStep
	}
	for from := top; from > 0 && !e.keeps; from -= OccupancyStep {
		out = append(out, from)
	}
	return out
}

// Filters are entries, and the filters of one's own behind them, as values of the axis filter.
func Filters(entries []Entry) lab.Values {
	return func(c lab.Cell) []lab.Value {
		own, err := ownKinds(c.Setup)
		if err != nil {
			panic(err)
		}
		mine := lab.OwnFilters(c)
		for i := range mine {
			mine[i].Of = own[i]
		}
		return append(lab.ListOf(entries, func(e Entry) lab.Value { return lab.Named(e.Name, e) })(c), mine...)
	}
}

// Lives is a cell for each of the entries and of the filters of one's own.
func Lives(entries []Entry) lab.Grid {
	return lab.Grid{{
		Series: "{filter}", Trials: func(c lab.Cell) int { return LifeSizes[c.Setup.Profile].rounds },
		Axes: []lab.Axis{
			lab.Over("filter", Filters(entries)),
			lab.Over("slots", lab.From(func(c lab.Cell) lab.Value { return lab.Int(1 << LifeSizes[c.Setup.Profile].Q) })),
		},
	}}
}

// Life is what one of the experiments counts in a life, a row for each of the steps; keys is how many that takes
// besides the filling.
func Life(counts, timed string, keys func(z LifeSize, e Entry) int, steps ...lab.Axis) lab.Trial {
	of := func(c lab.Cell) (LifeSize, Entry) { return LifeSizes[c.Setup.Profile], c.Of("filter").(Entry) }
	return lab.Trial{
		Counts: counts, Timed: timed, Steps: steps,
		Needs: func(c lab.Cell) (float64, int64) {
			z, e := of(c)
			return float64(keys(z, e)), e.bytes(z.Q) + TableBytes(z.Q) // that of [chased]
		},
		Shared: func(c lab.Cell) float64 {
			z, _ := of(c)
			return float64(uint64(1) << z.Q)
		},
		Key: func(c lab.Cell) string { return c.Fill("life/{filter}/slots={slots}") },
		Many: func(ctx context.Context, c lab.Cell, seed uint64, experiments []string) (map[string][]int, error) {
			z, e := of(c)
			return z.Live(ctx, e, seed, experiments)
		},
	}
}

// Steps are the steps of a life as values of an axis.
func Steps(of func(c lab.Cell, e Entry) []int) lab.Values {
	return func(c lab.Cell) []lab.Value { return lab.IntValues(of(c, c.Of("filter").(Entry))...) }
}

const (
	// chunk is how many keys are made at a time, and timed how many of a life are timed at a time: to read the clock takes
	// a hundredth of the time of the fastest.
	chunk, timed = 1 << 16, 1 << 12
	// moreLookups are those after which no more are made for a lap that was disturbed.
	moreLookups = 1 << 18
	// disturbed is how uneven a lap of lookups is that was.
	disturbed = 1.1
)

// open begins a turn of a filter of 2^q slots. Key i is that of the i-th place in the stream of the seed.
func (e Entry) open(ctx context.Context, q int, seed uint64) (*measure.Turn, error) {
	f, err := e.Open(Size{Slots: 1 << q, Seed: seed})
	if err != nil {
		return nil, err
	}
	t := measure.NewTurn(ctx, f, func(place uint64) uint64 { return hashing.Mix64(seed + place*measure.SplitMixStep) })
	t.Chunk, t.Wakes, t.Alone = timed, true, e.Own == nil
	return t, nil
}

// A searcher draws the keys of lookups. Each experiment has its own: what it draws does not depend on what else is
// measured.
type searcher struct {
	draw   *rand.Rand
	absent uint64 // the place of the next key that is not stored
}

// The numbers of the searchers.
const (
	fig5Searcher = iota + 1
	fig6Searcher
	warmSearcher
	table3Searcher
)

// absentFrom is how many places of the stream a searcher has for its absent keys; none of them holds a key that is
// stored, for no table holds so many.
const absentFrom = 1 << 40

func newSearcher(seed, number uint64) *searcher {
	return &searcher{rand.New(rand.NewPCG(seed, number)), number * absentFrom}
}

// ErrEmpty is the error of a filter that is asked for stored keys and has none.
var ErrEmpty = errors.New("no key is stored, so that none can be looked up")

// look times n lookups of a form, 0 for one by one, a share of which, drawn at random, is of stored keys.
func (s *searcher) look(t *measure.Turn, n int, share float64, form int) (measure.Lap, error) {
	if t.Stored == 0 && share > 0 {
		return measure.Lap{}, ErrEmpty
	}
	return t.Ask(measure.Probes{N: n, Next: func(_ int, keys []uint64) (hits int) {
		for i := range keys {
			if s.draw.Float64() < share {
				keys[i] = t.Key(s.draw.Uint64N(uint64(t.Stored)))
				hits++
			} else {
				keys[i] = t.Key(s.absent)
				s.absent++
			}
		}
		return hits
	}}, form)
}

// A life is one filter on its way from empty to full and, if it deletes, back, and what Table 3 and figures 5 to 8
// count on that way: filling it anew for each of them would take most of the time. After an error nothing is done.
type life struct {
	*measure.Turn
	entry              Entry
	chase              int // see chased
	size               LifeSize
	seed               uint64
	room               int
	counts             map[string][]int // by experiment, of those that are wanted
	fig5, fig6, warmer *searcher
	keys               []uint64 // see warm
	err                error
}

// warm asks for keys that are not there, untimed and at once: where others have had the processor and its caches, that
// brings a table back soonest. By one lookup after the other it takes longer than the system lets a busy machine run.
func (l *life) warm(t *measure.Turn, n int) { t.Batches(measure.Batch)(l.keys[:min(n, len(l.keys))]) }

// kicks are those that a cuckoo filter has made, 0 of others.
func (l *life) kicks() int {
	if f, ok := l.Filter.(interface{ Stats() cuckoo.Stats }); ok {
		return int(f.Stats().Kicks)
	}
	return 0
}

// chases are the circles that reads of memory are timed on, by the slots of the tables that they are as large as.
var chases sync.Map

// chased is the time of one read that waits for the one before, in a table of 2^q slots, in picoseconds.
func chased(q int) int {
	c, known := chases.Load(q)
	if !known {
		c, _ = chases.LoadOrStore(q, lab.NewChase(int(TableBytes(q))))
	}
	const reads = 1 << 16
	c.(lab.Chase).Time(reads) // brings as much of it into the caches as fits
	return int(1000 * c.(lab.Chase).Time(reads) / reads)
}

// Live is one life, and returns the counts of each experiment.
func (z LifeSize) Live(ctx context.Context, e Entry, seed uint64, experiments []string) (map[string][]int, error) {
	t, err := e.open(ctx, z.Q, seed)
	if err != nil {
		return nil, err
	}
	l := &life{
		Turn: t, entry: e, chase: chased(z.Q), size: z, seed: seed, room: e.room(z.Q), counts: map[string][]int{},
		fig5: newSearcher(seed, fig5Searcher), fig6: newSearcher(seed, fig6Searcher),
		warmer: newSearcher(seed, warmSearcher), keys: make([]uint64, min(4*z.Lookups, 1<<17)),
	}
	for i := range l.keys {
		l.keys[i] = hashing.Mix64(uint64(i))
	}
	for _, name := range experiments {
		l.counts[name] = nil
	}
	if l.run(); l.err != nil {
		return nil, fmt.Errorf("%s of 2^%d slots, %d keys: %w", e.Name, z.Q, t.Stored, l.err)
	}
	return l.counts, nil
}

// look is that of a searcher. What a filter of one's own denies is counted, and a verdict says so.
func (l *life) look(s *searcher, n int, share float64, form int) (lap measure.Lap) {
	if l.err != nil {
		return lap
	}
	if lap, l.err = s.look(l.Turn, n, share, form); l.entry.Own != nil && errors.Is(l.err, measure.ErrLost) {
		l.err = nil
	}
	return lap
}

// time is a timed look. While laps are uneven it makes more of them, whose keys are not counted, and the least time
// counts.
func (l *life) time(s *searcher, n int, share float64, form int) measure.Lap {
	lap := l.look(s, n, share, form)
	for now, asked := lap, n; now.Uneven > disturbed && asked < moreLookups && l.err == nil; asked += n {
		l.warm(l.Turn, len(l.keys))
		now = l.look(l.warmer, n, share, form)
		lap.Time = min(lap.Time, now.Time)
	}
	return lap
}

// when calls count for an experiment that is wanted, and keeps what it counts.
func (l *life) when(experiment string, count func() []int) {
	if _, wanted := l.counts[experiment]; wanted && l.err == nil {
		l.counts[experiment] = append(l.counts[experiment], count()...)
	}
}

// to fills to a number of keys, or until one is refused.
func (l *life) to(keys int) {
	if l.err == nil {
		_, err := l.Fill(keys)
		l.err = measure.Unfilled(err)
	}
}

// permille is an occupancy in thousandths as a number of keys.
func (l *life) permille(of int) int { return int(int64(l.room) * int64(of) / 1000) }

// run fills the filter step by step to the end, whoever wants it: what is timed must not depend on what else is.
// Untimed lookups come first: the first keys of a lap would else pay for code and tables that are not in the caches
// yet. Of a quick table they read nearly every line.
func (l *life) run() {
	l.look(l.warmer, 8*l.size.Lookups, 0, 0)
	stops, until := l.entry.Stops(), l.entry.UntilFull()
	for i, to := range l.entry.Windows() {
		l.window(stops[i], to)
		if l.Stored == l.entry.Items(l.size.Q) {
			l.atFull()
		}
	}
	if until { // the last step of a small filter may end before a key is refused
		l.to(l.room)
		l.when("fig6", l.byOccupancy)
	}
	if until || l.entry.Own != nil && l.Refused {
		l.atFull()
	}
}

// window fills a step, and stops on the way if the stop is in it.
func (l *life) window(stop, to int) {
	stored, spent, kicks := l.Stored, l.Spent, l.kicks()
	l.warm(l.Turn, 2*l.size.Lookups)
	if stop < to {
		l.to(l.permille(stop))
		l.when("fig6", l.byOccupancy)
	}
	l.to(l.permille(to))
	l.when("fig7", func() []int {
		return []int{l.room, l.Stored, l.Stored - stored, l.kicks() - kicks, int(l.Spent - spent), l.chase}
	})
}

// atFull measures the filter that has the paper's number of items, or refuses more. It then ends, but for the quotient
// filter, which goes on from here.
func (l *life) atFull() {
	l.when("fig5", l.byShare)
	l.when("table3", l.spaceAndRate)
	l.when("fig8", l.emptied)
}

// spaceAndRate looks all keys up again, and keys that are absent. That is untimed.
func (l *life) spaceAndRate() (counts []int) {
	absent := measure.Stream{Next: l.seed + newSearcher(l.seed, table3Searcher).absent*measure.SplitMixStep}
	counts, l.err = recall(l.Turn, measure.Stream{Next: l.seed}, l.Stored, absent, l.size.Probes)
	return append(append([]int{l.Stored, l.SizeBytes()}, counts...), l.kicks(), int(l.Spent), l.chase)
}

// recall looks n keys that are stored up again, and then keys that are absent, in batches, and returns the last three
// of FillCounts: it denied so many of the former, and found so many of so many others.
func recall(t *measure.Turn, held measure.Stream, n int, absent measure.Stream, probes int) ([]int, error) {
	ask, found := t.Batches(measure.Batch), [2]int{}
	err := held.Each(t.Context(), n, chunk, func(keys []uint64) error { found[0] += ask(keys); return nil })
	if err == nil {
		err = absent.Each(t.Context(), probes, chunk, func(keys []uint64) error { found[1] += ask(keys); return nil })
	}
	return []int{n - found[0], probes, found[1]}, err
}

// LookupForms are the forms of lookups: one by one, as in the paper, and this module's batches.
var LookupForms = []int{0, measure.Batch}

// shareSteps are the fractions of positive queries, in quarters: 0 to 4. A parameter that is 0 does not
// apply, so that they are counted from 1.
const shareSteps = 5

// ShareOf is the fraction of a step.
func ShareOf(step int) float64 { return lab.Quotient(step-1, shareSteps-1) }

// Forms are the forms of lookups as an axis: the size of a batch, or none of lookups one by one. Shares are the steps
// of figure 5.
var (
	Forms  = lab.Over("batch", lab.List(lab.None, lab.Int(measure.Batch)))
	Shares = lab.Over("step", lab.Range(1, shareSteps))
)

// byShare times a row of lookups after the other. They are few against the fill, so that a lap may be longer than in
// figure 6.
func (l *life) byShare() (counts []int) {
	l.look(l.fig5, l.size.Lookups, 0, 0)
	for _, form := range LookupForms {
		for step := 1; step <= shareSteps; step++ {
			lap := l.time(l.fig5, 4*l.size.Lookups, ShareOf(step), form)
			counts = append(counts, l.Stored, lap.Keys, lap.Hits, lap.Found, int(lap.Time))
		}
	}
	return counts
}

// byOccupancy times lookups at a stop. A filter of one's own may be full before it: then there is nothing to time.
func (l *life) byOccupancy() (counts []int) {
	for _, form := range LookupForms {
		if l.entry.Own != nil && l.Refused {
			counts = append(counts, l.room, l.Stored, 0, 0, 0, 0, 0)
			continue
		}
		l.warm(l.Turn, l.size.Lookups)
		absent := l.time(l.fig6, l.size.Lookups, 0, form)
		stored := l.time(l.fig6, l.size.Lookups, 1, form)
		counts = append(counts, l.room, l.Stored, l.size.Lookups, absent.Found, stored.Found,
			int(absent.Time), int(stored.Time))
	}
	return counts
}

// emptied deletes all that is in the filter, or in a copy of it if the filter goes on.
func (l *life) emptied() (counts []int) {
	t := *l.Turn
	if t.Clone != nil {
		t.Loops = t.Clone()
	}
	place, keys := uint64(0), uint64(t.Stored)
	next := func(int) uint64 { // a prime step, which spreads neighbours and visits each key once
		place += 2654435761
		return place % keys
	}
	for _, from := range l.entry.DownFrom(l.size.Q) {
		l.warm(&t, 2*l.size.Lookups)
		before, down := t.Stored, l.permille(from-OccupancyStep)
		lap, err := t.Delete(max(0, t.Stored-down), next)
		if err != nil && !errors.Is(err, measure.ErrLost) {
			l.err = err
		}
		counts = append(counts, l.room, before, before-t.Stored, lap.Found, int(lap.Time))
	}
	return counts
}
