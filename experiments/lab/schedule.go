package lab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// timed tells whether the task needs the machine for itself.
func (t *task) timed() bool { return len(t.of().timed()) > 0 }

// of is the experiment.
func (t *task) of() *Experiment { return t.rows[0].Experiment }

// A unit is what runs at a time: a task, or those of several experiments that share a trial.
type unit []*task

// units puts tasks that share a trial together, where the first of them stands, and gives each task its cost.
func units(tasks []*task) []unit {
	type trial struct {
		key    string
		number int
	}
	var out []unit
	at := map[trial]int{}
	for _, t := range tasks {
		i := len(out)
		if t.job.trial.Many != nil {
			k := trial{t.key, t.trial}
			if known, ok := at[k]; ok {
				i = known
			}
			at[k] = i
		}
		if i == len(out) {
			out = append(out, nil)
		}
		out[i] = append(out[i], t)
	}
	for _, u := range out {
		for _, t := range u {
			t.cost = t.seconds + t.shared/float64(len(u))
		}
	}
	return out
}

// timed tells whether the unit needs the machine for itself.
func (u unit) timed() bool { return slices.ContainsFunc(u, (*task).timed) }

// bytes is what the unit may hold.
func (u unit) bytes() (most int64) {
	for _, t := range u {
		most = max(most, t.bytes)
	}
	return most
}

// cost is that of all tasks of the unit.
func (u unit) cost() (sum float64) {
	for _, t := range u {
		sum += t.cost
	}
	return sum
}

// share is the part of the unit's time that a task is charged for.
func (u unit) share(t *task) float64 {
	if all := u.cost(); all > 0 {
		return t.cost / all
	}
	return 1 / float64(len(u))
}

// schedule splits the tasks into those that may share the machine, the longest first so that no worker is left alone
// with one at the end, and those that are timed: experiment after experiment in rounds of one trial of every job, so
// that a disturbance hits all series of a chart alike. Shared trials are one experiment in this: a series that only one
// of theirs has is compared with the others all the same.
func schedule(tasks []*task) (shared, timed []unit) {
	joint := math.MaxInt
	all := units(tasks)
	for _, u := range all {
		if u[0].job.trial.Many != nil {
			joint = min(joint, u[0].experiment)
		}
	}
	shared, timed = apart(all)
	slices.SortStableFunc(shared, func(a, b unit) int { return cmp.Compare(b.cost(), a.cost()) })
	experiment := func(u unit) int {
		if u[0].job.trial.Many != nil {
			return joint
		}
		return u[0].experiment
	}
	slices.SortStableFunc(timed, func(a, b unit) int {
		return cmp.Or(cmp.Compare(experiment(a), experiment(b)), cmp.Compare(a[0].trial, b[0].trial))
	})
	return shared, rotated(timed, func(a, b unit) bool {
		return experiment(a) == experiment(b) && a[0].trial == b[0].trial
	})
}

// apart splits units into those that may share the machine and those that are timed.
func apart(all []unit) (shared, timed []unit) {
	for _, u := range all {
		if u.timed() {
			timed = append(timed, u)
		} else {
			shared = append(shared, u)
		}
	}
	return shared, timed
}

// inOrder returns what is to be called with each unit that has ended: it hands the rows of all tasks up to the first
// one that has not ended to a function. Without one it does nothing.
func inOrder(tasks []*task, rows func(Row) error) (ended func(u unit) error) {
	next, done := 0, map[*task]bool{}
	return func(u unit) error {
		if rows == nil {
			return nil
		}
		for _, t := range u {
			done[t] = true
		}
		for ; next < len(tasks) && done[tasks[next]]; next++ {
			delete(done, tasks[next])
			for _, r := range tasks[next].rows {
				if err := rows(*r); err != nil {
					rows = nil
					return err
				}
			}
		}
		return nil
	}
}

// rotated lets each round begin with another job: what disturbs the machine from time to time disturbs all of them.
func rotated(timed []unit, together func(a, b unit) bool) []unit {
	for from := 0; from < len(timed); {
		to := from + 1
		for to < len(timed) && together(timed[from], timed[to]) {
			to++
		}
		round := timed[from:to]
		by := round[0][0].trial % len(round)
		copy(round, slices.Concat(round[by:], round[:by]))
		from = to
	}
	return timed
}

