package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
)

// ErrRaw is wrapped by errors about results that cannot be shown again: of another version, seed or profile than they say, altered, or
// of another command.
var ErrRaw = errors.New("results cannot be read back")

// Results are what a run counted, as its folder holds it: everything that the pages, pictures and verdicts of a report follow from.
type Results struct {
	Manifest *report.Manifest
	Tables   map[string]report.Table // by the experiment's name
	Timings  []report.Bench
	// Unfinished says that the run is under way, or was broken off. Its tables have two columns more, and their rows are in the order in
	// which trials ended.
	Unfinished bool
}

// Read reads the results in a folder, of a report of that kind or of a run under way. Every file of a report that it takes must be the
// one that the manifest lists, by its checksum; the pages and pictures are not looked at. The error says which file, and which line of
// it, is wrong.
func Read(dir, kind string) (*Results, error) {
	m, unfinished, err := manifestOf(dir)
	if err == nil && m.Kind != kind && m.Kind != "" {
		err = fmt.Errorf("store: folder %q: %w: it is a report of %q, want one of %q", dir, ErrRaw, m.Kind, kind)
	}
	if err != nil {
		return nil, err
	}
	r := &Results{Manifest: m, Tables: map[string]report.Table{}, Unfinished: unfinished}
	if unfinished {
		parts, err := readParts(dir)
		for name, p := range parts {
			r.Tables[name] = p.table
		}
		return r, err
	}
	problems, err := m.Verify(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range m.Files {
		name, isTable := strings.CutSuffix(f.Name, ".csv")
		isTable = isTable && name != "verdicts"
		if !isTable && f.Name != "bench.txt" {
			continue
		}
		for _, p := range problems {
			if p.File == f.Name {
				return nil, fmt.Errorf("store: folder %q: %w: %v", dir, ErrRaw, p)
			}
		}
		if err := r.read(filepath.Join(dir, f.Name), name, isTable); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// manifestOf reads the manifest of a folder. One that lists no files is that of a run under way.
func manifestOf(dir string) (m *report.Manifest, unfinished bool, err error) {
	m, err = report.ReadManifest(dir)
	if !errors.Is(err, report.ErrNoReport) {
		return m, false, err
	}
	data, failed := os.ReadFile(filepath.Join(dir, manifestName))
	if failed != nil {
		return nil, false, err
	}
	m = new(report.Manifest)
	if json.Unmarshal(data, m) != nil || len(m.Files) > 0 || len(m.Seeds) != 1 {
		return nil, false, err
	}
	return m, true, nil
}

// read adds one file of a report.
func (r *Results) read(path, name string, isTable bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if isTable {
		r.Tables[name], err = report.ReadTable(path, bytes.NewReader(data))
		return err
	}
	lines, err := report.ReadBench(path, bytes.NewReader(data))
	for _, l := range lines {
		r.Timings = append(r.Timings, l.Bench)
	}
	return err
}
