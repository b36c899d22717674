package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// Judge compares the lines with the paper's, the crossovers with its label, and the measured filters
// with their predictions.
func (SpaceByRate) Judge(d *lab.Data) []claims.Verdict {
	crossings := fig4Crossovers()
	out := []claims.Verdict{
		linesAgree(fig4Lines()),
		crossesAt(crossings[0], 0.0226, 7.89),
		crossesAt(crossings[1], 0.0036, 11.71),
		labelDiffers(crossings),
	}
	lost, stored := 0, 0
	for _, g := range d.Groups {
		lost, stored = lost+g.Sum("lost"), stored+g.Sum("stored")
	}
	for _, name := range []string{fig4Bloom, fig4Blocked, fig4Cuckoo4, fig4Cuckoo2, fig4Sorted} {
		if groups := d.Select(name); len(groups) > 0 {
			out = append(out, ratePredicted(name, groups))
		}
	}
	out = append(out,
		measuredCrossover(d, fig4Cuckoo4, crossings[1].rate, crossings[1].bits, "its drawn lines"),
		measuredCrossover(d, fig4Sorted, labelRate, labelBits, "label of the figure"))
	return append(out, claims.NoneLost(lost, stored))
}

// lineReading is how exactly the paper's lines could be read off, in bits: 0.02 of the axis unit, and as much
// again where a rate of three digits is the other coordinate.
const lineReading = 0.03

// linesAgree compares the formulas with every point of the paper's lines.
func linesAgree(lines []rateLine) claims.Verdict {
	worst, points := 0.0, 0
	for _, l := range lines {
		for _, p := range claims.PaperPoints(4, "", l.paper) {
			worst = max(worst, math.Abs(l.bits(p.X)-p.Y))
			points++
		}
	}
	return claims.Judge(points > 0 && worst <= lineReading, claims.Draft{
		Claim:     "The four lines are log2(1/r)/ln 2, (log2(1/r)+log2(8/.955))/.955, one bit of fingerprint less, and log2(1/r)",
		Paper:     fmt.Sprintf("%d points read off", points),
		Ours:      fmt.Sprintf("at most %.3f bits away", worst),
		Tolerance: fmt.Sprintf("%.2f bits of reading", lineReading),
	})
}

// crossesAt holds a crossover of the formulas against that of the paper's drawn lines.
func crossesAt(c crossover, rate, bits float64) claims.Verdict {
	return claims.Judge(c.ok && math.Abs(c.rate/rate-1) < 0.01 && math.Abs(c.bits-bits) <= lineReading, claims.Draft{
		Claim:     fmt.Sprintf("The lines of %s and Bloom cross at", c.name),
		Paper:     fmt.Sprintf("%.2f%%, %.2f bits, read off its lines", 100*rate, bits),
		Ours:      fmt.Sprintf("%.3f%%, %.3f bits", 100*c.rate, c.bits),
		Tolerance: fmt.Sprintf("1%% of the rate, %.2f bits of reading", lineReading),
	})
}

// labelDiffers reports that the label of the figure is not where its lines cross.
func labelDiffers(cs []crossover) claims.Verdict {
	exact := func(saved float64) string {
		line := func(rate float64) float64 { return law.ExactCuckooBits(rate, 4, law.DrawnLoad, saved) }
		rate, bits, _ := law.Crossover(line, law.BloomBits, fig4Low, fig4High)
		return fmt.Sprintf("%.2f%% and %.2f bits", 100*rate, bits)
	}
	return claims.Known(claims.Draft{
		Claim:     "Cuckoo filters are smaller than Bloom filters below 3%, or above 7.2 bits per item (label of the figure)",
		Paper:     "3%, 7.2 bits",
		Ours:      fmt.Sprintf("semi-sorted %.2f%%, %.2f bits; plain %.2f%%, %.2f bits", 100*cs[0].rate, cs[0].bits, 100*cs[1].rate, cs[1].bits),
		Tolerance: "the digits printed",
		Why: fmt.Sprintf("The label is about the semi-sorted filter, and even its drawn line crosses later, because the lines add log2(1/alpha) to the fingerprint "+
			"where the law (2*b*alpha/2^f) subtracts it. By the exact law at alpha = .955 the semi-sorted filter crosses at %s, near the label, "+
			"and the plain one at %s.", exact(1), exact(0)),
	})
}

