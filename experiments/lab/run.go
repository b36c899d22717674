package lab

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/hashing"
)

// Options say how to run a registry. The zero value runs the quick profile with seed 0 on all
// cores.
type Options struct {
	Profile Profile // default Quick
	Seed    uint64
	Runs    int            // profile paper: trials of the largest tables of figure 2; 0 is 3, and 1 of those of Huge
	Huge    bool           // profile paper: the table sizes that need up to 20 GiB too
	Workers int            // default runtime.GOMAXPROCS(0); results do not depend on it, and timed trials run alone
	Memory  int64          // bytes that the trials under way may hold together; default: see [AvailableMemory]
	Report  func(Progress) // called after each trial, from one goroutine at a time; may be nil

	// Store has the trials of earlier sittings and keeps those of this one; nil keeps none. The caller closes it, and removes it once
	// the results are safe.
	Store *Journal

	// From is a report of the same profile and seed, or a run that was broken off, whose trials are taken where the plan has them
	// still. Trials that it lacks are run. Which version made it, the manifest says.
	From *Raw
}

// Progress says how far a run is.
type Progress struct {
	Experiment  string        // of the trial that just ended; empty before the first one of a sitting that goes on
	Done, Total int           // trials, of all experiments, those of earlier sittings included
	Share       float64       // of the expected work of all trials, 0 to 1
	Remaining   time.Duration // expected from now on, from how long the trials of this sitting took
}

// A Finding is everything about one experiment that has been run.
type Finding struct {
	Data     *Data
	Figures  []*chart.Figure
	Verdicts []claims.Verdict
	Shown    report.Table // of a Tabulator; otherwise without columns
}

// TrialSeed returns the seed of one trial: XXH64 under the run's seed of the text
// "experiment/series/param=value/.../trial=i", or "joint/trial=i" of a job with a [Joint].
func TrialSeed(seed uint64, about About, job Job, trial int) uint64 {
	var b strings.Builder
	if job.Joint != nil {
		b.WriteString(job.Joint.Name)
	} else if job.key != "" {
		b.WriteString(job.key)
	} else {
		b.WriteString(about.Name + "/" + job.Series)
		for i, name := range about.Params {
			b.WriteString("/" + name + "=" + job.Params[i].seed())
		}
	}
	b.WriteString("/trial=" + strconv.Itoa(trial))
	return hashing.XXH64(seed).Sum64String(b.String())
}

// withDefaults are the options with the defaults in place of what is not set.
func (o Options) withDefaults() Options {
	if o.Profile == "" {
		o.Profile = Quick
	}
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

// Run runs every experiment, and returns a finding for each in the registry's order. It stops at the
// first error of a trial, which it returns with its place, and soon after the context is cancelled; trials that
// ended by then are in the store, if there is one. Before the first trial it returns an error that wraps
// [ErrMemory] for a trial that needs more memory than there is, and the store's error if that belongs to
// another run.
func (g Registry) Run(ctx context.Context, o Options) ([]Finding, error) {
	o = o.withDefaults()
	findings, tasks, err := g.Plan(o)
	if err != nil {
		return nil, err
	}
	if o.Memory, err = memoryLimit(tasks, o.Memory); err != nil {
		return nil, err
	}
	r, err := resume(findings, tasks, o)
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, r, o); err != nil {
		return nil, err
	}
	return g.conclude(findings)
}

// conclude draws and judges what was counted, by this run or an earlier one.
func (g Registry) conclude(findings []Finding) ([]Finding, error) {
	for i, e := range g.Experiments {
		if err := findings[i].show(e); err != nil {
			return nil, fmt.Errorf("experiments: %s: %w", e.About().Name, err)
		}
		for _, f := range findings[i].Figures {
			dropNothing(f)
			if err := f.Check(); err != nil {
				return nil, fmt.Errorf("experiments: %s: %w", e.About().Name, err)
			}
		}
	}
	return findings, nil
}

// show draws and judges the data of a finding.
func (f *Finding) show(e Old) (err error) {
	defer Recovered(&err)
	f.Figures, f.Verdicts = e.Draw(f.Data), e.Judge(f.Data)
	if t, ok := e.(Tabulator); ok {
		f.Shown = t.Shown(f.Data)
	}
	return nil
}

// dropNothing takes the points out of a figure that are quotients of nothing.
func dropNothing(f *chart.Figure) {
	for i := range f.Panels {
		for j := range f.Panels[i].Series {
			s := &f.Panels[i].Series[j]
			s.Points = slices.DeleteFunc(s.Points, isNowhere)
		}
	}
}

func isNowhere(p chart.Point) bool { return math.IsNaN(p.X) || math.IsNaN(p.Y) }

// A task is one trial under way. It writes to its own rows only, one for each step of the job.
type task struct {
	experiment int // its place in the registry
	job        Job
	row        *Row // the first one
	rows       []*Row
	cost       float64       // the job's, and its part of what a joint trial costs besides
	took       time.Duration // of a trial that has ended, and likewise
}

