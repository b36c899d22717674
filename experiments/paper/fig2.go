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
	// fig2HugeSize is the paper's largest: 2^30 buckets of 8 slots of 20 bits are 20 GiB, and take most of an hour to
	// fill.
	fig2HugeSize = 30
	// fig2BreadthFirst is the series of this module's defaults.
	fig2BreadthFirst = "breadth-first"
	// cliffWidth is the widest fingerprint of the cliff, and lastWidth that of its picture.
	cliffWidth, lastWidth = 5, 8
	// paperRuns is how many runs the paper took the minimum of.
	paperRuns = 10
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
	return &lab.Experiment{
		Name:  "fig2",
		Title: "Figure 2: load factor by fingerprint width",
		Claim: "Tables of 2^15 to 2^30 buckets fill to about 95% (b = 4) or 98% (b = 8) within 500 kicks, if fingerprints " +
			"have some 5 bits or more; the least width grows with the logarithm of their size, more slowly for larger buckets.",
		Method: "Random keys are inserted until the first is refused (XOR placement, random walk of 500 kicks), and a " +
			"point is the least of ten runs. The line breadth-first is this module's default. Fingerprints have 2^f-1 equally " +
			"likely values; series with other names behind the size are simulated tables of other values.",
		Limits: []string{
			"What capacity may be promised: the minimum of ten runs is not a guarantee, Filter.Capacity has one.",
			"How the paper's authors made fingerprints: values that fit their points are not shown to be theirs.",
			"Tables of 2^25 buckets and more have fewer runs than ten, which their tolerances allow for.",
		},
		Params: "b f buckets", Grid: fig2Grid(), Trial: fill, Columns: measure.FillColumns,
		Plots: []lab.Plot{{
			Title: "Load factor at the first refused key: the cliff, and ours less the paper's",
			Caption: "Above, the load factor at the first refused key against fingerprint bits from 1 to 8, for buckets of 4 " +
				"and of 8 slots: the least of ten runs. Below, how much that is above the paper's points, for this module's " +
				"fingerprints of 2^f-1 equally likely values and for simulated ones of 2^f. Where 2^25 buckets were simulated, b " +
				"= 4 and f = 4 lies far above the paper's point and is yet judged to fit: fills spread so widely there that the " +
				"least of ten is skewed.",
			Columns: len(fig2Buckets), Edit: cliffPanels,
		}, {
			Name: "fig2-plateau", Title: "The plateau of figure 2, enlarged: least of ten runs",
			Caption: "The flat part of the load factor's curves, enlarged. The lines are the minimum of ten runs, the thin " +
				"lines are the thresholds of cuckoo hashing, which no way of inserting passes in a large table.",
			Edit: plateauPanels,
		}},
		Claims: []lab.Rule{loadClaims},
	}
}

