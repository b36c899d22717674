package lab

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
)

// ErrRaw is wrapped by errors about results that cannot be shown again: of another version, seed or
// profile than they say, altered, or not of [Registry.Run] at all.
var ErrRaw = errors.New("results cannot be read back")

// Raw is what a run measured, as its folder holds it: everything that the pages, pictures and verdicts
// of a report follow from.
type Raw struct {
	Manifest *report.Manifest
	Options  Options                 // the run's profile, seed, Runs and Huge
	Tables   map[string]report.Table // by the experiment's name
	Timings  []report.Bench
}

// ReadRaw reads the results in the folder of a report. Every file that it takes must be the one that the
// manifest lists, by its checksum; the pages and pictures are not looked at. The error says which file,
// and which line of it, is wrong.
func ReadRaw(dir string) (*Raw, error) {
	m, err := report.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Kind != reportKind && m.Kind != "" {
		return nil, fmt.Errorf("experiments: folder %q: %w: it is a report of %q, want one of %q", dir, ErrRaw, m.Kind, reportKind)
	}
	profile, err := ParseProfile(m.Profile)
	if err != nil || len(m.Seeds) != 1 {
		return nil, fmt.Errorf("experiments: folder %q: %w: its manifest has profile %q and %d seeds", dir, ErrRaw, m.Profile, len(m.Seeds))
	}
	options := Options{Profile: profile, Seed: m.Seeds[0]}
	if err := options.readSettings(m.Settings); err != nil {
		return nil, fmt.Errorf("experiments: folder %q: %w: %w", dir, ErrRaw, err)
	}
	problems, err := m.Verify(dir)
	if err != nil {
		return nil, err
	}
	raw := &Raw{Manifest: m, Options: options, Tables: map[string]report.Table{}}
	for _, f := range m.Files {
		name, isTable := strings.CutSuffix(f.Name, ".csv")
		isTable = isTable && name != "verdicts"
		if !isTable && f.Name != "bench.txt" {
			continue
		}
		for _, p := range problems {
			if p.File == f.Name {
				return nil, fmt.Errorf("experiments: folder %q: %w: %v", dir, ErrRaw, p)
			}
		}
		if err := raw.read(dir, f.Name, name, isTable); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// The keys of a manifest's settings.
const (
	settingRuns     = "runs"
	settingHuge     = "huge"
	settingEarliest = "trials of version" // of the first sitting, if it was another one
	settingMachine  = "timed trials of"   // the machine of the report that timed trials were taken from, if it was another one
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
	if o.Journal != nil && o.Journal.Version() != o.Journal.Head().Version {
		out[settingEarliest] = o.Journal.Version()
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

// read adds one file.
func (raw *Raw) read(dir, file, name string, isTable bool) error {
	path := filepath.Join(dir, file)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("experiments: %w", err)
	}
	if isTable {
		raw.Tables[name], err = report.ReadTable(path, bytes.NewReader(data))
		return err
	}
	lines, err := report.ReadBench(path, bytes.NewReader(data))
	for _, l := range lines {
		raw.Timings = append(raw.Timings, l.Bench)
	}
	return err
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
	findings, _, err := g.Plan(o)
	if err != nil {
		return nil, err
	}
	for _, f := range findings {
		if err := f.Data.fill(tables[f.Data.About.Name]); err != nil {
			return nil, err
		}
	}
	return g.conclude(findings)
}

// fill takes the counts of a plan's rows from a table that Table made of them.
func (d *Data) fill(t report.Table) error {
	name := d.About.Name + ".csv"
	empty := Data{About: d.About}
	want := empty.Table().Columns
	if !slices.Equal(t.Columns, want) {
		return fmt.Errorf("experiments: %s:1: %w: columns %s, want %s: made by another version",
			name, ErrRaw, strings.Join(t.Columns, ","), strings.Join(want, ","))
	}
	first := 1 + len(d.About.Params) + 2
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

// rows are the rows of a table that a run of the experiment wrote, by their labels: nothing if it had other columns.
func (a *About) rows(t report.Table) map[string][]string {
	empty := Data{About: *a}
	columns, labels := empty.Table().Columns, 1+len(a.Params)+2
	if len(t.Columns) < labels+len(a.Counts) || !slices.Equal(t.Columns[:labels+len(a.Counts)], columns[:labels+len(a.Counts)]) {
		return nil
	}
	out := make(map[string][]string, len(t.Rows))
	for _, row := range t.Rows {
		out[strings.Join(row[:labels], "\x00")] = row[labels:]
	}
	return out
}

// label is what tells the row from all others of its experiment: series, parameters, trial and seed.
func (r *Row) label() string {
	return strings.Join(append(append([]string{r.Series}, texts(r.Params)...), strconv.Itoa(r.Trial), seedText(r.Seed)), "\x00")
}

// seedText is hexadecimal, because spreadsheets round integers beyond 2^53.
func seedText(seed uint64) string { return fmt.Sprintf("0x%016x", seed) }

// fill takes the counts of a row.
func (r *Row) fill(cells []string) error {
	r.Counts = make([]int, len(r.About.Counts))
	for i, name := range r.About.Counts {
		n, err := strconv.Atoi(cells[i])
		if err != nil {
			return fmt.Errorf("%s is %q, want an integer", name, cells[i])
		}
		r.Counts[i] = n
	}
	return nil
}
