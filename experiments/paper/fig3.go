package paper

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// RateBySpace is figure 3 of the paper: the measured false-positive rate by bits per item, for three bucket sizes.
func RateBySpace() *lab.Experiment {
	widths := lab.Over("f", lab.Range(claims.NarrowestRatePoint, claims.WidestRatePoint))
	slots, builds := lab.Over("slots", lab.By(lab.Ints(1<<11), lab.Ints(1<<18), lab.Ints(1<<25))), lab.Times(2, 10, 10)
	cuckoos := func(series string, axes ...lab.Axis) lab.Block {
		return lab.Block{Series: series, Trials: builds, Axes: append(append(axes, widths, slots), measure.Walk...)}
	}
	return &lab.Experiment{
		Name:  "fig3",
		Title: "Figure 3: false-positive rate by space and bucket size",
		Claim: "Buckets of b slots fill to a load alpha of .86 (b = 2), .95 (4) and .98 (8) and have a rate of about " +
			"2*b*alpha/2^f. So b = 2 takes the least space above a rate of 0.2%, b = 4 from there down to 0.001%.",
		Method: "Each build is filled until a key is refused (XOR placement, random walk of 500 kicks), every key is " +
			"looked up again, and then absent ones. Rates are pooled over the builds.",
		Limits: []string{
			"The paper does not state the table size: its points are drawn over those of the profile paper only.",
			"Its text has a load of 84% for b = 2, where its points imply .860: the section on bucket sizes has both.",
		},
		Params: "b f slots",
		Grid: lab.Grid{
			cuckoos("b = {b}", lab.Over("b", lab.Ints(measure.BucketSizes...))),
			cuckoos("b = 4, {hash}", lab.Over("b", lab.Ints(4)), lab.Over("hash", lab.OwnFamilies)),
			{Series: "{filter}", Trials: builds, Axes: []lab.Axis{
				lab.Over("filter", lab.OwnFilters), lab.Over("f", lab.OwnSettings), slots,
			}},
		},
		Trial: measure.FillAndProbe(measure.Asked{Probes: enoughProbes("f",
			lab.Size{100, 1000, 10_000}, lab.Size{1 << 12, 1 << 19, 1 << 24}, lab.Size{1 << 14, 1 << 25, 1 << 30})}),
		Columns: append([]lab.Column{{Name: "load_factor", Of: lab.Div("stored", "slots")}}, measure.RateColumns...),
		Plots: []lab.Plot{{
			Title:   "Space above the lower bound by false-positive rate, buckets of b slots",
			Caption: "Bits per item less log2 of 1 over the measured rate. The lowest line takes the least space.",
			Panels:  []lab.Panel{fig3Panel}, Edit: widenForOwn,
		}},
		Claims: []lab.Rule{
			lab.Each("b", lab.In("hash", "", "filter", ""),
				lab.Claim{
					Claim: claims.Claim{ID: "load, b = {b}", Source: "figure 3, b = {b}",
						Says: "b = {b}: mean load factor at the first refusal; the paper's table size is not stated"},
					Holds: impliedLoad,
				},
				lab.Claim{
					Claim: claims.Claim{ID: "rate, b = {b}", Source: "figure 3, b = {b}", Paper: "1 within 3%, by its points",
						Says: fmt.Sprintf("b = {b}: measured rate over 2*b*alpha/2^f, pooled over f = %d to %d",
							claims.NarrowestRatePoint, claims.WidestRatePoint)},
					Of:    overExpected(2, func(g lab.Group) float64 { return loadOf(g) * boundOf(g) }),
					Holds: lab.Within(0.97, 1.03, "how near the paper's own points of enough events are"),
				},
				lab.Claim{
					Claim: claims.Ours("exact rate, b = {b}", "b = {b}: measured rate over the exact law 1-exp(-2*b*alpha/(2^f-1))"),
					Of:    overExpected(2, exactRate), Holds: equalsOne,
				}),
			lab.Once(claims.Sentence("bucket size", claims.Claim{ID: "best bucket", Paper: "0.2%",
				Says: "b = 2 takes the least space above, and b = 4 below, a rate of (in %; by the exact law at the loads " +
					"reached)"}),
				lab.Quick, bestBucket),
			lab.Once(claims.Sentence("bucket size", claims.Claim{ID: "best below", Paper: "b = 4 for 0.00001 < eps <= 0.002",
				Says: "b = 4 takes fewer bits per item than b = 2 and than b = 8, at each measured rate from 0.001% to 0.2%"}),
				lab.Quick, bestBelow),
			lab.NoneLost("stored"),
		},
	}
}

