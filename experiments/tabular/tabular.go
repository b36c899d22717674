// Package tabular prints the tables of the command: framed on a terminal, plain columns elsewhere, so
// that a pipe gets lines that other programs can cut.
package tabular

import (
	"io"
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
// where it is still too wide with titles broken between words and without some of its Minor columns, which it names. A width
// of 0 is for what is no terminal: all columns, two spaces apart, a row a line and no trailing space.
func (t *Table) Text(width int) string {
	fits := func(rendered string) bool { return text.LongestLineLen(rendered) <= width }
	if framed := t.render(true, false, nil); fits(framed) {
		return framed
	}
	plain := t.render(false, false, nil)
	if width == 0 || fits(plain) {
		return plain
	}
	for n := 0; n <= len(t.Minor) && !fits(plain); n++ {
		without := slices.DeleteFunc(slices.Clone(t.Minor[:n]), func(minor string) bool { return !slices.Contains(t.Header, minor) })
		if plain = t.render(false, true, without); len(without) > 0 {
			plain += Wrap("", "A wider terminal, or a pipe, has more columns: "+strings.Join(without, ", ")+".", width)
		}
	}
	return plain
}

// render returns the table without some columns; broken breaks titles that are wider than their column.
func (t *Table) render(framed, broken bool, without []string) string {
	p := table.NewWriter()
	p.SetStyle(style(framed))
	titles := slices.Clone(t.Header)
	var columns []table.ColumnConfig
	for i, title := range titles {
		if broken {
			titles[i] = strings.TrimSuffix(Wrap("", title, t.narrowest(i)), "\n")
		}
		c := table.ColumnConfig{Number: i + 1, Hidden: slices.Contains(without, title)}
		if i >= t.Left {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		columns = append(columns, c)
	}
	p.AppendHeader(cells(titles))
	for _, r := range t.Rows {
		p.AppendRow(cells(r))
	}
	p.SetColumnConfigs(columns)
	p.SuppressTrailingSpaces()
	return p.Render() + "\n"
}

// narrowest is the width of a column whose title is broken between all words.
func (t *Table) narrowest(i int) (widest int) {
	for _, word := range strings.Fields(t.Header[i]) {
		widest = max(widest, utf8.RuneCountInString(word))
	}
	for _, r := range t.Rows {
		widest = max(widest, utf8.RuneCountInString(r[i]))
	}
	return widest
}

// A file is what has a number by which the system knows it, such as an os.File.
type file interface{ Fd() uintptr }

// IsTerminal tells whether w is a terminal: an os.File, or what has the Fd of one.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(file)
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
