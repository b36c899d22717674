package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/stat"
)

// Write prints the result for people: what explains differences, the first cells of each file that differs as
// file:line:column, verdicts that changed, then a table of ratios: all of them, or those whose interval leaves out 1.
// Width is that of the terminal, 0 if it is none. The error is w's.
func (r *Changes) Write(w io.Writer, width int, all bool) error {
	var b strings.Builder
	for _, c := range r.Circumstances {
		fmt.Fprintln(&b, c)
	}
	for _, d := range r.Differences {
		d.write(&b)
	}
	for _, v := range r.Verdicts {
		v.write(&b)
	}
	if r.Same() {
		fmt.Fprintf(&b, "the same: %d cells that the seed decides, and every verdict on them\n", r.Cells)
	}
	if len(r.Machines) > 0 && len(r.Ratios) > 0 {
		fmt.Fprintf(&b, "timed on different machines, which are not compared: %s; %s\n", r.Machines[0], r.Machines[1])
	} else if len(r.Ratios) > 0 {
		r.writeRatios(&b, width, all)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRatios prints the ratios that the style wants, and how many there are.
func (r *Changes) writeRatios(b *strings.Builder, width int, all bool) {
	certain := slices.DeleteFunc(slices.Clone(r.Ratios), func(q Ratio) bool { return !q.Certain() })
	shown := certain
	if all {
		shown = r.Ratios
	}
	if len(shown) > 0 {
		b.WriteString(ratioTable(shown).Text(width) + Notes(width, "ratio: the second over the first, of medians; "+
			"interval: at least 90% where both have six values or more, else what their ranges permit; *: it leaves out 1"))
	}
	text := fmt.Sprintf("timed: %d medians are compared; for %d the interval of the ratio leaves out 1", len(r.Ratios),
		len(certain))
	if !all {
		text += "; --all lists all of them"
	}
	b.WriteString(Notes(width, text))
}

func (v *VerdictChange) write(b *strings.Builder) {
	kind := "verdict"
	if v.Timed {
		kind = "verdict on times"
	}
	what := v.A + ", " + v.B
	switch {
	case v.B == "":
		what = v.A + ", only in the first"
	case v.A == "":
		what = v.B + ", only in the second"
	}
	fmt.Fprintf(b, "%s: %s: %s: %s\n", kind, v.Section, v.Claim, what)
}

func (d *Difference) write(b *strings.Builder) {
	if d.What != "" {
		fmt.Fprintf(b, "%s: %s\n", d.File, d.What)
	}
	for _, c := range d.First {
		fmt.Fprintf(b, "%s:%d:%s: %s, %s\n", d.File, c.Line, c.Column, cmp.Or(c.A, "nothing"), cmp.Or(c.B, "nothing"))
	}
	if more := d.Cells - len(d.First); more > 0 {
		fmt.Fprintf(b, "%s: and %d cells more\n", d.File, more)
	}
}

func ratioTable(ratios []Ratio) *Table {
	t := &Table{Columns: []string{"timed", "metric", "values", "first", "second", "ratio", "interval", ""}, Left: 2,
		Minor: []string{"values", "first", "second"}}
	for _, q := range ratios {
		interval, mark := "", ""
		if !math.IsNaN(q.Lo) {
			interval = stat.Digits(q.Lo, 3) + " to " + stat.Digits(q.Hi, 3)
		}
		if q.Certain() {
			mark = "*"
		}
		t.Rows = append(t.Rows, []string{q.Name, q.Metric, fmt.Sprintf("%d, %d", q.NA, q.NB),
			stat.Digits(q.A, 4), stat.Digits(q.B, 4), stat.Digits(q.Value(), 3), interval, mark})
	}
	return t
}
