package versus

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/nestfilter/nest/experiments/filtertest"
)

// keptFiles are the rows of modules that this one does not require, a file for each module.
//
//go:embed kept/*.json
var keptFiles embed.FS

// A Source says of kept rows what was measured, when, and with what. Every field is required.
type Source struct {
	// Module is the path of the module, Version the version as go.mod would name it, Commit the full hash of its
	// commit.
	Module  string `json:"module"`
	Version string `json:"version"`
	Commit  string `json:"commit"`
	// Committed and Measured are the days of that commit and of the run, such as 2026-11-22.
	Committed string `json:"committed"`
	Measured  string `json:"measured"`
	// Go is the version of Go and the platform of the run, such as "go1.26.8 linux/amd64".
	Go string `json:"go"`
	// Seed and Refusals are options of the run. WriteKept takes them from the results.
	Seed     uint64 `json:"seed"`
	Refusals int    `json:"refusals"`
}

// A keptRow is one result in a file of kept rows.
type keptRow struct {
	Filter       string               `json:"filter"`
	Capacity     int                  `json:"capacity"`
	TargetRate   float64              `json:"target_rate"` // 0 if none is claimed
	Remark       string               `json:"remark"`
	Findings     []filtertest.Finding `json:"findings"`
	Filling      [][3]int             `json:"filling"` // offered, accepted, lost
	FillingError string               `json:"filling_error"`
}

// WriteKept writes results of one module as a file of kept rows, a line for each result. Such a file in the directory
// kept puts them into the page. The error says what is missing in the source, or which result is of another module or
// was measured under other options.
func WriteKept(w io.Writer, s Source, results []Result) error {
	if len(results) == 0 {
		return errors.New("versus: no results to keep")
	}
	s.Seed, s.Refusals = results[0].Report.Options.Seed, results[0].Report.Options.Refusals
	if err := s.check(); err != nil {
		return err
	}
	head, err := json.Marshal(s)
	lines := make([][]byte, len(results))
	for i := range results {
		r := &results[i]
		if o := r.Report.Options; r.Module != s.Module || o.Seed != s.Seed || o.Refusals != s.Refusals {
			return fmt.Errorf("versus: result %d is of %s, seed %d, %d refusals: want %s, %d, %d",
				i, r.Module, o.Seed, o.Refusals, s.Module, s.Seed, s.Refusals)
		}
		var failed error
		lines[i], failed = json.Marshal(r.keep())
		err = errors.Join(err, failed)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "{\"source\": %s,\n\"rows\": [\n%s\n]}\n", head, bytes.Join(lines, []byte(",\n")))
	}
	return err
}

