package panels

import (
	"context"
	"fmt"
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

const (
	// growthWidth is the width of the growing filters, and growthFirst the number of keys that they are made for, the
	// default.
	growthWidth, growthFirst = 16, 1024

	growthOwn   = "growing"
	growthRight = "right size, 16 bits"
	growthEqual = "right size, same rate"
)

// growth measures filters that were made for a thousand keys and grow, against filters of the right size.
func growth() *lab.Experiment {
	probes := measure.In(lab.Size{1 << 12, 1 << 18, 1 << 20})
	panel := func(y chart.Axis, of lab.Stat, more lab.More) []lab.Panel {
		return []lab.Panel{{
			X: chart.Axis{Label: "keys n", Log: true, Base: 2}, Y: y, At: lab.At("n"), Of: of, Kind: chart.Line,
			More: []lab.More{more},
			Style: func(g lab.Group, _ int, usual chart.Style) chart.Style {
				if g.Series == growthRight {
					return chart.StyleFor("cuckoo")
				}
				return usual
			},
		}}
	}
	return &lab.Experiment{
		Name:  "growth",
		Title: "Growing filters against filters of the right size",
		Claim: "The paper has no filter that grows. Ours: the rate of a filter that has doubled g times is (1 + g/2) times " +
			"that of one that has not, which costs log2(1 + g/2) bits of fingerprint, and what the table has empty.",
		Method: fmt.Sprintf("Growing filters of %d-bit fingerprints, made for %d keys, are filled with n; a plain filter "+
			"of as wide fingerprints is made for n, and one of the fewest bits that have the growing filter's promised rate. "+
			"Each is looked up again, and so are absent keys.", growthWidth, growthFirst),
		Limits: []string{"Time: docs/SCALABLE.md has lookups side by side."},
		Params: "n",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(1, 2, 5), Axes: []lab.Axis{
			lab.Over("filter", growthFilters), lab.Over("n", growthKeys),
		}}},
		Trial: lab.Trial{
			Counts: "stored size_bytes lost probes false_positives doublings",
			Needs: func(c lab.Cell) (float64, int64) {
				n := c.Int("n") // bytes with both tables, while it grows
				return float64(5*n + 3*probes(c)), int64(n) * 7
			},
			Run: func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
				filter, err := c.Of("filter").(maker)(c.Int("n"), seed)
				if err != nil {
					return nil, err
				}
				counts, err := measure.CountRate(ctx, measure.Stream{Next: seed}, filter, c.Int("n"), probes(c))
				if g, ok := filter.(interface{ Doublings() int }); ok {
					return append(counts, g.Doublings()), err
				}
				return append(counts, 0), err
			},
		},
		Columns: measure.RateColumns,
		Plots: []lab.Plot{{
			Name: "growth-space", Title: fmt.Sprintf("Space of filters that grow from %d keys", growthFirst),
			Caption: "Bits per item against the number of keys on a log axis: growing filters have the shape of a saw, lowest " +
				"just before a growth, where they take what a filter of the right size and as wide fingerprints takes. Between " +
				"two numbers of keys a growth is drawn where the smaller table is as full as that. The thin line has log2(1/eps) " +
				"+ log2 log2 n at the rate that the growing filter has with n keys. Pagh, Segev and Wieder (FOCS 2013) prove " +
				"that a filter which does not know n needs the first and, up to a constant factor, the second.",
			Panels: panel(chart.Axis{Label: "space (bits per item)", Min: 0, Max: 45}, measure.BitsPerItem, unknownBound),
			Edit:   growthSaws,
		}, {
			Name: "growth-rate", Title: fmt.Sprintf("False-positive rate of filters that grow from %d keys", growthFirst),
			Caption: "Measured false-positive rate on a log axis against the number of keys: it rises by the same step with " +
				"each doubling, and stays below the promise.",
			Panels: panel(chart.Axis{Label: "false-positive rate", Log: true, Min: 1e-5, Max: 1e-2}, seenRate,
				func(d *lab.Data, groups []lab.Group) []chart.Series {
					least, most := ends(groups, lab.At("n"))
					return []chart.Series{bound("promise of growing", least, most, promisedRate())}
				}),
			Edit: endsAt(lab.At("n"), 0),
		}},
		Claims: []lab.Rule{lab.Judged(growthClaims)},
	}
}

