// Package tabular prints the tables of the command: framed on a terminal, plain columns elsewhere, so
// that a pipe gets lines that other programs can cut.
package tabular

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// A Table is a header and rows of as many cells. The first Left columns are text and stand to the
// left, the others are numbers and stand to the right.
type Table struct {
	// Header has a title for each column.
	Header []string
	// Rows have a cell for each column.
	Rows [][]string
	// Left is the number of columns of text.
	Left int
	// Minor are titles of columns that a narrow terminal can go without, the first one first.
	Minor []string
}

// Write prints the table to w, for a terminal of so many columns: with a frame if there is room, else without, and
// where it is still too wide without some of its Minor columns, which it names. A width of 0 is for what is no terminal:
// all columns, two spaces apart, a row a line and no trailing space. The error is w's.
func (t *Table) Write(w io.Writer, width int) error {
	framed := width > 0
	show, left := t, ""
	if total, columns := t.widths(false); framed && total+3*columns+1 > width {
		framed = false
		show, left = t.fitted(width)
	}
	p := table.NewWriter()
	p.SetStyle(style(framed))
	p.AppendHeader(cells(show.Header))
	for _, r := range show.Rows {
		p.AppendRow(cells(r))
	}
	var columns []table.ColumnConfig
	for i := show.Left; i < len(show.Header); i++ {
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	p.SetColumnConfigs(columns)
	p.SuppressTrailingSpaces()
	_, err := fmt.Fprintf(w, "%s\n%s", p.Render(), left)
	return err
}

// widths returns the sum of the widths of the columns, and their number. With broken, titles are broken between words.
func (t *Table) widths(broken bool) (sum, columns int) {
	for i := range t.Header {
		sum += t.columnWidth(i, broken)
	}
	return sum, len(t.Header)
}

// columnWidth is the width of a column.
func (t *Table) columnWidth(i int, broken bool) int {
	titles := []string{t.Header[i]}
	if broken {
		titles = strings.Fields(t.Header[i])
	}
	widest := 0
	for _, title := range titles {
		widest = max(widest, utf8.RuneCountInString(title))
	}
	for _, r := range t.Rows {
		widest = max(widest, utf8.RuneCountInString(r[i]))
	}
	return widest
}

// fitted returns the table with broken titles if it is wider than that otherwise, and without as many of its minor columns
// as it takes to be no wider then; and a line that names them, or nothing.
func (t *Table) fitted(width int) (*Table, string) {
	if sum, columns := t.widths(false); sum+2*(columns-1) <= width {
		return t, ""
	}
	out := &Table{slices.Clone(t.Header), t.Rows, t.Left, nil}
	var without []string
	for _, minor := range t.Minor {
		sum, columns := out.widths(true)
		if sum+2*(columns-1) <= width {
			break
		}
		if at := slices.Index(out.Header, minor); at >= 0 {
			out = out.without(at)
			without = append(without, minor)
		}
	}
	for i, title := range out.Header {
		out.Header[i] = strings.TrimSuffix(Wrap("", title, out.columnWidth(i, true)), "\n")
	}
	if len(without) == 0 {
		return out, ""
	}
	return out, Wrap("", "A wider terminal, or a pipe, has more columns: "+strings.Join(without, ", ")+".", width)
}

// without returns the table without a column.
func (t *Table) without(column int) *Table {
	out := &Table{Header: slices.Delete(slices.Clone(t.Header), column, column+1), Left: t.Left}
	for _, r := range t.Rows {
		out.Rows = append(out.Rows, slices.Delete(slices.Clone(r), column, column+1))
	}
	if column < t.Left {
		out.Left--
	}
	return out
}

// IsTerminal tells whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func style(framed bool) table.Style {
	s := table.StyleLight
	s.Format.Header = text.FormatDefault
	if !framed {
		s.Options = table.OptionsNoBordersAndSeparators
		s.Box.PaddingLeft, s.Box.PaddingRight = "", "  "
	}
	return s
}

func cells(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, s := range texts {
		row[i] = s
	}
	return row
}
