package versus

import (
	"embed"
	"encoding/json"
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
	Module    string `json:"module"`    // its path
	Version   string `json:"version"`   // as go.mod would name it
	Commit    string `json:"commit"`    // the full hash
	Committed string `json:"committed"` // the day of that commit, such as 2026-11-22
	Measured  string `json:"measured"`  // the day of the run
	Go        string `json:"go"`        // the version of Go and the platform: "go1.26.8 linux/amd64"
	// Seed and Refusals are options of the run, which Keep sets.
	Seed     uint64 `json:"seed"`
	Refusals int    `json:"refusals"`
}

// keptFile is the form of a file.
type keptFile struct {
	Source Source   `json:"source"`
	Rows   []Result `json:"rows"`
}

// Keep is Run on filters of one module, and writes the results as a file of kept rows, JSON. Such a file of the default
// options in the directory kept puts them into the page. The error says what is missing in the source.
func Keep(w io.Writer, s Source, subjects []Subject, o Options) error {
	if slices.Contains([]string{s.Module, s.Version, s.Commit, s.Committed, s.Measured, s.Go}, "") {
		return fmt.Errorf("versus: %+v: want every field of the source", s)
	}
	o = o.resolve()
	s.Seed, s.Refusals = o.Kit.Seed, o.Kit.Refusals
	return json.NewEncoder(w).Encode(keptFile{s, Run(subjects, o, func(string, int) {})})
}

// readKept reads a file that Keep wrote.
func readKept(data []byte) ([]Result, error) {
	var file keptFile
	err := json.Unmarshal(data, &file)
	for i := range file.Rows {
		r := &file.Rows[i]
		r.Module, r.Version, r.Kept = file.Source.Module, file.Source.Version, &file.Source
	}
	return file.Rows, err
}

// Kept returns the rows in the directory kept.
func Kept() (results []Result, err error) {
	names, err := keptFiles.ReadDir("kept")
	for _, name := range names {
		var rows []Result
		data, err := keptFiles.ReadFile(path.Join("kept", name.Name()))
		if err == nil {
			rows, err = readKept(data)
		}
		if err != nil {
			return nil, fmt.Errorf("versus: %s: %w", name.Name(), err)
		}
		results = append(results, rows...)
	}
	return results, err
}
