package experiments

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nestfilter/nest/experiments/journal"
)

// timed tells whether the task needs the machine for itself.
func (t *task) timed() bool { return t.job.Exclusive || len(t.row.about.Timed) > 0 }

// schedule splits the tasks into those that may share the machine, the longest first so that no worker is
// left alone with one at the end, and those that are timed: experiment after experiment in rounds of one trial
// of every job, so that a disturbance hits all series of a chart alike.
func schedule(tasks []*task) (shared, timed []*task) {
	for _, t := range tasks {
		if t.timed() {
			timed = append(timed, t)
		} else {
			shared = append(shared, t)
		}
	}
	slices.SortStableFunc(shared, func(a, b *task) int { return cmp.Compare(b.job.Cost, a.job.Cost) })
	slices.SortStableFunc(timed, func(a, b *task) int {
		return cmp.Or(cmp.Compare(a.experiment, b.experiment), cmp.Compare(a.row.Trial, b.row.Trial))
	})
	return shared, timed
}

// execute runs the tasks: first those that only count, on all workers, then those that are timed, alone.
func execute(ctx context.Context, r resumed, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := newPace(r, o)
	var mu sync.Mutex
	one := func(t *task) {
		if err := t.run(ctx, o.Journal); err != nil {
			cancel(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		now := p.after(t)
		if o.Report != nil && ctx.Err() == nil {
			o.Report(now)
		}
	}
	shared, timed := schedule(r.left)
	parallel(ctx, shared, o.Workers, o.Memory, one)
	parallel(ctx, timed, 1, o.Memory, func(t *task) {
		runtime.GC() // what the trial before has left is not collected within this one's time
		one(t)
	})
	return context.Cause(ctx)
}

// A pool hands out tasks, in their order as far as the memory of those under way allows.
type pool struct {
	mu      sync.Mutex
	changed *sync.Cond
	pending []*task
	free    int64 // bytes
}

// parallel calls one for each task on so many goroutines, until the context ends. Every task must fit in the memory.
func parallel(ctx context.Context, tasks []*task, workers int, memory int64, one func(*task)) {
	p := &pool{pending: tasks, free: memory}
	p.changed = sync.NewCond(&p.mu)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for t := p.take(ctx); t != nil; t = p.take(ctx) {
				one(t)
				p.release(t)
			}
		})
	}
	wg.Wait()
}

// take returns the first task that fits, as soon as there is one, or nil when there is nothing left to do. A wait
// ends when another task does: that is soon after the context.
func (p *pool) take(ctx context.Context) *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.pending) > 0 && ctx.Err() == nil {
		i := slices.IndexFunc(p.pending, func(t *task) bool { return t.job.Bytes <= p.free })
		if i >= 0 {
			t := p.pending[i]
			p.pending = slices.Delete(p.pending, i, i+1)
			p.free -= t.job.Bytes
			return t
		}
		p.changed.Wait()
	}
	return nil
}

// release gives back what a task that has ended held.
func (p *pool) release(t *task) {
	giveBack(t.job.Bytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free += t.job.Bytes
	p.changed.Broadcast()
}

// run is one trial, with its place in the error. A finished one goes into the journal, if there is one.
func (t *task) run(ctx context.Context, kept *journal.Journal) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	start := time.Now()
	counts, err := t.job.Run(ctx, t.row.Seed)
	t.took = time.Since(start)
	if err == nil {
		err = t.fill(counts)
	}
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("experiments: %s, %s, trial %d: %w", t.row.about.Name, t.row.Series, t.row.Trial, err)
	}
	if kept == nil {
		return nil
	}
	return kept.Append(t.record(counts))
}

// fill gives each row of the trial its counts.
func (t *task) fill(counts []int) error {
	width := len(t.row.about.Counts)
	if len(counts) != width*len(t.rows) {
		return fmt.Errorf("%w: a trial returned %d counts for %d names in %d steps", ErrRegistry, len(counts), width, len(t.rows))
	}
	for i, r := range t.rows {
		r.Counts = counts[i*width : (i+1)*width]
	}
	return nil
}
