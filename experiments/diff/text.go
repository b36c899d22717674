package diff

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Write prints the result for people: what explains differences, the first cells of each file that differs
// as file:line:column, verdicts that changed, then a table of ratios. The error is w's.
func (r *Result) Write(w io.Writer, framed bool) error {
	var b strings.Builder
	for _, c := range r.Circumstances {
		fmt.Fprintln(&b, c)
	}
	for _, d := range r.Differences {
		d.write(&b)
	}
	for _, v := range r.Verdicts {
		fmt.Fprintf(&b, "verdict: %s: %s: %s, %s\n", v.Section, v.Claim, orNothing(v.A), orNothing(v.B))
	}
	if r.Same() {
		fmt.Fprintf(&b, "the same: %d cells that the seed decides, and every verdict\n", r.Cells)
	}
	if len(r.Machines) > 0 && len(r.Ratios) > 0 {
		fmt.Fprintf(&b, "timed on different machines, which are not compared: %s; %s\n", r.Machines[0], r.Machines[1])
	} else if len(r.Ratios) > 0 {
		if err := r.ratios().Write(&b, framed); err != nil {
			return err
		}
		b.WriteString("ratio: the second over the first, of medians; *: its interval (at least 90%) leaves out 1\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d *Difference) write(b *strings.Builder) {
	if d.What != "" {
		fmt.Fprintf(b, "%s: %s\n", d.File, d.What)
	}
	for _, c := range d.First {
		fmt.Fprintf(b, "%s:%d:%s: %s, %s\n", d.File, c.Line, c.Column, orNothing(c.A), orNothing(c.B))
	}
	if more := d.Cells - len(d.First); more > 0 {
		fmt.Fprintf(b, "%s: and %d cells more\n", d.File, more)
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// ratios is the table of what was timed.
func (r *Result) ratios() *tabular.Table {
	t := &tabular.Table{Header: []string{"timed", "metric", "first", "second", "ratio", "interval", ""}, Left: 2}
	for _, q := range r.Ratios {
		interval, mark := "", ""
		if !math.IsNaN(q.Lo) {
			interval = stat.Digits(q.Lo, 3) + " to " + stat.Digits(q.Hi, 3)
		}
		if q.Certain() {
			mark = "*"
		}
		t.Rows = append(t.Rows, []string{q.Name, q.Metric, stat.Digits(q.A, 4), stat.Digits(q.B, 4), stat.Digits(q.Value(), 3), interval, mark})
	}
	return t
}
