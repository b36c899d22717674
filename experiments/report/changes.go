package report

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/nestfilter/nest/experiments/claims"
)

// A Folder is a report that was read.
type Folder struct {
	Manifest *Manifest
	Tables   map[string]Table // by the name of the CSV
	Bench    []BenchLine
}

// ReadFolder reads the manifest, every CSV that it lists and bench.txt. A file that is missing, is no CSV or is
// not the one that the manifest lists is an error that names it: what somebody has edited is compared
// with nothing.
func ReadFolder(dir string) (*Folder, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Manifest: m, Tables: map[string]Table{}}
	for _, file := range m.Files {
		if !isTable(file) && file.Name != "bench.txt" {
			continue
		}
		if what, err := file.verify(dir); err != nil || what != "" {
			return nil, fmt.Errorf("report: folder %q: %w", dir, cmp.Or(err, fmt.Errorf("%s: %s", file.Name, what)))
		}
		if err := f.read(dir, file); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func isTable(f File) bool { return strings.HasSuffix(f.Name, ".csv") }

// read takes the table of a file, or the timings.
func (f *Folder) read(dir string, file File) error {
	path := filepath.Join(dir, file.Name)
	r, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	defer r.Close()
	if !isTable(file) {
		f.Bench, err = ReadBench(path, r)
		return err
	}
	t, err := ReadTable(path, r)
	t.Timed = file.Timed
	f.Tables[file.Name] = t
	return err
}

// Changes are how two reports differ.
type Changes struct {
	// Same says that all that the seed decides is the same, and every verdict but those that the machine decides too:
	// the interval of such a one may lie within the tolerance in one run and reach over an end in the next.
	Same bool

	lines         []string
	first, second *timings // of what is never the same twice
	machines      string   // the two machines, if they are different ones
	cells         int      // that were compared, so that nobody takes nothing for no difference
}

// differ notes a difference in a line.
func (r *Changes) differ(format string, args ...any) {
	r.Same, r.lines = false, append(r.lines, fmt.Sprintf(format, args...))
}

// Compare compares two reports.
func Compare(a, b *Folder) *Changes {
	m, n := a.Manifest, b.Manifest
	r := &Changes{Same: true, first: a.timings(), second: b.timings()}
	for _, c := range [][3]string{{"kind of report", m.Kind, n.Kind}, {"profile", m.Profile, n.Profile},
		{"seeds", fmt.Sprint(m.Seeds), fmt.Sprint(n.Seeds)}} {
		if c[1] != c[2] {
			r.differ("%s: %q, %q", c[0], c[1], c[2])
		}
	}
	if m.Machine != n.Machine {
		r.machines = m.Machine.String() + "; " + n.Machine.String()
	}
	var names Groups[string, struct{}]
	for _, file := range slices.Concat(m.Files, n.Files) {
		if isTable(file) {
			names.Index(file.Name)
		}
	}
	for _, name := range names.Keys {
		x, inA := a.Tables[name]
		y, inB := b.Tables[name]
		switch {
		case !inB:
			r.differ("%s: only in the first", name)
		case !inA:
			r.differ("%s: only in the second", name)
		case !slices.Equal(x.Columns, y.Columns):
			r.differ("%s: other columns: %s; %s", name, strings.Join(x.Columns, ","), strings.Join(y.Columns, ","))
		case name == verdictsID+".csv":
			r.verdicts(x, y)
		default:
			r.compare(name, x, y)
		}
	}
	return r
}

// compare compares two tables of the same columns.
func (r *Changes) compare(name string, a, b Table) {
	const mostCells = 10
	if len(a.Rows) != len(b.Rows) {
		r.differ("%s: %d rows, %d rows", name, len(a.Rows), len(b.Rows))
	}
	found := 0
	for i := range min(len(a.Rows), len(b.Rows)) {
		for j, column := range a.Columns {
			if slices.Contains(a.Timed, column) || slices.Contains(b.Timed, column) {
				continue
			}
			r.cells++
			if x, y := a.Rows[i][j], b.Rows[i][j]; x != y {
				if found++; found <= mostCells {
					r.differ("%s:%d:%s: %s, %s", name, a.Line(i), column, cmp.Or(x, "nothing"), cmp.Or(y, "nothing"))
				}
			}
		}
	}
	if found > mostCells {
		r.differ("%s: and %d cells more", name, found-mostCells)
	}
}

// verdicts names the claims whose outcome changed, or that one report lacks.
func (r *Changes) verdicts(a, b Table) {
	var all Groups[[2]string, [2]string] // the outcomes by section and claim
	timed := map[[2]string]int{}
	onTimes := claims.Verdict{Claim: claims.Claim{Machine: true}, Status: claims.Holds}.Basis()
	for at, t := range []Table{a, b} {
		for _, row := range t.Only("section", "claim", "verdict", "depends_on").Rows {
			if len(row) < 4 {
				continue
			}
			key := [2]string{row[0], row[1]}
			if all.Of(key)[at] = row[2]; row[3] == onTimes {
				timed[key]++
			}
		}
	}
	for i, key := range all.Keys {
		first, second := all.Values[i][0], all.Values[i][1]
		switch {
		case first == second:
		case second == "":
			r.differ("verdict: %s: %s: %s, only in the first", key[0], key[1], first)
		case first == "":
			r.differ("verdict: %s: %s: %s, only in the second", key[0], key[1], second)
		case timed[key] == 2:
			r.lines = append(r.lines, fmt.Sprintf("verdict on times: %s: %s: %s, %s", key[0], key[1], first, second))
		default:
			r.differ("verdict: %s: %s: %s, %s", key[0], key[1], first, second)
		}
	}
}

// Write prints the result for people: what explains differences, the first cells of each file that differs as
// file:line:column, verdicts that changed, then a table of the medians of what was timed, all of them or those that
// differ. Width is that of the terminal, 0 if it is none. The error is w's.
func (r *Changes) Write(w io.Writer, width int, all bool) error {
	lines := r.lines
	if r.Same {
		lines = append(lines, fmt.Sprintf("the same: %d cells that the seed decides, and every verdict on them", r.cells))
	}
	text := ""
	if r.machines == "" {
		text = r.timed(width, all)
	} else if len(r.first.Keys) > 0 {
		lines = append(lines, "timed on different machines, which are not compared: "+r.machines)
	}
	_, err := io.WriteString(w, strings.Join(append(lines, text), "\n"))
	return err
}

// timings are the values that were timed, by what they are of and their unit or column.
type timings = Groups[[2]string, []float64]

// timings are those of the benchmarks and of the timed columns of all tables. The rows of a table whose columns before
// those of repetitions are equal are one sample.
func (f *Folder) timings() *timings {
	out := new(timings)
	add := func(name, unit string, v float64) {
		values := out.Of([2]string{name, unit})
		*values = append(*values, v)
	}
	for _, file := range f.Manifest.Files {
		t := f.Tables[file.Name]
		params := slices.IndexFunc(t.Columns, IsRepeat)
		for _, row := range t.Rows {
			name := file.Name
			for i, c := range t.Columns {
				if (params < 0 || i < params) && row[i] != "" && !slices.Contains(t.Timed, c) {
					name += " " + c + "=" + row[i]
				}
			}
			for i, c := range t.Columns {
				if v, ok := Number(row[i]); ok && slices.Contains(t.Timed, c) {
					add(name, c, v)
				}
			}
		}
	}
	for _, l := range f.Bench {
		for _, m := range l.Metrics {
			add(l.Name, m.Unit, m.Value)
		}
	}
	return out
}

// timed compares medians as benchstat does: all of them, or those that differ.
func (r *Changes) timed(width int, all bool) string {
	t := &Table{Columns: []string{"timed", "metric", "first", "second", "change", "test"}, Left: 2,
		Minor: []string{"first", "second", "test"}}
	both, certain := 0, 0
	for i, key := range r.first.Keys {
		other := *r.second.Of(key)
		if len(other) == 0 {
			continue
		}
		a := benchmath.NewSample(r.first.Values[i], &benchmath.DefaultThresholds)
		b := benchmath.NewSample(other, &benchmath.DefaultThresholds)
		change := benchmath.AssumeNothing.Compare(a, b)
		both++
		if change.P < change.Alpha {
			certain++
		}
		if x, y := claims.Median(a.Values), claims.Median(b.Values); all || change.P < change.Alpha {
			t.Add(key[0], key[1], claims.Digits(x, 4), claims.Digits(y, 4), change.FormatDelta(x, y), change.String())
		}
	}
	text := fmt.Sprintf("timed: %d medians are compared; %d differ at p < 0.05", both, certain)
	if !all {
		text += "; --all lists all of them"
	}
	switch {
	case both == 0:
		return ""
	case len(t.Rows) == 0:
		return Notes(width, text)
	}
	return t.Text(width) + Notes(width, "change: of the median, ~ if it is none; test: by Mann and Whitney", text)
}
