package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A texColumn is a column as it is printed, its cells as LaTeX wants them.
type texColumn struct {
	Head  []string // the words of its name, one below the other
	Side  string   // "r" for numbers, else "l"
	Cells []string
}

// latexDigits is how many significant digits a number has that is no whole one and no standard deviation: three of them
// are sure in most columns, and six would be read as if all were.
const latexDigits = 4

// texColumns returns the columns to print, and those numbers that are the same in all rows as text: a caption has them
// as well, and the page is narrow. Empty columns are left out.
func (t *Table) texColumns() (columns []texColumn, same []string) {
	for i, name := range t.Columns {
		switch first, all := t.constant(i); {
		case i > 0 && all && first == "" && len(t.Rows) > 0:
			continue
		case i > 0 && all && t.numeric(i) && len(t.Rows) > 1:
			same = append(same, strings.ReplaceAll(name, "_", " ")+" "+first)
			continue
		}
		columns = append(columns, t.texColumn(i))
	}
	return columns, same
}

// constant tells whether a column has one value in all rows, and which.
func (t *Table) constant(column int) (value string, all bool) {
	if len(t.Rows) > 0 {
		value = t.Rows[0][column]
	}
	return value, !slices.ContainsFunc(t.Rows, func(r []string) bool { return r[column] != value })
}

// texColumn is one column. Numbers that somebody has rounded already, such as the paper's, stay as they are.
func (t *Table) texColumn(at int) texColumn {
	c := texColumn{Side: "l", Head: strings.Fields(tex(strings.ReplaceAll(t.Columns[at], "_", " ")))}
	if t.numeric(at) {
		c.Side = "r"
	}
	digits := latexDigits
	if strings.HasSuffix(t.Columns[at], "_sd") { // standard deviations
		digits = 2
	}
	for _, r := range t.Rows {
		text := r[at]
		v, err := strconv.ParseFloat(text, 64)
		if c.Side == "r" && err == nil && strings.ContainsAny(text, ".e") && significant(text) > digits {
			text = rounded(v, digits)
		}
		c.Cells = append(c.Cells, texCell(text, c.Side == "r"))
	}
	return c
}

// significant is how many digits of a number tell something.
func significant(number string) int {
	mantissa, _, _ := strings.Cut(strings.TrimLeft(number, "-+0."), "e")
	return len(strings.ReplaceAll(mantissa, ".", ""))
}

// rounded writes a number with so many significant digits.
func rounded(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	shown := strconv.FormatFloat(v, 'e', digits-1, 64)
	power, _ := strconv.Atoi(shown[strings.IndexByte(shown, 'e')+1:]) // of the rounded number: it may have one digit more
	if power < -3 {
		return strconv.FormatFloat(v, 'e', min(digits, latexDigits-1)-1, 64) // they are wide, and nobody reads the fourth
	}
	return strconv.FormatFloat(v, 'f', max(0, digits-1-power), 64)
}

// A number as Format writes it; the exponent is apart.
var plainNumber = regexp.MustCompile(`^([-+]?(?:\d+\.?\d*|\.\d+))(?:[eE]([-+]?)0*(\d+))?$`)

// numeric reports whether a column holds numbers only, and at least one.
func (t *Table) numeric(column int) bool {
	some := false
	return !slices.ContainsFunc(t.Rows, func(r []string) bool {
		some = some || r[column] != ""
		return r[column] != "" && !plainNumber.MatchString(r[column])
	}) && some
}

// texCell is plain text, or a number: 1e-06 as a power of ten, - as a minus.
func texCell(s string, number bool) string {
	m := plainNumber.FindStringSubmatch(s)
	switch {
	case !number || m == nil:
		return tex(s)
	case m[3] != "":
		return "$" + m[1] + "{\\times}10^{" + strings.TrimPrefix(m[2], "+") + m[3] + "}$"
	case strings.HasPrefix(s, "-"):
		return "$" + s + "$"
	}
	return s
}
