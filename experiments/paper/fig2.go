package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
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
	return lab.About{
		Name:  "fig2",
		Title: "Figure 2: load factor by fingerprint width",
		Claim: "A table of 2^15 to 2^30 buckets fills to about 95% (b = 4) or 98% (b = 8) before an insert needs more than " +
			"500 kicks, if fingerprints have some 5 bits or more; with narrower ones, large tables refuse early: the least width grows with the logarithm of their size, more slowly for larger buckets.",
		Method: "Distinct random keys are inserted until the first is refused (XOR placement, random walk of at most 500 " +
			"kicks, as in the paper). Each point is the minimum of the runs. " +
			"The line \"breadth-first\" is this module's default instead: additive placement, search of 700 buckets.",
		NotShown: []string{
			"How fast the tables fill: that is in the paper's figure 7.",
			"What capacity may be promised: the minimum of ten runs is not a guarantee, Filter.Capacity has one.",
			"The narrow end depends on how a digest becomes a fingerprint and a fingerprint an offset, which the paper does not state: below 4 bits " +
				"only the position and the order of the curves can be compared.",
			"The profile paper fills its tables of 2^25 buckets three times, unless --runs says otherwise, and with --huge those of 2^30 once: their points " +
				"are minima of fewer runs than the paper's ten, which their tolerances allow for.",
		},
		Params: []string{"b", "f", "buckets"},
		Counts: []string{"slots", "stored"},
		Derived: []lab.Derived{
			{Name: "load_factor", Of: func(r lab.Row) float64 { return r.Ratio("stored", "slots") }},
		},
	}
}

// fig2Sizes are the exponents of the numbers of buckets. The paper has 15, 20, 25 and 30.
var fig2Sizes = map[lab.Profile][]int{lab.Tiny: {6, 8}, lab.Quick: {12, 15, 18}, lab.Paper: {15, 20, 25}}

// fig2HugeSize is the paper's largest: 2^30 buckets of 8 slots of 20 bits are 20 GiB, and take most of an hour to fill.
const fig2HugeSize = 30

// fig2Exponents are the sizes of a run.
func fig2Exponents(s lab.Setup) []int {
	sizes := fig2Sizes[s.Profile]
	if s.Huge && s.Profile == lab.Paper {
		sizes = append(slices.Clip(sizes), fig2HugeSize)
	}
	return sizes
}