// execute runs the tasks: first those that only count, on all workers, then those that are timed, alone.
func execute(ctx context.Context, tasks []*task, r resumed, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newPace(r, o)
	if o.Report != nil && len(r.kept) > 0 {
		o.Report(p.progress(""))
	}
	var mu sync.Mutex
	shared, timed := schedule(r.left)
	if o.Rows != nil {
		shared, timed = apart(units(r.left))
	}
	emit := inOrder(tasks, o.Rows)
	if err := emit(r.kept); err != nil {
		return err
	}
	for _, b := range shareBeds(timed) {
		defer b.close()
	}
	var again []unit // while the machine was busy: an interrupt loses them
	one := func(u unit) {
		err, later := u[0].bed.make(ctx), false
		if err == nil {
			later, err = u.run(ctx, o)
		}
		if later && u[0].bed != nil { // beds are large: only one is open
			later, err = u.run(ctx, o)
		}
		if later {
			again = append(again, u)
			return
		}
		u[0].bed.done()
		if err != nil {
			cancel(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		now := p.after(u)
		if o.Report != nil && ctx.Err() == nil {
			o.Report(now)
		}
		if err := emit(u); err != nil {
			cancel(err)
		}
	}
	parallel(ctx, shared, o.Workers, o.Memory, one)
	alone := func(u unit) {
		runtime.GC() // what the trial before has left is not collected within this one's time
		one(u)
	}
	parallel(ctx, timed, 1, o.Memory, alone)
	parallel(ctx, again, 1, o.Memory, alone)
	return context.Cause(ctx)
}

// parallel calls one for each unit on so many goroutines, until the context ends, and begins them in their order. A
// unit waits until what those under way hold leaves room for it; every unit must fit in the memory.
func parallel(ctx context.Context, pending []unit, workers int, memory int64, one func(unit)) {
	free := semaphore.NewWeighted(memory)
	var pool errgroup.Group
	pool.SetLimit(workers)
	for _, u := range pending {
		bytes := u.bytes()
		if free.Acquire(ctx, bytes) != nil {
			break
		}
		pool.Go(func() error {
			defer free.Release(bytes)
			one(u)
			GiveBack(bytes)
			return nil
		})
	}
	_ = pool.Wait()
}

// run is one trial, with its place in the error. Where a timed one is to be made again later, as the machine was busy,
// nothing is kept of it yet; else it goes into the store, if there is one.
func (u unit) run(ctx context.Context, o Options) (later bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, context.Cause(ctx)
	}
	start := time.Now()
	var counts [][]int
	if once := func() ([][]int, error) { return u.count(ctx) }; u.timed() && o.Profile != Tiny {
		if u[0].tried, later, err = newControl().try(once, u[0].tried); later {
			u[0].repeats++
			return true, nil
		}
		counts = u[0].tried.counts
	} else {
		counts, err = once()
	}
	took := time.Since(start)
	for i := 0; i < len(u) && err == nil; i++ {
		u[i].took = time.Duration(float64(took) * u.share(u[i]))
		err = u[i].fill(counts[i])
	}
	if err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		where := strings.Join(u.names(), " and ") + ", " + u[0].cell.Series
		return false, fmt.Errorf("experiments: %s, trial %d: %w", where, u[0].trial, err)
	}
	for i := 0; i < len(u) && o.Store != nil; i++ {
		if err := u[i].keep(o.Store); err != nil {
			return false, err
		}
	}
	return false, nil
}

// names are those of the experiments.
func (u unit) names() []string {
	names := make([]string, len(u))
	for i, t := range u {
		names[i] = t.of().Name
	}
	return names
}

// count returns what the trial counts for each task. A panic in it, say in a filter of one's own, is its error.
func (u unit) count(ctx context.Context) (counts [][]int, err error) {
	defer Recovered(&err)
	t, c := u[0].job.trial, u[0].cell
	if t.Many == nil {
		if u[0].bed != nil {
			c.Bed = u[0].bed.of
		}
		one, err := t.Run(ctx, c, u[0].rows[0].Seed)
		return [][]int{one}, err
	}
	all, err := t.Many(ctx, c, u[0].rows[0].Seed, u.names())
	for _, name := range u.names() {
		counts = append(counts, all[name])
	}
	return counts, err
}

// fill gives each row of the trial its counts.
func (t *task) fill(counts []int) error {
	width := len(strings.Fields(t.of().Trial.Counts))
	if len(counts) != width*len(t.rows) {
		return fmt.Errorf("%w: a trial returned %d counts for %d names in %d steps",
			ErrRegistry, len(counts), width, len(t.rows))
	}
	for i, r := range t.rows {
		r.Counts = counts[i*width : (i+1)*width]
	}
	return nil
}