// predicted returns the rate that a filter's own package predicts for a group.
func predicted(name string, g lab.Group) float64 {
	stored := g.Sum("stored") / len(g.Rows)
	bits, keys := g.Param("bits"), g.Param("keys")
	switch name {
	case fig4Bloom:
		return bloom.PredictRate(bits*keys, (bits*6931+5000)/10_000, stored)
	case fig4Blocked:
		return bloom.PredictBlockedRate(bits*keys, blockedHashes[(bits-6)/2], stored)
	default:
		return law.ExactRate(float64(bits), g.Param("b"), lab.Quotient(g.Sum("stored"), len(g.Rows)*keys))
	}
}

// ratePredicted compares the measured rates of a filter with its package's prediction, pooled.
func ratePredicted(name string, groups []lab.Group) claims.Verdict {
	ratio, err := meanRatio(groups, func(g lab.Group) float64 { return predicted(name, g) })
	allowed := stat.Deviations * err
	return claims.Judge(math.Abs(ratio-1) <= allowed, claims.Draft{
		Claim:     fmt.Sprintf("%s: measured rate over the rate that the filter predicts", name),
		Paper:     "1 (ours: the paper measures none here)",
		Ours:      fmt.Sprintf("%.4f", ratio),
		Interval:  fmt.Sprintf("%.4f to %.4f", ratio-2*err, ratio+2*err),
		Tolerance: fmt.Sprintf("%.2f%%: %d standard errors of the counts", 100*allowed, stat.Deviations),
	})
}

// measuredCrossover holds the rate below which a cuckoo filter takes less space than a Bloom filter, both measured, against
// one that the paper promises.
func measuredCrossover(d *lab.Data, name string, rate, bits float64, source string) claims.Verdict {
	claim := name + ": takes less space than the Bloom filter, both measured, below a rate of"
	paper := fmt.Sprintf("%.2f%%, or above %.2f bits per item (%s)", 100*rate, bits, source)
	if d.Setup.Profile == lab.Tiny {
		return claims.Missing(claim, paper, claims.SmallTables)
	}
	of, classic := fig4Points(d, name), fig4Points(d, fig4Bloom)
	at, low, high := crossPoints(of, classic, 0), crossPoints(of, classic, 1), crossPoints(of, classic, -1)
	return claims.Judge(low.ok && low.rate >= rate && low.bits <= bits, claims.Draft{
		Claim:     claim,
		Paper:     paper,
		Ours:      fmt.Sprintf("%.2f%%, or above %.2f bits per item", 100*at.rate, at.bits),
		Interval:  fmt.Sprintf("%.3f%% to %.3f%%, %.3f to %.3f bits", 100*low.rate, 100*high.rate, high.bits, low.bits),
		Tolerance: "one-sided: the whole interval at that rate or above it, and at those bits or below",
	})
}

// fig4Points returns the measured points of a filter that have a rate, by falling rates.
func fig4Points(d *lab.Data, series string) []chart.Point {
	var out []chart.Point
	for _, g := range d.Select(series) {
		if p := measure.RatePoint(g); !p.Zero {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b chart.Point) int { return cmp.Compare(b.Y, a.Y) })
	return out
}

// crossPoints returns where straight lines through the points of two filters cross, on a log axis of rates. With end 1 the
// first filter has its rates at the upper ends of their intervals and the second at the lower ends, with -1 the other
// way around, and with 0 both as measured.
func crossPoints(of, classic []chart.Point, end int) crossover {
	if len(of) < 2 || len(classic) < 2 {
		return crossover{}
	}
	of, classic = shifted(of, end), shifted(classic, -end)
	low := max(of[len(of)-1].Y, classic[len(classic)-1].Y)
	high := min(of[0].Y, classic[0].Y)
	rate, bits, ok := law.Crossover(through(of), through(classic), low, high)
	return crossover{"measured", rate, bits, ok}
}

// shifted returns the points at an end of their intervals.
func shifted(points []chart.Point, end int) []chart.Point {
	out := slices.Clone(points)
	for i, p := range out {
		switch {
		case end > 0:
			out[i].Y = p.Hi
		case end < 0:
			out[i].Y = p.Lo
		}
	}
	return out
}

// through is the line from point to point, straight where rates are logarithms. The points are in the order of falling rates;
// beyond the last of them the line goes straight on.
func through(points []chart.Point) func(rate float64) float64 {
	return func(rate float64) float64 {
		i := 1
		for i < len(points)-1 && points[i].Y > rate {
			i++
		}
		a, b := points[i-1], points[i]
		return a.X + (b.X-a.X)*math.Log(rate/a.Y)/math.Log(b.Y/a.Y)
	}
}
