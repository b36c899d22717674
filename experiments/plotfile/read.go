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
	"strings"

	"github.com/nestfilter/nest/experiments/report"
)

// Data is a table with the name of the file that it was read from.
type Data struct {
	report.Table
	Name string

	bench   bool
	metrics []string // of a benchmark file: the columns that are measured, in order
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
	d := &Data{Name: name, bench: benchmark.Match(text)}
	if !d.bench && empty.Match(text) {
		return nil, fmt.Errorf("plotfile: %s: go test printed no benchmark's result: its -bench matches none, or it failed", name)
	}
	if !d.bench {
		d.Table, err = report.ReadTable(name, bytes.NewReader(text))
	} else {
		err = d.readBench(text)
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
	if err != nil {
		return err
	}
	packages := map[string]bool{}
	for _, l := range lines {
		packages[l.Package] = true
	}
	cells := make([]map[string]string, len(lines))
	var params []string
	for i, l := range lines {
		cells[i] = map[string]string{}
		set := func(names *[]string, key, value string) {
			if !slices.Contains(*names, key) {
				*names = append(*names, key)
			}
			cells[i][key] = value
		}
		for _, p := range l.Params() {
			set(&params, p.Key, p.Value)
		}
		if len(packages) > 1 {
			set(&params, "package", l.Package)
		}
		cells[i]["iterations"] = strconv.Itoa(l.N)
		for _, m := range l.Metrics {
			set(&d.metrics, m.Unit, strconv.FormatFloat(m.Value, 'g', -1, 64))
		}
	}
	for _, m := range append([]string{"iterations"}, d.metrics...) {
		if slices.Contains(params, m) {
			return fmt.Errorf("plotfile: %s: %q is both a part of a benchmark's name and a metric", d.Name, m)
		}
	}
	d.Columns = slices.Concat(params, []string{"iterations"}, d.metrics)
	d.Timed = d.metrics
	for i, l := range lines {
		row := make([]string, len(d.Columns))
		for j, c := range d.Columns {
			row[j] = cells[i][c]
		}
		d.AddLine(l.Line, row)
	}
	return nil
}

func (d *Data) column(flag, name string) (int, error) {
	at := slices.Index(d.Columns, name)
	if at < 0 {
		return 0, fmt.Errorf("%s: %s has no column %q: it has %s", flag, d.Name, name, strings.Join(d.Columns, ", "))
	}
	return at, nil
}

// numeric reports whether a column of the rows holds numbers only, empty cells aside.
func (d *Data) numeric(rows []int, column int) bool {
	some := false
	for _, i := range rows {
		cell := d.Rows[i][column]
		if _, ok := report.Number(cell); !ok && cell != "" {
			return false
		}
		some = some || cell != ""
	}
	return some
}

func (d *Data) varies(rows []int, column int) bool {
	return slices.ContainsFunc(rows, func(i int) bool { return d.Rows[i][column] != d.Rows[rows[0]][column] })
}
