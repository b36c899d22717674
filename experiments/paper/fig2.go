package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/causes"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
)

// LoadFactor is figure 2 of the paper: how full a cuckoo filter gets before it refuses a key, by the
// width of its fingerprints and the size of its table.
type LoadFactor struct{}

// About states the claim.
func (LoadFactor) About() lab.About {
	return measure.FillAbout(lab.About{
		Name:  "fig2",
		Title: "Figure 2: load factor by fingerprint width",
		Claim: "A table of 2^15 to 2^30 buckets fills to about 95% (b = 4) or 98% (b = 8) before an insert needs more than " +
			"500 kicks, if fingerprints have some 5 bits or more; with narrower ones, large tables refuse early: the least width grows with the logarithm of their size, more slowly for larger buckets.",
		Method: "Distinct random keys are inserted until the first is refused (XOR placement, random walk of at most 500 " +
			"kicks, as in the paper). Each point is the least of the first ten runs. " +
			"The line \"breadth-first\" is this module's default instead: additive placement, search of 700 buckets. " +
			"The paper does not say how a digest becomes a fingerprint, on which everything depends below 5 bits. Here 2^f-1 values are equally likely. Series with other " +
			"names behind the size are simulated tables of other values.",
		NotShown: []string{
			"How fast the tables fill: that is in the paper's figure 7.",
			"What capacity may be promised: the minimum of ten runs is not a guarantee, Filter.Capacity has one.",
			"How the paper's authors made fingerprints: values that fit their points are not shown to be theirs.",
			"The profile paper fills its tables of 2^25 buckets three times, unless --runs says otherwise, and with --huge those of 2^30 once: their points " +
				"are minima of fewer runs than the paper's ten, which their tolerances allow for.",
		},
	})
}

// fig2Sizes are the exponents of the numbers of buckets. The paper has 15, 20, 25 and 30.
var fig2Sizes = map[lab.Profile][]int{lab.Tiny: {6, 8}, lab.Quick: {12, 15, 18}, lab.Paper: {15, 20, 25}}

// fig2HugeSize is the paper's largest: 2^30 buckets of 8 slots of 20 bits are 20 GiB, and take most of an hour to fill.
const fig2HugeSize = 30

// fig2Buckets are the bucket sizes of the paper's panels.
var fig2Buckets = []int{4, 8}

// fig2Exponents are the sizes of a run.
func fig2Exponents(s lab.Setup) []int {
	sizes := fig2Sizes[s.Profile]
	if s.Huge && s.Profile == lab.Paper {
		sizes = append(slices.Clip(sizes), fig2HugeSize)
	}
	return sizes
}

// fig2Widths are the widths of a run: the quick profile leaves out most of the flat part.
func fig2Widths(p lab.Profile) []int {
	if p == lab.Quick {
		return []int{1, 2, 3, 4, 5, 6, 7, 8, 11, 15, 20}
	}
	var all []int
	for f := 1; f <= measure.WidestFill; f++ {
		all = append(all, f)
	}
	return all
}

// fig2Trials is how many runs a line has: ten as in the paper, and more in small tables where they tell suppositions
// about narrow fingerprints apart.
func fig2Trials(s lab.Setup, size, f int) int {
	switch {
	case size >= 25 && s.Runs > 0:
		return s.Runs
	case size >= fig2HugeSize:
		return 1
	case s.Profile == lab.Tiny, size >= 25:
		return 3
	case f <= cliffWidth && (size == 12 || size == 15):
		return 100
	case f <= cliffWidth && size == 20:
		return 30
	default:
		return paperRuns
	}
}

// fig2Shared is the size whose curve is compared with the paper, and to which other policies are
// added: the largest that every profile but Tiny has.
func fig2Shared(p lab.Profile) int {
	if p == lab.Tiny {
		return slices.Max(fig2Sizes[p])
	}
	return 15
}

// fig2BreadthFirst is the series of this module's defaults.
const fig2BreadthFirst = "breadth-first"

