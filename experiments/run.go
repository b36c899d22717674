package experiments

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/hashing"
)

// Options say how to run a registry. The zero value runs the quick profile with seed 0 on all
// cores.
type Options struct {
	Profile Profile // default Quick
	Seed    uint64
	Workers int            // default runtime.GOMAXPROCS(0); results do not depend on it, and timed trials run alone
	Report  func(Progress) // called after each trial, from one goroutine at a time; may be nil
}

// Progress says how far a run is.
type Progress struct {
	Experiment  string  // of the trial that just ended
	Done, Total int     // trials, of all experiments
	Share       float64 // of the expected work, 0 to 1
}

// A Finding is everything about one experiment that has been run.
type Finding struct {
	Data     *Data
	Figures  []*chart.Figure
	Verdicts []Verdict
}

// TrialSeed returns the seed of one trial: XXH64 under the run's seed of the text
// "experiment/series/param=value/.../trial=i".
func TrialSeed(seed uint64, about About, job Job, trial int) uint64 {
	var b strings.Builder
	b.WriteString(about.Name + "/" + job.Series)
	for i, name := range about.Params {
		b.WriteString("/" + name + "=" + strconv.Itoa(job.Params[i]))
	}
	b.WriteString("/trial=" + strconv.Itoa(trial))
	return hashing.XXH64(seed).Sum64String(b.String())
}

// Expected returns how many trials a run has, and how long it will roughly take with the given
// number of workers on 2.5 GHz cores. The error is that of Run's plan.
func (g Registry) Expected(p Profile, workers int) (trials int, d time.Duration, err error) {
	_, tasks, err := g.plan(Options{Profile: p})
	if err != nil {
		return 0, 0, err
	}
	seconds := 0.0
	for _, t := range tasks {
		if t.timed() {
			seconds += t.job.Cost
		} else {
			seconds += t.job.Cost / float64(max(workers, 1))
		}
	}
	return len(tasks), time.Duration(seconds * float64(time.Second)), nil
}

// Run runs every experiment, and returns a finding for each in the registry's order. It stops at the
// first error of a trial, which it returns with its place, and soon after the context is cancelled.
func (g Registry) Run(ctx context.Context, o Options) ([]Finding, error) {
	if o.Profile == "" {
		o.Profile = Quick
	}
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	findings, tasks, err := g.plan(o)
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, tasks, o); err != nil {
		return nil, err
	}
	return g.conclude(findings)
}

// conclude draws and judges what was counted, by this run or an earlier one.
func (g Registry) conclude(findings []Finding) ([]Finding, error) {
	for i, e := range g.Experiments {
		findings[i].Figures = e.Draw(findings[i].Data)
		findings[i].Verdicts = e.Judge(findings[i].Data)
		for _, f := range findings[i].Figures {
			if err := f.Check(); err != nil {
				return nil, fmt.Errorf("experiments: %s: %w", e.About().Name, err)
			}
		}
	}
	return findings, nil
}

// A task is one trial under way. It writes to its own row only.
type task struct {
	job Job
	row *Row
}

// plan lays out the rows of all experiments and the tasks that fill them.
func (g Registry) plan(o Options) ([]Finding, []*task, error) {
	if err := g.Check(); err != nil {
		return nil, nil, err
	}
	if _, err := ParseProfile(string(o.Profile)); err != nil {
		return nil, nil, err
	}
	if o.Profile == Paper && strconv.IntSize < 64 {
		return nil, nil, fmt.Errorf("experiments: profile %s counts beyond 2^31: it needs a 64-bit build", Paper)
	}
	findings := make([]Finding, len(g.Experiments))
	var tasks []*task
	for i, e := range g.Experiments {
		d := &Data{About: e.About(), Setup: Setup{Profile: o.Profile, Own: g.Parts}}
		findings[i].Data = d
		jobs, err := e.Plan(d.Setup)
		if err != nil {
			return nil, nil, fmt.Errorf("experiments: %s: %w", d.About.Name, err)
		}
		seen := map[uint64]bool{}
		for _, job := range jobs {
			if len(job.Params) != len(d.About.Params) || job.Trials < 1 || job.Run == nil {
				return nil, nil, fmt.Errorf("experiments: %w: %s: job %q has %d parameters for %d names and %d trials",
					ErrRegistry, d.About.Name, job.Series, len(job.Params), len(d.About.Params), job.Trials)
			}
			if first := TrialSeed(0, d.About, job, 0); seen[first] {
				return nil, nil, fmt.Errorf("experiments: %w: %s: two jobs of series %q have the parameters %v",
					ErrRegistry, d.About.Name, job.Series, job.Params)
			} else {
				seen[first] = true
			}
			rows := make([]Row, job.Trials)
			for t := range rows {
				rows[t] = Row{
					Series: job.Series, Params: job.Params, Trial: t,
					Seed: TrialSeed(o.Seed, d.About, job, t), about: &d.About,
				}
				tasks = append(tasks, &task{job, &rows[t]})
			}
			d.Groups = append(d.Groups, Group{Series: job.Series, Rows: rows})
		}
	}
	return findings, tasks, nil
}

// timed tells whether the machine decides some of what the task counts.
func (t *task) timed() bool { return len(t.row.about.Timed) > 0 }

// schedule splits the tasks into those that may share the machine, the longest first so that no worker is
// left alone with one at the end, and those that are timed: in rounds of one trial of every job, so that
// a disturbance hits all series alike.
func schedule(tasks []*task) (shared, timed []*task) {
	for _, t := range tasks {
		if t.timed() {
			timed = append(timed, t)
		} else {
			shared = append(shared, t)
		}
	}
	slices.SortStableFunc(shared, func(a, b *task) int { return cmp.Compare(b.job.Cost, a.job.Cost) })
	slices.SortStableFunc(timed, func(a, b *task) int { return cmp.Compare(a.row.Trial, b.row.Trial) })
	return shared, timed
}

// execute runs the tasks: first those that only count, on all workers, then those that are timed, alone.
func execute(ctx context.Context, tasks []*task, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := 0.0
	for _, t := range tasks {
		work += t.job.Cost
	}
	var (
		mu    sync.Mutex
		done  int
		share float64
	)
	one := func(t *task) {
		if err := t.run(ctx); err != nil {
			cancel(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		share += t.job.Cost / work
		if o.Report != nil && ctx.Err() == nil {
			o.Report(Progress{t.row.about.Name, done, len(tasks), min(share, 1)})
		}
	}
	shared, timed := schedule(tasks)
	parallel(ctx, shared, o.Workers, one)
	parallel(ctx, timed, 1, one)
	return context.Cause(ctx)
}

// parallel calls one for each task, in their order, on so many goroutines, until the context ends.
func parallel(ctx context.Context, tasks []*task, workers int, one func(*task)) {
	queue := make(chan *task)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for t := range queue {
				one(t)
			}
		})
	}
	for _, t := range tasks {
		select {
		case queue <- t:
		case <-ctx.Done():
		}
	}
	close(queue)
	wg.Wait()
}

// run is one trial, with its place in the error.
func (t *task) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	counts, err := t.job.Run(ctx, t.row.Seed)
	if err == nil && len(counts) != len(t.row.about.Counts) {
		err = fmt.Errorf("%w: a trial returned %d counts for %d names", ErrRegistry, len(counts), len(t.row.about.Counts))
	}
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("experiments: %s, %s, trial %d: %w", t.row.about.Name, t.row.Series, t.row.Trial, err)
	}
	t.row.Counts = counts
	return nil
}
