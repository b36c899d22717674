package experiments

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
)

// LoadFactor is figure 2 of the paper: how full a cuckoo filter gets before it refuses a key, by the
// width of its fingerprints and the size of its table.
type LoadFactor struct{}

// About states the claim.
func (LoadFactor) About() About {
	return About{
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
		Derived: []Derived{
			{"load_factor", func(r Row) float64 { return r.ratio("stored", "slots") }},
		},
	}
}

// fig2Sizes are the exponents of the numbers of buckets. The paper has 15, 20, 25 and 30.
var fig2Sizes = map[Profile][]int{Tiny: {6, 8}, Quick: {12, 15, 18}, Paper: {15, 20, 25}}

// fig2HugeSize is the paper's largest: 2^30 buckets of 8 slots of 20 bits are 20 GiB, and take most of an hour to fill.
const fig2HugeSize = 30

// fig2Exponents are the sizes of a run.
func fig2Exponents(s Setup) []int {
	sizes := fig2Sizes[s.Profile]
	if s.Huge && s.Profile == Paper {
		sizes = append(slices.Clip(sizes), fig2HugeSize)
	}
	return sizes
}

// fig2Trials is how many runs the paper makes, but for the largest tables, which vary least.
func fig2Trials(s Setup, size int) int {
	switch {
	case size >= 25 && s.Runs > 0:
		return s.Runs
	case size >= fig2HugeSize:
		return 1
	case s.Profile == Tiny, size >= 25:
		return 3
	default:
		return 10
	}
}

// fig2Shared is the size whose curve is compared with the paper, and to which other policies are
// added: the largest that every profile but Tiny has.
func fig2Shared(p Profile) int {
	if p == Tiny {
		return slices.Max(fig2Sizes[p])
	}
	return 15
}

// fig2Widths is how far the paper's figure goes.
const fig2Widths = 20

// fig2BreadthFirst is the series of this module's defaults.
const fig2BreadthFirst = "breadth-first"

// Plan returns a job for each table size, bucket size and width, and one for each other policy.
func (LoadFactor) Plan(s Setup) ([]Job, error) {
	var jobs []Job
	for _, b := range []int{4, 8} {
		for _, size := range fig2Exponents(s) {
			c := cuckoo.Config{Buckets: 1 << size, BucketSize: b, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk, MaxBytes: math.MaxInt}
			jobs = append(jobs, fig2Jobs(fig2Series(size), c, fig2Trials(s, size))...)
		}
		shared := fig2Shared(s.Profile)
		own := append([]Policy{{fig2BreadthFirst, cuckoo.BreadthFirst, cuckoo.Additive}}, s.Own.Policies...)
		for _, p := range own {
			c := cuckoo.Config{Buckets: 1 << shared, BucketSize: b, Placement: p.Placement, Kick: p.Kick}
			jobs = append(jobs, fig2Jobs(p.Name, c, fig2Trials(s, shared))...)
		}
	}
	return jobs, nil
}

// fig2Jobs is one line of a panel.
func fig2Jobs(series string, c cuckoo.Config, trials int) []Job {
	var jobs []Job
	for f := 1; f <= fig2Widths; f++ {
		jobs = append(jobs, fillJob(series, f, c, trials))
	}
	return jobs
}

// fillCost is roughly the seconds for one key of a fill to the first refusal: more where the
// table is not in the cache. Measured once on a 2.5 GHz Xeon; used for estimates only.
func fillCost(slots int) float64 {
	switch {
	case slots <= 1<<19:
		return 30e-9
	case slots <= 1<<21:
		return 45e-9
	default:
		return 170e-9
	}
}

// loadRange returns the minimum and the maximum of a group's load factors.
func loadRange(g Group) (lo, hi float64) {
	loads := g.ratios("stored", "slots")
	return slices.Min(loads), slices.Max(loads)
}

// panelGroups returns the groups of a series with buckets of b slots, by width.
func panelGroups(d *Data, series string, b int) []Group {
	return slices.DeleteFunc(d.Select(series), func(g Group) bool { return g.Param("b") != b })
}

// Draw draws a panel for each bucket size: minima as the paper's figure has them, and the plateaus
// again, enlarged and with the maxima.
func (LoadFactor) Draw(d *Data) []*chart.Figure {
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
			func(lo, hi float64) chart.Point { return chart.Point{Y: lo, Lo: lo, Hi: hi} }, Threshold),
	}}
}

// fig2Panels draws one panel for each bucket size, from a width on; point says what to show of a job.
func fig2Panels(d *Data, narrowest float64, y chart.Axis, point func(lo, hi float64) chart.Point, ceiling func(b int) float64) []chart.Panel {
	var panels []chart.Panel
	for i, b := range []int{4, 8} {
		p := chart.Panel{
			Title: fmt.Sprintf("(%c) b = %d", 'a'+i, b),
			X:     chart.Axis{Label: "fingerprint width f (bits)", Min: narrowest, Max: fig2Widths + 0.5, Ticks: fig2Ticks()},
			Y:     y,
		}
		for j, series := range d.Series() {
			s := chart.Series{Label: fig2Label(d, series), Style: chart.Numbered(j), Kind: chart.LineMarks}
			for _, g := range panelGroups(d, series, b) {
				pt := point(loadRange(g))
				pt.X = float64(g.Param("f"))
				s.Points = append(s.Points, pt)
			}
			p.Series = append(p.Series, s)
		}
		if ceiling != nil {
			limit := ceiling(b)
			p.Series = append(p.Series, chart.Series{
				Label: "threshold, any policy", Style: chart.StyleFor("bound"), Kind: chart.Thin,
				Points: []chart.Point{{X: narrowest, Y: limit}, {X: fig2Widths + 0.5, Y: limit}},
			})
		}
		for j, size := range fig2Exponents(d.Setup) { // the paper's marks have the shape of ours
			s := chart.Series{Label: raised("paper, " + fig2Series(size)), Kind: chart.Hollow, Style: chart.Numbered(j)}
			for _, pt := range fig2Paper(b, size) {
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

// fig2Paper is the paper's curve for a bucket size and 2^size buckets.
func fig2Paper(b, size int) []PaperPoint {
	return PaperPoints(2, fmt.Sprintf("b=%d", b), fmt.Sprintf("m=2^%d", size))
}

// fig2Series names the curve of tables of 2^size buckets.
func fig2Series(size int) string { return fmt.Sprintf("m = 2^%d", size) }

// exponent is a power in the name of a series; charts raise what is in braces.
var exponent = regexp.MustCompile(`\^([0-9]+)`)

// raised is the name of a series as a label of a chart.
func raised(series string) string { return exponent.ReplaceAllString(series, "^{$1}") }

// fig2Label is the label of a series. Those of policies are tried at one size, which it adds.
func fig2Label(d *Data, series string) string {
	if strings.HasPrefix(series, "m = 2^") { // no policy of one's own: [Registry.Check] refuses such names
		return "random walk, " + raised(series)
	}
	return series + raised(", "+fig2Series(fig2Shared(d.Setup.Profile)))
}

func fig2Ticks() []chart.Tick {
	ticks := []chart.Tick{{At: 1}}
	for f := 5; f <= fig2Widths; f += 5 {
		ticks = append(ticks, chart.Tick{At: float64(f)})
	}
	return ticks
}
