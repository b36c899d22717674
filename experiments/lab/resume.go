package lab

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nestfilter/nest/experiments/report"
)

// OpenJournal opens the folder of a run under way, or begins one, for Options.Store. A folder of another profile or seed is refused with an
// error that wraps [ErrOther] and says what differs. So is one, before the first trial, whose trials an experiment of other columns or of another
// revision counted. Missing folders are made.
func OpenJournal(dir string, o Options) (*Journal, error) {
	o = o.withDefaults()
	return openJournal(dir, report.Manifest{
		Kind: reportKind, Argv: os.Args, Module: report.ThisModule(), Machine: report.ThisMachine(), Profile: string(o.Profile),
		Seeds: []uint64{o.Seed}, Settings: o.settings(), Start: time.Now().UTC(),
	})
}

// Raw is what a run counted, of a report or of a run that is under way.
type Raw struct {
	Results
	Options Options // the run's profile, seed, Runs and Huge
}

// ReadRaw reads the results in the folder of a report, or of a run under way. An error wraps [ErrRaw] for what is none, or was
// altered, and says which file, and which line of it, is wrong.
func ReadRaw(dir string) (*Raw, error) {
	results, err := readResults(dir, reportKind)
	if err != nil {
		return nil, err
	}
	m := results.Manifest
	profile, err := ParseProfile(m.Profile)
	if err != nil || len(m.Seeds) != 1 {
		return nil, fmt.Errorf("experiments: folder %q: %w: its manifest has profile %q and %d seeds", dir, ErrRaw, m.Profile, len(m.Seeds))
	}
	raw := &Raw{Results: *results, Options: Options{Profile: profile, Seed: m.Seeds[0]}}
	if err := raw.Options.readSettings(m.Settings); err != nil {
		return nil, fmt.Errorf("experiments: folder %q: %w: %w", dir, ErrRaw, err)
	}
	return raw, nil
}

