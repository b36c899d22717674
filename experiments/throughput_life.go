package experiments

import (
	"context"
	"fmt"
	"runtime"
)

// A life is one filter on its way from empty to full and, if it deletes, back, and what Table 3 and figures 5 to 8
// count on that way: filling it anew for each of them would take most of the time.
type life struct {
	*sixSweep
	kind   sixKind
	size   throughputSize
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
// a 2.5 GHz Xeon with tables of 2^27 slots; used for estimates only.
type lifeNS struct{ insert, lookup, full, recall, remove float64 }

var lifeCosts = map[string]lifeNS{
	"CF":               {230, 50, 50, 14, 71},
	"ss-CF":            {290, 85, 85, 25, 230},
	"BF":               {130, 115, 115, 70, 0},
	"blk-BF":           {48, 45, 45, 10, 0},
	"QF":               {205, 140, 560, 280, 170},
	"dl-CBF":           {172, 85, 85, 25, 140},
	breadthFirstSeries: {165, 50, 50, 14, 71},
}

// costs are those of a kind. Of a filter of one's own nothing is known: those of the cuckoo filter.
func (k sixKind) costs() lifeNS {
	if k.own != nil {
		return lifeCosts["CF"]
	}
	return lifeCosts[k.name]
}

// bytes is the size of a kind's table, of a filter of one's own roughly.
func (k sixKind) bytes(q int) int64 {
	if k.own != nil {
		return max(sixBytes(q), int64(k.own.keys)*int64(k.own.bits)/8)
	}
	return sixBytes(q)
}

// cached tells whether the tables are about as large as a second-level cache.
func (z throughputSize) cached() bool { return z.q <= 21 }

// workers is on how many goroutines keys are looked up untimed: on all processors, for on one it would take minutes. Of a
// small table the caches of the others would then hold most, and what is deleted next would first have to be taken from
// them: deletes of the first step were a sixth slower.
func (z throughputSize) workers() int {
	if z.cached() {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// seconds is what so many keys of so many nanoseconds cost. In tables that are cached they take less than half.
func (z throughputSize) seconds(keys int, ns float64) float64 {
	if z.cached() {
		ns *= 0.45
	}
	return float64(keys) * ns / 1e9
}

// lives returns the jobs of one of the experiments: each kind's rows, and what they cost besides the filling.
func (z throughputSize) lives(kinds []sixKind, of func(k sixKind) (rows [][]int, cost float64)) []Job {
	var jobs []Job
	for _, k := range kinds {
		rows, cost := of(k)
		jobs = append(jobs, Job{
			Series: k.name,
			Params: rows[0],
			Steps:  rows[1:],
			Trials: z.rounds,
			Bytes:  k.bytes(z.q),
			Cost:   cost,
			Joint: &Joint{
				Name: fmt.Sprintf("life/%s/slots=%d", k.name, 1<<z.q),
				Cost: z.seconds(1<<z.q, k.costs().insert),
				Run: func(ctx context.Context, seed uint64, experiments []string) ([][]int, error) {
					return z.live(ctx, k, seed, experiments)
				},
			},
		})
	}
	return jobs
}

// live is one life, and returns the counts of each experiment.
func (z throughputSize) live(ctx context.Context, k sixKind, seed uint64, experiments []string) ([][]int, error) {
	w, err := k.sweep(z.q, seed)
	if err != nil {
		return nil, err
	}
	l := &life{
		sixSweep: w, kind: k, size: z, counts: map[string][]int{},
		fig5: w.searcher(fig5Searcher), fig6: w.searcher(fig6Searcher), warmer: w.searcher(warmSearcher),
	}
	for _, name := range experiments {
		l.counts[name] = nil
	}
	if err := l.run(ctx); err != nil {
		return nil, fmt.Errorf("%s of 2^%d slots, %d keys: %w", k.name, z.q, w.stored, err)
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
	if err := l.warmer.warm(ctx, l.size.lookups, 0); err != nil {
		return err
	}
	stops := l.kind.stops()
	for i, to := range l.kind.windows() {
		if err := l.window(ctx, stops[i], to); err != nil {
			return err
		}
		if l.stored == l.kind.items(l.size.q) {
			if err := l.atFull(ctx); err != nil {
				return err
			}
		}
	}
	if l.kind.items(l.size.q) == 0 {
		return l.refused(ctx)
	}
	if l.kind.own != nil && l.full {
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
