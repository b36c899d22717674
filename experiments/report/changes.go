package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"golang.org/x/perf/benchmath"
)

// A Folder is a report that was read.
type Folder struct {
	Manifest *Manifest
	Tables   map[string]Table // by the name of the CSV
	Bench    []Bench
}

// ReadFolder reads the manifest, every CSV that it lists and bench.txt. A file that is missing, is no CSV or is not the
// one that the manifest lists is an error that names it: what somebody has edited is compared with nothing.
func ReadFolder(dir string) (*Folder, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Manifest: m, Tables: map[string]Table{}}
	for _, file := range m.Files {
		if !isTable(file) && file.Name != benchName {
			continue
		}
		data, what, err := file.read(dir)
		switch path, r := filepath.Join(dir, file.Name), bytes.NewReader(data); {
		case what != "":
			err = fmt.Errorf("report: folder %q: %s: %s", dir, file.Name, what)
		case err != nil:
			err = fmt.Errorf("report: folder %q: %w", dir, err)
		case isTable(file):
			var t Table
			t, err = ReadTable(path, r)
			t.Timed = file.Timed
			f.Tables[file.Name] = t
		default:
			f.Bench, err = ReadBench(path, r)
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

func isTable(f File) bool { return strings.HasSuffix(f.Name, ".csv") }

// Changes are how two reports differ.
type Changes struct {
	// Same says that all that the seed decides is the same, and every verdict but those that the machine decides too:
	// the interval of such a one may lie within the tolerance in one run and reach over an end in the next.
	Same bool

	first, second *Folder
	lines         []string
	cells         int // that were compared, so that nobody takes nothing for no difference
}

func (r *Changes) differ(format string, args ...any) {
	r.Same, r.lines = false, append(r.lines, fmt.Sprintf(format, args...))
}

// Compare compares two reports.
func Compare(a, b *Folder) *Changes {
	m, n, r := a.Manifest, b.Manifest, &Changes{Same: true, first: a, second: b}
	for _, c := range [][3]string{{"kind of report", m.Kind, n.Kind}, {"profile", m.Profile, n.Profile},
		{"seeds", fmt.Sprint(m.Seeds), fmt.Sprint(n.Seeds)}} {
		if c[1] != c[2] {
			r.differ("%s: %q, %q", c[0], c[1], c[2])
		}
	}
	done := map[string]bool{}
	for _, file := range slices.Concat(m.Files, n.Files) {
		name := file.Name
		if !isTable(file) || done[name] {
			continue
		}
		done[name] = true
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
	var all Groups[[2]string, struct {
		of    [2]string
		timed int
	}] // by section and claim
	onTimes := claims.Verdict{Claim: claims.Claim{Machine: true}, Status: claims.Holds}.Basis()
	for at, t := range []Table{a, b} {
		for _, row := range t.Only("section", "claim", "verdict", "depends_on").Rows {
			if len(row) < 4 {
				continue
			}
			outcome := all.Of([2]string{row[0], row[1]})
			if outcome.of[at] = row[2]; row[3] == onTimes {
				outcome.timed++
			}
		}
	}
	for i, key := range all.Keys {
		outcome := all.Values[i]
		switch first, second := outcome.of[0], outcome.of[1]; {
		case first == second:
		case second == "":
			r.differ("verdict: %s: %s: %s, only in the first", key[0], key[1], first)
		case first == "":
			r.differ("verdict: %s: %s: %s, only in the second", key[0], key[1], second)
		case outcome.timed == 2:
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
	lines, text := r.lines, ""
	if r.Same {
		lines = append(lines, fmt.Sprintf("the same: %d cells that the seed decides, and every verdict on them", r.cells))
	}
	if m, n := r.first.Manifest.Machine, r.second.Manifest.Machine; m == n {
		text = r.timed(width, all)
	} else if len(r.first.timings().Keys) > 0 {
		lines = append(lines, fmt.Sprintf("timed on different machines, which are not compared: %v; %v", m, n))
	}
	_, err := io.WriteString(w, strings.Join(append(lines, text), "\n"))
	return err
}

// timings are the values of the benchmarks and of the timed columns of all tables, by what they are of and their unit
// or column. The rows of a table whose columns before those of repetitions are equal are one sample.
func (f *Folder) timings() *Groups[[2]string, []float64] {
	out := new(Groups[[2]string, []float64])
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

func (r *Changes) timed(width int, all bool) string {
	t := &Table{Columns: []string{"timed", "metric", "first", "second", "change", "test"}, Left: 2,
		Minor: []string{"first", "second", "test"}}
	both, certain, first, second := 0, 0, r.first.timings(), r.second.timings()
	for i, key := range first.Keys {
		other := *second.Of(key)
		if len(other) == 0 {
			continue
		}
		a := benchmath.NewSample(first.Values[i], &benchmath.DefaultThresholds)
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
