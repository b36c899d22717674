package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// Judge compares loads and rates with the paper's and with the law.
func (RateBySpace) Judge(d *Data) []Verdict {
	var out []Verdict
	lost, stored := 0, 0
	for _, b := range fig3Buckets {
		groups := d.Select(fig3Series(b))
		if len(groups) == 0 {
			continue
		}
		out = append(out, impliedLoad(d.Setup.Profile, b, groups), nearLaw(b, groups), belowBound(b, groups))
	}
	for _, g := range d.Groups {
		lost, stored = lost+g.Sum("lost"), stored+g.Sum("stored")
	}
	return append(out, bestBucket(d), bestBelow(d), noneLost(lost, stored))
}

// bestBucket compares the rate at which b = 2 and b = 4 take as many bits per item, by the law at the
// loads that were reached, with the paper's section 5.1.
func bestBucket(d *Data) Verdict {
	const claim, paper = "b = 2 takes the least space above, and b = 4 below, a rate of", "0.2%"
	if d.Setup.Profile == Tiny {
		return missing(claim, paper, smallTables)
	}
	rate, bits, ok := Crossover(bucketLine(d, 2), bucketLine(d, 4), fig4Low, fig4High)
	return judge(ok && rate >= 0.0015 && rate < 0.0025, report.Verdict{
		Claim:     claim,
		Paper:     paper,
		Ours:      fmt.Sprintf("%.3f%%, %.2f bits per item, by the exact law at the loads reached", 100*rate, bits),
		Tolerance: "0.15% to 0.25%: the one digit that is printed",
	})
}

