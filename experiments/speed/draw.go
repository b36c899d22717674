package speed

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
)

// lines returns a series for each filter of the measurements that keep says, in the order of the options, at
// x(s); the gather limit comes last, as a thin line. A filter has one style in all figures, the default cuckoo filter
// that of cuckoo filters in all charts of this module.
func (r *Result) lines(keep func(*Series) bool, x func(*Series) float64) (out []chart.Series) {
	names := make([]string, len(r.Options.Filters))
	for i, f := range r.Options.Filters {
		names[i] = f.Label
		if f.Name == catalogue.Cuckoo(cuckoo.Additive, nil).Name {
			names[i] = "cuckoo"
		}
	}
	styles := append(chart.StylesFor(names...), chart.StyleFor("bound"))
	for i, f := range slices.Concat(r.Options.Filters, []catalogue.Entry{limit}) {
		line := chart.Series{Label: f.Label, Style: styles[i]}
		if f.Name == limit.Name {
			line.Kind = chart.Line
		}
		for _, s := range r.Series {
			if s.Filter == f.Name && keep(s) {
				ns := s.Rounds.Interval()
				line.Points = append(line.Points, chart.Point{X: x(s), Y: ns.Median, Lo: ns.Lo, Hi: ns.Hi})
			}
		}
		slices.SortStableFunc(line.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
		if len(line.Points) > 0 {
			out = append(out, line)
		}
	}
	return out
}

// panels are the two ways to look keys up.
func panels(x, y chart.Axis, lines func(batch int) []chart.Series) []chart.Panel {
	return []chart.Panel{
		{Title: "(a) one by one", X: x, Y: y, Series: lines(0)},
		{Title: fmt.Sprintf("(b) in batches of %d", DefaultBatch), X: x, Y: y, Series: lines(DefaultBatch)},
	}
}

// nanoseconds gives all panels one log axis of times.
func nanoseconds(panels []chart.Panel) {
	_, _, low, high := ranges(panels)
	for i := range panels {
		y := &panels[i].Y
		y.Min, y.Max, y.Ticks = low/1.2, high*1.2, measure.DecadeTicks(low/1.2, high*1.2, 1, 2, 5)
	}
}

// sizeFigure draws the time of a miss against the size of the table.
func (r *Result) sizeFigure() *chart.Figure {
	p := panels(chart.Axis{Label: "table (log scale)", Log: true, Base: 2}, chart.Axis{Label: "ns per lookup (log scale)", Log: true},
		func(batch int) []chart.Series {
			return r.lines(func(s *Series) bool {
				return ofSize(s) && s.Hit == 0 && (s.Batch == batch || s.Filter == limit.Name)
			}, func(s *Series) float64 { return float64(s.SizeBytes) })
		})
	left, right, _, _ := ranges(p)
	for i := range p {
		p[i].X.Min, p[i].X.Max, p[i].X.Ticks = left/1.5, right*1.5, sizeTicks(left/1.5, right*1.5)
	}
	nanoseconds(p)
	return &chart.Figure{
		Name: "size", Title: "Lookups of absent keys against the size of the table",
		Caption: fmt.Sprintf("Nanoseconds per lookup of an absent key against the size of the table, load %v, median and 95%% interval. "+
			"The gather limit is two random reads of 8 bytes from an array as large.", catalogue.FullLoad),
		Panels: p,
	}
}

// loadFigure draws the time of a miss against the load.
func (r *Result) loadFigure() *chart.Figure {
	n := r.Options.sweepSize()
	p := panels(chart.Axis{Label: "load", Min: 0, Max: 1}, chart.Axis{Label: "ns per lookup"}, func(batch int) []chart.Series {
		lines := r.lines(func(s *Series) bool { return r.ofLoad(s) && s.Hit == 0 && s.Batch == batch && s.Filter != limit.Name },
			func(s *Series) float64 { return s.Load })
		if g := r.limitAt(n); g != nil {
			across := chart.Series{Label: limit.Label, Style: chart.StyleFor("bound"), Kind: chart.Line}
			for _, x := range []float64{Loads()[0], catalogue.FullLoad} {
				across.Points = append(across.Points, chart.Point{X: x, Y: g.Rounds.Interval().Median})
			}
			lines = append(lines, across)
		}
		return lines
	})
	_, _, _, high := ranges(p)
	for i := range p {
		p[i].Y.Min, p[i].Y.Max = 0, high*1.1
	}
	return &chart.Figure{
		Name: "load", Title: fmt.Sprintf("Lookups of absent keys against the load, %d slots", n),
		Caption: fmt.Sprintf("Nanoseconds per lookup of an absent key against the load of a table of %d slots, median and 95%% interval.", n),
		Panels:  p,
	}
}

// fillFigure draws the time of an insert against the load, for the size whose loads are swept, if there is
// one, and for the largest one.
func (r *Result) fillFigure() *chart.Figure {
	sizes := []int{r.Options.Sizes[len(r.Options.Sizes)-1]}
	if swept := r.Options.sweepSize(); swept != 0 && swept != sizes[0] {
		sizes = []int{swept, sizes[0]}
	}
	f := &chart.Figure{
		Name: "fill", Title: "Inserts against the load",
		Caption: "Nanoseconds per insert within each tenth of a fill and from load 0.9 to 0.95, at the middle of the stretch, median and 95% interval.",
	}
	for i, n := range sizes {
		p := chart.Panel{
			X: chart.Axis{Label: "load", Min: 0, Max: 1}, Y: chart.Axis{Label: "ns per insert (log scale)", Log: true},
			Series: r.lines(func(s *Series) bool { return ofFill(s) && s.Of.Slots && s.N == n }, func(s *Series) float64 { return (s.From + s.Load) / 2 }),
		}
		if len(sizes) > 1 {
			p.Title = fmt.Sprintf("(%c) %d slots", 'a'+i, n)
		} else {
			f.Title += fmt.Sprintf(", %d slots", n)
		}
		f.Panels = append(f.Panels, p)
	}
	nanoseconds(f.Panels)
	return f
}

// ranges are those of all points of the panels, intervals included.
func ranges(panels []chart.Panel) (left, right, low, high float64) {
	left, low = math.Inf(1), math.Inf(1)
	for _, p := range panels {
		for _, s := range p.Series {
			for _, pt := range s.Points {
				if pt.Hi == 0 {
					pt.Lo, pt.Hi = pt.Y, pt.Y
				}
				left, right, low, high = min(left, pt.X), max(right, pt.X), min(low, pt.Lo), max(high, pt.Hi)
			}
		}
	}
	return left, right, low, high
}

// sizeTicks are powers of 8 from 1 KiB on, or of 4 on an axis so short that their labels have room.
func sizeTicks(lo, hi float64) (out []chart.Tick) {
	step := 8.
	if hi/lo < 1<<12 {
		step = 4
	}
	for at := 1024.; at <= hi; at *= step {
		label := strconv.FormatFloat(at/1024, 'f', -1, 64) + " KiB"
		if at >= 1<<20 {
			label = strconv.FormatFloat(at/(1<<20), 'f', -1, 64) + " MiB"
		}
		if at >= lo {
			out = append(out, chart.Tick{At: at, Label: label})
		}
	}
	return out
}