var (
	semantic = regexp.MustCompile(`^v\d+\.\d+\.\d+`)
	commit   = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// check says what is missing in a source.
func (s Source) check() error {
	_, committed := time.Parse(time.DateOnly, s.Committed)
	_, measured := time.Parse(time.DateOnly, s.Measured)
	switch {
	case path.Dir(s.Module) == ".":
		return fmt.Errorf("versus: module %q: want its path", s.Module)
	case !semantic.MatchString(s.Version):
		return fmt.Errorf("versus: %s: version %q: want one that go.mod takes", s.Module, s.Version)
	case !commit.MatchString(s.Commit):
		return fmt.Errorf("versus: %s: commit %q: want 40 hexadecimal digits", s.Module, s.Commit)
	case committed != nil || measured != nil || s.Committed > s.Measured:
		return fmt.Errorf("versus: %s: committed %q, measured %q: want two days, the earlier first",
			s.Module, s.Committed, s.Measured)
	case s.Go == "" || s.Seed == 0 || s.Refusals <= 0:
		return fmt.Errorf("versus: %s: Go %q, seed %d, %d refusals: want all three", s.Module, s.Go, s.Seed, s.Refusals)
	}
	return nil
}

func (r *Result) keep() keptRow {
	row := keptRow{Filter: r.Adapter.Name, Capacity: r.Capacity, TargetRate: r.Adapter.TargetRate, Remark: r.Remark,
		Findings: r.Report.Findings}
	for _, p := range r.Filling {
		row.Filling = append(row.Filling, [3]int{p.Offered, p.Accepted, p.Lost})
	}
	if r.FillingError != nil {
		row.FillingError = r.FillingError.Error()
	}
	return row
}

// ReadKept reads a file that WriteKept wrote. Of the results' adapters only Name and TargetRate are set. The error
// says what no run writes: an incomplete source, a check that is unknown or missing, a filling with other steps, or
// any other byte.
func ReadKept(data []byte) (results []Result, err error) {
	var file struct {
		Source Source    `json:"source"`
		Rows   []keptRow `json:"rows"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("versus: %w", err)
	}
	if err := file.Source.check(); err != nil {
		return nil, err
	}
	for _, row := range file.Rows {
		r, err := row.result(&file.Source)
		if err != nil {
			return nil, fmt.Errorf("versus: %s, %s, capacity %d: %w", file.Source.Module, row.Filter, row.Capacity, err)
		}
		results = append(results, r)
	}
	var again bytes.Buffer
	if err := WriteKept(&again, file.Source, results); err != nil {
		return nil, err
	}
	if !bytes.Equal(again.Bytes(), data) {
		return nil, fmt.Errorf("versus: %s: the kept rows are not as they are written", file.Source.Module)
	}
	return results, nil
}

// result is the result that keep made the row of.
func (row *keptRow) result(s *Source) (Result, error) {
	r := Result{
		Subject: Subject{Module: s.Module, Remark: row.Remark,
			Adapter: filtertest.Adapter{Name: row.Filter, TargetRate: row.TargetRate}},
		Version: s.Version, Capacity: row.Capacity, Kept: s,
		Report: filtertest.Report{Filter: row.Filter,
			Options: filtertest.Options{Capacity: row.Capacity, Seed: s.Seed, Refusals: s.Refusals}, Findings: row.Findings},
	}
	if row.Filter == "" || row.Capacity < 1 || row.TargetRate < 0 || row.TargetRate > 1 {
		return r, fmt.Errorf("want a name, a capacity, and a rate from 0 to 1, not %v", row.TargetRate)
	}
	names := filtertest.Checks()
	for i, f := range row.Findings {
		if len(row.Findings) != len(names) || f.Check != names[i] || f.Evidence == "" {
			return r, fmt.Errorf("%d findings, want %d; finding %d is %q, with evidence %q",
				len(row.Findings), len(names), i, f.Check, f.Evidence)
		}
	}
	if row.FillingError != "" {
		r.FillingError = errors.New(row.FillingError)
	} else if len(row.Filling) != fillingEnd*fillingSteps {
		return r, fmt.Errorf("the filling has %d points, want %v", len(row.Filling), fillingEnd*fillingSteps)
	}
	for i, p := range row.Filling {
		if p[0] != (i+1)*row.Capacity/fillingSteps || p[1] < 0 || p[1] > p[0] || p[2] < 0 || p[2] > p[1] {
			return r, fmt.Errorf("point %d of the filling: %d accepted of %d offered, %d lost", i, p[1], p[0], p[2])
		}
		r.Filling = append(r.Filling, Point{p[0], p[1], p[2]})
	}
	return r, nil
}

// Kept returns the rows in the directory kept that were measured as o says: those of its capacities, with its seed and
// number of refusals.
func Kept(o Options) (results []Result, err error) {
	names, err := keptFiles.ReadDir("kept")
	o = o.resolve()
	for _, name := range names {
		var rows []Result
		data, err := keptFiles.ReadFile(path.Join("kept", name.Name()))
		if err == nil {
			rows, err = ReadKept(data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name.Name(), err)
		}
		for _, r := range rows {
			if slices.Contains(o.Capacities, r.Capacity) && r.Kept.Seed == o.Seed && r.Kept.Refusals == o.Kit.Refusals {
				results = append(results, r)
			}
		}
	}
	return results, err
}
