// Package tabular prints the tables of the command: framed on a terminal, plain columns elsewhere, so
// that a pipe gets lines that other programs can cut.
package tabular

import (
	"fmt"
	"io"
	"os"

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
}

// Write prints the table to w: with a frame if framed is set, else in columns two spaces apart without
// trailing space. The error is w's.
func (t *Table) Write(w io.Writer, framed bool) error {
	p := table.NewWriter()
	p.SetStyle(style(framed))
	p.AppendHeader(cells(t.Header))
	for _, r := range t.Rows {
		p.AppendRow(cells(r))
	}
	var columns []table.ColumnConfig
	for i := t.Left; i < len(t.Header); i++ {
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	p.SetColumnConfigs(columns)
	p.SuppressTrailingSpaces()
	_, err := fmt.Fprintln(w, p.Render())
	return err
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
