package report

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Write writes [Table.Text]. The error is w's.
func (t *Table) Write(w io.Writer, width int) error {
	_, err := io.WriteString(w, t.Text(width))
	return err
}

// Text returns the table for a terminal of so many columns: with a frame if there is room, else without, and
// where it is still too wide with titles broken between words and without some of its Minor columns, which it
// names. A width of 0 is for what is no terminal: all columns, two spaces apart, a row a line and no trailing
// space.
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
		without := slices.DeleteFunc(slices.Clone(t.Minor[:n]),
			func(minor string) bool { return !slices.Contains(t.Columns, minor) })
		if plain = t.render(false, true, without); len(without) > 0 {
			plain += Wrap("", "A wider terminal, or a pipe, has more columns: "+strings.Join(without, ", ")+".", width)
		}
	}
	return plain
}

// render returns the table without some columns; broken breaks titles that are wider than their column.
func (t *Table) render(framed, broken bool, without []string) string {
	titles := slices.Clone(t.Columns)
	for i := range titles {
		if broken {
			titles[i] = strings.TrimSuffix(Wrap("", titles[i], t.narrowest(i)), "\n")
		}
	}
	p := t.pretty(titles, t.Rows, func(column int) bool { return slices.Contains(without, t.Columns[column]) })
	s := table.StyleLight
	s.Format.Header = text.FormatDefault
	if !framed {
		s.Options = table.OptionsNoBordersAndSeparators
		s.Box.PaddingLeft, s.Box.PaddingRight = "", "  "
	}
	p.SetStyle(s)
	p.SuppressTrailingSpaces()
	return p.Render() + "\n"
}

// pretty hands the table to go-pretty, with other titles and rows.
func (t *Table) pretty(titles []string, rows [][]string, hidden func(column int) bool) table.Writer {
	p := table.NewWriter()
	p.Style().Format.Header = text.FormatDefault
	var columns []table.ColumnConfig
	for i := range titles {
		c := table.ColumnConfig{Number: i + 1, Hidden: hidden(i)}
		if i >= t.Left {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		columns = append(columns, c)
	}
	p.SetColumnConfigs(columns)
	p.AppendHeader(cells(titles))
	for _, r := range rows {
		p.AppendRow(cells(r))
	}
	return p
}

func cells(texts []string) table.Row {
	row := make(table.Row, len(texts))
	for i, s := range texts {
		row[i] = s
	}
	return row
}

// narrowest is the width of a column whose title is broken between all words.
func (t *Table) narrowest(i int) (widest int) {
	for _, word := range strings.Fields(t.Columns[i]) {
		widest = max(widest, utf8.RuneCountInString(word))
	}
	for _, r := range t.Rows {
		widest = max(widest, utf8.RuneCountInString(r[i]))
	}
	return widest
}

// mdEscape keeps plain text plain: no markup and no line break; mdCell leaves the border of a table to go-pretty.
var (
	mdEscape = strings.NewReplacer(append(mdMarkup, "|", `\|`)...)
	mdCell   = strings.NewReplacer(mdMarkup...)
	mdMarkup = []string{`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "\n", " ", "\r",
		" ",
		"#", `\#`, "&", "&amp;", "!", `\!`}
)

// Markdown is plain text in a line of Markdown.
func Markdown(s string) string { return mdEscape.Replace(s) }

// Markdown returns the table in Markdown without the columns that are empty in every row. Its cells are plain text.
func (t *Table) Markdown() string { return t.markdown(mdCell.Replace) }

// Marked returns the table as Markdown does, of cells that are Markdown themselves.
func (t *Table) Marked() string { return t.markdown(func(s string) string { return s }) }

func (t *Table) markdown(cell func(string) string) string {
	escaped := func(row []string) []string {
		out := make([]string, len(row))
		for i, s := range row {
			out[i] = cell(s)
		}
		return out
	}
	rows := make([][]string, len(t.Rows))
	for i, r := range t.Rows {
		rows[i] = escaped(r)
	}
	left := *t
	if left.Left == 0 {
		left.Left = len(t.Columns)
	}
	empty := func(column int) bool {
		return len(rows) > 0 && !slices.ContainsFunc(rows, func(r []string) bool { return r[column] != "" })
	}
	return left.pretty(escaped(t.Columns), rows, empty).RenderMarkdown() + "\n"
}

// TextWidth is the number of characters of a line of text for people: that of the narrowest usual terminal.
const TextWidth = 80

// An opened has a number by which the system knows it, such as an os.File.
type opened interface{ Fd() uintptr }

// IsTerminal tells whether w is a terminal: an os.File, or what has the Fd of one.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(opened)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns the number of columns of the terminal that w is, or 0 if it is none. Of a terminal that does not
// say it, it is [TextWidth].
func Width(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	if columns, _, err := term.GetSize(int(w.(opened).Fd())); err == nil && columns > 0 {
		return columns
	}
	return TextWidth
}

// Wrap breaks text between words into lines of at most width characters, the first behind the mark and the others
// indented as far. Lines of the text stay lines, and a word that is longer than a line is one. It ends in a line
// feed. Where width is 0 the text is left as it is.
func Wrap(mark, text string, width int) string {
	if width <= 0 {
		return mark + text + "\n"
	}
	var b strings.Builder
	indent := strings.Repeat(" ", utf8.RuneCountInString(mark))
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		column := 0
		for i, word := range strings.Split(line, " ") {
			length := utf8.RuneCountInString(word)
			switch {
			case i == 0 && line != "":
				b.WriteString(mark)
				column, mark = len(indent), indent
			case i > 0 && column+1+length > width:
				b.WriteString("\n" + indent)
				column = len(indent)
			case i > 0:
				b.WriteString(" ")
				column++
			}
			b.WriteString(word)
			column += length
		}
		b.WriteString("\n")
	}
	return b.String()
}

// List returns a line for each item, and more for those that are longer than [TextWidth].
func List(items []string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(Wrap("- ", item, TextWidth))
	}
	return b.String()
}

// Notes returns texts below a table for a terminal of so many columns, 0 if it is none.
func Notes(width int, texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(Wrap("", text, min(width, TextWidth)))
	}
	return b.String()
}
