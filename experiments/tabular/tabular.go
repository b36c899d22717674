// Package tabular prints the tables of the command: framed on a terminal, plain columns elsewhere, so
// that a pipe gets lines that other programs can cut.
package tabular

import (
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

// Write writes [Table.Text]. The error is w's.
func (t *Table) Write(w io.Writer, width int) error {
	_, err := io.WriteString(w, t.Text(width))
	return err
}

// Text returns the table for a terminal of so many columns: with a frame if there is room, else without, and
// where it is still too wide without some of its Minor columns, which it names. A width of 0 is for what is no terminal:
// all columns, two spaces apart, a row a line and no trailing space.
func (t *Table) Text(width int) string {
	titles, hidden, left := slices.Clone(t.Header), make([]bool, len(t.Header)), ""
	framed := width > 0 && t.total(hidden, false, len(" | "))+1 <= width
	if width > 0 && t.total(hidden, false, len("  "))-2 > width {
		var without []string
		for _, minor := range t.Minor {
			if t.total(hidden, true, len("  "))-2 <= width {
				break
			}
			if at := slices.Index(t.Header, minor); at >= 0 {
				hidden[at] = true
				without = append(without, minor)
			}
		}
		for i, title := range titles {
			titles[i] = strings.TrimSuffix(Wrap("", title, t.columnWidth(i, true)), "\n")
		}
		if without != nil {
			left = Wrap("", "A wider terminal, or a pipe, has more columns: "+strings.Join(without, ", ")+".", width)
		}
	}
	p := table.NewWriter()
	p.SetStyle(style(framed))
	p.AppendHeader(cells(titles))
	for _, r := range t.Rows {
		p.AppendRow(cells(r))
	}
	var columns []table.ColumnConfig
	for i := range titles {
		c := table.ColumnConfig{Number: i + 1, Hidden: hidden[i]}
		if i >= t.Left {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		columns = append(columns, c)
	}
	p.SetColumnConfigs(columns)
	p.SuppressTrailingSpaces()
	return p.Render() + "\n" + left
}

// total is the width of the columns that are not hidden, each with a gap. With broken, titles are broken between words.
func (t *Table) total(hidden []bool, broken bool, gap int) (sum int) {
	for i := range t.Header {
		if !hidden[i] {
			sum += t.columnWidth(i, broken) + gap
		}
	}
	return sum
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
