package lab

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/journal"
	"github.com/nestfilter/nest/experiments/report"
)

// OpenJournal opens the journal of a run in a folder, or begins one, for Options.Journal. A journal of another version of
// the module, profile or seed is refused with an error that wraps [journal.ErrOther] and says what differs; anyVersion
// takes trials of another version nevertheless. Missing folders are made.
//
// The version is that of [report.ThisModule]: it includes a checksum of the program where the build information does not
// say what the code was, of a modified tree for one.
func OpenJournal(dir string, o Options, anyVersion bool) (*journal.Journal, error) {
	o = o.withDefaults()
	m := report.ThisMachine()
	m.MemoryBytes = 0 // a virtual machine's varies
	return journal.Open(dir, journal.Head{
		Version: report.ThisModule().String(), AnyVersion: anyVersion, Profile: string(o.Profile), Seed: o.Seed, Machine: m.String(),
	})
}

// resumed are the tasks of a run, those that an earlier sitting finished apart.
type resumed struct{ kept, left []*task }

// resume gives tasks the counts that the journal has, and tells it what this run is going to do.
func resume(findings []Finding, tasks []*task, kept *journal.Journal, earlier *Raw) (resumed, error) {
	if kept == nil {
		return resumed{left: tasks}.from(earlier)
	}
	trials, err := kept.Begin(plans(findings, tasks))
	if err != nil {
		return resumed{}, err
	}
	type key struct {
		experiment string
		seed       uint64
	}
	found := make(map[key]int, len(trials))
	bad := func(at int, err error) error {
		t := trials[at]
		return fmt.Errorf("experiments: %s:%d: %w: trial %d of %s, %s: %w", kept.Path(), kept.Line(at), journal.ErrCorrupt, t.Trial, t.Experiment, t.Series, err)
	}
	for i, t := range trials {
		k := key{t.Experiment, t.Seed}
		if first, ok := found[k]; ok {
			return resumed{}, bad(i, fmt.Errorf("it is in line %d already", kept.Line(first)))
		}
		found[k] = i
	}
	var r resumed
	for _, t := range tasks {
		at, ok := found[key{t.row.About.Name, t.row.Seed}]
		if !ok {
			r.left = append(r.left, t)
			continue
		}
		trial := trials[at]
		err := t.fill(trial.Counts)
		if trial.Series != t.row.Series || trial.Trial != t.row.Trial || !slices.Equal(trial.Params, texts(t.row.Params)) {
			err = errors.New("its labels are not those of its seed")
		}
		if err != nil {
			return resumed{}, bad(at, err)
		}
		t.took = trial.Took
		r.kept = append(r.kept, t)
	}
	return r.from(earlier)
}

// from gives the tasks that are left the counts that a finished report has of them: of the same labels and seed. Of an experiment
// with other columns it has none, and of one that times trials on another machine it has all or none.
func (r resumed) from(earlier *Raw) (resumed, error) {
	if earlier == nil {
		return r, nil
	}
	rows := map[*About]map[string][]string{} // by label: the cells behind the labels
	missing := map[*About]bool{}
	has := func(t *task) bool {
		of := rows[t.row.About]
		return !slices.ContainsFunc(t.rows, func(row *Row) bool { return of[row.label()] == nil })
	}
	for _, t := range r.left {
		if a := t.row.About; rows[a] == nil {
			rows[a] = a.rows(earlier.Tables[a.Name])
		}
		missing[t.row.About] = missing[t.row.About] || !has(t)
	}
	elsewhere := earlier.Manifest.Machine.String() != report.ThisMachine().String()
	left := r.left
	r.left = nil
	for _, t := range left {
		if !has(t) || elsewhere && t.timed() && missing[t.row.About] {
			r.left = append(r.left, t)
			continue
		}
		for _, row := range t.rows {
			if err := row.fill(rows[t.row.About][row.label()]); err != nil {
				return r, fmt.Errorf("experiments: %s.csv: %w: trial %d of %s: %w", row.About.Name, ErrRaw, row.Trial, row.Series, err)
			}
		}
		r.kept = append(r.kept, t)
	}
	return r, nil
}

// Record is the task as the journal keeps it. The counts are those of all steps.
func (t *task) Record(counts []int) journal.Trial {
	return journal.Trial{
		Experiment: t.row.About.Name, Series: t.row.Series, Params: texts(t.row.Params),
		Trial: t.row.Trial, Seed: t.row.Seed, Counts: counts, Took: t.took,
	}
}

// plans describes the experiments to the journal. How many trials a job has is no part of a plan's hash: the first
// three of ten are the three of another run.
func plans(findings []Finding, tasks []*task) []journal.Plan {
	out := make([]journal.Plan, len(findings))
	for i, f := range findings {
		a := f.Data.About
		sum := sha256.New()
		fmt.Fprintf(sum, "%q %d %q %q\n", a.Name, a.Revision, a.Params, a.Counts)
		out[i] = journal.Plan{Experiment: a.Name}
		for _, t := range tasks {
			if t.experiment == i && t.row.Trial == 0 {
				fmt.Fprintf(sum, "%q %v\n", t.job.Series, t.job.steps())
				out[i].Timed = out[i].Timed || t.timed()
			}
		}
		out[i].Hash = fmt.Sprintf("%x", sum.Sum(nil)[:8])
	}
	return out
}