// bucketLine is the bits per item that buckets of b slots take by the law, at the load that was reached.
func bucketLine(d *Data, b int) func(rate float64) float64 {
	alpha := meanLoad(d.Select(fig3Series(b)))
	return func(rate float64) float64 { return ExactCuckooBits(rate, b, alpha, 0) }
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
func bestBelow(d *Data) Verdict {
	v := report.Verdict{
		Claim: "b = 4 takes less space than b = 2 and than b = 8 at every measured rate from 0.001% to 0.2%",
		Paper: "b = 4 for 0.00001 < eps <= 0.002",
	}
	if d.Setup.Profile == Tiny {
		return missing(v.Claim, v.Paper, smallTables)
	}
	points := func(b int) (out []chart.Point) {
		for _, g := range d.Select(fig3Series(b)) {
			out = append(out, ratePoint(g))
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
		err := math.Sqrt(2/float64(pooled(d.Select(fig3Series(4))[i]).Events)) / math.Ln2
		compared, least, noise = compared+1, min(least, gap), max(noise, deviations*err)
		law := min(bucketLine(d, 2)(p.Y), bucketLine(d, 8)(p.Y)) - bucketLine(d, 4)(p.Y)
		ok = ok && law > 0 && gap > -deviations*err
	}
	v.Ours = fmt.Sprintf("%d rates up to %.2f%%: at least %.2f bits per item less%s", compared, 100*roundedHigh, least, edge)
	v.Tolerance = fmt.Sprintf("by the law, none; measured, %.2f bits: %d standard errors of the counts. Rates above %.2f%% are in the row before, as one digit of 0.2%% is printed",
		noise, deviations, 100*roundedHigh)
	if rate, _, crosses := Crossover(bucketLine(d, 4), bucketLine(d, 8), fig3Beyond, bestBelowHigh); crosses {
		v.Ours += fmt.Sprintf(". By the law at these loads b = 8 takes less only below a rate of %.0e, at f = %.0f, and not below 0.00001, where the paper's figure ends",
			rate, exactWidth(rate, 4, meanLoad(d.Select(fig3Series(4)))))
	}
	return judge(ok && compared > 0, v)
}

// fig3Beyond is the rate down to which a crossover of the lines of b = 4 and b = 8 is looked for.
const fig3Beyond = 1e-15

// noneLost is the promise of every filter: it never denies a key that it holds.
func noneLost(lost, stored int) Verdict {
	return judge(lost == 0 && stored > 0, report.Verdict{
		Claim:     "No key that was stored is denied",
		Paper:     "0",
		Ours:      fmt.Sprintf("%d of %d", lost, stored),
		Tolerance: "none",
	})
}

// sizeEffect is how far the paper's own plateau of figure 2 moves between its smallest and its largest
// table, for a bucket size; b = 1 and b = 2 are not in figure 2 and get the larger one.
func sizeEffect(b int) float64 {
	effect := 0.0
	for _, panel := range []int{4, 8} {
		if b == panel || b < 4 {
			effect = max(effect, paperPlateau(fig2Paper(panel, 15)).mean-paperPlateau(fig2Paper(panel, 30)).mean)
		}
	}
	return effect
}

// paperLoad is the load factor that the paper's points imply: width over bits per item. The last point
// of a line is the widest fingerprint.
func paperLoad(b int) sample {
	points := fig3Paper(b)
	var loads []float64
	for i, p := range points {
		loads = append(loads, float64(fig3Wide-len(points)+1+i)/p.Y)
	}
	return sampleOf(loads)
}

func impliedLoad(p Profile, b int, groups []Group) Verdict {
	theirs := paperLoad(b)
	claim, paper := fmt.Sprintf("b = %d: mean load factor at the first refusal", b), fmt.Sprintf("%.3f, implied by its points", theirs.mean)
	if p == Tiny {
		return missing(claim, paper, smallTables)
	}
	var loads []float64
	for _, g := range groups {
		for _, r := range g.Rows {
			loads = append(loads, quotient(r.Count("stored"), r.Param("slots")))
		}
	}
	ours := sampleOf(loads)
	allowed := sizeEffect(b) + theirs.tolerance(ours)
	return judge(math.Abs(theirs.mean-ours.mean) <= allowed, report.Verdict{
		Claim:    claim,
		Paper:    paper,
		Ours:     fmt.Sprintf("%.4f, of %d builds with 2^%d slots", ours.mean, ours.n, power2(groups[0].Param("slots"))),
		Interval: fmt.Sprintf("%.4f to %.4f", ours.mean-2*ours.err, ours.mean+2*ours.err),
		Tolerance: fmt.Sprintf("%.4f: the paper does not state its table size, and its plateaus in figure 2 differ by %.4f between m = 2^15 and 2^30; "+
			"and %d standard errors", allowed, sizeEffect(b), deviations),
	})
}

// meanRatio is the mean over the groups of measured events over expected ones, and its standard error
// from the counts. Each width weighs as much as its events are certain.
func meanRatio(groups []Group, rate func(Group) float64) (ratio, err float64) {
	weights := 0.0
	for _, g := range groups {
		want := rate(g) * float64(g.Sum("probes"))
		// Relative variance: of the count, and of the builds, whose rates scatter by about the
		// square root of their number of keys.
		weight := 1 / (1/want + 1/float64(g.Sum("stored")))
		ratio += weight * float64(pooled(g).Events) / want
		weights += weight
	}
	return ratio / weights, 1 / math.Sqrt(weights)
}

// nearLaw compares the measured rates with the paper's approximation, and states the exact law's
// result beside it.
func nearLaw(b int, groups []Group) Verdict {
	const within = 0.03
	near, err := meanRatio(groups, func(g Group) float64 {
		return meanLoad([]Group{g}) * RateBound(float64(g.Param("f")), b)
	})
	exact, _ := meanRatio(groups, func(g Group) float64 {
		return ExactRate(float64(g.Param("f")), b, meanLoad([]Group{g}))
	})
	allowed := deviations * err
	return judge(math.Abs(near-1) <= within+allowed && math.Abs(exact-1) <= allowed, report.Verdict{
		Claim:    fmt.Sprintf("b = %d: measured rate over 2*b*alpha/2^f, and over the exact law 1-exp(-2*b*alpha/(2^f-1))", b),
		Paper:    "1 within 3%",
		Ours:     fmt.Sprintf("%.4f, and %.4f of the exact law", near, exact),
		Interval: fmt.Sprintf("%.4f to %.4f, and %.4f to %.4f", near-2*err, near+2*err, exact-2*err, exact+2*err),
		Tolerance: fmt.Sprintf("3%%, and %.2f%% for the exact law: %d standard errors of the counts, pooled over f = %d to %d",
			100*allowed, deviations, groups[0].Param("f"), groups[len(groups)-1].Param("f")),
	})
}

// wholeBound is the paper's bound of the rate, 1-(1-1/2^f)^(2b), of which 2b/2^f is a little more.
func wholeBound(f float64, b int) float64 {
	return -math.Expm1(2 * float64(b) * math.Log1p(-math.Exp2(-f)))
}

// belowBound checks that no width is above the bound beyond chance.
func belowBound(b int, groups []Group) Verdict {
	bound := func(g Group) float64 { return wholeBound(float64(g.Param("f")), b) }
	ratio, err := meanRatio(groups, bound)
	above := slices.IndexFunc(groups, func(g Group) bool {
		return aboveBound(pooled(g), bound(g))
	})
	ours := fmt.Sprintf("%.4f of the bound, no width above it", ratio)
	if above >= 0 {
		ours = fmt.Sprintf("f = %d is above the bound: %.3g", groups[above].Param("f"), pooled(groups[above]).Value())
	}
	return judge(above < 0 && ratio < 1+deviations*err, report.Verdict{
		Claim:     fmt.Sprintf("b = %d: the measured rate stays below 1-(1-1/2^f)^(2b), about 2b/2^f", b),
		Paper:     "below 1",
		Ours:      ours,
		Interval:  fmt.Sprintf("%.4f to %.4f", ratio-2*err, ratio+2*err),
		Tolerance: fmt.Sprintf("%d standard errors of each count", deviations),
	})
}

// aboveBound tells whether a count exceeds what the bound explains.
func aboveBound(r stat.Rate, bound float64) bool {
	want := bound * float64(r.N)
	return float64(r.Events) > want+deviations*math.Sqrt(want)+1
}
