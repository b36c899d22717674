package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

const (
	fig2HugeSize     = 30              // the paper's largest: up to 20 GiB, which take most of an hour
	fig2BreadthFirst = "breadth-first" // the series of this module's defaults
	fig2TwoHashes    = "two independent hashes"
	cliffWidth       = 5  // the widest fingerprint of the cliff
	lastWidth        = 8  // that of its picture
	paperRuns        = 10 // of which the paper took the minimum
)

// fig2Buckets are the bucket sizes of the paper's panels, and fig2PaperSizes the exponents of its table sizes.
var (
	fig2Buckets    = []int{4, 8}
	fig2PaperSizes = []int{15, 20, 25, 30}
)

// LoadFactor is figure 2 of the paper: how full a cuckoo filter gets before it refuses a key, by the width of its
// fingerprints and the size of its table.
func LoadFactor() *lab.Experiment {
	fill := measure.Fill
	fill.Needs = cliffNeeds
	narrow := chart.Axis{Label: "fingerprint width f (bits)", Min: 0.5, Max: lastWidth + 0.5, Whole: true}
	wide := chart.Axis{Label: narrow.Label, Min: 3.5, Max: measure.WidestFill + 0.5, Ticks: measure.WidthTicks()}
	return &lab.Experiment{
		Name:  "fig2",
		Title: "Figure 2: load factor by fingerprint width",
		Claim: "Tables of 2^15 to 2^30 buckets fill to about 95% (b = 4) or 98% (b = 8) within 500 kicks, if fingerprints " +
			"have some 5 bits or more; the least width grows with the logarithm of their size, more slowly for larger buckets.",
		Method: "Random keys are inserted until the first is refused (XOR placement, random walk of 500 kicks), and a " +
			"point is the least of ten runs. The line breadth-first is this module's default; policies of one's own run " +
			"under XOR. Both fill 2^15 buckets, in profile tiny 2^8. Fingerprints have 2^f-1 equally likely values; " +
			"series with other names behind the size are simulated tables of other values.",
		Limits: []string{
			"What capacity may be promised: the minimum of ten runs is not a guarantee, Filter.Capacity has one.",
			"How the paper's authors made fingerprints: values that fit their points are not shown to be theirs.",
			"The largest tables have fewer runs than ten behind the cliff, which their tolerances allow for.",
		},
		Params: "b f buckets", Grid: fig2Grid(), Trial: fill, Columns: measure.FillColumns,
		Plots: []lab.Plot{{
			Title: "Load factor at the first refused key: the cliff, and at the paper's sizes ours less the paper's",
			Caption: "Below, how much the load is above the paper's points, for this module's fingerprints and for simulated " +
				"ones of 2^f equally likely values. Where 2^25 buckets were simulated, b = 4 and f = 4 lies far above the " +
				"paper's point and is yet judged to fit: fills spread so widely there that the least of ten is skewed.",
			Columns: len(fig2Buckets),
			Panels: []lab.Panel{
				fig2Panel("b = {b}", narrow, chart.Axis{Label: "load factor, least of ten", Min: 0, Max: 1.02}, fig2Paper),
				fig2Differences(narrow),
			},
			Edit: func(_ *lab.Data, f *chart.Figure) {
				f.Height, f.Width, f.Panels[0].Height, f.Panels[1].Height = 12, 19, 1.4, 1.4
			},
		}, {
			Name: "fig2-plateau", Title: "The plateau of figure 2, enlarged: least of ten runs",
			Caption: "The thin lines are the thresholds of cuckoo hashing, which no way of inserting passes in a large table.",
			Panels: []lab.Panel{fig2Panel("b = {b}", wide, chart.Axis{Label: "load factor", Min: 0.94, Max: 1}, fig2Paper,
				func(_ *lab.Data, groups []lab.Group) []chart.Series {
					line := level(wide, claims.Threshold(groups[0].Cell.Int("b")))
					line.Label = "threshold, any policy"
					return []chart.Series{line}
				})},
		}},
		Claims: []lab.Rule{loadClaims},
	}
}