// fig2Grid are tables under the paper's walk, under other policies at one size, and simulated ones of other
// fingerprints.
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
	search := lab.Named(fig2BreadthFirst, lab.Policy{Kick: cuckoo.BreadthFirst, Placement: cuckoo.Additive})
	for _, b := range fig2Buckets {
		at := lab.Over("b", lab.Ints(b))
		grid = append(grid, lab.Block{
			Series: "m = 2^{size}", Trials: fig2Trials, Axes: append([]lab.Axis{at, sizes, widths, buckets}, measure.Walk...),
		}, lab.Block{
			Series: "{policy}", Trials: lab.Times(3, paperRuns, paperRuns),
			Axes: []lab.Axis{at, lab.Over("policy", lab.Join(lab.List(search), lab.OwnPolicies)), shared, widths, buckets},
		})
	}
	values := lab.ListOf(suppositions, func(v supposition) lab.Value { return lab.Named(v.name, v) })
	return append(grid, lab.Block{
		Series: "m = 2^{size}, {values}", Trial: &lab.Trial{
			Counts: measure.Fill.Counts, Needs: cliffNeeds, Run: func(_ context.Context, c lab.Cell,
				seed uint64) ([]int, error) {
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

// fig2Exponents are the sizes of a run.
func fig2Exponents(d *lab.Data) (sizes []int) {
	_, parts := lab.Split("size", d.Where("kick", cuckoo.RandomWalk.Recipe()))
	for _, groups := range parts {
		sizes = append(sizes, groups[0].Cell.Int("size"))
	}
	return sizes
}

// fig2Trials is how many runs a line has: ten as in the paper, and more in small tables where they tell suppositions
// about narrow fingerprints apart.
func fig2Trials(c lab.Cell) int {
	size, f := c.Int("size"), c.Int("f")
	switch {
	case size >= 25 && c.Setup.Runs > 0:
		return c.Setup.Runs
	case size >= fig2HugeSize:
		return 1
	case c.Setup.Profile == lab.Tiny, size >= 25:
		return 3
	case f <= cliffWidth && (size == 12 || size == 15):
		return 100
	case f <= cliffWidth && size == 20:
		return 30
	}
	return paperRuns
}

// fig2Shared is the size whose curve is compared with the paper, and to which other policies are added: the largest
// that every profile but Tiny has.
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

// equalValues is the supposition that fits at b = 4.
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

// leastOfTen is the least load factor of the first ten runs of a group, as in the paper.
func leastOfTen(g lab.Group) float64 { return lab.Least("load_factor", paperRuns)(g).Value }

// cliffPanels are the cliff, and below what differs from the paper there.
func cliffPanels(d *lab.Data, f *chart.Figure) {
	f.Height, f.Width = 12, 19
	width := chart.Axis{Label: "fingerprint width f (bits)", Min: 0.5, Max: lastWidth + 0.5, Whole: true}
	for i, b := range fig2Buckets {
		f.Panels = append(f.Panels, chart.Panel{Title: fmt.Sprintf("(%c) b = %d", 'a'+i, b), Height: 1.4, X: width,
			Y: chart.Axis{Label: "load factor, least of ten", Min: 0, Max: 1.02}, Series: fig2Lines(d, b)})
	}
	for i, b := range fig2Buckets {
		f.Panels = append(f.Panels, chart.Panel{Title: fmt.Sprintf("(%c) b = %d, ours - paper", 'c'+i, b), X: width,
			Y: chart.Axis{Label: "ours - paper"}, Series: append([]chart.Series{{
				NoLegend: true, Kind: chart.Thin, Style: chart.StyleFor("bound"), Points: []chart.Point{{X: width.Min},
					{X: width.Max}},
			}}, fig2Differences(d, b)...)})
	}
}

// plateauPanels enlarge the flat part.
func plateauPanels(d *lab.Data, f *chart.Figure) {
	wide := chart.Axis{Label: "fingerprint width f (bits)", Min: 3.5, Max: measure.WidestFill + 0.5,
		Ticks: measure.WidthTicks()}
	for i, b := range fig2Buckets {
		limit := claims.Threshold(b)
		f.Panels = append(f.Panels, chart.Panel{
			Title: fmt.Sprintf("(%c) b = %d", 'a'+i, b), X: wide, Y: chart.Axis{Label: "load factor", Min: 0.94, Max: 1},
			Series: append(fig2Lines(d, b), chart.Series{
				Label: "threshold, any policy", Style: chart.StyleFor("bound"), Kind: chart.Thin,
				Points: []chart.Point{{X: wide.Min, Y: limit}, {X: wide.Max, Y: limit}},
			}),
		})
	}
}

// fig2At returns the groups of a series with buckets of b slots, by width.
func fig2At(d *lab.Data, series string, b int) []lab.Group {
	return d.Where("series", series, "b", fmt.Sprint(b))
}

// fig2Lines are our lines and the paper's points of a bucket size. The paper's marks have the shape of ours.
func fig2Lines(d *lab.Data, b int) []chart.Series {
	var lines, paper []chart.Series
	names, parts := lab.Split("series", d.Where("values", ""))
	for j, series := range names {
		cell := parts[j][0].Cell
		lines = append(lines, chart.Series{Label: fig2Label(cell), Style: chart.Numbered(j), Kind: chart.LineMarks,
			Points: lab.Points(fig2At(d, series, b), func(g lab.Group) chart.Point {
				return chart.Point{X: g.Cell.Float("f"),
					Y: leastOfTen(g)}
			})})
		points := claims.LoadPoints(b, cell.Int("size"))
		if !cell.Has("policy") && len(points) > 0 {
			paper = append(paper, chart.Series{Label: measure.Raised("paper, " + series), Kind: chart.Hollow,
				Style:  chart.Numbered(j),
				Points: lab.Points(points, func(pt claims.PaperPoint) chart.Point { return chart.Point{X: pt.X, Y: pt.Y} })})
		}
	}
	return slices.Concat(lines, paper)
}

// fig2Differences are the differences to the paper's points, of this module's fingerprints and of 2^f equally likely
// values.
func fig2Differences(d *lab.Data, b int) (out []chart.Series) {
	for j, size := range fig2Exponents(d) {
		points := claims.LoadPoints(b, size)
		for _, v := range []supposition{{}, equalValues} {
			s := chart.Series{Kind: chart.LineMarks, Style: chart.Numbered(j)}
			if v == equalValues {
				s.Kind, s.Style = chart.Line, chart.Style{Color: s.Style.Color, Dash: []float64{1, 2}}
			}
			for _, g := range fig2At(d, v.series(size), b) {
				s.Label = fig2Label(g.Cell)
				if f := g.Cell.Int("f"); len(points) > 0 && f <= lastWidth {
					s.Points = append(s.Points, chart.Point{X: float64(f), Y: leastOfTen(g) - pointAt(points, f)})
				}
			}
			out = append(out, s)
		}
	}
	return out
}

// fig2Label is the label of a line. Those of policies are tried at one size, which it adds.
func fig2Label(c lab.Cell) string {
	name := "random walk"
	switch {
	case c.Has("values"):
		name = "simulated, " + strings.ReplaceAll(c.Text("values"), "2^f", "2^{f}")
	case c.Has("policy"):
		name = c.Text("policy")
	}
	return name + c.Fill(", m = 2^{{size}}")
}
