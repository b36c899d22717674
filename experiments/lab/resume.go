package lab

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/report"
)

// ErrRaw is wrapped by errors about results that cannot be shown again: of another version, seed or profile than they
// say, altered, or of another command.
var ErrRaw = errors.New("results cannot be read back")

// Raw is what a run counted, of a report or of a run that is under way: everything that the pages, pictures and
// verdicts of a report follow from.
type Raw struct {
	Manifest *report.Manifest
	Tables   map[string]report.Table // by the experiment's name
	Timings  []report.Bench
	Options  Options // the run's profile, seed, Runs and Huge

	// Unfinished says that the run is under way, or was broken off. Its tables have one column more, took_ns, and their
	// rows are in the order in which trials ended.
	Unfinished bool
}

// ReadRaw reads the results in the folder of a report, or in the journal of a run under way. Every table that it takes
// must be the one that the manifest lists, by its checksum; pages and pictures are not looked at. An error wraps
// [ErrRaw] and says which file, and which line of it, is wrong.
func ReadRaw(path string) (*Raw, error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("experiments: %w", err)
		}
		return ParseJournal(path, data)
	}
	f, err := report.ReadFolder(path)
	if err != nil {
		return nil, fmt.Errorf("experiments: %w: %w", ErrRaw, err)
	}
	r := &Raw{Manifest: f.Manifest, Tables: map[string]report.Table{}, Timings: f.Bench}
	for name, t := range f.Tables {
		if stem := strings.TrimSuffix(name, ".csv"); stem != verdictsStem {
			r.Tables[stem] = t
		}
	}
	return r, r.check(path)
}

// ParseJournal reads the results in a journal, of which path is the name in errors. They are those of [ReadRaw].
func ParseJournal(path string, data []byte) (*Raw, error) {
	w, err := parse(path, data)
	if err == nil && w.first == nil {
		err = fmt.Errorf("experiments: %s %w", path, report.ErrNoReport)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRaw, err)
	}
	r := &Raw{Manifest: w.first, Tables: map[string]report.Table{}, Unfinished: true}
	for name, t := range w.tables {
		r.Tables[name] = t.Table
	}
	return r, r.check(path)
}

// check takes the options from the manifest.
func (r *Raw) check(path string) (err error) {
	switch m := r.Manifest; {
	case m.Kind != reportKind && m.Kind != "":
		err = fmt.Errorf("it is a report of %q, want one of %q", m.Kind, reportKind)
	case len(m.Seeds) != 1:
		err = fmt.Errorf("its manifest has %d seeds", len(m.Seeds))
	default:
		r.Options.Seed = m.Seeds[0]
		if r.Options.Profile, err = ParseProfile(m.Profile); err == nil {
			err = r.Options.readSettings(m.Settings)
		}
	}
	if err != nil {
		return fmt.Errorf("experiments: %s: %w: %w", path, ErrRaw, err)
	}
	return nil
}

// The keys of a manifest's settings.
const (
	settingRuns     = "runs"
	settingHuge     = "huge"
	settingEarliest = "trials of version" // of the first sitting, if it was another one
	settingMachine  = "timed trials of"   // the machine of the report that timed trials are of, if it was another one
	settingRevision = "revision of "      // and an experiment, if it is not 0
	settingOwn      = "own parts"         // of the program that made the report, if it has any
)

// settings are the options that the plan depends on besides profile and seed, as the manifest keeps them.
func (o Options) settings() map[string]string {
	out := map[string]string{}
	if o.Runs > 0 {
		out[settingRuns] = strconv.Itoa(o.Runs)
	}
	if o.Huge {
		out[settingHuge] = strconv.FormatBool(o.Huge)
	}
	if o.Store != nil && o.Store.first.Module.String() != o.Store.now.Module.String() {
		out[settingEarliest] = o.Store.first.Module.String()
	}
	if o.From != nil {
		from := o.From.Manifest
		out[settingEarliest] = cmp.Or(from.Settings[settingEarliest], from.Module.String())
		machine := from.Settings[settingMachine]
		if machine == "" && from.Machine.String() != report.ThisMachine().String() {
			machine = from.Machine.String()
		}
		if machine != "" {
			out[settingMachine] = machine
		}
	}
	return out
}

// readSettings takes them from a manifest.
func (o *Options) readSettings(from map[string]string) (err error) {
	o.Huge = from[settingHuge] == "true"
	if runs, ok := from[settingRuns]; ok {
		if o.Runs, err = strconv.Atoi(runs); err != nil || o.Runs < 1 {
			return fmt.Errorf("its manifest has %q %s", runs, settingRuns)
		}
	}
	return nil
}

// resumed are the tasks of a run, those that an earlier sitting finished apart.
type resumed struct{ kept, left []*task }

// resume gives tasks the counts that the store has of earlier sittings, and those of a report, and tells the store what
// this run is going to append. Of an experiment that times trials a report of another machine has all or none.
func (g Registry) resume(tasks []*task, o Options) (resumed, error) {
	r := resumed{left: tasks}
	if o.Store != nil {
		tables, err := o.Store.begin(g.Experiments)
		if err == nil {
			r, err = r.take(tables, o.Store.first, false)
		}
		if err != nil {
			return r, err
		}
	}
	if o.From == nil {
		return r, nil
	}
	tables := map[string]report.Table{}
	for _, e := range g.Experiments {
		revision := o.From.Manifest.Settings[settingRevision+e.Name]
		if table, ok := o.From.Tables[e.Name]; ok && cmp.Or(revision, "0") == strconv.Itoa(e.Revision) {
			tables[e.Name] = table
		}
	}
	return r.take(tables, o.From.Manifest, o.From.Manifest.Machine.String() != report.ThisMachine().String())
}