// fig2Grid are tables under the paper's walk, under other policies at one size, and simulated ones of other values.
func fig2Grid() (grid lab.Grid) {
	sizes := lab.Over("size", lab.By(lab.Ints(6, 8), lab.Ints(12, 15, 18), lab.Join(lab.Ints(15, 20, 25),
		func(c lab.Cell) []lab.Value {
			if c.Setup.Huge {
				return lab.IntValues(fig2HugeSize)
			}
			return nil
		})))
	shared := lab.Over("size", lab.From(func(c lab.Cell) lab.Value { return lab.Int(fig2Shared(c.Setup.Profile)) }))
	all := lab.Range(1, measure.WidestFill) // the quick profile leaves out most of the flat part
	widths, buckets := lab.Over("f", lab.By(all, lab.Ints(1, 2, 3, 4, 5, 6, 7, 8, 11, 15, 20), all)),
		measure.Exponent("buckets", "size")
	for _, b := range fig2Buckets {
		at := lab.Over("b", lab.Ints(b))
		grid = append(grid, lab.Block{
			Series: "m = 2^{size}", Trials: fig2Trials, Axes: append([]lab.Axis{at, sizes, widths, buckets}, measure.Walk...),
		}, lab.Block{
			Series: "{policy}", Trials: lab.Times(3, paperRuns, paperRuns),
			Axes: []lab.Axis{at, lab.Over("policy", measure.Kicks(cuckoo.BreadthFirst)), shared, widths, buckets},
		}, lab.Block{
			Series: "{policy}", Trials: lab.Times(3, paperRuns, paperRuns),
			Axes: []lab.Axis{at, lab.Over("policy", lab.OwnPolicies), measure.Walk[1], shared, widths, buckets},
		})
	}
	grid = append(grid, lab.Block{Series: fig2TwoHashes, Trials: lab.Times(3, 100, 100),
		Axes: []lab.Axis{lab.Over("b", lab.Ints(fig2Buckets...)), shared, measure.Exponent("buckets", "size")},
		Trial: &lab.Trial{Counts: measure.Fill.Counts, Run: func(_ context.Context, c lab.Cell, seed uint64) ([]int,
			error) {
			t := claims.NarrowTable{Size: c.Int("size"), BucketSize: c.Int("b"), Kicks: 500}
			return []int{t.Slots(), t.FillFullKeys(seed)}, nil
		}},
	})
	values := lab.ListOf(suppositions, func(v supposition) lab.Value { return lab.Named(v.name, v) })
	return append(grid, lab.Block{
		Series: "m = 2^{size}, {values}", Trial: &lab.Trial{
			Counts: measure.Fill.Counts, Needs: cliffNeeds,
			Run: func(_ context.Context, c lab.Cell, seed uint64) ([]int, error) {
				t := c.Of("values").(supposition).table(c.Int("b"), c.Int("f"), c.Int("size"))
				return []int{t.Slots(), t.Fill(seed)}, nil
			},
		},
		Trials: func(c lab.Cell) int { return min(fig2Trials(c), c.In(lab.Size{100, 30, 100})) },
		Only: func(c lab.Cell) bool {
			return c.Of("values").(supposition).measured(c.Setup.Profile, c.Int("b"), c.Int("size"))
		},
		Axes: []lab.Axis{
			lab.Over("b", lab.Ints(fig2Buckets...)), sizes, lab.Over("values", values),
			lab.Over("f", lab.Range(1, cliffWidth)), buckets,
		},
	})
}

func fig2Exponents(d *lab.Data) (sizes []int) {
	_, parts := lab.Split("size", d.Where("kick", cuckoo.RandomWalk.Recipe()))
	for _, groups := range parts {
		sizes = append(sizes, groups[0].Cell.Int("size"))
	}
	return sizes
}

// fig2Trials is ten runs a line as in the paper, and more in small tables, where they tell suppositions apart.
func fig2Trials(c lab.Cell) int {
	size, f := c.Int("size"), c.Int("f")
	switch {
	case size >= 25 && c.Setup.Runs > 0:
		return c.Setup.Runs
	case size >= fig2HugeSize:
		return 1
	case c.Setup.Profile == lab.Tiny, size >= 25, size == 18 && f > claims.PlateauFrom:
		return 3
	case f <= cliffWidth && (size == 12 || size == 15):
		return 100
	case f <= cliffWidth && size == 20:
		return 30
	}
	return paperRuns
}

// fig2Shared is the size of other policies, and of what is compared: the largest of every profile but Tiny.
func fig2Shared(p lab.Profile) int {
	if p == lab.Tiny {
		return 8
	}
	return 15
}

// cliffNeeds is the cost of a table that refuses a key early if its fingerprints are narrow.
func cliffNeeds(c lab.Cell) (float64, int64) {
	keys, bytes := measure.Fill.Needs(c)
	if c.Has("values") {
		bytes = int64(measure.Slots(c))
	}
	return keys * min(c.Float("f")/4, 1), bytes
}

