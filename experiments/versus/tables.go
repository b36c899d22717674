package versus

import (
	"io"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
)

// Text is a table for a terminal of so many columns, whose first columns are text, and some of which a narrow one can go
// without. Notes are texts below it, and Width is that of a terminal.
func Text(t *report.Table, left, width int, minor ...string) string {
	return (&report.Table{Columns: t.Columns, Rows: t.Rows, Left: left, Minor: minor}).Text(width)
}

// Notes is described at [Text].
func Notes(width int, texts ...string) string { return report.Notes(width, texts...) }

// Width is described at [Text].
func Width(w io.Writer) int { return report.Width(w) }

// Marked is a table in Markdown, whose first columns are text.
func Marked(t *report.Table, left int) string {
	var b strings.Builder
	line := func(row []string) { b.WriteString("| " + strings.Join(row, " | ") + " |\n") }
	line(t.Columns)
	b.WriteString("|" + strings.Repeat(" --- |", left) + strings.Repeat(" ---:|", len(t.Columns)-left) + "\n")
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		line(cells)
	}
	return b.String()
}
