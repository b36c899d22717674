package experiments

import (
	"context"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// RateBySpace is figure 3 of the paper: the measured false-positive rate against the bits per item,
// for three bucket sizes.
type RateBySpace struct{}

// About states the claim.
func (RateBySpace) About() About {
	return About{
		Name:  "fig3",
		Title: "Figure 3: false-positive rate by space and bucket size",
		Claim: "Buckets of b slots fill to a load alpha of .86 (b = 2), .95 (4) and .98 (8), as the paper's points imply, and report an absent key at a " +
			"rate of about 2*b*alpha/2^f, below the bound 2b/2^f. So b = 2 takes the least space above a rate of 0.2%, b = 4 from there down to 0.001%.",
		Method: "Each build is filled with distinct random keys until the first is refused (XOR placement, random walk of at " +
			"most 500 kicks), every key is looked up again, and then keys that are absent for certain are looked up. Rates are pooled over the builds; " +
			"intervals are 95%, Wilson's, or the Clopper-Pearson limit where no false positive was seen.",
		NotShown: []string{
			"How fast lookups are: that is in the paper's figures 5 and 6.",
			"Rates for keys that are chosen by an adversary, or hashed badly.",
			"The paper does not state the table size of its figure 3; load at the first refusal falls slowly with the size.",
			"Its text has a load of 84% for b = 2, where its points imply .860: the section on bucket sizes has both.",
		},
		Params:  []string{"b", "f", "slots"},
		Counts:  rateCounts,
		Derived: append([]Derived{{"load_factor", func(r Row) float64 { return quotient(r.Count("stored"), r.Param("slots")) }}}, rateDerived...),
	}
}

// fig3Size is what a profile measures.
type fig3Size struct {
	slots, trials int
	events        int // false positives to aim at, over all trials
	least, most   int // probes of a trial
}

var fig3Sizes = map[Profile]fig3Size{
	Tiny:  {1 << 11, 2, 100, 1 << 12, 1 << 14},
	Quick: {1 << 18, 10, 1000, 1 << 19, 1 << 25},
	Paper: {1 << 25, 10, 10_000, 1 << 24, 1 << 30},
}

// The widths of the paper's figure 3.
const (
	fig3Narrow = 9
	fig3Wide   = 20
)

var fig3Buckets = []int{2, 4, 8}

// fig3Series names the line of a bucket size.
func fig3Series(b int) string { return fmt.Sprintf("b = %d", b) }

// Plan returns a job for each bucket size and width, each setting of the user's filters, and each
// width of the user's hash families.
func (RateBySpace) Plan(s Setup) ([]Job, error) {
	var jobs []Job
	size := fig3Sizes[s.Profile]
	line := func(series string, b int, h hashing.Hasher) {
		for f := fig3Narrow; f <= fig3Wide; f++ {
			config := cuckoo.Config{Buckets: size.slots / b, BucketSize: b, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk}
			jobs = append(jobs, size.job(series, []int{b, f, size.slots}, (1<<f)/(2*b), h, func(seed uint64) (Instance, error) {
				return newCuckoo(f, config, seed)
			}))
		}
	}
	for _, b := range fig3Buckets {
		line(fig3Series(b), b, nil)
	}
	for _, h := range s.Own.Families {
		line("b = 4, "+h.Recipe(), 4, h)
	}
	for _, f := range s.Own.Filters {
		for _, set := range f.Settings {
			jobs = append(jobs, size.job(f.Name, []int{0, set.Bits, size.slots}, set.OneIn, nil, func(seed uint64) (Instance, error) {
				return set.New(size.slots, seed)
			}))
		}
	}
	return jobs, nil
}

// job is one point. With a hasher the keys are consecutive integers, which a weak family spreads badly.
func (z fig3Size) job(series string, params []int, oneIn int, h hashing.Hasher, empty func(seed uint64) (Instance, error)) Job {
	probes := probesFor(z.events, oneIn, z.trials, z.least, z.most)
	return Job{
		Series: series,
		Params: params,
		Trials: z.trials,
		Bytes:  int64(z.slots) * int64(params[1]) / 8, // bits of a fingerprint, or for an item
		Cost:   float64(z.slots)*fillCost(z.slots) + float64(z.slots+probes)*probeCost(z.slots),
		Run: func(ctx context.Context, seed uint64) ([]int, error) {
			f, err := empty(seed)
			if err != nil {
				return nil, err
			}
			return measureRate(ctx, stream{next: seed, hash: h}, f, z.slots, probes)
		},
	}
}

// probeCost is roughly the seconds of one lookup of an absent key, as fillCost is for inserts.
func probeCost(slots int) float64 {
	if slots <= 1<<21 {
		return 6e-9
	}
	return 25e-9
}

// ratePoint is a group as a point of a chart: bits per item against the pooled rate.
func ratePoint(g Group) chart.Point {
	r := pooled(g)
	lo, hi := r.Interval()
	return chart.Point{
		X:  quotient(8*g.Sum("size_bytes"), g.Sum("stored")),
		Y:  r.Value(),
		Lo: lo, Hi: hi,
		Zero: r.Events == 0,
	}
}

// pooled is the false-positive rate over all trials of a group.
func pooled(g Group) stat.Rate {
	return stat.Rate{Events: g.Sum("false_positives"), N: g.Sum("probes")}
}

// meanLoad is the load factor of several groups together.
func meanLoad(groups []Group) float64 {
	stored, slots := 0, 0
	for _, g := range groups {
		stored += g.Sum("stored")
		slots += len(g.Rows) * g.Param("slots")
	}
	return quotient(stored, slots)
}

// Draw draws measured rates on the law's lines, over the paper's points.
func (RateBySpace) Draw(d *Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "space (bits per item)", Min: 8.5, Max: 24},
		Y: chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 5e-2},
	}
	law := chart.Series{Label: "1-exp(-2b*alpha/(2^{f}-1))", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	for i, series := range d.Series() {
		groups := d.Select(series)
		s := chart.Series{Label: series, Style: fig3Style(i), Kind: chart.Marks}
		for _, g := range groups {
			s.Points = append(s.Points, ratePoint(g))
		}
		if i >= len(fig3Buckets) {
			widenFor(&p, s)
		}
		if number := d.Setup.Own.number(series); number >= 0 {
			s.Style = ownStyle(number)
		}
		p.Series = append(p.Series, s)
		if b := groups[0].Param("b"); series == fig3Series(b) {
			line := law
			line.NoLegend = i > 0
			line.Points = lawPoints(b, meanLoad(groups))
			p.Series = append(p.Series, line)
		}
	}
	for i, b := range fig3Buckets {
		paper := chart.Series{Label: fmt.Sprintf("paper, b = %d", b), Kind: chart.Hollow, Style: fig3Style(i)}
		for _, pt := range fig3Paper(b) {
			paper.Points = append(paper.Points, chart.Point{X: pt.Y, Y: pt.X})
		}
		p.Series = append(p.Series, paper)
	}
	return []*chart.Figure{{
		Name:    "fig3",
		Title:   "False-positive rate by space, cuckoo filters of b slots a bucket",
		Caption: "Measured false-positive rate on a log axis against bits per item, for buckets of 2, 4 and 8 slots.",
		Panels:  []chart.Panel{p},
	}}
}

// fig3Style is the style of a series. The first numbered style is left out: it looks like that of
// Bloom filters in figure 4. The second, for b = 4, is the cuckoo filter's there.
func fig3Style(series int) chart.Style {
	if series == 0 {
		return chart.Numbered(3)
	}
	if series >= 3 {
		series++
	}
	return chart.Numbered(series)
}

// lawPoints is the exact law's line at a load.
func lawPoints(b int, alpha float64) []chart.Point {
	var out []chart.Point
	for f := fig3Narrow - 0.5; f <= fig3Wide+0.5; f += 0.25 {
		out = append(out, chart.Point{X: f / alpha, Y: ExactRate(f, b, alpha)})
	}
	return out
}

// fig3Edge is where the paper's axis ends: its first point of each line, at exactly this rate, is the
// line leaving the picture and no measurement.
const fig3Edge = 0.01

// fig3Paper returns the paper's measurements for a bucket size: X is the rate, Y the bits per item.
func fig3Paper(b int) []PaperPoint {
	points := PaperPoints(3, "", fmt.Sprintf("b=%d", b))
	if len(points) > 0 && points[0].X == fig3Edge {
		points = points[1:]
	}
	return points
}
