package compare

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/size"
	"github.com/nestfilter/nest/experiments/stat"
)

// Figure draws the measured rate of every filter against its bits per item, with 95% intervals, the
// best that a Bloom filter can do and the bound of all filters. The Go map, far to the right, is in the
// caption.
func (r *Result) Figure() *chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "space (bits per item, log scale)", Log: true},
		Y: chart.Axis{Label: "false-positive rate", Log: true},
	}
	left, right := math.Inf(1), 0.
	for _, l := range lineup {
		s := chart.Series{Label: l.Name, Style: style(l), Kind: chart.Marks}
		for _, row := range r.Rows {
			if row.Filter == l.Name {
				s.Points = append(s.Points, point(row))
				left, right = min(left, row.BitsPerItem), max(right, row.BitsPerItem)
			}
		}
		p.Series = append(p.Series, s)
	}
	left, right = left/1.3, right*1.1
	p.Series = append(p.Series,
		line("bloom, formula", chart.StyleFor("bloom"), left, right, math.Ln2),
		line("bound of all filters", chart.StyleFor("bound"), left, right, 1))
	p.X.Min, p.X.Max, p.X.Ticks = left, right, measure.DecadeTicks(left, right, 1, 1.5, 2, 3, 4, 5, 7)
	p.Y.Min, p.Y.Max = r.rateRange()
	return &chart.Figure{
		Name:    "compare",
		Title:   fmt.Sprintf("False-positive rate against space, %d keys", len(r.Options.Keys.Keys)),
		Caption: r.caption(),
		Panels:  []chart.Panel{p},
	}
}

// style is the style of the kind; the cuckoo filters differ in their markers.
func style(l size.Form) chart.Style {
	s := chart.StyleFor(size.Name(l.Spec))
	switch {
	case l.Spec.Placement == cuckoo.XOR:
		s.Marker = chart.Pentagon
	case l.Spec.BucketSize == 2:
		s.Marker = chart.Plus
	case l.Spec.BucketSize == 8:
		s.Marker = chart.Square
	}
	return s
}

func point(row Row) chart.Point {
	lo, hi := row.Measured.Interval()
	pt := chart.Point{X: row.BitsPerItem, Y: row.Measured.Value(), Lo: lo, Hi: hi}
	if row.Measured.Events == 0 {
		pt.Zero, pt.Y, pt.Lo = true, 0, 0
	}
	return pt
}

// rateRange is a margin around all rates and intervals; an interval that reaches far down is cut.
func (r *Result) rateRange() (lo, hi float64) {
	lo, hi = 1, 0
	for _, row := range r.Rows {
		if row.Exact() {
			continue
		}
		pt := point(row)
		lo = min(lo, row.Predicted, max(pt.Lo, pt.Y/5, pt.Hi/50))
		hi = max(hi, row.Predicted, pt.Hi)
	}
	return lo / 1.5, min(1, hi*2)
}

// line is the rate of so many bits per item where each of them yields so many bits of the rate. It ends
// before the rate is too small for a float, which tables of one or two keys are wide enough for.
func line(label string, style chart.Style, left, right, yield float64) chart.Series {
	const steps = 200
	const tiniest = 1000 // bits
	s := chart.Series{Label: label, Style: style, Kind: chart.Thin}
	right = min(right, max(tiniest, left))
	for i := range steps + 1 {
		bits := left * math.Pow(right/left, float64(i)/steps)
		s.Points = append(s.Points, chart.Point{X: bits, Y: math.Exp2(-bits * yield)})
	}
	return s
}

func (r *Result) caption() string {
	return fmt.Sprintf("False-positive rate with its 95%% interval against bits per item, %d probes. A Go map takes %s bits per item and makes no error.",
		r.Probes, stat.Digits(r.Rows[len(r.Rows)-1].BitsPerItem, 3))
}