// The keys of a manifest's settings.
const (
	settingRuns     = "runs"
	settingHuge     = "huge"
	settingEarliest = "trials of version" // of the first sitting, if it was another one
	settingMachine  = "timed trials of"   // the machine of the report that timed trials were taken from, if it was another one
	settingRevision = "revision of "      // and an experiment, if it is not 0
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
func (o *Options) readSettings(from map[string]string) error {
	o.Huge = from[settingHuge] == "true"
	runs, ok := from[settingRuns]
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(runs)
	if err != nil || n < 1 {
		return fmt.Errorf("its manifest has %q %s", runs, settingRuns)
	}
	o.Runs = n
	return nil
}

// resumed are the tasks of a run, those that an earlier sitting finished apart.
type resumed struct{ kept, left []*task }

// resume gives tasks the counts that the store has of earlier sittings, and those of a report, and tells the store what this run is going
// to append. Of an experiment that times trials a report of another machine has all or none.
func resume(findings []Finding, tasks []*task, o Options) (resumed, error) {
	r := resumed{left: tasks}
	if o.Store != nil {
		tables, err := o.Store.Begin(plans(findings, tasks))
		if err == nil {
			r, err = r.take(tables, false)
		}
		if err != nil {
			return r, err
		}
	}
	if o.From == nil {
		return r, nil
	}
	tables := map[string]report.Table{}
	for _, f := range findings {
		a := f.Data.Experiment
		revision := o.From.Manifest.Settings[settingRevision+a.Name]
		if table, ok := o.From.Tables[a.Name]; ok && cmp.Or(revision, "0") == strconv.Itoa(a.Revision) {
			tables[a.Name] = table
		}
	}
	return r.take(tables, o.From.Manifest.Machine.String() != report.ThisMachine().String())
}

// take gives the tasks that are left the counts that tables have of them: of the same labels and seed. Of an experiment with other columns
// they have none.
func (r resumed) take(tables map[string]report.Table, elsewhere bool) (resumed, error) {
	rows, missing := map[*Experiment]map[string][]string{}, map[*Experiment]bool{}
	has := func(t *task) bool {
		of := rows[t.of()]
		return !slices.ContainsFunc(t.rows, func(row *Row) bool { return of[row.label()] == nil })
	}
	for _, t := range r.left {
		a := t.of()
		if rows[a] == nil {
			var err error
			if rows[a], err = a.rows(tables[a.Name]); err != nil {
				return r, err
			}
		}
		missing[a] = missing[a] || !has(t)
	}
	left := r.left
	r.left = nil
	for _, t := range left {
		a := t.of()
		if !has(t) || elsewhere && t.timed() && missing[a] {
			r.left = append(r.left, t)
			continue
		}
		for _, row := range t.rows {
			cells := rows[a][row.label()]
			if err := row.fill(cells); err != nil {
				return r, fmt.Errorf("experiments: %s.csv: %w: trial %d of %s: %w", a.Name, ErrRaw, row.Trial, row.Series, err)
			}
			t.took = took(tables[a.Name].Columns, cells)
		}
		r.kept = append(r.kept, t)
	}
	return r, nil
}

// rows are the rows of a table that a run of the experiment wrote, by their labels, without these: nothing if it had other columns.
func (a *Experiment) rows(t report.Table) (map[string][]string, error) {
	columns, labels := a.table().Columns, a.labels()
	out := make(map[string][]string, len(t.Rows))
	if counts := labels + len(strings.Fields(a.Trial.Counts)); len(t.Columns) < counts || !slices.Equal(t.Columns[:counts], columns[:counts]) {
		return out, nil
	}
	lines := make(map[string]int, len(t.Rows))
	for i, row := range t.Rows {
		label := strings.Join(row[:labels], "\x00")
		if first, ok := lines[label]; ok {
			return nil, fmt.Errorf("experiments: %s.csv:%d: %w: the trial is in line %d already", a.Name, t.Line(i), ErrCorrupt, first)
		}
		out[label], lines[label] = row[labels:], t.Line(i)
	}
	return out, nil
}

// took is the time of a trial by the cells of a row behind the labels, if the table has it: it is in the trial's last row.
func took(columns, cells []string) time.Duration {
	at := slices.Index(columns, TookColumn) - (len(columns) - len(cells))
	if at < 0 {
		return 0
	}
	n, _ := strconv.ParseInt(cells[at], 10, 64) // without it the time that is left is a worse guess
	return time.Duration(n)
}

// label is what tells the row from all others of its experiment: series, parameters, trial and seed.
func (r *Row) label() string {
	return strings.Join(append(append([]string{r.Series}, texts(r.Params)...), strconv.Itoa(r.Trial), seedText(r.Seed)), "\x00")
}

// plans describes the experiments to the
func plans(findings []Finding, tasks []*task) []JournalPlan {
	out := make([]JournalPlan, len(findings))
	for i, f := range findings {
		e := f.Data.Experiment
		out[i] = JournalPlan{Experiment: e.Name, Columns: e.table().Columns, Revision: e.Revision}
	}
	for _, t := range tasks {
		out[t.experiment].Timed = out[t.experiment].Timed || t.timed()
	}
	return out
}

// keep appends a task that is done to a
func (t *task) keep(s *Journal) error {
	rows := make([][]string, len(t.rows))
	for i, r := range t.rows {
		rows[i] = r.cells()
	}
	return s.Append(t.of().Name, rows, t.took)
}

// Rebuild draws and judges results that were counted earlier, and measures nothing: for the tables that
// [Registry.Run] makes it returns the findings of that run. The registry must be the one that ran, with
// the same parts of one's own; experiments without a table are left out. An error wraps [ErrExperiment]
// for a table of an unknown experiment and [ErrRaw] for one that the plan of the profile and the seed
// does not have, and says where.
func (g Registry) Rebuild(o Options, tables map[string]report.Table) ([]Finding, error) {
	var names []string
	for _, name := range g.Names() {
		if _, ok := tables[name]; ok {
			names = append(names, name)
		}
	}
	if len(names) < len(tables) {
		names = slices.Sorted(maps.Keys(tables)) // the unknown one is refused, with the known ones
	}
	g, err := g.Only(names...)
	if err != nil {
		return nil, err
	}
	findings, _, err := g.plan(o)
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if err := f.Data.fill(tables[f.Data.Experiment.Name]); err != nil {
			return nil, err
		}
	}
	return g.conclude(findings)
}

// fill takes the counts of a plan's rows from a table that Table made of them.
func (d *Data) fill(t report.Table) error {
	name := d.Experiment.Name + ".csv"
	want := d.Experiment.table().Columns
	if !slices.Equal(t.Columns, want) {
		return fmt.Errorf("experiments: %s:1: %w: columns %s, want %s: made by another version",
			name, ErrRaw, strings.Join(t.Columns, ","), strings.Join(want, ","))
	}
	first := d.Experiment.labels()
	at := 0
	for _, g := range d.Groups {
		for i := range g.Rows {
			if at == len(t.Rows) {
				return fmt.Errorf("experiments: %s: %w: ends after %d rows: no trial %d of %q", name, ErrRaw, at, i, g.Series)
			}
			if err := g.Rows[i].fill(t.Rows[at][first:]); err != nil {
				return fmt.Errorf("experiments: %s:%d: %w: %w", name, t.Line(at), ErrRaw, err)
			}
			at++
		}
	}
	if at < len(t.Rows) {
		return fmt.Errorf("experiments: %s:%d: %w: %d rows more than profile %s has", name, t.Line(at), ErrRaw, len(t.Rows)-at, d.Setup.Profile)
	}
	for i, row := range d.Table().Rows { // the labels and what is derived must follow
		for j, cell := range row {
			if got := t.Rows[i][j]; got != cell {
				return fmt.Errorf("experiments: %s:%d: %w: %s is %q, want %q: of another version, seed or profile, or altered",
					name, t.Line(i), ErrRaw, want[j], got, cell)
			}
		}
	}
	return nil
}

// seedText is hexadecimal, because spreadsheets round integers beyond 2^53.
func seedText(seed uint64) string { return fmt.Sprintf("0x%016x", seed) }

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