// fig2Trials is how many runs the paper makes, but for the largest tables, which vary least.
func fig2Trials(s lab.Setup, size int) int {
	switch {
	case size >= 25 && s.Runs > 0:
		return s.Runs
	case size >= fig2HugeSize:
		return 1
	case s.Profile == lab.Tiny, size >= 25:
		return 3
	default:
		return 10
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

// Plan returns a job for each table size, bucket size and width, and one for each other policy.
func (LoadFactor) Plan(s lab.Setup) ([]lab.Job, error) {
	var jobs []lab.Job
	for _, b := range []int{4, 8} {
		for _, size := range fig2Exponents(s) {
			c := cuckoo.Config{Buckets: 1 << size, BucketSize: b, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk, MaxBytes: math.MaxInt}
			jobs = append(jobs, fig2Jobs(claims.SizeSeries(size), c, fig2Trials(s, size))...)
		}
		shared := fig2Shared(s.Profile)
		own := append([]lab.Policy{{Name: fig2BreadthFirst, Kick: cuckoo.BreadthFirst, Placement: cuckoo.Additive}}, s.Own.Policies...)
		for _, p := range own {
			c := cuckoo.Config{Buckets: 1 << shared, BucketSize: b, Placement: p.Placement, Kick: p.Kick}
			jobs = append(jobs, fig2Jobs(p.Name, c, fig2Trials(s, shared))...)
		}
	}
	return jobs, nil
}

// fig2Jobs is one line of a panel.
func fig2Jobs(series string, c cuckoo.Config, trials int) []lab.Job {
	var jobs []lab.Job
	for f := 1; f <= measure.WidestFill; f++ {
		jobs = append(jobs, measure.FillJob(series, f, c, trials))
	}
	return jobs
}

// Draw draws a panel for each bucket size: minima as the paper's figure has them, and the plateaus
// again, enlarged and with the maxima.
func (LoadFactor) Draw(d *lab.Data) []*chart.Figure {
	return []*chart.Figure{{
		Name:    "fig2",
		Title:   "Load factor at the first refused key",
		Caption: "Load factor at the first refused key against fingerprint bits, for buckets of 4 and of 8 slots: the minimum of the runs.",
		Panels: fig2Panels(d, 0.5, chart.Axis{Label: "load factor, minimum of the runs", Min: 0, Max: 1.02},
			func(lo, _ float64) chart.Point { return chart.Point{Y: lo} }, nil),
	}, {
		Name:  "fig2-plateau",
		Title: "The plateau of figure 2, enlarged: minimum of the runs, band up to the maximum",
		Caption: "The flat part of the load factor's curves, enlarged. The lines are the minimum of the runs, the bands " +
			"reach to the maximum, the thin lines are the thresholds of cuckoo hashing, which no way of inserting passes in a large table.",
		Panels: fig2Panels(d, 3.5, chart.Axis{Label: "load factor", Min: 0.94, Max: 1},
			func(lo, hi float64) chart.Point { return chart.Point{Y: lo, Lo: lo, Hi: hi} }, law.Threshold),
	}}
}

// fig2Panels draws one panel for each bucket size, from a width on; point says what to show of a job.
func fig2Panels(d *lab.Data, narrowest float64, y chart.Axis, point func(lo, hi float64) chart.Point, ceiling func(b int) float64) []chart.Panel {
	var panels []chart.Panel
	for i, b := range []int{4, 8} {
		p := chart.Panel{
			Title: fmt.Sprintf("(%c) b = %d", 'a'+i, b),
			X:     chart.Axis{Label: "fingerprint width f (bits)", Min: narrowest, Max: measure.WidestFill + 0.5, Ticks: measure.WidthTicks()},
			Y:     y,
		}
		for j, series := range d.Series() {
			s := chart.Series{Label: fig2Label(d, series), Style: chart.Numbered(j), Kind: chart.LineMarks}
			for _, g := range measure.PanelGroups(d, series, b) {
				pt := point(measure.LoadRange(g))
				pt.X = float64(g.Param("f"))
				s.Points = append(s.Points, pt)
			}
			p.Series = append(p.Series, s)
		}
		if ceiling != nil {
			limit := ceiling(b)
			p.Series = append(p.Series, chart.Series{
				Label: "threshold, any policy", Style: chart.StyleFor("bound"), Kind: chart.Thin,
				Points: []chart.Point{{X: narrowest, Y: limit}, {X: measure.WidestFill + 0.5, Y: limit}},
			})
		}
		for j, size := range fig2Exponents(d.Setup) { // the paper's marks have the shape of ours
			s := chart.Series{Label: measure.Raised("paper, " + claims.SizeSeries(size)), Kind: chart.Hollow, Style: chart.Numbered(j)}
			for _, pt := range claims.LoadPoints(b, size) {
				s.Points = append(s.Points, chart.Point{X: pt.X, Y: pt.Y})
			}
			if len(s.Points) > 0 {
				p.Series = append(p.Series, s)
			}
		}
		panels = append(panels, p)
	}
	return panels
}

// fig2Label is the label of a series. Those of policies are tried at one size, which it adds.
func fig2Label(d *lab.Data, series string) string {
	if strings.HasPrefix(series, "m = 2^") { // no policy of one's own: [Registry.Check] refuses such names
		return "random walk, " + measure.Raised(series)
	}
	return series + measure.Raised(", "+claims.SizeSeries(fig2Shared(d.Setup.Profile)))
}
