package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/stat"
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
	// Ratios compare what was timed, which is never the same twice.
	Ratios []Ratio

	lines    []string
	machines string // the two machines, if they are different ones
	cells    int    // that were compared, so that nobody takes nothing for no difference
}

// differ notes a difference in a line.
func (r *Changes) differ(format string, args ...any) {
	r.Same, r.lines = false, append(r.lines, fmt.Sprintf(format, args...))
}

// Compare compares two reports.
func Compare(a, b *Folder) *Changes {
	r, m, n := &Changes{Same: true}, a.Manifest, b.Manifest
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
	r.Ratios = append(r.Ratios, ratios(ofBench(a.Bench), ofBench(b.Bench))...)
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
	r.Ratios = append(r.Ratios, tableRatios(name, a, b)...)
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
// file:line:column, verdicts that changed, then a table of ratios: all of them, or those whose interval leaves out 1.
// Width is that of the terminal, 0 if it is none. The error is w's.
func (r *Changes) Write(w io.Writer, width int, all bool) error {
	lines := r.lines
	if r.Same {
		lines = append(lines, fmt.Sprintf("the same: %d cells that the seed decides, and every verdict on them", r.cells))
	}
	text := ""
	switch {
	case len(r.Ratios) == 0:
	case r.machines != "":
		lines = append(lines, "timed on different machines, which are not compared: "+r.machines)
	default:
		text = r.timed(width, all)
	}
	_, err := io.WriteString(w, strings.Join(append(lines, text), "\n"))
	return err
}

// timed is the table of the ratios that are asked for, and how many there are.
func (r *Changes) timed(width int, all bool) string {
	t := &Table{Columns: []string{"timed", "metric", "values", "first", "second", "ratio", "interval", ""}, Left: 2,
		Minor: []string{"values", "first", "second"}}
	certain := 0
	for _, q := range r.Ratios {
		interval, mark := "", ""
		if !math.IsNaN(q.Lo) {
			interval = stat.Digits(q.Lo, 3) + " to " + stat.Digits(q.Hi, 3)
		}
		if q.Certain() {
			certain++
			mark = "*"
		}
		if all || q.Certain() {
			t.Add(q.Name, q.Metric, fmt.Sprintf("%d, %d", q.NA, q.NB), stat.Digits(q.A, 4), stat.Digits(q.B, 4),
				stat.Digits(q.Value(), 3), interval, mark)
		}
	}
	text := fmt.Sprintf("timed: %d medians are compared; for %d the interval of the ratio leaves out 1", len(r.Ratios),
		certain)
	if !all {
		text += "; --all lists all of them"
	}
	if len(t.Rows) == 0 {
		return Notes(width, text)
	}
	return t.Text(width) + Notes(width, "ratio: the second over the first, of medians; interval: at least 90% where both "+
		"have six values or more, else what their ranges permit; *: it leaves out 1", text)
}
