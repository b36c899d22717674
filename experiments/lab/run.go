package lab

import (
	"cmp"
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

// Options say how to run a registry. The zero value runs the quick profile with seed 0 on all cores.
type Options struct {
	Profile Profile // default Quick
	Seed    uint64
	Runs    int            // profile paper: trials of the largest tables of figure 2; 0 is 3, and 1 of those of Huge
	Huge    bool           // profile paper: the table sizes that need up to 20 GiB too
	Workers int            // default runtime.GOMAXPROCS(0); results do not depend on it, and timed trials run alone
	Memory  int64          // bytes that the trials under way may hold together; default: see [AvailableMemory]
	Report  func(Progress) // called after each trial, from one goroutine at a time; may be nil

	// Rows is called with each row as soon as it and those before it, in the order of the plan, are counted; trials are
	// begun in that order then. An error of it ends the run. It may be nil.
	Rows func(Row) error

	// Store has the trials of earlier sittings and keeps those of this one; nil keeps none. The caller closes it, and
	// removes it once the results are safe.
	Store *Journal

	// From is a report of the same profile and seed, or a run that was broken off, whose trials are taken where the
	// plan has them still. Trials that it lacks are run. Which version made it, the manifest says.
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
	Shown    report.Table    // without columns where the experiment has no Table
	Repeats  int             // of timed trials, while the machine was busy
	Trials   int             // that it has, 0 where a report was drawn again
	Origins  []report.Origin // what counted them
}

// TrialSeed returns the seed of one trial: XXH64 under the run's seed of the text
// "experiment/series/param=value/.../trial=i", or "key/trial=i" where [Trial] has a Key.
func TrialSeed(seed uint64, cell string, trial int) uint64 {
	return hashing.XXH64(seed).Sum64String(cell + "/trial=" + strconv.Itoa(trial))
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

// Run runs every experiment, and returns a finding for each in the registry's order. It stops at the first error of a
// trial, which it returns with its place, and soon after the context is cancelled; trials that ended by then are in the
// store, if there is one. Before the first trial it returns an error that wraps [ErrMemory] for a trial that needs more
// memory than there is, and the store's error if that belongs to another run.
func (g Registry) Run(ctx context.Context, o Options) ([]Finding, error) {
	o = o.withDefaults()
	findings, tasks, err := g.plan(o)
	if err != nil {
		return nil, err
	}
	if o.Memory, err = memoryLimit(tasks, o.Memory); err != nil {
		return nil, err
	}
	r, err := g.resume(tasks, o)
	if err != nil {
		return nil, err
	}
	if err := execute(ctx, tasks, r, o); err != nil {
		return nil, err
	}
	this := report.Manifest{Module: report.ThisModule(), Machine: report.ThisMachine()}
	for _, t := range tasks {
		f := &findings[t.experiment]
		f.Repeats += t.repeats
		f.counted(cmp.Or(t.kept, &this))
	}
	return g.conclude(findings)
}

// conclude draws and judges what was counted, by this run or an earlier one.
func (g Registry) conclude(findings []Finding) ([]Finding, error) {
	for i, e := range g.Experiments {
		if err := findings[i].show(); err != nil {
			return nil, fmt.Errorf("experiments: %s: %w", e.Name, err)
		}
		for _, f := range findings[i].Figures {
			dropNothing(f)
			if err := f.Check(); err != nil {
				return nil, fmt.Errorf("experiments: %s: %w", e.Name, err)
			}
		}
	}
	return findings, nil
}

// show draws and judges the data of a finding.
func (f *Finding) show() (err error) {
	defer Recovered(&err)
	e := f.Data.Experiment
	f.Figures, f.Verdicts = e.Draw(f.Data), e.Judge(f.Data)
	if e.Table != nil {
		f.Shown = e.Table(f.Data)
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
	*job
	trial int // its number
	rows  []*Row
	cost  float64       // the job's seconds, and its part of what a shared trial costs besides
	took  time.Duration // of a trial that has ended, and likewise

	repeats int              // how often it was made besides, because the machine was busy
	tried   *try             // before
	kept    *report.Manifest // of the sitting or report that counted it, nil for this run
}

// plan lays out the rows of all experiments and the tasks that fill them.
func (g Registry) plan(o Options) ([]Finding, []*task, error) {
	if err := g.Check(); err != nil {
		return nil, nil, err
	}
	if _, err := ParseProfile(string(o.Profile)); err != nil {
		return nil, nil, err
	}
	if o.Profile != Paper && (o.Runs != 0 || o.Huge) {
		return nil, nil, fmt.Errorf("experiments: Runs and Huge are of profile %s, not profile %s", Paper, o.Profile)
	}
	if o.Profile == Paper && strconv.IntSize < 64 {
		return nil, nil, fmt.Errorf("experiments: profile %s counts beyond 2^31: it needs a 64-bit build", Paper)
	}
	findings := make([]Finding, len(g.Experiments))
	own := g.Parts.Checked()
	var tasks []*task
	for i, e := range g.Experiments {
		d := &Data{Experiment: e, Setup: Setup{Profile: o.Profile, Own: own, Runs: o.Runs, Huge: o.Huge}}
		findings[i].Data = d
		jobs, err := e.plan(d.Setup)
		if err != nil {
			return nil, nil, fmt.Errorf("experiments: %s: %w", e.Name, err)
		}
		if err := e.check(jobs); err != nil {
			return nil, nil, err
		}
		for _, job := range jobs {
			for _, t := range d.lay(job, o.Seed) {
				t.experiment = i
				d.load.add(t)
				tasks = append(tasks, t)
			}
		}
	}
	return findings, tasks, nil
}

// check returns what is wrong with the jobs of a plan.
func (e *Experiment) check(jobs []*job) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("experiments: %w: %s: "+format, append([]any{ErrRegistry, e.Name}, args...)...)
	}
	seen, shared := map[string]bool{}, map[string]bool{}
	for _, j := range jobs {
		series := j.cell.Series
		switch many := j.trial.Many != nil; {
		case many && shared[j.key]:
			return wrong("two cells have the shared trial %q", j.key)
		case j.cell.Trials < 1 || j.trial.Run == nil && !many:
			return wrong("series %q has %d trials, or nothing to run", series, j.cell.Trials)
		case !printable(series):
			return wrong("series %+q: want printable ASCII", series)
		case j.bed != nil && len(e.timed()) == 0:
			return wrong("series %q has a bed and is not timed", series)
		}
		shared[j.key] = true
		for _, step := range j.steps {
			text := e.text(step)
			if seen[text] {
				return wrong("two cells of series %q have the parameters %v", series, e.values(step))
			}
			seen[text] = true
		}
	}
	return nil
}

// lay adds the rows of a job to the data, a group for each step, and returns the tasks that fill them. The rows of one
// trial have one seed.
func (d *Data) lay(j *job, seed uint64) []*task {
	tasks := make([]*task, j.cell.Trials)
	for t := range tasks {
		tasks[t] = &task{job: j, trial: t}
	}
	for _, step := range j.steps {
		rows, params := make([]Row, len(tasks)), d.Experiment.values(step)
		for t := range rows {
			rows[t] = Row{
				Series: step.Series, Params: params, Trial: t, Cell: step,
				Seed: TrialSeed(seed, j.key, t), Experiment: d.Experiment,
			}
			tasks[t].rows = append(tasks[t].rows, &rows[t])
		}
		d.Groups = append(d.Groups, Group{Data: d, Series: step.Series, Cell: step, Rows: rows})
	}
	return tasks
}

// parameters are the row's parameters in words, without those that do not apply.
func (r *Row) parameters() string {
	var parts []string
	for i, name := range strings.Fields(r.Experiment.Params) {
		if r.Params[i].Applies() {
			parts = append(parts, name+" = "+r.Params[i].String())
		}
	}
	return strings.Join(parts, ", ")
}