// Plan returns a job for each table size, bucket size and width, one for each other policy, and those of other fingerprints.
func (LoadFactor) Plan(s lab.Setup) ([]lab.Job, error) {
	var jobs, other []lab.Job
	line := func(series string, size int, c cuckoo.Config) {
		for _, f := range fig2Widths(s.Profile) {
			job := measure.FillJob(series, f, c, fig2Trials(s, size, f))
			job.Cost *= cliffShare(f)
			jobs = append(jobs, job)
		}
	}
	shared := fig2Shared(s.Profile)
	for _, b := range fig2Buckets {
		for _, size := range fig2Exponents(s) {
			line(claims.SizeSeries(size), size, cuckoo.Config{Buckets: 1 << size, BucketSize: b, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk, MaxBytes: math.MaxInt})
			for _, v := range suppositions {
				if v.measured(s, b, size) {
					other = append(other, v.jobs(s, b, size)...)
				}
			}
		}
		own := append([]lab.Policy{{Name: fig2BreadthFirst, Kick: cuckoo.BreadthFirst, Placement: cuckoo.Additive}}, s.Own.Policies...)
		for _, p := range own {
			line(p.Name, 0, cuckoo.Config{Buckets: 1 << shared, BucketSize: b, Placement: p.Placement, Kick: p.Kick})
		}
	}
	return append(jobs, other...), nil
}

// cliffWidth is the widest fingerprint of the cliff.
const cliffWidth = 5

// cliffShare is about what part of a table is filled, for estimates.
func cliffShare(f int) float64 { return min(float64(f)/4, 1) }

// A supposition is a way to make fingerprints that the paper may have had.
type supposition struct {
	name    string // behind the size in the name of a series
	values  causes.Values
	offsets causes.Offsets
}

// equalValues is the supposition that fits at b = 4.
var equalValues = supposition{"2^f values", causes.All, causes.Hashed}

var suppositions = []supposition{
	{"0 becomes 1", causes.ZeroAsOne, causes.Hashed},
	equalValues,
	{"2^f values, 0 in one bucket", causes.All, causes.Multiplied},
}

func (v supposition) series(size int) string { return claims.SizeSeries(size) + ", " + v.name }

func (v supposition) table(b, f, size int) causes.Table {
	return causes.Table{Size: size, BucketSize: b, Width: f, Values: v.values, Offsets: v.offsets, Kicks: 500}
}

// measured tells whether a run fills such tables: those of the paper's sizes. The largest show one supposition only, as
// one of them takes up to half a minute.
func (v supposition) measured(s lab.Setup, b, size int) bool {
	return s.Profile == lab.Tiny && size == 8 || size == 15 || size == 20 || size == 25 && b == 4 && v == equalValues
}

// jobs are those of one size, each of which fills a simulated table.
func (v supposition) jobs(s lab.Setup, b, size int) []lab.Job {
	trials := fig2Trials(s, size, cliffWidth)
	if s.Profile == lab.Quick {
		trials = min(trials, 30)
	}
	var jobs []lab.Job
	for f := 1; f <= cliffWidth; f++ {
		t := v.table(b, f, size)
		jobs = append(jobs, lab.Job{
			Series: v.series(size),
			Params: lab.IntValues(b, f, 1<<size),
			Trials: trials,
			Bytes:  int64(t.Slots()),
			Cost:   float64(t.Slots()) * measure.FillCost(t.Slots()) * cliffShare(f),
			Run: func(_ context.Context, seed uint64) ([]int, error) {
				return []int{t.Slots(), t.Fill(seed)}, nil
			},
		})
	}
	return jobs
}

// leastOfTen is the least load factor of the first ten runs of a group, as in the paper.
func leastOfTen(g lab.Group) float64 {
	g.Rows = g.Rows[:min(len(g.Rows), paperRuns)]
	lo, _ := measure.LoadRange(g)
	return lo
}

// Draw draws the cliff and what differs from the paper there, and the plateau.
func (LoadFactor) Draw(d *lab.Data) []*chart.Figure {
	cliff := &chart.Figure{
		Name:  "fig2",
		Title: "Load factor at the first refused key: the cliff, and ours less the paper's",
		Caption: "Above, the load factor at the first refused key against fingerprint bits from 1 to 8, for buckets of 4 and of 8 slots: the least of ten runs. " +
			"Below, how much that is above the paper's points, for this module's fingerprints of 2^f-1 equally likely values and for simulated ones of 2^f. " +
			"Where 2^25 buckets were simulated, b = 4 and f = 4 lies far above the paper's point and is yet judged to fit: fills spread so widely there that the least of ten is skewed.",
		Columns: len(fig2Buckets), Height: 12, Width: 19,
	}
	plateau := &chart.Figure{
		Name:  "fig2-plateau",
		Title: "The plateau of figure 2, enlarged: least of ten runs",
		Caption: "The flat part of the load factor's curves, enlarged. The lines are the minimum of ten runs, " +
			"the thin lines are the thresholds of cuckoo hashing, which no way of inserting passes in a large table.",
	}
	var below []chart.Panel
	for i, b := range fig2Buckets {
		title := fmt.Sprintf("(%c) b = %d", 'a'+i, b)
		width := chart.Axis{Label: "fingerprint width f (bits)", Min: 0.5, Max: 8.5, Whole: true}
		cliff.Panels = append(cliff.Panels, chart.Panel{Title: title, Height: 1.4, X: width,
			Y:      chart.Axis{Label: "load factor, least of ten", Min: 0, Max: 1.02},
			Series: fig2Lines(d, b)})
		below = append(below, chart.Panel{Title: fmt.Sprintf("(%c) b = %d, ours - paper", 'c'+i, b), X: width, Y: chart.Axis{Label: "ours - paper"}, Series: fig2Differences(d, b)})
		wide := chart.Axis{Label: width.Label, Min: 3.5, Max: measure.WidestFill + 0.5, Ticks: measure.WidthTicks()}
		limit := law.Threshold(b)
		plateau.Panels = append(plateau.Panels, chart.Panel{Title: title, X: wide, Y: chart.Axis{Label: "load factor", Min: 0.94, Max: 1},
			Series: append(fig2Lines(d, b), chart.Series{
				Label: "threshold, any policy", Style: chart.StyleFor("bound"), Kind: chart.Thin,
				Points: []chart.Point{{X: wide.Min, Y: limit}, {X: wide.Max, Y: limit}},
			})})
	}
	cliff.Panels = append(cliff.Panels, below...)
	return []*chart.Figure{cliff, plateau}
}

