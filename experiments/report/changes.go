package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
)

// A Folder is a report that was read.
type Folder struct {
	Dir      string
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
	problems, err := m.Verify(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, Manifest: m, Tables: map[string]Table{}}
	for _, file := range m.Files {
		if isTable(file) || file.Name == "bench.txt" {
			if i := slices.IndexFunc(problems, func(p Problem) bool { return p.File == file.Name }); i >= 0 {
				return nil, fmt.Errorf("report: folder %q: %v", dir, problems[i])
			}
			if err := f.read(file); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

func isTable(f File) bool { return strings.HasSuffix(f.Name, ".csv") }

// read takes the table of a file, or the timings.
func (f *Folder) read(file File) error {
	path := filepath.Join(f.Dir, file.Name)
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
	// Circumstances are differences that explain others: the kind of report, its profile, its seeds.
	Circumstances []string
	// Differences are those of what the seed decides: the reports are the same if there are none of them,
	// no Circumstances and no Verdicts but on times.
	Differences []Difference
	// Verdicts are claims whose outcome changed.
	Verdicts []VerdictChange
	// Ratios compare what was timed, which is never the same twice.
	Ratios []Ratio
	// Machines are the two machines, if they are different ones.
	Machines []string
	// Cells is how many cells were compared, so that nobody takes nothing for no difference.
	Cells int
}

// Same reports whether everything that must be the same is.
func (r *Changes) Same() bool {
	return len(r.Circumstances) == 0 && len(r.Differences) == 0 &&
		!slices.ContainsFunc(r.Verdicts, func(v VerdictChange) bool { return !v.Timed })
}

// A Difference is that of one file.
type Difference struct {
	File string
	What string // of the whole file: "only in the first"; empty if Cells differ
	// Cells is how many cells differ; First are the first of them.
	Cells int
	First []Cell
}

// A Cell is one that differs.
type Cell struct {
	Line   int // in the first folder's file
	Column string
	A, B   string
}

// A VerdictChange is a claim whose outcome changed; the outcome is empty where the claim is not there.
type VerdictChange struct {
	Section, Claim, A, B string
	// Timed says that both reports have the claim and that the machine decides it too: its interval may lie within the
	// tolerance in one run and reach over an end in the next.
	Timed bool
}

// Compare compares two reports.
func Compare(a, b *Folder) *Changes {
	r := &Changes{Circumstances: circumstances(a.Manifest, b.Manifest)}
	if a.Manifest.Machine != b.Manifest.Machine {
		r.Machines = []string{a.Manifest.Machine.String(), b.Manifest.Machine.String()}
	}
	var names Groups[string, struct{}]
	for _, file := range slices.Concat(a.Manifest.Files, b.Manifest.Files) {
		if isTable(file) {
			names.Index(file.Name)
		}
	}
	for _, name := range names.Keys {
		ta, inA := a.Tables[name]
		tb, inB := b.Tables[name]
		switch {
		case !inB:
			r.Differences = append(r.Differences, Difference{File: name, What: "only in the first"})
		case !inA:
			r.Differences = append(r.Differences, Difference{File: name, What: "only in the second"})
		case name == verdictsID+".csv":
			r.Verdicts = verdicts(ta, tb)
		default:
			r.compare(name, ta, tb)
		}
	}
	r.Ratios = append(r.Ratios, ratios(ofBench(a.Bench), ofBench(b.Bench))...)
	return r
}

func circumstances(a, b *Manifest) []string {
	var out []string
	for _, c := range []struct{ name, a, b string }{
		{"kind of report", a.Kind, b.Kind},
		{"profile", a.Profile, b.Profile},
		{"seeds", fmt.Sprint(a.Seeds), fmt.Sprint(b.Seeds)},
	} {
		if c.a != c.b {
			out = append(out, fmt.Sprintf("%s: %q, %q", c.name, c.a, c.b))
		}
	}
	return out
}

const mostCells = 10

func (r *Changes) compare(name string, a, b Table) {
	if !slices.Equal(a.Columns, b.Columns) {
		r.Differences = append(r.Differences, Difference{File: name,
			What: fmt.Sprintf("other columns: %s; %s", strings.Join(a.Columns, ","), strings.Join(b.Columns, ","))})
		return
	}
	d := Difference{File: name}
	if len(a.Rows) != len(b.Rows) {
		d.What = fmt.Sprintf("%d rows, %d rows", len(a.Rows), len(b.Rows))
	}
	for i := range min(len(a.Rows), len(b.Rows)) {
		for j, column := range a.Columns {
			if slices.Contains(a.Timed, column) || slices.Contains(b.Timed, column) {
				continue
			}
			r.Cells++
			if x, y := a.Rows[i][j], b.Rows[i][j]; x != y {
				if d.Cells++; d.Cells <= mostCells {
					d.First = append(d.First, Cell{a.Line(i), column, x, y})
				}
			}
		}
	}
	if d.What != "" || d.Cells > 0 {
		r.Differences = append(r.Differences, d)
	}
	r.Ratios = append(r.Ratios, tableRatios(name, a, b)...)
}

// An outcome is what verdicts.csv says of a claim.
type outcome struct {
	verdict string
	timed   bool
}

// claimKey names a claim within a
type claimKey struct{ section, claim string }

func outcomes(t Table, of *Groups[claimKey, [2]outcome], at int) {
	cell := func(row []string, column string) string {
		if i := slices.Index(t.Columns, column); i >= 0 {
			return row[i]
		}
		return ""
	}
	timed := claims.Verdict{Claim: claims.Claim{Machine: true}, Status: claims.Holds}.Basis()
	for _, row := range t.Rows {
		of.Of(claimKey{cell(row, "section"), cell(row, "claim")})[at] = outcome{cell(row, "verdict"),
			cell(row, "depends_on") == timed}
	}
}

func verdicts(a, b Table) (out []VerdictChange) {
	var both Groups[claimKey, [2]outcome]
	outcomes(a, &both, 0)
	outcomes(b, &both, 1)
	for i, k := range both.Keys {
		if in, other := both.Values[i][0], both.Values[i][1]; in.verdict != other.verdict {
			out = append(out, VerdictChange{k.section, k.claim, in.verdict, other.verdict, in.timed && other.timed})
		}
	}
	return out
}
