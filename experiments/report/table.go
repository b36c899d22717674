package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
)

// A Table is tidy: one row per observation, one column per variable, a name over each column.
type Table struct {
	Columns []string
	Rows    [][]string
}

// Add appends a row, each value written by Format.
func (t *Table) Add(values ...any) {
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = Format(v)
	}
	t.Rows = append(t.Rows, row)
}

// Format writes a value for a table. Integers are written as they are; floats with at most six
// significant digits, so that the last bits, which differ between processors that fuse multiply
// and add and those that do not, stay out of files that are compared. NaN, which stands for "not
// measured", is empty; -0 is 0.
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
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table: row %d has %d values for %d columns", i, len(row), len(t.Columns))
		}
	}
	return nil
}