// fig2Lines are our lines and the paper's points of a bucket size. The paper's marks have the shape of ours.
func fig2Lines(d *lab.Data, b int) []chart.Series {
	var lines, paper []chart.Series
	for j, series := range d.Series() {
		if _, _, simulated := simulatedOf(series); simulated {
			continue
		}
		s := chart.Series{Label: fig2Label(d, series), Style: chart.Numbered(j), Kind: chart.LineMarks,
			Points: lab.Points(measure.PanelGroups(d, series, b), func(g lab.Group) chart.Point { return chart.Point{X: float64(g.Param("f")), Y: leastOfTen(g)} })}
		lines = append(lines, s)
		for _, size := range fig2Exponents(d.Setup) {
			if series != claims.SizeSeries(size) {
				continue
			}
			p := chart.Series{Label: measure.Raised("paper, " + series), Kind: chart.Hollow, Style: s.Style,
				Points: lab.Points(claims.LoadPoints(b, size), func(pt claims.PaperPoint) chart.Point { return chart.Point{X: pt.X, Y: pt.Y} })}
			if len(p.Points) > 0 {
				paper = append(paper, p)
			}
		}
	}
	return append(lines, paper...)
}

// fig2Differences are the differences to the paper's points, of this module's fingerprints and of 2^f equally likely values.
func fig2Differences(d *lab.Data, b int) []chart.Series {
	zero := chart.Series{NoLegend: true, Kind: chart.Thin, Style: chart.StyleFor("bound"), Points: []chart.Point{{X: 0.5}, {X: 8.5}}}
	out := []chart.Series{zero}
	for j, size := range fig2Exponents(d.Setup) {
		points := claims.LoadPoints(b, size)
		for _, series := range []string{claims.SizeSeries(size), equalValues.series(size)} {
			s := chart.Series{Label: fig2Label(d, series), Kind: chart.LineMarks, Style: chart.Numbered(j)}
			if series == equalValues.series(size) {
				s.Kind, s.Style = chart.Line, chart.Style{Color: s.Style.Color, Dash: []float64{1, 2}}
			}
			for _, g := range measure.PanelGroups(d, series, b) {
				if f := g.Param("f"); len(points) > 0 && f <= 8 {
					s.Points = append(s.Points, chart.Point{X: float64(f), Y: leastOfTen(g) - pointAt(points, f)})
				}
			}
			out = append(out, s)
		}
	}
	return out
}

// simulatedOf takes the name of a series of simulated tables apart. No policy of one's own has such a name: [Registry.Check] refuses it.
func simulatedOf(series string) (size, values string, simulated bool) {
	size, values, simulated = strings.Cut(series, ", ")
	return size, values, simulated && strings.HasPrefix(size, "m = 2^")
}

// fig2Label is the label of a series. Those of policies are tried at one size, which it adds.
func fig2Label(d *lab.Data, series string) string {
	if size, values, simulated := simulatedOf(series); simulated {
		return "simulated, " + strings.ReplaceAll(values, "2^f", "2^{f}") + ", " + measure.Raised(size)
	} else if strings.HasPrefix(series, "m = 2^") {
		return "random walk, " + measure.Raised(series)
	}
	return series + measure.Raised(", "+claims.SizeSeries(fig2Shared(d.Setup.Profile)))
}
