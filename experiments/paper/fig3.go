package paper

import (
	"context"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// RateBySpace is figure 3 of the paper: the measured false-positive rate against the bits per item,
// for three bucket sizes.
type RateBySpace struct{}

// About states the claim.
func (RateBySpace) About() lab.About {
	return lab.About{
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
			"The paper does not state the table size of its figure 3; load at the first refusal falls slowly with the size. Its points are drawn over those of the " +
				"profile paper only.",
			"Its text has a load of 84% for b = 2, where its points imply .860: the section on bucket sizes has both.",
		},
		Params:  []string{"b", "f", "slots"},
		Counts:  measure.TrialCounts,
		Derived: append([]lab.Derived{{Name: "load_factor", Of: func(r lab.Row) float64 { return lab.Quotient(r.Count("stored"), r.Param("slots")) }}}, measure.TrialDerived...),
	}
}

// fig3Size is what a profile measures.
type fig3Size struct {
	slots, trials int
	events        int // false positives to aim at, over all trials
	least, most   int // probes of a trial
}

var fig3Sizes = map[lab.Profile]fig3Size{
	lab.Tiny:  {1 << 11, 2, 100, 1 << 12, 1 << 14},
	lab.Quick: {1 << 18, 10, 1000, 1 << 19, 1 << 25},
	lab.Paper: {1 << 25, 10, 10_000, 1 << 24, 1 << 30},
}

// fig3Series names the line of a bucket size.
func fig3Series(b int) string { return fmt.Sprintf("b = %d", b) }

// Plan returns a job for each bucket size and width, each setting of the user's filters, and each
// width of the user's hash families.
func (RateBySpace) Plan(s lab.Setup) ([]lab.Job, error) {
	var jobs []lab.Job
	size := fig3Sizes[s.Profile]
	line := func(series string, b int, h hashing.Hasher) {
		for f := claims.NarrowestRatePoint; f <= claims.WidestRatePoint; f++ {
			config := cuckoo.Config{Buckets: size.slots / b, BucketSize: b, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk}
			jobs = append(jobs, size.job(series, lab.Ints(b, f, size.slots), (1<<f)/(2*b), h, func(seed uint64) (lab.Instance, error) {
				return measure.NewCuckoo(f, config, seed)
			}))
		}
	}
	for _, b := range measure.BucketSizes {
		line(fig3Series(b), b, nil)
	}
	for _, h := range s.Own.Families {
		line("b = 4, "+h.Recipe(), 4, h)
	}
	for _, f := range s.Own.Filters {
		for _, set := range f.Settings {
			jobs = append(jobs, size.job(f.Name, []lab.Value{lab.None, lab.Int(set.Bits), lab.Int(size.slots)}, set.OneIn, nil, func(seed uint64) (lab.Instance, error) {
				return set.New(size.slots, seed)
			}))
		}
	}
	return jobs, nil
}

// wideCost is how many times the time of a trial one of buckets that no word holds takes: 1.7 to 3.8 at 2^18 slots, measured once
// on an AMD EPYC; used for estimates only.
const wideCost = 2.3

// job is one point. With a hasher the keys are consecutive integers, which a weak family spreads badly.
func (z fig3Size) job(series string, params []lab.Value, oneIn int, h hashing.Hasher, empty func(seed uint64) (lab.Instance, error)) lab.Job {
	probes, cost := measure.ProbesFor(z.events, oneIn, z.trials, z.least, z.most), 1.0
	if b := params[0].Int(); b > 2 && b*params[1].Int() > 64 {
		cost = wideCost
	}
	return lab.Job{
		Series: series,
		Params: params,
		Trials: z.trials,
		Bytes:  int64(z.slots) * int64(params[1].Int()) / 8, // bits of a fingerprint, or for an item
		Cost:   cost * (float64(z.slots)*measure.FillCost(z.slots) + float64(z.slots+probes)*measure.ProbeCost(z.slots)),
		Run: func(ctx context.Context, seed uint64) ([]int, error) {
			f, err := empty(seed)
			if err != nil {
				return nil, err
			}
			return measure.CountRate(ctx, measure.Stream{Next: seed, Hash: h}, f, z.slots, probes)
		},
	}
}

// Draw draws the space above the lower bound of any filter, over the paper's points: the lines as the paper draws them lie too close
// together to tell where they cross.
func (RateBySpace) Draw(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 2e-2},
		Y: chart.Axis{Label: "bits per item above log2(1/rate)", Min: 2.8, Max: 5.4},
	}
	for i, series := range d.Series() {
		groups := d.Select(series)
		s := chart.Series{Label: series, Style: chart.Numbered(i), Kind: chart.Marks}
		for _, g := range groups {
			if r := measure.Pooled(g); r.Events > 0 {
				s.Points = append(s.Points, aboveBound(measure.RatePoint(g).X, r))
			}
		}
		number := d.Setup.Own.Number(series)
		if number >= 0 {
			s.Style = catalogue.OwnStyle(number)
		}
		for _, pt := range s.Points {
			if i >= len(measure.BucketSizes) {
				p.X.Max, p.Y.Min, p.Y.Max = max(p.X.Max, 2*pt.X), min(p.Y.Min, pt.Y-0.2), max(p.Y.Max, pt.Y+0.2)
			}
		}
		p.Series = append(p.Series, s)
		if b := groups[0].Param("b"); series == fig3Series(b) {
			line := chart.Series{Label: "1-exp(-2b*alpha/(2^{f}-1))", Kind: chart.Thin, Style: chart.StyleFor("bound"), NoLegend: i > 0}
			alpha := measure.MeanLoad(groups)
			for f := claims.NarrowestRatePoint - 0.5; f <= claims.WidestRatePoint+0.5; f += 0.25 {
				rate := law.ExactRate(f, b, alpha)
				line.Points = append(line.Points, chart.Point{X: rate, Y: f/alpha + math.Log2(rate)})
			}
			paper := chart.Series{Label: fmt.Sprintf("paper, b = %d", b), Kind: chart.Hollow, Style: s.Style}
			for _, pt := range claims.RatePoints(b) {
				if d.Setup.Profile != lab.Paper {
					break // its tables are larger
				}
				paper.Points = append(paper.Points, chart.Point{X: pt.X, Y: pt.Y + math.Log2(pt.X)})
			}
			p.Series = append(p.Series, line, paper)
		}
	}
	return []*chart.Figure{{
		Name:    "fig3",
		Title:   "Space above the lower bound by false-positive rate, buckets of b slots",
		Caption: "Bits per item less log2 of 1 over the measured false-positive rate, against that rate on a log axis, for buckets of 2, 4 and 8 slots. The lowest line takes the least space.",
		Panels:  []chart.Panel{p},
	}}
}

// aboveBound is a filter of so many bits per item as a point of the chart, its interval that of the rate.
func aboveBound(bits float64, r stat.Rate) chart.Point {
	lo, hi := r.Interval()
	return chart.Point{X: r.Value(), Y: bits + math.Log2(r.Value()), Lo: bits + math.Log2(lo), Hi: bits + math.Log2(hi)}
}
