package report

import (
	"cmp"
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

// Text returns the table for a terminal of so many columns: with a frame if there is room, else without, and where it
// is still too wide with titles broken between words and without some of its Minor columns, which it names. A width of
// 0 is for what is no terminal: all columns, two spaces apart, a row a line and no trailing space.
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
	p := t.pretty(broken, func(i int) bool { return slices.Contains(without, t.Columns[i]) })
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

func (t *Table) pretty(broken bool, hidden func(column int) bool) table.Writer {
	p := table.NewWriter()
	p.Style().Format.Header = text.FormatDefault
	var columns []table.ColumnConfig
	header := table.Row{}
	for i, title := range t.Columns {
		c := table.ColumnConfig{Number: i + 1, Hidden: hidden(i)}
		if i >= t.Left {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		if broken { // of all words the longest decides, or a cell
			cells := strings.Fields(title)
			for _, r := range t.Rows {
				cells = append(cells, r[i])
			}
			title = strings.TrimSuffix(Wrap("", title, text.LongestLineLen(strings.Join(cells, "\n"))), "\n")
		}
		columns, header = append(columns, c), append(header, title)
	}
	p.SetColumnConfigs(columns)
	p.AppendHeader(header)
	for _, r := range t.Rows {
		row := table.Row{}
		for _, cell := range r {
			row = append(row, cell)
		}
		p.AppendRow(row)
	}
	return p
}

// mdCell keeps plain text plain in a cell: no markup and no line break. The border of a table is left to go-pretty.
var mdCell = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;",
	"\n", " ", "\r", " ", "#", `\#`, "&", "&amp;", "!", `\!`)

// Markdown is plain text in a line of Markdown.
func Markdown(s string) string { return strings.ReplaceAll(mdCell.Replace(s), "|", `\|`) }

// Markdown returns the table in Markdown without the columns that are empty in every row. Its cells are plain text.
func (t *Table) Markdown() string {
	plain := Table{Columns: cellsOf(t.Columns), Left: t.Left}
	for _, r := range t.Rows {
		plain.Rows = append(plain.Rows, cellsOf(r))
	}
	return plain.Marked()
}

func cellsOf(texts []string) (out []string) {
	for _, s := range texts {
		out = append(out, mdCell.Replace(s))
	}
	return out
}

// Marked returns the table as Markdown does, of cells that are Markdown themselves.
func (t *Table) Marked() string {
	left := *t
	left.Left = cmp.Or(t.Left, len(t.Columns))
	return left.pretty(false, func(i int) bool {
		return len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(r []string) bool { return r[i] != "" })
	}).RenderMarkdown() + "\n"
}

// TextWidth is the number of characters of a line of text for people: that of the narrowest usual terminal.
const TextWidth = 80

// IsTerminal tells whether w is a terminal: an os.File, or what has the Fd of one.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// Width returns the number of columns of the terminal that w is, or 0 if it is none. Of a terminal that does not
// say it, it is [TextWidth].
func Width(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	if columns, _, err := term.GetSize(int(w.(interface{ Fd() uintptr }).Fd())); err == nil && columns > 0 {
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
	indent := strings.Repeat(" ", utf8.RuneCountInString(mark))
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for i, word := range strings.Split(line, " ") {
			last := len(lines) - 1
			switch {
			case line == "":
				lines = append(lines, "")
			case i == 0:
				lines, mark = append(lines, mark+word), indent
			case utf8.RuneCountInString(lines[last]+" "+word) > width:
				lines = append(lines, indent+word)
			default:
				lines[last] += " " + word
			}
		}
	}
	return strings.Join(lines, "\n") + "\n"
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
