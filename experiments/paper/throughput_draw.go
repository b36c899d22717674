package paper

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// A speedAxis says how the groups of a series become a line: the counts whose quotient is a speed, and where on the x
// axis a group stands.
type speedAxis struct {
	of, by string
	x      func(lab.Group) float64
}

// speeds are those of the rounds of a group, in millions a second.
func (a speedAxis) speeds(g lab.Group) []float64 { return speedsOf(g, a.of, a.by) }

// point is a group as a point of a chart: the median, and its interval.
func (a speedAxis) point(g lab.Group) chart.Point {
	speeds := a.speeds(g)
	lo, hi := stat.MedianInterval(speeds)
	return chart.Point{X: a.x(g), Y: stat.Median(speeds), Lo: lo, Hi: hi}
}

// line is the line of a filter. A point stands for so many steps of it.
func (a speedAxis) line(k catalogue.Kind, groups []lab.Group, steps int) chart.Series {
	s := chart.Series{Label: k.Label, Style: k.Style(), Kind: chart.LineMarks}
	for some := range slices.Chunk(groups, steps) {
		s.Points = append(s.Points, a.point(joined(some)))
	}
	return s
}

// likePaper tells whether the tables are of the paper's size: only then its points are drawn, for smaller ones lie in a cache.
func likePaper(d *lab.Data) bool { return d.Setup.Profile == lab.Paper }

// speedTop is where a y axis of some panels ends: above their points, and above the bands unless these are so wide that the points would be
// flat beneath them.
func speedTop(panels ...chart.Panel) float64 {
	points, bands := 0.0, 0.0
	for _, p := range panels {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				points, bands = max(points, pt.Y), max(bands, pt.Hi)
			}
		}
	}
	return max(1.05*points, min(1.5*points, 1.02*bands))
}

// stepsAPoint is how many steps of occupancy a point stands for: of small tables two, for a step takes less than a millisecond there.
func stepsAPoint(d *lab.Data) int {
	if likePaper(d) {
		return 1
	}
	return 2
}

// pointText is what captions say about that.
func pointText(d *lab.Data) string {
	if likePaper(d) {
		return ""
	}
	return " A point stands for two steps. The paper's points are not drawn: its tables are larger than a cache, these are not."
}

// scale is the number that puts the paper's points at x on the line of the groups.
func (a speedAxis) scale(groups []lab.Group, paper []claims.PaperPoint, x float64) float64 {
	var ours []claims.PaperPoint
	for _, g := range groups {
		p := a.point(g)
		ours = append(ours, claims.PaperPoint{X: p.X, Y: p.Y})
	}
	return paperAt(ours, x) / paperAt(paper, x)
}

// paperAt returns the height of a line of points at x, between two of them on the straight line that leaves out
// collinear ones; beyond its ends that of the nearest one. The points may run in either direction.
func paperAt(points []claims.PaperPoint, x float64) float64 {
	if len(points) == 0 {
		return 1
	}
	nearest := points[0]
	for i, p := range points {
		if (p.X-x)*(p.X-x) < (nearest.X-x)*(nearest.X-x) {
			nearest = p
		}
		if i == 0 || p.X == points[i-1].X {
			continue
		}
		last := points[i-1]
		if (last.X-x)*(p.X-x) <= 0 {
			return last.Y + (p.Y-last.Y)*(x-last.X)/(p.X-last.X)
		}
	}
	return nearest.Y
}

// percents are the paper's points whose occupancy is a fraction, in percent.
func percents(points []claims.PaperPoint) []claims.PaperPoint {
	out := make([]claims.PaperPoint, len(points))
	for i, p := range points {
		p.X *= 100
		out[i] = p
	}
	return out
}

// paperLine is the paper's line of a filter in a figure, as marks in a style.
func paperLine(figure int, panel, label string, k catalogue.Kind, style chart.Style, scale, unit float64) []chart.Series {
	points := claims.PaperPoints(figure, panel, k.Name)
	if len(points) == 0 {
		return nil
	}
	s := chart.Series{Label: label, Kind: chart.Hollow, Style: style}
	for _, x := range paperMarks(points, unit, figure == 5) {
		s.Points = append(s.Points, chart.Point{X: x * unit, Y: paperAt(points, x) * scale})
	}
	return []chart.Series{s}
}

// paperMarks is where one of the paper's lines is marked: at all of its points, or, since they stand close together
// in one place and are left out where they are collinear in another, at the first, the last and every tenth
// percent between.
func paperMarks(points []claims.PaperPoint, unit float64, all bool) []float64 {
	var out []float64
	if all {
		for _, p := range points {
			out = append(out, p.X)
		}
		return out
	}
	first, last := points[0].X, points[len(points)-1].X
	out = append(out, first)
	for tenth := 1; tenth < 10; tenth++ {
		if x := float64(10*tenth) / unit; x > first+5/unit && x < last-5/unit {
			out = append(out, x)
		}
	}
	return append(out, last)
}

// occupancyAxis is the x axis of figures 6 to 8.
var occupancyAxis = chart.Axis{Label: "occupancy (%)", Min: 0, Max: 100}

// throughputWhere says how large the tables of a run are.
func throughputWhere(d *lab.Data) string {
	q := catalogue.LifeSizes[d.Setup.Profile].Q
	if q < 20 {
		return measure.Raised(fmt.Sprintf(", 2^%d slots", q))
	}
	return fmt.Sprintf(", %.4g MiB", float64(int(catalogue.SlotBits)<<(q-20))/8)
}
