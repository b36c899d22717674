package report

import (
	"fmt"
	"math"
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

// texColumn is one column. Small numbers are multiplied by a power of ten that their head names.
func (t *Table) texColumn(at int) texColumn {
	name := t.Columns[at]
	c := texColumn{Side: "l", Head: strings.Fields(tex(strings.ReplaceAll(name, "_", " ")))}
	if t.numeric(at) {
		c.Side = "r"
	}
	exponent, digits, decimals := 0, latexDigits, -1
	fractional := c.Side == "r" && slices.ContainsFunc(t.Rows, func(r []string) bool { return strings.ContainsAny(r[at], ".e") })
	if fractional {
		exponent = t.exponent(t.base(at))
	}
	if exponent != 0 {
		c.Head = append(c.Head, fmt.Sprintf("(in $10^{%d}$)", exponent))
	}
	switch {
	case strings.HasPrefix(name, "paper"):
		decimals = t.printed(at)
	case strings.HasSuffix(name, deviationSuffix):
		digits = 2
	}
	for _, r := range t.Rows {
		text := r[at]
		if v, err := strconv.ParseFloat(text, 64); fractional && err == nil {
			if v *= math.Pow10(-exponent); decimals >= 0 {
				text = strconv.FormatFloat(v, 'f', max(0, decimals+exponent), 64)
			} else {
				text = rounded(v, digits)
			}
		}
		c.Cells = append(c.Cells, texCell(text, c.Side == "r"))
	}
	return c
}

// deviationSuffix ends the name of a column of standard deviations.
const deviationSuffix = "_sd"

// base is the column that shares its unit with this one: that of the means, of a column of deviations or of ends of
// intervals.
func (t *Table) base(at int) int {
	for _, suffix := range []string{deviationSuffix, "_low", "_high"} {
		if stem, ok := strings.CutSuffix(t.Columns[at], suffix); ok {
			if base := slices.Index(t.Columns, stem); base >= 0 && t.numeric(base) {
				return base
			}
		}
	}
	return at
}

// exponent is the power of ten, a multiple of three, in which a column of small numbers is printed; 0 where they span more
// than three orders of magnitude, or are not small.
func (t *Table) exponent(column int) int {
	least, most := math.Inf(1), 0.0
	for _, r := range t.Rows {
		if v, err := strconv.ParseFloat(r[column], 64); err == nil && v != 0 {
			least, most = min(least, math.Abs(v)), max(most, math.Abs(v))
		}
	}
	if most == 0 || most >= 0.1 || most/least > 1000 {
		return 0
	}
	return 3 * int(math.Floor(math.Log10(10*most)/3)) // the largest is between 0.1 and 100
}

// printed is how many decimals the values of a column have that somebody else has rounded, such as the paper; -1 if they
// are a formula's.
func (t *Table) printed(column int) int {
	most := 0
	for _, r := range t.Rows {
		_, decimals, _ := strings.Cut(r[column], ".")
		if most = max(most, len(decimals)); len(strings.TrimLeft(r[column], "0.")) > latexDigits+2 || strings.Contains(r[column], "e") {
			return -1
		}
	}
	return most
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
