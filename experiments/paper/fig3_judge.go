package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// Judge compares loads and rates with the paper's and with the law.
func (RateBySpace) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	lost, stored := 0, 0
	for _, b := range measure.BucketSizes {
		groups := d.Select(fig3Series(b))
		if len(groups) == 0 {
			continue
		}
		out = append(out, impliedLoad(d.Setup.Profile, b, groups), nearLaw(b, groups), belowBound(b, groups))
	}
	for _, g := range d.Groups {
		lost, stored = lost+g.Sum("lost"), stored+g.Sum("stored")
	}
	return append(out, bestBucket(d), bestBelow(d), claims.NoneLost(lost, stored))
}

// bestBucket compares the rate at which b = 2 and b = 4 take as many bits per item, by the law at the
// loads that were reached, with the paper's section 5.1.
func bestBucket(d *lab.Data) claims.Verdict {
	const claim, paper = "b = 2 takes the least space above, and b = 4 below, a rate of", "0.2%"
	if d.Setup.Profile == lab.Tiny {
		return claims.Missing(claim, paper, claims.SmallTables)
	}
	rate, bits, ok := law.Crossover(bucketLine(d, 2), bucketLine(d, 4), fig4Low, fig4High)
	return claims.Judge(ok && rate >= 0.0015 && rate < 0.0025, claims.Draft{
		Claim:     claim,
		Paper:     paper,
		Ours:      fmt.Sprintf("%.3f%%, %.2f bits per item, by the exact law at the loads reached", 100*rate, bits),
		Tolerance: "0.15% to 0.25%: the one digit that is printed",
	})
}

// bucketLine is the bits per item that buckets of b slots take by the law, at the load that was reached.
func bucketLine(d *lab.Data, b int) func(rate float64) float64 {
	alpha := measure.MeanLoad(d.Select(fig3Series(b)))
	return func(rate float64) float64 { return law.ExactCuckooBits(rate, b, alpha, 0) }
}

// The rates between which the paper has b = 4 take the least space. Of the upper one a digit is printed: the row
// before says where it lies.
const (
	bestBelowLow  = 0.00001
	bestBelowHigh = 0.002
	roundedHigh   = 0.0015
)

// bestBelow compares the measured points of b = 4 with the lines through those of b = 2 and of b = 8, down to the lower end of
// what the paper states, and says where b = 8 takes over by the law.
func bestBelow(d *lab.Data) claims.Verdict {
	v := claims.Draft{
		Claim: "b = 4 takes less space than b = 2 and than b = 8 at every measured rate from 0.001% to 0.2%",
		Paper: "b = 4 for 0.00001 < eps <= 0.002",
	}
	if d.Setup.Profile == lab.Tiny {
		return claims.Missing(v.Claim, v.Paper, claims.SmallTables)
	}
	points := func(b int) (out []chart.Point) {
		for _, g := range d.Select(fig3Series(b)) {
			out = append(out, measure.RatePoint(g))
		}
		return out
	}
	fours, others := points(4), map[int][]chart.Point{2: points(2), 8: points(8)}
	compared, least, noise, ok, edge := 0, math.Inf(1), 0.0, true, ""
	for i, p := range fours {
		if p.Y <= bestBelowLow || p.Y > bestBelowHigh {
			continue
		}
		gap := min(through(others[2])(p.Y)-p.X, through(others[8])(p.Y)-p.X)
		if p.Y > roundedHigh {
			edge = fmt.Sprintf("; at %s a difference of %+.2f bits to the better of them", stat.RateText(p.Y), -gap)
			continue
		}
		// Two rates, each as certain as its count, in bits of fingerprint.
		err := math.Sqrt(2/float64(measure.Pooled(d.Select(fig3Series(4))[i]).Events)) / math.Ln2
		compared, least, noise = compared+1, min(least, gap), max(noise, stat.Deviations*err)
		law := min(bucketLine(d, 2)(p.Y), bucketLine(d, 8)(p.Y)) - bucketLine(d, 4)(p.Y)
		ok = ok && law > 0 && gap > -stat.Deviations*err
	}
	v.Ours = fmt.Sprintf("%d rates up to %.2f%%: at least %.2f bits per item less%s", compared, 100*roundedHigh, least, edge)
	v.Tolerance = fmt.Sprintf("by the law, none; measured, %.2f bits: %d standard errors of the counts. Rates above %.2f%% are in the row before, as one digit of 0.2%% is printed",
		noise, stat.Deviations, 100*roundedHigh)
	if rate, _, crosses := law.Crossover(bucketLine(d, 4), bucketLine(d, 8), fig3Beyond, bestBelowHigh); crosses {
		v.Ours += fmt.Sprintf(". By the law at these loads b = 8 takes less only below a rate of %.0e, at f = %.0f, and not below 0.00001, where the paper's figure ends",
			rate, law.ExactWidth(rate, 4, measure.MeanLoad(d.Select(fig3Series(4)))))
	}
	return claims.Judge(ok && compared > 0, v)
}

