package catalogue

import (
	"context"
	"fmt"
	"runtime"

	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// A life is one filter on its way from empty to full and, if it deletes, back, and what Table 3 and figures 5 to 8
// count on that way: filling it anew for each of them would take most of the time.
type life struct {
	*Sweep
	kind   Kind
	size   LifeSize
	counts map[string][]int // by experiment, of those that are wanted
	fig5   *searcher
	fig6   *searcher
	warmer *searcher
}

// The numbers of the searchers.
const (
	fig5Searcher = iota + 1
	fig6Searcher
	warmSearcher
	table3Searcher
)

// lifeNS is roughly how many nanoseconds a key takes in one life, the making of keys included: to insert it, to look it up on the
// way and in the full filter, to look it up again with all others on two cores, and to delete it. Measured once on
// a 2.5 GHz Xeon with tables of 2^27 slots; cached is what share of it a key takes in tables of 2^21 slots, once on an AMD EPYC.
// Used for estimates only.
type lifeNS struct{ insert, Lookup, Full, Recall, Remove, cached float64 }

// Costs are those of a kind.
func (k Kind) Costs() lifeNS { return k.ns }

// bytes is the size of a kind's table, of a filter of one's own roughly.
func (k Kind) bytes(q int) int64 {
	if k.Own != nil {
		return max(TableBytes(q), int64(k.Own.keys)*int64(k.Own.bits)/8)
	}
	return TableBytes(q)
}

// cached tells whether the tables are about as large as a second-level cache.
func (z LifeSize) cached() bool { return z.Q <= 21 }

// workers is on how many goroutines keys are looked up untimed: on all processors, for on one it would take minutes. Of a
// small table the caches of the others would then hold most, and what is deleted next would first have to be taken from
// them: deletes of the first step were a sixth slower.
func (z LifeSize) workers() int {
	if z.cached() {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// Seconds is what so many keys of so many nanoseconds, of [Kind.Costs], cost a filter of this size.
func (z LifeSize) Seconds(k Kind, keys int, ns float64) float64 {
	if z.cached() {
		ns *= k.ns.cached
	}
	return float64(keys) * ns / 1e9
}

// Lives returns the jobs of one of the experiments: the rows of each kind, those of one's own included, and what they cost besides the
// filling. A kind without rows has no job.
func Lives(s lab.Setup, kinds []Kind, of func(z LifeSize, k Kind) (rows [][]lab.Value, cost float64)) ([]lab.Job, error) {
	z := LifeSizes[s.Profile]
	kinds, err := WithOwn(s, kinds)
	if err != nil {
		return nil, err
	}
	var jobs []lab.Job
	for _, k := range kinds {
		rows, cost := of(z, k)
		if len(rows) == 0 {
			continue
		}
		jobs = append(jobs, lab.Job{
			Series: k.Name,
			Params: rows[0],
			Steps:  rows[1:],
			Trials: z.rounds,
			Bytes:  k.bytes(z.Q),
			Cost:   cost,
			Joint: &lab.Joint{
				Name: fmt.Sprintf("life/%s/slots=%d", k.Name, 1<<z.Q),
				Cost: z.Seconds(k, 1<<z.Q, k.ns.insert),
				Run: func(ctx context.Context, seed uint64, experiments []string) ([][]int, error) {
					return z.Live(ctx, k, seed, experiments)
				},
			},
		})
	}
	return jobs, nil
}

// Live is one life, and returns the counts of each experiment.
func (z LifeSize) Live(ctx context.Context, k Kind, seed uint64, experiments []string) ([][]int, error) {
	w, err := k.sweep(z.Q, seed)
	if err != nil {
		return nil, err
	}
	l := &life{
		Sweep: w, kind: k, size: z, counts: map[string][]int{},
		fig5: w.searcher(fig5Searcher), fig6: w.searcher(fig6Searcher), warmer: w.searcher(warmSearcher),
	}
	for _, name := range experiments {
		l.counts[name] = nil
	}
	if err := l.run(ctx); err != nil {
		return nil, fmt.Errorf("%s of 2^%d slots, %d keys: %w", k.Name, z.Q, w.stored, err)
	}
	var out [][]int
	for _, name := range experiments {
		out = append(out, l.counts[name])
	}
	return out, nil
}

// when calls count for an experiment that is wanted, and keeps what it counts.
func (l *life) when(ctx context.Context, experiment string, count func(context.Context) ([]int, error)) error {
	if _, wanted := l.counts[experiment]; !wanted {
		return nil
	}
	more, err := count(ctx)
	l.counts[experiment] = append(l.counts[experiment], more...)
	return err
}

// run fills the filter step by step to the end, whoever wants it: what is timed must not depend on what else is.
func (l *life) run(ctx context.Context) error {
	if err := l.warmer.warm(ctx, l.size.Lookups, 0); err != nil {
		return err
	}
	stops := l.kind.Stops()
	for i, to := range l.kind.Windows() {
		if err := l.window(ctx, stops[i], to); err != nil {
			return err
		}
		if l.stored == l.kind.Items(l.size.Q) {
			if err := l.atFull(ctx); err != nil {
				return err
			}
		}
	}
	if l.kind.Items(l.size.Q) == 0 {
		return l.refused(ctx)
	}
	if l.kind.Own != nil && l.full {
		return l.atFull(ctx)
	}
	return nil
}

// window fills a step, and stops on the way if the stop is in it.
func (l *life) window(ctx context.Context, stop, to int) error {
	stored, spent := l.stored, l.spent
	if stop < to {
		if err := l.fillPermille(ctx, stop); err != nil {
			return err
		}
		if err := l.when(ctx, "fig6", l.byOccupancy); err != nil {
			return err
		}
	}
	if err := l.fillPermille(ctx, to); err != nil {
		return err
	}
	return l.when(ctx, "fig7", func(context.Context) ([]int, error) {
		return []int{l.room, l.stored, l.stored - stored, int(l.spent - spent)}, nil
	})
}

// refused goes on, if need be, until a key is refused: the last step of a small filter may end before.
func (l *life) refused(ctx context.Context) error {
	if err := l.fill(ctx, l.room); err != nil {
		return err
	}
	if err := l.when(ctx, "fig6", l.byOccupancy); err != nil {
		return err
	}
	return l.atFull(ctx)
}

// atFull measures the filter that has the paper's number of items, or refuses more. It then ends, but for the quotient
// filter, which goes on from here.
func (l *life) atFull(ctx context.Context) error {
	if err := l.when(ctx, "fig5", l.byShare); err != nil {
		return err
	}
	if err := l.when(ctx, "table3", l.spaceAndRate); err != nil {
		return err
	}
	return l.when(ctx, "fig8", l.emptied)
}

// spaceAndRate looks all keys up again, and keys that are absent. That is untimed.
func (l *life) spaceAndRate(ctx context.Context) ([]int, error) {
	absent := measure.Stream{Next: l.seed + l.searcher(table3Searcher).absent*measure.SplitMixStep}
	workers := l.size.workers()
	if l.own {
		workers = 1 // an Instance need not be safe for concurrent use
	}
	counts, err := l.recall(ctx, measure.Stream{Next: l.seed}, l.stored, absent, l.size.Probes, workers)
	return append(append([]int{l.stored, l.verbs.SizeBytes()}, counts...), int(l.spent)), err
}

// TableBytes is the size of every filter.
func TableBytes(q int) int64 { return SlotBits * (int64(1) << q) / 8 }

// ShareSteps are the fractions of positive queries, in quarters: 0 to 4. A parameter that is 0 does not
// apply, so that they are counted from 1.
const ShareSteps = 5

// ShareOf is the fraction of a step.
func ShareOf(step int) float64 { return lab.Quotient(step-1, ShareSteps-1) }

// ShareRows are the parameters of the rows of a trial, for tables of so many slots.
func ShareRows(slots int) [][]lab.Value {
	var rows [][]lab.Value
	for _, form := range LookupForms {
		for step := 1; step <= ShareSteps; step++ {
			rows = append(rows, []lab.Value{lab.Int(slots), FormValue(form), lab.Int(step)})
		}
	}
	return rows
}

// FormValue is a form of lookups as a parameter: the size of a batch, or none of lookups one by one.
func FormValue(form int) lab.Value {
	if form == 0 {
		return lab.None
	}
	return lab.Int(form)
}

// byShare times a row of lookups after the other. They are few against the fill, so that a lap may be longer than in
// figure 6.
func (l *life) byShare(ctx context.Context) ([]int, error) {
	if err := l.fig5.warm(ctx, l.size.Lookups, 0); err != nil {
		return nil, err
	}
	var counts []int
	for _, row := range ShareRows(1 << l.size.Q) {
		lap, err := l.fig5.look(ctx, 4*l.size.Lookups, ShareOf(row[2].Int()), row[1].Int())
		if err != nil {
			return nil, err
		}
		counts = append(counts, l.stored, lap.lookups, lap.positives, lap.found, int(lap.took))
	}
	return counts, nil
}

// Stops are the middles of the steps, in thousandths; the last one of a filter that is filled until it refuses a
// key is wherever that happens.
func (k Kind) Stops() []int {
	var out []int
	for _, to := range k.Windows() {
		out = append(out, to-OccupancyStep/2)
	}
	if k.Items(1) == 0 {
		out[len(out)-1] = 1000
	}
	return out
}

// byOccupancy times lookups at a stop. A filter of one's own may be full before it: then there is nothing to time.
func (l *life) byOccupancy(ctx context.Context) ([]int, error) {
	var counts []int
	for _, form := range LookupForms {
		if l.own && l.full {
			counts = append(counts, l.room, l.stored, 0, 0, 0, 0, 0)
			continue
		}
		if err := l.warmer.warm(ctx, min(chunk, l.size.Lookups), form); err != nil {
			return nil, err
		}
		absent, err := l.fig6.look(ctx, l.size.Lookups, 0, form)
		if err != nil {
			return nil, err
		}
		stored, err := l.fig6.look(ctx, l.size.Lookups, 1, form)
		if err != nil {
			return nil, err
		}
		counts = append(counts, l.room, l.stored, l.size.Lookups, absent.found, stored.found, int(absent.took), int(stored.took))
	}
	return counts, nil
}

// DownFrom are the occupancies at which the steps of deleting begin, in thousandths, from the top: none of a filter that cannot delete.
func (k Kind) DownFrom(q int) []int {
	if k.keeps {
		return nil
	}
	top := k.fullest
	if items := k.Items(q); items > 0 && k.Own == nil {
		permille := (1000*items + 1<<q - 1) >> q
		top = (permille + OccupancyStep - 1) / OccupancyStep * OccupancyStep
	}
	var out []int
	for from := top; from > 0; from -= OccupancyStep {
		out = append(out, from)
	}
	return out
}

// emptied deletes all that is in the filter, or in a copy of it if the filter goes on.
func (l *life) emptied(ctx context.Context) ([]int, error) {
	w := *l.Sweep
	if l.clone != nil {
		w.Loops = l.clone()
	}
	order := newShuffle(uint64(w.stored))
	var counts []int
	for _, from := range l.kind.DownFrom(l.size.Q) {
		before := w.stored
		down := int(int64(w.room) * int64(from-OccupancyStep) / 1000)
		found, took, err := w.deleteTo(ctx, order, down)
		if err != nil {
			return nil, err
		}
		counts = append(counts, w.room, before, before-w.stored, found, int(took))
	}
	// A counter of 2 bits that four keys of one fingerprint have saturated is never counted down.
	if w.used != nil && l.kind.Name != "dl-CBF" {
		if left := w.used(); left > 0 {
			return nil, fmt.Errorf("%.3g of the slots are in use when every key is deleted", left)
		}
	}
	return counts, nil
}

// WithBreadthFirst are the filters: the paper's, and one more.
func WithBreadthFirst() []Kind { return append(Table3(), breadthFirstKind()) }