// growthFilters are the filters of the panel.
func growthFilters(lab.Cell) []lab.Value {
	equal := growthWidth
	for equal > 1 && claims.RateBound(float64(equal-1), 4) < promisedRate() {
		equal--
	}
	scalable := func(_ int, seed uint64) (lab.Instance, error) {
		return cuckoo.NewScalable[fingerprint.Bits16](cuckoo.ScalableConfig{Seed: hashing.Mix64(^seed)})
	}
	return []lab.Value{
		lab.Named(growthOwn, maker(scalable)), lab.Named(growthRight, madeCuckoo(growthWidth, cuckoo.Config{})),
		lab.Named(growthEqual, madeCuckoo(equal, cuckoo.Config{})),
	}
}

// promisedRate is that of the growing filters.
func promisedRate() float64 {
	plan, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{}, growthWidth)
	if err != nil {
		panic(err)
	}
	return plan.FalsePositiveRate
}

// growthKeys are the numbers of keys of a profile, sorted.
func growthKeys(c lab.Cell) (keys []lab.Value) {
	to, steps := c.In(lab.Size{12, 20, 22}), c.In(lab.Size{2, 4, 8})
	for k := 10; k < to; k++ {
		for step := range steps {
			keys = append(keys, lab.Int(1<<k+step<<k/steps))
		}
	}
	return append(keys, lab.Int(1<<to))
}

// seenRate is the rate of a group that has one.
func seenRate(g lab.Group) claims.Estimate {
	if g.Sum("false_positives") == 0 {
		return claims.Exactly(math.NaN())
	}
	return claims.Exactly(measure.Rate(g).Value)
}

// unknownBound returns the terms of the lower bound on bits per item of filters that do not know n, at the rates of the
// growing filter. The second one holds up to a constant factor that is not known, which is taken as 1.
func unknownBound(d *lab.Data, _ []lab.Group) []chart.Series {
	s := chart.Series{Label: "log2(1/eps) + log2 log2 n", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	for _, g := range d.Select(growthOwn) {
		if r, n := measure.Pooled(g), float64(g.Param("n")); r.Events > 0 {
			s.Points = append(s.Points, chart.Point{X: n, Y: -math.Log2(r.Value()) + math.Log2(math.Log2(n))})
		}
	}
	return []chart.Series{s}
}

// growthSaws ends the axis at the keys, and draws the growths of the growing filter.
func growthSaws(d *lab.Data, f *chart.Figure) {
	endsAt(lab.At("n"), 0)(d, f)
	right := d.Select(growthRight)
	for i := range f.Panels[0].Series {
		if s := &f.Panels[0].Series[i]; s.Label == growthOwn {
			s.Points = saw(s.Points, func(i int) float64 { return measure.BitsPerItem(right[i]).Value })
		}
	}
}

// saw draws each growth between two points as a vertical line. Until then the table is that of the first point, and it
// is replaced where its bits per item are those of a filter of the right size.
func saw(points []chart.Point, right func(i int) float64) (out []chart.Point) {
	for i, p := range points {
		if i > 0 && p.Y > points[i-1].Y {
			before := points[i-1]
			x := min(max(before.X, before.X*before.Y/right(i-1)), p.X)
			out = append(out, chart.Point{X: x, Y: before.X * before.Y / x}, chart.Point{X: x, Y: p.X * p.Y / x})
		}
		out = append(out, p)
	}
	return out
}

// growthClaims compare rates of growing filters with the law of their doublings.
func growthClaims(d *lab.Data) []claims.Verdict {
	worst, own := math.Inf(-1), d.Select(growthOwn)
	for _, g := range own {
		r, bound := measure.Pooled(g), claims.RateBound(growthWidth-1, 4)*(1+lab.Quotient(g.Sum("doublings"), len(g.Rows))/2)
		worst = max(worst, (r.Value()-bound)/math.Sqrt(bound*(1-bound)/float64(r.N)))
	}
	return []claims.Verdict{
		takesKeys(d.Groups, func(g lab.Group) int { return g.Param("n") * len(g.Rows) }),
		claims.Ours("rate", "Growing filters: the rate stays below (1 + g/2) * 2b/2^(f-1) after g doublings, over the "+
			"whole growth").Below(
			claims.Exactly(worst).As("%.1f", "binomial standard errors above the bound, the most of %d numbers of keys",
				len(own)),
			claims.Deviations, "of a rate at the bound one in 30 000 exceeds that"),
	}
}