var fig3Panel = lab.Panel{
	X:    chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 2e-2},
	Y:    chart.Axis{Label: "bits per item above log2(1/rate)", Min: 2.8, Max: 5.4},
	Kind: chart.Marks, More: []lab.More{fig3Law, fig3Paper},
	Only: func(g lab.Group) bool { return g.Sum("false_positives") > 0 },
	At:   func(g lab.Group) float64 { return measure.Rate(g).Value },
	Of: lab.Map(measure.Rate, func(g lab.Group, rate float64) float64 {
		return measure.BitsPerItem(g).Value + math.Log2(rate)
	}),
	Style: func(g lab.Group, i int, _ chart.Style) chart.Style {
		if g.Cell.Has("filter") {
			return catalogue.OwnStyle(g.Cell.Int("filter"))
		}
		return chart.Numbered(i)
	},
}

// enoughProbes is how many probes bring about so many false positives in a cell, by an axis of settings or widths.
func enoughProbes(axis string, events, least, most lab.Size) func(lab.Cell) int {
	return func(c lab.Cell) int {
		rare := 1 << c.Int(axis) / max(2*c.Int("b"), 1)
		if s, ok := c.Of(axis).(lab.Setting); ok {
			rare = s.OneIn
		}
		return measure.ProbesFor(c.In(events), rare, c.Trials, c.In(least), c.In(most))
	}
}

// loadOf is the load factor of a group, boundOf the bound on its rate, and exactRate the rate.
func loadOf(g lab.Group) float64  { return measure.MeanLoad("stored", "slots", g) }
func boundOf(g lab.Group) float64 { return claims.RateBound(g.Cell.Float("f"), g.Cell.Int("b")) }
func exactRate(g lab.Group) float64 {
	return claims.ExactRate(g.Cell.Float("f"), g.Cell.Int("b"), loadOf(g))
}

func bucketGroups(d *lab.Data, b int) []lab.Group {
	return d.Where("b", fmt.Sprint(b), "hash", "", "filter", "")
}

// ofBuckets makes lines for the groups of each bucket size of the paper.
func ofBuckets(groups []lab.Group, line func(b, i int, groups []lab.Group) chart.Series) (lines []chart.Series) {
	_, parts := lab.Split("b", lab.Among(groups, "hash", "", "filter", ""))
	for i, part := range parts {
		lines = append(lines, line(part[0].Cell.Int("b"), i, part))
	}
	return lines
}

func fig3Law(_ *lab.Data, groups []lab.Group) []chart.Series {
	return ofBuckets(groups, func(b, i int, groups []lab.Group) chart.Series {
		line := level(chart.Axis{}, 0)
		line.Label, line.NoLegend, line.Points = "1-exp(-2b*alpha/(2^{f}-1))", i > 0, nil
		alpha := measure.MeanLoad("stored", "slots", groups...)
		for f := claims.NarrowestRatePoint - 0.5; f <= claims.WidestRatePoint+0.5; f += 0.25 {
			rate := claims.ExactRate(f, b, alpha)
			line.Points = append(line.Points, chart.Point{X: rate, Y: f/alpha + math.Log2(rate)})
		}
		return line
	})
}

// fig3Paper are the paper's points; none over tables that are smaller than its own.
func fig3Paper(d *lab.Data, groups []lab.Group) []chart.Series {
	if !likePaper(d) {
		return nil
	}
	return ofBuckets(groups, func(b, i int, _ []lab.Group) chart.Series {
		return chart.Series{Label: fmt.Sprintf("paper, b = %d", b), Kind: chart.Hollow, Style: chart.Numbered(i),
			Points: lab.Points(claims.RatePoints(b), func(pt claims.PaperPoint) chart.Point {
				return chart.Point{X: pt.X, Y: pt.Y + math.Log2(pt.X)}
			})}
	})
}

