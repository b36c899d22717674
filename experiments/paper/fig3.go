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
			jobs = append(jobs, size.job(series, lab.IntValues(b, f, size.slots), (1<<f)/(2*b), h, func(seed uint64) (lab.Instance, error) {
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
			alpha := measure.MeanLoad("stored", "slots", groups...)
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

// Judge compares loads and rates with the paper's and with the law.
func (RateBySpace) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, b := range measure.BucketSizes {
		if groups := d.Select(fig3Series(b)); len(groups) > 0 {
			out = append(out, impliedLoad(d.Setup.Profile, b, groups), nearLaw(b, groups), enoughBits(b, groups), exactLaw(b, groups))
		}
	}
	return append(append(out, d.Judged([]claims.Verdict{bestBucket(d), bestBelow(d)})...), noneLost(d, "stored"))
}

// noneLost holds that no filter of an experiment denied a key, by the count of those that are stored.
func noneLost(d *lab.Data, stored string) claims.Verdict {
	return claims.NoneLost(d.Sum("lost"), d.Sum(stored))
}

// impliedLoad compares the mean load at the first refusal with the one that the paper's points imply. Its table size is
// unknown: that of the profile paper has about its loads.
func impliedLoad(p lab.Profile, b int, groups []lab.Group) claims.Verdict {
	theirs, reading := claims.PaperLoad(b), 0.0
	points := claims.RatePoints(b)
	for _, p := range points {
		reading += theirs.Mean * 0.02 / p.Y / float64(len(points))
	}
	c := claims.Claim{ID: fmt.Sprintf("load, b = %d", b), Source: fmt.Sprintf("figure 3, b = %d", b), Paper: fmt.Sprintf("%.4f, width over bits of its points", theirs.Mean),
		Says: fmt.Sprintf("b = %d: mean load factor at the first refusal; the paper's table size is not stated", b)}
	if p != lab.Paper {
		return c.NotMeasured("Loads fall with the size of tables: those of the profile paper are compared.")
	}
	ours := fig3Loads(groups)
	e := claims.Around(ours.Mean, 2*ours.Err)
	e.Format, e.Note = "%.4f", fmt.Sprintf("%d builds of 2^%d slots", ours.N, measure.Power2(groups[0].Param("slots")))
	return c.Equal(e, theirs.Mean, theirs.Tolerance(ours)+reading,
		fmt.Sprintf("%d standard errors, of the paper by the scatter of its %d points, and %.4f for 0.02 bits of reading", stat.Deviations, theirs.N, reading))
}

// meanRatio is the mean over the groups of measured events over expected ones, and its standard error
// from the counts. Each width weighs as much as its events are certain.
func meanRatio(groups []lab.Group, rate func(lab.Group) float64) (ratio, err float64) {
	weights := 0.0
	for _, g := range groups {
		want := rate(g) * float64(g.Sum("probes"))
		// Relative variance: of the count, and of the builds, whose rates scatter by about the
		// square root of their number of keys.
		weight := 1 / (1/want + 1/float64(g.Sum("stored")))
		ratio += weight * float64(measure.Pooled(g).Events) / want
		weights += weight
	}
	return ratio / weights, 1 / math.Sqrt(weights)
}

// nearLaw compares the measured rates with the paper's approximation.
func nearLaw(b int, groups []lab.Group) claims.Verdict {
	near, err := meanRatio(groups, func(g lab.Group) float64 {
		return measure.MeanLoad("stored", "slots", g) * law.RateBound(float64(g.Param("f")), b)
	})
	c := claims.Claim{ID: fmt.Sprintf("rate, b = %d", b), Source: fmt.Sprintf("figure 3, b = %d", b), Paper: "1 within 3%, by its points",
		Says: fmt.Sprintf("b = %d: measured rate over 2*b*alpha/2^f, pooled over f = %d to %d", b, groups[0].Param("f"), groups[len(groups)-1].Param("f"))}
	e := claims.Around(near, 2*err)
	e.Format = "%.4f"
	return c.Within(e, 0.97, 1.03, "how near the paper's own points of enough events are")
}

// exactLaw compares the measured rates with the law that includes the empty slots' value.
func exactLaw(b int, groups []lab.Group) claims.Verdict {
	exact, err := meanRatio(groups, func(g lab.Group) float64 {
		return law.ExactRate(float64(g.Param("f")), b, measure.MeanLoad("stored", "slots", g))
	})
	c := claims.Claim{ID: fmt.Sprintf("exact rate, b = %d", b), Paper: "-", Says: fmt.Sprintf("b = %d: measured rate over the exact law 1-exp(-2*b*alpha/(2^f-1))", b)}
	return equalsOne(c, exact, err)
}

// equalsOne judges a ratio whose true value is 1, by the error of its counts.
func equalsOne(c claims.Claim, ratio, err float64) claims.Verdict {
	e := claims.Around(ratio, 2*err)
	e.Format = "%.4f"
	return c.Equal(e, 1, stat.Deviations*err, fmt.Sprintf("%d standard errors of the counts", stat.Deviations))
}

// enoughBits holds the rule by which the paper chooses fingerprints, f >= log2(1/eps) + log2(2b): f bits are enough for the rate 2b/2^f of
// which it gives f, and one bit less is not.
func enoughBits(b int, groups []lab.Group) claims.Verdict {
	c := claims.Claim{ID: fmt.Sprintf("enough bits, b = %d", b), Source: "section 5.1", Paper: "f >= log2(1/eps) + log2(2b)",
		Says: fmt.Sprintf("b = %d: for a rate of 2b/2^f, f bits are enough and f-1 are not: bits to spare, and what f-1 lack, pooled over f", b)}
	ratio, err := meanRatio(groups, func(g lab.Group) float64 { return law.RateBound(float64(g.Param("f")), b) })
	spare, half := -math.Log2(ratio), stat.Deviations*err/math.Ln2/ratio
	return c.Order([]claims.Step{{Name: "to spare", Of: claims.Around(spare, half)}, {Name: "lacking", Of: claims.Around(1-spare, half)}},
		fmt.Sprintf("%d standard errors of the counts", stat.Deviations))
}

// bestBucket compares the rate at which b = 2 and b = 4 take as many bits per item, by the law at the
// loads that were reached, with the paper's section 5.1.
func bestBucket(d *lab.Data) claims.Verdict {
	c := claims.Claim{ID: "best bucket", Source: "section 5.1", Paper: "0.2%", Says: "b = 2 takes the least space above, and b = 4 below, a rate of (in %; by the exact law at the loads reached)"}
	twos, fours := fig3Loads(d.Select(fig3Series(2))), fig3Loads(d.Select(fig3Series(4)))
	crossing := func(two, four float64) float64 { // with the loads so many standard errors higher
		bits := func(b int, s stat.Sample, errors float64) func(float64) float64 {
			return func(rate float64) float64 { return law.ExactCuckooBits(rate, b, s.Mean+errors*s.Err, 0) }
		}
		rate, _, ok := law.Crossover(bits(2, twos, two), bits(4, fours, four), fig4Low, fig4High)
		if !ok {
			return 0 // one of them takes less at every rate
		}
		return 100 * rate
	}
	at := crossing(0, 0)
	half := math.Hypot(crossing(2, 0)-at, crossing(0, 2)-at)
	return c.Equal(claims.Around(at, half), 0.2, 0.05+half, "half of the one digit that is printed, and 2 standard errors of both loads")
}

// fig3Loads are the load factors of all builds of some groups.
func fig3Loads(groups []lab.Group) stat.Sample {
	var loads []float64
	for _, g := range groups {
		for _, r := range g.Rows {
			loads = append(loads, lab.Quotient(r.Count("stored"), r.Param("slots")))
		}
	}
	return stat.SampleOf(loads)
}

// The rates between which the paper has b = 4 take the least space.
const (
	bestBelowLow  = 0.00001
	bestBelowHigh = 0.002
)

// bestBelow compares each measured point of b = 4 with the lines through those of b = 2 and of b = 8.
func bestBelow(d *lab.Data) claims.Verdict {
	c := claims.Claim{ID: "best below", Source: "section 5.1", Paper: "b = 4 for 0.00001 < eps <= 0.002",
		Says: "b = 4 takes fewer bits per item than b = 2 and than b = 8, at each measured rate from 0.001% to 0.2%"}
	points := func(b int) []chart.Point { return lab.Points(d.Select(fig3Series(b)), measure.RatePoint) }
	twos, eights := through(points(2)), through(points(8))
	var steps []claims.Step
	for _, g := range d.Select(fig3Series(4)) {
		p := measure.RatePoint(g)
		if p.Y <= bestBelowLow || p.Y > bestBelowHigh {
			continue
		}
		// Two rates, each as certain as its count, in bits of fingerprint.
		err := stat.Deviations * math.Sqrt(2/float64(measure.Pooled(g).Events)) / math.Ln2
		steps = append(steps, claims.Step{Name: stat.Digits(100*p.Y, 2) + "%", Of: claims.Around(min(twos(p.Y), eights(p.Y))-p.X, err)})
	}
	return c.Order(steps, fmt.Sprintf("bits to the better of them, %d standard errors of the counts", stat.Deviations))
}