// Plan lays out the rows of all experiments and the tasks that fill them.
func (g Registry) Plan(o Options) ([]Finding, []*task, error) {
	if err := g.Check(); err != nil {
		return nil, nil, err
	}
	if _, err := ParseProfile(string(o.Profile)); err != nil {
		return nil, nil, err
	}
	if o.Profile != Paper && (o.Runs != 0 || o.Huge) {
		return nil, nil, fmt.Errorf("experiments: profile %s has none of the tables of Options.Runs and Options.Huge: want %s", o.Profile, Paper)
	}
	if o.Profile == Paper && strconv.IntSize < 64 {
		return nil, nil, fmt.Errorf("experiments: profile %s counts beyond 2^31: it needs a 64-bit build", Paper)
	}
	findings := make([]Finding, len(g.Experiments))
	own := g.Parts.Checked()
	var tasks []*task
	for i, e := range g.Experiments {
		d := &Data{About: e.About(), Setup: Setup{Profile: o.Profile, Own: own, Runs: o.Runs, Huge: o.Huge}}
		findings[i].Data = d
		jobs, err := e.Plan(d.Setup)
		if err != nil {
			return nil, nil, fmt.Errorf("experiments: %s: %w", d.About.Name, err)
		}
		if err := d.About.check(jobs); err != nil {
			return nil, nil, err
		}
		for _, job := range jobs {
			for _, t := range d.lay(job, o.Seed) {
				t.experiment = i
				d.Load.add(t)
				tasks = append(tasks, t)
			}
		}
	}
	return findings, tasks, nil
}

// steps are the parameters of each row that a trial of the job makes.
func (j Job) steps() [][]Value { return append([][]Value{j.Params}, j.Steps...) }

// check returns what is wrong with the jobs of a plan.
func (a About) check(jobs []Job) error {
	seen, joints := map[uint64]bool{}, map[string]bool{}
	for _, job := range jobs {
		if j := job.Joint; j != nil {
			if joints[j.Name] {
				return fmt.Errorf("experiments: %w: %s: two jobs have the joint %q", ErrRegistry, a.Name, j.Name)
			}
			joints[j.Name] = true
		}
		if job.Trials < 1 || job.Run == nil && (job.Joint == nil || job.Joint.Run == nil) {
			return fmt.Errorf("experiments: %w: %s: job %q has %d trials, or nothing to run", ErrRegistry, a.Name, job.Series, job.Trials)
		}
		if !printable(job.Series) {
			return fmt.Errorf("experiments: %w: %s: series %+q: want printable ASCII", ErrRegistry, a.Name, job.Series)
		}
		if job.bed != nil && !job.Exclusive && len(a.Timed) == 0 {
			return fmt.Errorf("experiments: %w: %s: job %q has a bed and is not timed", ErrRegistry, a.Name, job.Series)
		}
		for _, params := range job.steps() {
			if len(params) != len(a.Params) {
				return fmt.Errorf("experiments: %w: %s: job %q has %d parameters for %d names",
					ErrRegistry, a.Name, job.Series, len(params), len(a.Params))
			}
			first := TrialSeed(0, a, Job{Series: job.Series, Params: params}, 0)
			if seen[first] {
				return fmt.Errorf("experiments: %w: %s: two jobs of series %q have the parameters %v",
					ErrRegistry, a.Name, job.Series, params)
			}
			seen[first] = true
		}
	}
	return nil
}

// lay adds the rows of a job to the data, a group for each step, and returns the tasks that fill them. The rows
// of one trial have one seed: that of the first step.
func (d *Data) lay(job Job, seed uint64) []*task {
	tasks := make([]*task, job.Trials)
	for t := range tasks {
		tasks[t] = &task{job: job}
	}
	for i, params := range job.steps() {
		rows := make([]Row, job.Trials)
		var cell Cell
		if len(job.Cells) > 0 {
			cell = job.Cells[i]
		}
		for t := range rows {
			rows[t] = Row{
				Series: job.Series, Params: params, Trial: t, Cell: cell,
				Seed: TrialSeed(seed, d.About, job, t), About: &d.About,
			}
			tasks[t].rows = append(tasks[t].rows, &rows[t])
		}
		d.Groups = append(d.Groups, Group{Data: d, Series: job.Series, Cell: cell, Rows: rows})
	}
	for _, t := range tasks {
		t.row = t.rows[0]
	}
	return tasks
}

// parameters are the row's parameters in words, without those that do not apply.
func (r *Row) parameters() string {
	var parts []string
	for i, name := range r.About.Params {
		if r.Params[i].Applies() {
			parts = append(parts, name+" = "+r.Params[i].String())
		}
	}
	return strings.Join(parts, ", ")
}
