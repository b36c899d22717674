// Package plotfile draws a table that somebody has: a CSV file with a header, or what `go test -bench`
// prints. The columns are named, but for the files of this module, and the picture is left to package chart.
//
//	file -> Read -> Data -> Options (columns by name) -> chart.Figure
package plotfile

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"github.com/nestfilter/nest/experiments/report"
)

// Data is a table with the name of the file that it was read from.
type Data struct {
	report.Table
	Name string
}

// maxFile bounds a file: its table takes some ten times as much memory.
const maxFile = 256 << 20

// benchmark is what tells a benchmark file from a CSV.
var benchmark = regexp.MustCompile(`(?m)^Benchmark\S*[ \t]+\d+[ \t]+\S+[ \t]+\S`)

// empty is what go test ends with.
var empty = regexp.MustCompile(`(?m)^(PASS|FAIL|ok  \t.*|FAIL\t.*)$`)

// Read reads a table: in Go's benchmark format if a line of it is a benchmark's result, else as CSV. The
// error names the file and the line.
//
// Of a benchmark file each result is a row. Its columns are "benchmark" (the function's name), the keys of
// its name's parts ("filter=bloom"), "procs", "package" if there are several, "iterations", and a column
// for each unit ("ns/op").
func Read(name string, r io.Reader) (*Data, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("plotfile: %w", err)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("plotfile: %s: more than %d MiB: draw a part of it", name, maxFile>>20)
	}
	d := &Data{Name: name}
	switch {
	case benchmark.Match(text):
		err = d.readBench(text)
	case empty.Match(text):
		return nil, fmt.Errorf("plotfile: %s: go test printed no benchmark's result: its -bench matches none, or it failed", name)
	default:
		d.Table, err = report.ReadTable(name, bytes.NewReader(text))
	}
	if err != nil {
		return nil, err
	}
	if len(d.Rows) == 0 {
		return nil, fmt.Errorf("plotfile: %s: a header and no rows", name)
	}
	return d, nil
}

// readBench makes a table of benchmark results.
func (d *Data) readBench(text []byte) error {
	lines, err := report.ReadBench(d.Name, bytes.NewReader(text))
	if err != nil || len(lines) == 0 {
		return err
	}
	several := slices.ContainsFunc(lines, func(l report.BenchLine) bool { return l.Package != lines[0].Package })
	var params, metrics report.Groups[string, map[int]string] // the cells of each column by row
	for i, l := range lines {
		set := func(columns *report.Groups[string, map[int]string], name, value string) {
			cells := columns.Of(name)
			if *cells == nil {
				*cells = map[int]string{}
			}
			(*cells)[i] = value
		}
		for _, p := range l.Params() {
			set(&params, p.Key, p.Value)
		}
		if several {
			set(&params, "package", l.Package)
		}
		set(&metrics, "iterations", strconv.Itoa(l.N))
		for _, m := range l.Metrics {
			set(&metrics, m.Unit, strconv.FormatFloat(m.Value, 'g', -1, 64))
		}
	}
	for _, m := range metrics.Keys {
		if slices.Contains(params.Keys, m) {
			return fmt.Errorf("plotfile: %s: %q is both a part of a benchmark's name and a metric", d.Name, m)
		}
	}
	d.Columns, d.Timed = slices.Concat(params.Keys, metrics.Keys), metrics.Keys[1:]
	for i, l := range lines {
		var row []string
		for _, cells := range slices.Concat(params.Values, metrics.Values) {
			row = append(row, cells[i])
		}
		d.AddLine(l.Line, row)
	}
	return nil
}
