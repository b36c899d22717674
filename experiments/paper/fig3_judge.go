package paper

import (
	"fmt"
	"math"

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
	for _, b := range measure.BucketSizes {
		if groups := d.Select(fig3Series(b)); len(groups) > 0 {
			out = append(out, impliedLoad(d.Setup.Profile, b, groups), nearLaw(b, groups), enoughBits(b, groups), exactLaw(b, groups))
		}
	}
	return append(out, bestBucket(d), bestBelow(d), noneLost(d))
}

// noneLost holds that no filter of an experiment denied a key.
func noneLost(d *lab.Data) claims.Verdict {
	lost, stored := 0, 0
	for _, g := range d.Groups {
		lost, stored = lost+g.Sum("lost"), stored+g.Sum("stored")
	}
	return claims.NoneLost(lost, stored)
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
		return measure.MeanLoad([]lab.Group{g}) * law.RateBound(float64(g.Param("f")), b)
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
		return law.ExactRate(float64(g.Param("f")), b, measure.MeanLoad([]lab.Group{g}))
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
	if d.Setup.Profile == lab.Tiny {
		return c.NotMeasured(claims.SmallTables)
	}
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
	if d.Setup.Profile == lab.Tiny {
		return c.NotMeasured(claims.SmallTables)
	}
	points := func(b int) (out []chart.Point) {
		for _, g := range d.Select(fig3Series(b)) {
			out = append(out, measure.RatePoint(g))
		}
		return out
	}
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
