package versus

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
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
	// Seed and Refusals are options of the run, which Keep sets.
	Seed     uint64 `json:"seed"`
	Refusals int    `json:"refusals"`
}

// Keep is Run on filters of one module, and writes the results as a file of kept rows. Such a file in the directory
// kept puts them into the page. The error says what is missing in the source.
func Keep(w io.Writer, s Source, subjects []Subject, o Options) error {
	if slices.Contains([]string{s.Module, s.Version, s.Commit, s.Committed, s.Measured, s.Go}, "") {
		return fmt.Errorf("versus: %+v: want every field of the source", s)
	}
	o = o.resolve()
	s.Seed, s.Refusals = o.Seed, o.Kit.Refusals
	return write(w, s, Run(subjects, o, func(string, int) {}))
}

// write writes a file of kept rows, a line for each.
func write(w io.Writer, s Source, results []Result) error {
	head, err := json.Marshal(s)
	lines := make([][]byte, len(results))
	for i, r := range results {
		var failed error
		lines[i], failed = json.Marshal(r)
		err = errors.Join(err, failed)
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "{\"source\": %s,\n\"rows\": [\n%s\n]}\n", head, bytes.Join(lines, []byte(",\n")))
	}
	return err
}

// readKept reads a file that Keep wrote. The error is that of any other byte.
func readKept(data []byte) ([]Result, error) {
	var file struct {
		Source Source
		Rows   []Result
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("versus: %w", err)
	}
	var again bytes.Buffer
	if err := write(&again, file.Source, file.Rows); err != nil || !bytes.Equal(again.Bytes(), data) {
		return nil, errors.Join(fmt.Errorf("versus: %s: the kept rows are not as they are written", file.Source.Module), err)
	}
	for i := range file.Rows {
		r := &file.Rows[i]
		r.Module, r.Version, r.Kept = file.Source.Module, file.Source.Version, &file.Source
	}
	return file.Rows, nil
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
			rows, err = readKept(data)
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
