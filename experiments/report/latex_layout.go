package report

import (
	"fmt"
	"strings"
)

// textPoints is how wide the text of LaTeX's class article is at 10 points: every table fits it, or says that it does
// not.
const textPoints = 345

// A texSize is a size of type, as article at 10 points has it.
type texSize struct {
	command string
	points  float64
	wider   float64 // than the fonts of 10 points for their size: small designs are
	sep     float64 // points on either side of a column
}

// texSizes are tried in this order.
var texSizes = []texSize{{`\small`, 9, 1.028, 4}, {`\footnotesize`, 8, 1.063, 3}, {`\scriptsize`, 7, 1.139, 2}}

// mostTurned is how many rows a table may have that is turned to fit: they become columns.
const mostTurned = 8

// A texLayout is a table in the form in which it is printed.
type texLayout struct {
	columns []texColumn
	size    texSize
}

// layout chooses the largest type in which the table fits the text. One of few rows is turned rather than set in the
// smallest type; one that never fits is set in that.
func layout(columns []texColumn) texLayout {
	var tried []texLayout
	for i, size := range texSizes {
		tried = append(tried, texLayout{columns, size})
		if turned := turn(columns); turned != nil && i == 1 {
			tried = append(tried, texLayout{turned, texSizes[0]}, texLayout{turned, size})
		}
	}
	for _, l := range tried {
		if l.width() <= textPoints {
			return l
		}
	}
	return tried[len(tried)-1]
}

// turn makes a column of every row, if there are few: nil otherwise.
func turn(columns []texColumn) []texColumn {
	if len(columns) < 2 || len(columns[0].cells) < 2 || len(columns[0].cells) > mostTurned {
		return nil
	}
	first := texColumn{}
	out := make([]texColumn, len(columns[0].cells))
	for _, c := range columns[1:] {
		var name texCell
		for i, w := range c.words {
			head := headCell(w)
			if i > 0 {
				name.tex, name.width = name.tex+" ", name.width+333
			}
			name.tex, name.width = name.tex+head.tex, name.width+head.width
		}
		first.cells = append(first.cells, name)
		for i := range out {
			out[i].right = true
			out[i].cells = append(out[i].cells, c.cells[i])
		}
	}
	for i, cell := range columns[0].cells {
		out[i].head = cell
	}
	first.head = texCell{columns[0].title(), 0}
	return append([]texColumn{first}, out...)
}

// title is the name of a column in one line.
func (c texColumn) title() string { return tex(strings.Join(c.words, " ")) }

// points is how wide a column is without what is between columns.
func (c texColumn) points(size texSize) float64 {
	most := c.head.width
	for _, w := range c.words {
		most = max(most, headCell(w).width)
	}
	for _, cell := range c.cells {
		most = max(most, cell.width)
	}
	return most / 1000 * size.points * size.wider
}

// width is about how wide the table is, in points.
func (l texLayout) width() (sum float64) {
	for _, c := range l.columns {
		sum += c.points(l.size)
	}
	return sum + 2*l.size.sep*float64(len(l.columns)-1)
}

// spec is the argument of tabular.
func (l texLayout) spec() string {
	sides := ""
	for _, c := range l.columns {
		sides += c.side()
	}
	return "@{}" + sides + "@{}"
}

// side is where the cells of a column stand.
func (c texColumn) side() string {
	if c.right {
		return "r"
	}
	return "l"
}

// header is the line of names. Those of several words take as many lines: columns stay as narrow as their numbers.
func (l texLayout) header() string {
	heads := make([]string, len(l.columns))
	for i, c := range l.columns {
		heads[i] = c.head.tex
		if len(c.words) == 0 {
			continue
		}
		words := make([]string, len(c.words))
		for j, w := range c.words {
			words[j] = headCell(w).tex
		}
		heads[i] = "\\begin{tabular}[b]{@{}" + c.side() + "@{}}" + strings.Join(words, "\\\\") + "\\end{tabular}"
	}
	return strings.Join(heads, " & ")
}

// rows are the lines of the table's body.
func (l texLayout) rows() string {
	var b strings.Builder
	for i := range l.columns[0].cells {
		cells := make([]string, len(l.columns))
		for j, c := range l.columns {
			cells[j] = c.cells[i].tex
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
	}
	return b.String()
}

// setting is the command of the size, and of the space between columns.
func (s texSize) setting() string {
	return fmt.Sprintf("%s\\setlength{\\tabcolsep}{%gpt}", s.command, s.sep)
}

// warning is the comment in front of a table that does not fit the text, or "".
func (l texLayout) warning() string {
	width := l.width()
	if width <= textPoints {
		return ""
	}
	return fmt.Sprintf("%% About %.0f pt wide, more than the %d of article at 10 pt: put it into a landscape environment (package pdflscape).\n", width, textPoints)
}