// A supposition is a way to make fingerprints that the paper may have had.
type supposition struct {
	name    string // behind the size in the name of a series
	values  claims.Values
	offsets claims.Offsets
}

var equalValues = supposition{"2^f values", claims.All, claims.Hashed}

var suppositions = []supposition{
	{"0 becomes 1", claims.ZeroAsOne, claims.Hashed}, equalValues,
	{"2^f values, 0 in one bucket", claims.All, claims.Multiplied},
}

// series is the line of such tables of 2^size buckets; that of the zero supposition are this module's fingerprints.
func (v supposition) series(size int) string {
	return strings.TrimSuffix(claims.SizeSeries(size)+", "+v.name, ", ")
}

func (v supposition) table(b, f, size int) claims.NarrowTable {
	return claims.NarrowTable{Size: size, BucketSize: b, Width: f, Values: v.values, Offsets: v.offsets, Kicks: 500}
}

// measured tells whether a run fills such tables: those of the paper's sizes. The largest show one supposition only, as
// one of them takes up to half a minute.
func (v supposition) measured(p lab.Profile, b, size int) bool {
	return p == lab.Tiny && size == 8 || size == 15 || size == 20 || size == 25 && b == 4 && v == equalValues
}

func leastOfTen(g lab.Group) float64 { return lab.Least("load_factor", paperRuns)(g).Value }

func fig2At(d *lab.Data, series string, b int) []lab.Group {
	return d.Where("series", series, "b", fmt.Sprint(b))
}

func fig2Panel(title string, x, y chart.Axis, more ...lab.More) lab.Panel {
	return lab.Panel{Each: "b", Title: title, X: x, Y: y, At: lab.At("f"), Of: lab.Least("load_factor", paperRuns),
		Style: lab.Numbered, More: more,
		Only: func(g lab.Group) bool { return !g.Cell.Has("values") && g.Series != fig2TwoHashes },
		Label: func(series string) string {
			if strings.Contains(series, "values") {
				series = "simulated, " + series
			} else if strings.HasPrefix(series, "m = ") {
				series = "random walk, " + series
			}
			return measure.Raised(strings.ReplaceAll(series, "2^f", "2^{f}"))
		}}
}

func fig2Paper(_ *lab.Data, groups []lab.Group) (lines []chart.Series) {
	names, parts := lab.Split("series", groups)
	for i, series := range names {
		cell := parts[i][0].Cell
		if points := claims.LoadPoints(cell.Int("b"), cell.Int("size")); !cell.Has("policy") && len(points) > 0 {
			lines = append(lines, chart.Series{Label: measure.Raised("paper, " + series), Kind: chart.Hollow,
				Style: chart.Numbered(i), Points: lab.Points(points, func(pt claims.PaperPoint) chart.Point {
					return chart.Point{X: pt.X, Y: pt.Y}
				})})
		}
	}
	return lines
}

// fig2Differences are those to the paper's points, of this module's fingerprints and of 2^f equally likely values.
func fig2Differences(x chart.Axis) lab.Panel {
	zero := func(*lab.Data, []lab.Group) []chart.Series { return []chart.Series{level(x, 0)} }
	p := fig2Panel("b = {b}, ours - paper", x, chart.Axis{Label: "ours - paper"}, zero)
	p.Of = lab.Map(p.Of, func(g lab.Group, least float64) float64 {
		return least - pointAt(claims.LoadPoints(g.Cell.Int("b"), g.Cell.Int("size")), g.Cell.Int("f"))
	})
	p.Only = func(g lab.Group) bool {
		c := g.Cell
		return g.Series != fig2TwoHashes && !c.Has("policy") && c.Int("f") <= lastWidth &&
			(!c.Has("values") || c.Text("values") == equalValues.name) && slices.Contains(fig2PaperSizes, c.Int("size"))
	}
	p.Style = func(g lab.Group, _ int, _ chart.Style) chart.Style {
		s := chart.Numbered(slices.Index(fig2Exponents(g.Data), g.Cell.Int("size")))
		if g.Cell.Has("values") {
			return chart.Style{Color: s.Color, Dash: []float64{1, 2}, Marker: chart.Plus}
		}
		return s
	}
	return p
}

func level(x chart.Axis, y float64) chart.Series {
	return chart.Series{Kind: chart.Thin, Style: chart.StyleFor("bound"), NoLegend: y == 0,
		Points: []chart.Point{{X: x.Min, Y: y}, {X: x.Max, Y: y}}}
}