// fig3Beyond is the rate down to which a crossover of the lines of b = 4 and b = 8 is looked for.
const fig3Beyond = 1e-15

func impliedLoad(p lab.Profile, b int, groups []lab.Group) claims.Verdict {
	theirs := claims.PaperLoad(b)
	claim, paper := fmt.Sprintf("b = %d: mean load factor at the first refusal", b), fmt.Sprintf("%.3f, implied by its points", theirs.Mean)
	if p == lab.Tiny {
		return claims.Missing(claim, paper, claims.SmallTables)
	}
	var loads []float64
	for _, g := range groups {
		for _, r := range g.Rows {
			loads = append(loads, lab.Quotient(r.Count("stored"), r.Param("slots")))
		}
	}
	ours := stat.SampleOf(loads)
	allowed := claims.SizeEffect(b) + theirs.Tolerance(ours)
	return claims.Judge(math.Abs(theirs.Mean-ours.Mean) <= allowed, claims.Draft{
		Claim:    claim,
		Paper:    paper,
		Ours:     fmt.Sprintf("%.4f, of %d builds with 2^%d slots", ours.Mean, ours.N, measure.Power2(groups[0].Param("slots"))),
		Interval: fmt.Sprintf("%.4f to %.4f", ours.Mean-2*ours.Err, ours.Mean+2*ours.Err),
		Tolerance: fmt.Sprintf("%.4f: the paper does not state its table size, and its plateaus in figure 2 differ by %.4f between m = 2^15 and 2^30; "+
			"and %d standard errors", allowed, claims.SizeEffect(b), stat.Deviations),
	})
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

// nearLaw compares the measured rates with the paper's approximation, and states the exact law's
// result beside it.
func nearLaw(b int, groups []lab.Group) claims.Verdict {
	const within = 0.03
	near, err := meanRatio(groups, func(g lab.Group) float64 {
		return measure.MeanLoad([]lab.Group{g}) * law.RateBound(float64(g.Param("f")), b)
	})
	exact, _ := meanRatio(groups, func(g lab.Group) float64 {
		return law.ExactRate(float64(g.Param("f")), b, measure.MeanLoad([]lab.Group{g}))
	})
	allowed := stat.Deviations * err
	return claims.Judge(math.Abs(near-1) <= within+allowed && math.Abs(exact-1) <= allowed, claims.Draft{
		Claim:    fmt.Sprintf("b = %d: measured rate over 2*b*alpha/2^f, and over the exact law 1-exp(-2*b*alpha/(2^f-1))", b),
		Paper:    "1 within 3%",
		Ours:     fmt.Sprintf("%.4f, and %.4f of the exact law", near, exact),
		Interval: fmt.Sprintf("%.4f to %.4f, and %.4f to %.4f", near-2*err, near+2*err, exact-2*err, exact+2*err),
		Tolerance: fmt.Sprintf("3%%, and %.2f%% for the exact law: %d standard errors of the counts, pooled over f = %d to %d",
			100*allowed, stat.Deviations, groups[0].Param("f"), groups[len(groups)-1].Param("f")),
	})
}

// wholeBound is the paper's bound of the rate, 1-(1-1/2^f)^(2b), of which 2b/2^f is a little more.
func wholeBound(f float64, b int) float64 {
	return -math.Expm1(2 * float64(b) * math.Log1p(-math.Exp2(-f)))
}

// belowBound checks that no width is above the bound beyond chance.
func belowBound(b int, groups []lab.Group) claims.Verdict {
	bound := func(g lab.Group) float64 { return wholeBound(float64(g.Param("f")), b) }
	ratio, err := meanRatio(groups, bound)
	above := slices.IndexFunc(groups, func(g lab.Group) bool {
		return aboveBound(measure.Pooled(g), bound(g))
	})
	ours := fmt.Sprintf("%.4f of the bound, no width above it", ratio)
	if above >= 0 {
		ours = fmt.Sprintf("f = %d is above the bound: %.3g", groups[above].Param("f"), measure.Pooled(groups[above]).Value())
	}
	return claims.Judge(above < 0 && ratio < 1+stat.Deviations*err, claims.Draft{
		Claim:     fmt.Sprintf("b = %d: the measured rate stays below 1-(1-1/2^f)^(2b), about 2b/2^f", b),
		Paper:     "below 1",
		Ours:      ours,
		Interval:  fmt.Sprintf("%.4f to %.4f", ratio-2*err, ratio+2*err),
		Tolerance: fmt.Sprintf("%d standard errors of each count", stat.Deviations),
	})
}

// aboveBound tells whether a count exceeds what the bound explains.
func aboveBound(r stat.Rate, bound float64) bool {
	want := bound * float64(r.N)
	return float64(r.Events) > want+stat.Deviations*math.Sqrt(want)+1
}