// take gives the tasks that are left the counts that tables, with that manifest, have of them: of the same labels and
// seed. Of an experiment with other columns they have none.
func (r resumed) take(tables map[string]report.Table, from *report.Manifest, elsewhere bool) (resumed, error) {
	rows, missing := map[*Experiment]map[string][]string{}, map[*Experiment]bool{}
	has := func(t *task) bool {
		of := rows[t.of()]
		return !slices.ContainsFunc(t.rows, func(r *Row) bool { return of[r.label()] == nil })
	}
	for _, t := range r.left {
		e := t.of()
		if rows[e] == nil {
			var err error
			if rows[e], err = e.rows(tables[e.Name]); err != nil {
				return r, err
			}
		}
		missing[e] = missing[e] || !has(t)
	}
	left := r.left
	r.left = nil
	for _, t := range left {
		e := t.of()
		if !has(t) || elsewhere && t.timed() && missing[e] {
			r.left = append(r.left, t)
			continue
		}
		for _, row := range t.rows {
			cells := rows[e][row.label()]
			if err := row.fill(cells); err != nil {
				return r, fmt.Errorf("experiments: %s: %w: trial %d of %s: %w", e.Name, ErrRaw, row.Trial, row.Series, err)
			}
			if at := slices.Index(tables[e.Name].Columns, tookColumn) - e.labels(); at >= 0 {
				n, _ := strconv.ParseInt(cells[at], 10, 64) // in the trial's last row
				t.took = time.Duration(n)
			}
		}
		t.kept, r.kept = from, append(r.kept, t)
	}
	return r, nil
}

// rows are the rows of a table that a run of the experiment wrote, by their labels, without these: nothing if it had
// other columns.
func (e *Experiment) rows(t report.Table) (map[string][]string, error) {
	columns, labels := e.table().Columns, e.labels()
	out := make(map[string][]string, len(t.Rows))
	counts := labels + len(strings.Fields(e.Trial.Counts))
	if len(t.Columns) < counts || !slices.Equal(t.Columns[:counts], columns[:counts]) {
		return out, nil
	}
	for i, row := range t.Rows {
		label := strings.Join(row[:labels], "\x00")
		if out[label] != nil {
			return nil, fmt.Errorf("experiments: %s, line %d: %w: the trial is there already", e.Name, t.Line(i), ErrCorrupt)
		}
		out[label] = row[labels:]
	}
	return out, nil
}

func (r *Row) label() string { return strings.Join(r.key(), "\x00") }

// keep appends a task that is done to a journal.
func (t *task) keep(j *Journal) error {
	rows := make([][]string, len(t.rows))
	for i, r := range t.rows {
		rows[i] = r.cells()
	}
	return j.append(t.of().Name, rows, t.took)
}

// Rebuild draws and judges results that were counted earlier, and measures nothing: for the tables that [Registry.Run]
// makes it returns the findings of that run. The registry must be the one that ran, with the same parts of one's own;
// experiments without a table are left out. An error wraps [ErrExperiment] for a table of an unknown experiment and
// [ErrRaw] for one that the plan of the profile and the seed does not have, and says where.
func (g Registry) Rebuild(o Options, tables map[string]report.Table) ([]Finding, error) {
	g, err := g.Only(slices.Sorted(maps.Keys(tables))...)
	if err != nil {
		return nil, err
	}
	findings, _, err := g.plan(o)
	for _, f := range findings {
		if err = f.Data.fill(tables[f.Data.Experiment.Name]); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	return g.conclude(findings)
}

// fill takes the counts of a plan's rows from a table that Table made of them: labels and what is derived must follow.
func (d *Data) fill(t report.Table) error {
	name, columns := d.Experiment.Name+".csv", d.Experiment.table().Columns
	wrong := func(line int, format string, args ...any) error {
		return fmt.Errorf("experiments: %s:%d: %w: "+format, append([]any{name, line, ErrRaw}, args...)...)
	}
	if !slices.Equal(t.Columns, columns) {
		return wrong(1, "columns %v, want %v: made by another version", t.Columns, columns)
	}
	var rows []*Row
	for _, g := range d.Groups {
		for i := range g.Rows {
			rows = append(rows, &g.Rows[i])
		}
	}
	if len(rows) != len(t.Rows) {
		return wrong(len(t.Rows)+1, "%d rows, want %d of profile %s", len(t.Rows), len(rows), d.Setup.Profile)
	}
	for i, r := range rows {
		if err := r.fill(t.Rows[i][d.Experiment.labels():]); err != nil {
			return wrong(t.Line(i), "%w", err)
		}
		for j, cell := range r.cells() {
			if got := t.Rows[i][j]; got != cell {
				return wrong(t.Line(i), "%s is %q, want %q: of another version, seed or profile, or altered", columns[j], got, cell)
			}
		}
	}
	return nil
}

// fill takes the counts of a row.
func (r *Row) fill(cells []string) error {
	names := strings.Fields(r.Experiment.Trial.Counts)
	r.Counts = make([]int, len(names))
	for i, name := range names {
		n, err := strconv.Atoi(cells[i])
		if err != nil {
			return fmt.Errorf("%s is %q, want an integer", name, cells[i])
		}
		r.Counts[i] = n
	}
	return nil
}