// impliedLoad compares the load at the first refusal with what the paper's points imply, in profile paper.
func impliedLoad(c claims.Claim, _ claims.Estimate, groups []lab.Group) claims.Verdict {
	b := groups[0].Cell.Int("b")
	theirs, points, reading := claims.PaperLoad(b), claims.RatePoints(b), 0.0
	for _, p := range points {
		reading += theirs.Mean * 0.02 / p.Y / float64(len(points))
	}
	c.Paper = fmt.Sprintf("%.4f, width over bits of its points", theirs.Mean)
	if groups[0].Cell.Setup.Profile != lab.Paper {
		return c.NotMeasured("Loads fall with the size of tables: those of the profile paper are compared.")
	}
	ours := lab.Sample("load_factor", groups...)
	e := claims.Around(ours.Mean, 2*ours.Err).As("%.4f", "%d builds of 2^%d slots", ours.N,
		measure.Power2(groups[0].Cell.Int("slots")))
	return c.Equal(e, theirs.Mean, theirs.Tolerance(ours)+reading,
		fmt.Sprintf("%d standard errors, of the paper by the scatter of its %d points, and %.4f for 0.02 bits of reading",
			claims.Deviations, theirs.N, reading))
}

// overExpected is the mean over the groups of measured events over expected ones, with so many standard errors from the
// counts. Each width weighs as much as its events are certain.
func overExpected(errors float64, rate func(lab.Group) float64) func([]lab.Group) claims.Estimate {
	return func(groups []lab.Group) claims.Estimate {
		ratio, weights := 0.0, 0.0
		for _, g := range groups {
			want := rate(g) * float64(g.Sum("probes"))
			// Relative variance: of the count, and of the builds, whose rates scatter by about the square root of their keys.
			weight := 1 / (1/want + 1/float64(g.Sum("stored")))
			ratio += weight * float64(g.Sum("false_positives")) / want
			weights += weight
		}
		return claims.Around(ratio/weights, errors*(1/math.Sqrt(weights))).As("%.4f", "")
	}
}

// equalsOne judges a ratio whose true value is 1, by the error of its counts: half of what the interval has.
func equalsOne(c claims.Claim, e claims.Estimate, _ []lab.Group) claims.Verdict {
	return c.Equal(e, 1, claims.Deviations*(e.High-e.Value)/2, ofCounts)
}

// bestBucket compares the rate at which b = 2 and b = 4 take as many bits per item, by the law, with section 5.1.
func bestBucket(d *lab.Data, c claims.Claim) claims.Verdict {
	twos, fours := lab.Sample("load_factor", bucketGroups(d, 2)...), lab.Sample("load_factor", bucketGroups(d, 4)...)
	bits := func(b int, load float64) func(float64) float64 {
		return func(rate float64) float64 { return claims.ExactCuckooBits(rate, b, load, 0) }
	}
	crossing := func(two, four float64) float64 { // with the loads so many standard errors higher
		rate, _, _ := claims.Crossover(bits(2, twos.Mean+two*twos.Err), bits(4, fours.Mean+four*fours.Err), fig4Low, fig4High)
		return 100 * rate // 0 where one of them takes less at every rate
	}
	at := crossing(0, 0)
	half := math.Hypot(crossing(2, 0)-at, crossing(0, 2)-at)
	return c.Equal(claims.Around(at, half), 0.2, 0.05+half,
		"half of the one digit that is printed, and 2 standard errors of both loads")
}

// bestBelow compares points of b = 4 with the lines through those of b = 2 and 8, where the paper has it the least.
func bestBelow(d *lab.Data, c claims.Claim) claims.Verdict {
	through := func(b int) func(float64) float64 { return through(lab.Points(bucketGroups(d, b), measure.RatePoint)) }
	twos, eights := through(2), through(8)
	var steps []claims.Step
	for _, g := range bucketGroups(d, 4) {
		if p := measure.RatePoint(g); p.Y > 0.00001 && p.Y <= 0.002 {
			beyond := claims.Around(min(twos(p.Y), eights(p.Y))-p.X, bitsError(g)/math.Ln2)
			steps = append(steps, claims.Step{Name: claims.Digits(100*p.Y, 2) + "%", Of: beyond})
		}
	}
	return c.Order(steps, "bits to the better of them, "+ofCounts)
}

// bitsError is the error of the logarithm of two rates, each as certain as the count of a group.
func bitsError(g lab.Group) float64 {
	return claims.Deviations * math.Sqrt(2/float64(g.Sum("false_positives")))
}
