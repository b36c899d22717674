package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// An entry is a line of the legend: a label and what it looks like. The series that share a label,
// such as "paper", may have several markers.
type entry struct {
	label  string
	series []Series // without points
	limit  bool     // the line that explains the arrows
	area   bool     // a region without room for its name, in the style of its one series
}

// limitLabel explains the arrows of points without events.
const limitLabel = "no event: upper limit"

// entries lists what the legend must explain: our series in the order in which their lines end at
// the right, then marks without a line, theory, the paper's points, and the arrows.
func (f *Figure) entries() []entry {
	var out []entry
	limits := false
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, s := range p.ordered() {
			limits = limits || p.Y.Log && slices.ContainsFunc(s.Points, func(pt Point) bool { return pt.Zero })
			if s.NoLegend || s.Label == "" {
				continue
			}
			s.Points = nil
			at := slices.IndexFunc(out, func(e entry) bool { return e.label == s.Label })
			if at < 0 {
				out = append(out, entry{label: s.Label, series: []Series{s}})
				continue
			}
			if !slices.ContainsFunc(out[at].series, func(o Series) bool {
				return o.Style.Marker == s.Style.Marker && o.Kind == s.Kind
			}) {
				out[at].series = append(out[at].series, s)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return cmp.Compare(a.rank(), b.rank()) })
	if limits {
		out = append(out, entry{label: limitLabel, limit: true})
	}
	return out
}

// rank groups the kinds in the legend: lines, marks, theory, the paper.
func (k Kind) rank() int {
	switch k {
	case Marks:
		return 1
	case Thin:
		return 2
	case Hollow:
		return 3
	}
	return 0
}

// rank of an entry is that of its most prominent series.
func (e entry) rank() int {
	lowest := e.series[0].Kind.rank()
	for _, s := range e.series {
		lowest = min(lowest, s.Kind.rank())
	}
	return lowest
}

// ordered returns the panel's series from the highest to the lowest, judged at the rightmost x that
// all lines of a kind reach. Lines that end within 2% of each other, and marks, keep their order.
func (p *Panel) ordered() []Series {
	out := slices.Clone(p.Series)
	xs, sc := p.X.scale(p.xSpan()), p.Y.scale(p.ySpan())
	height := map[int]float64{}
	for _, rank := range []int{LineMarks.rank(), Thin.rank()} {
		right := math.Inf(1)
		for _, s := range out {
			if s.Kind.rank() == rank && len(s.Points) > 0 {
				right = min(right, lastX(s.Points))
			}
		}
		for i, s := range out {
			if s.Kind.rank() == rank {
				height[i] = math.Round((heightAt(s.Points, right, xs, sc) - sc.lo) / (sc.hi - sc.lo) * 50)
			}
		}
	}
	order := make([]int, len(out))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(height[b], height[a]) })
	for i, at := range order {
		out[i] = p.Series[at]
	}
	return out
}

func lastX(points []Point) float64 {
	x := math.Inf(-1)
	for _, pt := range points {
		x = max(x, pt.X)
	}
	return x
}

// heightAt is the transformed y of the line at x, or of the point nearest to it.
func heightAt(points []Point, x float64, xs, ys scale) float64 {
	best, y := math.Inf(1), ys.lo
	for i, pt := range points {
		v := pt.Y
		if ys.log && pt.Zero {
			v = pt.Hi / 10
		}
		if d := math.Abs(pt.X - x); d < best {
			best, y = d, ys.value(v)
		}
		if i == 0 || ys.log && (pt.Zero || points[i-1].Zero) {
			continue
		}
		if a, b := points[i-1], pt; a.X <= x && x < b.X {
			t := (xs.value(x) - xs.value(a.X)) / (xs.value(b.X) - xs.value(a.X))
			return ys.value(a.Y)*(1-t) + ys.value(b.Y)*t
		}
	}
	return y
}

// rowHeight is the distance of the legend's lines.
func rowHeight() vg.Length { return sizeLegend * 1.32 }

// legendSize is the box that the entries fill.
func legendSize(entries []entry) (w, h vg.Length) {
	for _, e := range entries {
		lw, _ := measure(e.label, sizeLegend)
		w = max(w, lw)
	}
	return w + keyWidth + keyGap, vg.Length(len(entries)) * rowHeight()
}
