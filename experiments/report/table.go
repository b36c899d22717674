package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Table is the one type of tables: tidy, with one row for each observation, one column for each variable, a name over
// each column. It is written as CSV, as [Table.Text] for a terminal, as [Table.Markdown], and for LaTeX.
type Table struct {
	Columns []string
	Rows    [][]string

	// Left is how many columns, from the left, are text: they stand to the left where the table is printed, and the
	// others, numbers, to the right. Minor are columns that a narrow terminal can go without, the first one first.
	Left  int
	Minor []string

	// Timed names the columns whose values the machine decides, besides the seed: times, and what
	// follows from them. The manifest lists them, so that two reports can be compared.
	Timed []string

	name  string // of the file it was read from
	lines []int  // of each row there
}

// Add appends a row, each value written by Format.
func (t *Table) Add(values ...any) {
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = Format(v)
	}
	t.Rows = append(t.Rows, row)
}

// Only returns the columns of those names, in the order of the names. A name that is no column is left out.
func (t *Table) Only(names ...string) Table {
	out := Table{Rows: make([][]string, len(t.Rows))}
	for _, name := range names {
		at := slices.Index(t.Columns, name)
		if at < 0 {
			continue
		}
		out.Columns = append(out.Columns, name)
		for i, row := range t.Rows {
			out.Rows[i] = append(out.Rows[i], row[at])
		}
	}
	return out
}

// Format writes a value for a table. Integers are written as they are; floats with at most six significant digits, so
// that the last bits, which differ between processors that fuse multiply and add and those that do not, stay out of
// files that are compared. NaN, which stands for "not measured", is empty; -0 is 0.
func Format(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return formatFloat(v)
	case float32:
		return formatFloat(float64(v))
	}
	return fmt.Sprint(v)
}

func formatFloat(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case v == 0:
		return "0"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// CSV returns the table as comma-separated values with a header, quoted where RFC 4180 wants it.
func (t *Table) CSV() ([]byte, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	if err := w.WriteAll(append([][]string{t.Columns}, t.Rows...)); err != nil {
		return nil, fmt.Errorf("report: csv: %w", err)
	}
	return buf.Bytes(), nil
}

func (t *Table) check() error {
	for _, name := range t.Timed {
		if !slices.Contains(t.Columns, name) {
			return fmt.Errorf("table: the timed column %q is not among the columns", name)
		}
	}
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table: row %d has %d values for %d columns", i, len(row), len(t.Columns))
		}
	}
	return nil
}

// ReadTable reads comma-separated values with a header, as CSV writes them. Name is that of the file, for errors: they
// have it and the line in front, and say what is wrong with the header (none, a column without a name, one twice) or
// with a row (values that do not fit the columns, a quote that nothing closes).
func ReadTable(name string, r io.Reader) (Table, error) {
	t := Table{name: name}
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	for {
		record, err := c.Read()
		switch {
		case errors.Is(err, io.EOF) && t.Columns == nil:
			return Table{}, fmt.Errorf("report: %s:1: empty: want a line of column names", name)
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil:
			if e, ok := errors.AsType[*csv.ParseError](err); ok {
				return Table{}, fmt.Errorf("report: %s:%d: %w", name, e.Line, e.Err)
			}
			return Table{}, fmt.Errorf("report: %s: %w", name, err)
		}
		line, _ := c.FieldPos(0)
		switch {
		case t.Columns == nil:
			record[0] = strings.TrimPrefix(record[0], "\ufeff") // spreadsheets write one
			if err := checkHeader(record); err != nil {
				return Table{}, fmt.Errorf("report: %s:%d: %w", name, line, err)
			}
			t.Columns = record
		case len(record) != len(t.Columns):
			return Table{}, fmt.Errorf("report: %s:%d: %d values for %d columns", name, line, len(record), len(t.Columns))
		default:
			t.AddLine(line, record)
		}
	}
}

func checkHeader(columns []string) error {
	for i, c := range columns {
		if c == "" {
			return fmt.Errorf("column %d has no name", i+1)
		}
		if slices.Contains(columns[:i], c) {
			return fmt.Errorf("column %q comes twice", c)
		}
	}
	return nil
}

// Interval finds the columns that hold the interval of another one: for build_ns, build_low and build_high;
// for measured_rate, rate_low and rate_high; for ns, ns_low and ns_high. They are -1 without.
func (t *Table) Interval(column string) (low, high int) {
	before, after, _ := strings.Cut(column, "_")
	last := column[:max(strings.LastIndexByte(column, '_'), 0)]
	for _, stem := range []string{column, last, after, before} {
		low, high = slices.Index(t.Columns, stem+"_low"), slices.Index(t.Columns, stem+"_high")
		if low >= 0 && high >= 0 {
			return low, high
		}
	}
	return -1, -1
}

// AddLine appends a row of text that stands in a line of a file; see Line.
func (t *Table) AddLine(line int, row []string) {
	for len(t.lines) < len(t.Rows) { // rows made here, before
		t.lines = append(t.lines, t.Line(len(t.lines)))
	}
	t.Rows, t.lines = append(t.Rows, row), append(t.lines, line)
}

// Line is the line of a row in the file that the table was read from. Of a table that was made here it
// is where CSV puts the row, if no value has a line break.
func (t *Table) Line(row int) int {
	if row < len(t.lines) {
		return t.lines[row]
	}
	return row + 2
}
