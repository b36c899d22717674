package experiments

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/nestfilter/nest/experiments/journal"
	"github.com/nestfilter/nest/experiments/report"
)

// OpenJournal opens the journal of a run in a folder, or begins one, for Options.Journal. A journal of another version of
// the module, profile or seed is refused with an error that wraps [journal.ErrOther] and says what differs; anyVersion
// takes trials of another version nevertheless. Missing folders are made.
//
// The version is that in the build information of the program. Where that does not say what the code was, of a
// modified tree, it includes a checksum of the program itself.
func OpenJournal(dir string, o Options, anyVersion bool) (*journal.Journal, error) {
	version, err := programVersion()
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	m := report.ThisMachine()
	m.MemoryBytes = 0 // a virtual machine's varies
	return journal.Open(dir, journal.Head{
		Version: version, AnyVersion: anyVersion, Profile: string(o.Profile), Seed: o.Seed, Machine: m.String(),
	})
}

// resumed are the tasks of a run, those that an earlier sitting finished apart.
type resumed struct{ kept, left []*task }

// resume gives tasks the counts that the journal has, and tells it what this run is going to do.
func resume(findings []Finding, tasks []*task, kept *journal.Journal) (resumed, error) {
	if kept == nil {
		return resumed{left: tasks}, nil
	}
	trials, err := kept.Begin(plans(findings, tasks))
	if err != nil {
		return resumed{}, err
	}
	type key struct {
		experiment string
		seed       uint64
	}
	found := make(map[key]journal.Trial, len(trials))
	for _, t := range trials {
		k := key{t.Experiment, t.Seed}
		if _, ok := found[k]; ok {
			return resumed{}, fmt.Errorf("experiments: %s: %w: trial %d of %s, %s is there twice", kept.Path(), journal.ErrCorrupt, t.Trial, t.Experiment, t.Series)
		}
		found[k] = t
	}
	var r resumed
	for _, t := range tasks {
		trial, ok := found[key{t.row.about.Name, t.row.Seed}]
		if !ok {
			r.left = append(r.left, t)
			continue
		}
		err := t.fill(trial.Counts)
		if trial.Series != t.row.Series || trial.Trial != t.row.Trial || !slices.Equal(trial.Params, t.row.Params) {
			err = errors.New("its labels are not those of its seed")
		}
		if err != nil {
			return resumed{}, fmt.Errorf("experiments: %s: %w: trial %d of %s, %s: %w", kept.Path(), journal.ErrCorrupt, trial.Trial, trial.Experiment, trial.Series, err)
		}
		t.took = trial.Took
		r.kept = append(r.kept, t)
	}
	return r, nil
}

// record is the task as the journal keeps it. The counts are those of all steps.
func (t *task) record(counts []int) journal.Trial {
	return journal.Trial{
		Experiment: t.row.about.Name, Series: t.row.Series, Params: t.row.Params,
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

// programVersion says which code runs.
var programVersion = sync.OnceValues(func() (string, error) {
	m := report.ThisModule()
	version := m.String()
	if m.Version != "" && m.Version != "unknown" && m.Version != "(devel)" && !m.Modified && !strings.HasSuffix(m.Version, "+dirty") {
		return version, nil
	}
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("experiments: %w", err)
	}
	file, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("experiments: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("experiments: %w", err)
	}
	return fmt.Sprintf("%s (program %x)", version, sum.Sum(nil)[:6]), nil
})
