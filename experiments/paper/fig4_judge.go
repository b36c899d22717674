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

// Judge compares the measured filters with their predictions, and cuckoo filters with Bloom filters.
func (SpaceByRate) Judge(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, name := range []string{fig4Bloom, fig4Blocked, fig4Cuckoo, fig4Sorted} {
		if groups := d.Select(name); len(groups) > 0 {
			out = append(out, ratePredicted(name, groups))
		}
	}
	out = append(out, d.Judged([]claims.Verdict{lessSpace(d, fig4Cuckoo), lessSpace(d, fig4Sorted), equalSpace(d)})...)
	return append(out, noneLost(d))
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
		return law.ExactRate(float64(bits), g.Param("b"), fig4Load(g))
	}
}

// fig4Load is the load factor of a group of cuckoo filters.
func fig4Load(g lab.Group) float64 { return lab.Quotient(g.Sum("stored"), len(g.Rows)*g.Param("keys")) }

// ratePredicted compares the measured rates of a filter with its package's prediction, pooled.
func ratePredicted(name string, groups []lab.Group) claims.Verdict {
	ratio, err := meanRatio(groups, func(g lab.Group) float64 { return predicted(name, g) })
	return equalsOne(claims.Claim{ID: "rate of " + name, Paper: "-", Says: name + ": measured rate over the rate that the filter predicts"}, ratio, err)
}

// A widthOf is a cuckoo filter of one width, and how many bits more a Bloom filter of its rate takes.
type widthOf struct {
	bits  int
	point chart.Point
	saved claims.Estimate
	bloom float64
}

// widthsOf returns those of a series, by rising widths, that have a rate the Bloom filter's points reach.
func widthsOf(d *lab.Data, name string) (out []widthOf) {
	classic := fig4Points(d, fig4Bloom)
	if len(classic) < 2 {
		return nil
	}
	for _, g := range d.Select(name) {
		p, events := measure.RatePoint(g), float64(measure.Pooled(g).Events)
		if p.Y > classic[0].Y || p.Y < classic[len(classic)-1].Y || p.Zero {
			continue
		}
		bits := through(classic)(p.Y)
		// Two rates, each as certain as its count, in bits of a Bloom filter.
		err := stat.Deviations * math.Sqrt(2/events) / math.Ln2 / math.Ln2
		out = append(out, widthOf{g.Param("bits"), p, claims.Around(bits-p.X, err), bits})
	}
	return out
}

// firstSmaller is the least width from which on all take less space than a Bloom filter, with their intervals.
func firstSmaller(widths []widthOf) (w widthOf, ok bool) {
	for _, at := range slices.Backward(widths) {
		if at.saved.Low <= 0 {
			break
		}
		w, ok = at, true
	}
	return w, ok
}

// less is the paper's sentence on its cuckoo filters.
const less = "It uses less space than Bloom filters in many practical applications, if the target false positive rate is less than 3%."

// lessSpace holds that a cuckoo filter takes less space than a Bloom filter of its rate, at every width whose rate is below 3%.
func lessSpace(d *lab.Data, name string) claims.Verdict {
	c := claims.Claim{ID: "less space, " + name, Source: "section 1, list of advantages; figure 4, label", Quote: less, Paper: "less than 3%",
		Says: name + ": takes fewer bits per item than a Bloom filter of its measured rate, at each width whose rate is below 3%"}
	var steps []claims.Step
	widths := widthsOf(d, name)
	for _, w := range widths {
		if w.point.Y < labelRate-0.005 {
			steps = append(steps, claims.Step{Name: fmt.Sprintf("f = %d (%.2g%%)", w.bits, 100*w.point.Y), Of: w.saved})
		}
	}
	v := c.Order(steps, fmt.Sprintf("bits saved, %d standard errors of the counts; rates below 2.5%%, as 3%% has one digit", stat.Deviations))
	groups := d.Select(name)
	first, ok := firstSmaller(widths)
	if !ok || len(groups) == 0 {
		return v
	}
	alpha := fig4Load(groups[len(groups)-1])
	bits := func(rate float64) float64 { return law.ExactCuckooBits(rate, 4, alpha, 0) }
	rate, _, crosses := law.Crossover(bits, law.BloomBits, fig4Low, fig4High)
	follows := ratePredicted(name, groups).Status == claims.Holds
	return v.Shown(name == fig4Cuckoo && follows && crosses && first.point.Y < rate && rate < labelRate,
		fmt.Sprintf("Measured rates are those of the exact law (row above). By it a plain filter of this load, %.3f, takes less than a Bloom filter below %.2f%%, which is at f = %d, the first width that does. "+
			"The sentence is right of the semi-sorted filter (next row).", alpha, 100*rate, first.bits))
}

// equalSpace holds the label of the figure: at 3% and 7.2 bits a cuckoo filter, semi-sorted, takes as much as a Bloom filter.
func equalSpace(d *lab.Data) claims.Verdict {
	const slack = 0.1 / labelBits
	c := claims.Claim{ID: "equal space", Source: "figure 4, label", Paper: "1, at 3% and 7.2 bits",
		Says: fig4Sorted + ", f = 8: bits per item over those of a Bloom filter of its measured rate"}
	for _, w := range widthsOf(d, fig4Sorted) {
		if w.bits == 8 {
			e := claims.Around(w.point.X/w.bloom, (w.saved.High-w.saved.Value)/w.bloom)
			e.Note = fmt.Sprintf("%.2f bits at %.2f%%", w.point.X, 100*w.point.Y)
			return c.Within(e, 1-slack, 1+slack, "0.1 of 7.2 bits, the digit printed")
		}
	}
	return c.NotMeasured("No filter of 8 bits was measured.")
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
