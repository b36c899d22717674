// Package diff compares two reports: what the seed decides, cell by cell; what the machine decides, as
// ratios with intervals; and the verdicts.
//
//	two folders -> Read -> Compare -> Result, of Differences and Ratios
package diff

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// A Folder is a report that was read.
type Folder struct {
	Dir      string
	Manifest *report.Manifest
	Tables   map[string]report.Table // by the name of the CSV
	Bench    []report.BenchLine
}

// Read reads the manifest, every CSV that it lists and bench.txt. A file that is missing, is no CSV or is
// not the one that the manifest lists is an error that names it: what somebody has edited is compared
// with nothing.
func Read(dir string) (*Folder, error) {
	m, err := report.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	problems, err := m.Verify(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir, Manifest: m, Tables: map[string]report.Table{}}
	for _, file := range m.Files {
		isTable := strings.HasSuffix(file.Name, ".csv")
		if !isTable && file.Name != "bench.txt" {
			continue
		}
		for _, p := range problems {
			if p.File == file.Name {
				return nil, fmt.Errorf("diff: folder %q: %v", dir, p)
			}
		}
		path := filepath.Join(dir, file.Name)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("diff: %w", err)
		}
		if !isTable {
			if f.Bench, err = report.ReadBench(path, bytes.NewReader(data)); err != nil {
				return nil, err
			}
			continue
		}
		t, err := report.ReadTable(path, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		t.Timed = file.Timed
		f.Tables[file.Name] = t
	}
	return f, nil
}

// A Result is how two reports differ.
type Result struct {
	// Circumstances are differences that explain others: the kind of report, its profile, its seeds.
	Circumstances []string
	// Differences are those of what the seed decides: the reports are the same if there are none of them,
	// no Circumstances and no Verdicts but on times.
	Differences []Difference
	// Verdicts are claims whose outcome changed.
	Verdicts []Verdict
	// Ratios compare what was timed, which is never the same twice.
	Ratios []Ratio
	// Machines are the two machines, if they are different ones.
	Machines []string
	// Cells is how many cells were compared, so that nobody takes nothing for no difference.
	Cells int
}

// Same reports whether everything that must be the same is.
func (r *Result) Same() bool {
	return len(r.Circumstances) == 0 && len(r.Differences) == 0 &&
		!slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return !v.Timed })
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

// A Verdict is a claim whose outcome changed; the outcome is empty where the claim is not there.
type Verdict struct {
	Section, Claim, A, B string
	// Timed says that both reports have the claim and that the machine decides it too: its interval may lie within the
	// tolerance in one run and reach over an end in the next.
	Timed bool
}

// Compare compares two reports.
func Compare(a, b *Folder) *Result {
	r := &Result{Circumstances: circumstances(a.Manifest, b.Manifest)}
	if a.Manifest.Machine != b.Manifest.Machine {
		r.Machines = []string{a.Manifest.Machine.String(), b.Manifest.Machine.String()}
	}
	for _, name := range files(a, b) {
		ta, inA := a.Tables[name]
		tb, inB := b.Tables[name]
		switch {
		case !inB:
			r.Differences = append(r.Differences, Difference{File: name, What: "only in the first"})
		case !inA:
			r.Differences = append(r.Differences, Difference{File: name, What: "only in the second"})
		case name == verdictsFile:
			r.Verdicts = verdicts(ta, tb)
		default:
			r.compare(name, ta, tb)
		}
	}
	r.Ratios = append(r.Ratios, benchRatios(a.Bench, b.Bench)...)
	return r
}

// verdictsFile is the table that every report with verdicts has.
const verdictsFile = "verdicts.csv"

func files(a, b *Folder) []string {
	var names []string
	for _, m := range []*report.Manifest{a.Manifest, b.Manifest} {
		for _, f := range m.Files {
			if strings.HasSuffix(f.Name, ".csv") && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

func circumstances(a, b *report.Manifest) []string {
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

func (r *Result) compare(name string, a, b report.Table) {
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

// claimKey names a claim within a report.
type claimKey struct{ section, claim string }

func outcomes(t report.Table) (out map[claimKey]outcome, order []claimKey) {
	out = map[claimKey]outcome{}
	at := func(row []string, column string) string {
		if i := slices.Index(t.Columns, column); i >= 0 {
			return row[i]
		}
		return ""
	}
	timed := claims.Verdict{Claim: claims.Claim{Machine: true}, Status: claims.Holds}.Basis()
	for _, row := range t.Rows {
		k := claimKey{at(row, "section"), at(row, "claim")}
		out[k] = outcome{at(row, "verdict"), at(row, "depends_on") == timed}
		order = append(order, k)
	}
	return out, order
}

func verdicts(a, b report.Table) []Verdict {
	in, order := outcomes(a)
	other, more := outcomes(b)
	var out []Verdict
	for _, k := range append(order, more...) {
		v := Verdict{k.section, k.claim, in[k].verdict, other[k].verdict, in[k].timed && other[k].timed}
		if v.A != v.B && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}
