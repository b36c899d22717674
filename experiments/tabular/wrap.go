package tabular

import (
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// TextWidth is the number of characters of a line of text for people: that of the narrowest usual terminal.
const TextWidth = 80

// Width returns the number of columns of the terminal that w is, or 0 if it is none. Of a terminal that does not
// say it, it is [TextWidth].
func Width(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	if columns, _, err := term.GetSize(int(w.(file).Fd())); err == nil && columns > 0 {
		return columns
	}
	return TextWidth
}

// Wrap breaks text between words into lines of at most width characters, the first behind the mark and the others
// indented as far. Lines of the text stay lines, and a word that is longer than a line is one. It ends in a line feed. Where
// width is 0 the text is left as it is.
func Wrap(mark, text string, width int) string {
	if width <= 0 {
		return mark + text + "\n"
	}
	var b strings.Builder
	indent := strings.Repeat(" ", utf8.RuneCountInString(mark))
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if line == "" {
			b.WriteString("\n")
			continue
		}
		column := 0
		for i, word := range strings.Split(line, " ") {
			length := utf8.RuneCountInString(word)
			switch {
			case i == 0:
				b.WriteString(mark)
				column = len(indent)
				mark = indent
			case column+1+length > width:
				b.WriteString("\n" + indent)
				column = len(indent)
			default:
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
