package panels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// growth measures filters that were made for a thousand keys and grow, against filters of the right size.
func growth() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "growth",
			Title: "Growing filters against filters of the right size",
			Claim: "The paper has no filter that grows. Ours: the rate of a filter that has doubled g times is (1 + g/2) times that of one that has not. Not knowing the size " +
				"costs it log2(1 + g/2) bits of fingerprint, one that ends the tail, and what the table has empty.",
			Method: fmt.Sprintf("Growing filters of %d-bit fingerprints, made for %d keys, are filled with n; a plain filter of as wide fingerprints is made for n, and "+
				"one of the fewest bits that have the growing filter's promised rate. Each is looked up again, and so are absent keys.", growthWidth, growthFirst),
			NotShown: []string{
				"Time: docs/SCALABLE.md has lookups side by side.",
				"Growth from more than a thousand keys takes fewer doublings.",
			},
			Params:  []string{"n"},
			Counts:  append(slices.Clone(measure.TrialCounts), "doublings"),
			Derived: measure.TrialDerived,
		},
		Trials:  growthTrials,
		Figures: growthFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(growthClaims(d)) },
	}
}

// growthWidth is the width of the growing filters, and growthFirst the number of keys that they are made for, the default.
const (
	growthWidth = 16
	growthFirst = 1024
)

// The series of the panel.
const (
	growthOwn   = "growing"
	growthRight = "right size, 16 bits"
	growthEqual = "right size, same rate"
)

// growing is a filter that counts its doublings.
type growing interface {
	lab.Instance
	Doublings() int
}

// growthSize has the exponents of the first and the last n, steps an octave, trials, and probes.
type growthSize struct{ from, to, steps, trials, probes int }

var growthSizes = map[lab.Profile]growthSize{lab.Tiny: {10, 12, 2, 1, 1 << 12}, lab.Quick: {10, 20, 4, 2, 1 << 18}, lab.Paper: {10, 22, 8, 5, 1 << 20}}

// growthFilters make the filters of the panel, by series.
func growthFilters() ([]panelFilter, error) {
	plan, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{}, growthWidth)
	if err != nil {
		return nil, err
	}
	equal := growthWidth
	for equal > 1 && law.RateBound(float64(equal-1), 4) < plan.FalsePositiveRate {
		equal--
	}
	scalable := func(_ int, seed uint64) (lab.Instance, error) {
		return cuckoo.NewScalable[fingerprint.Bits16](cuckoo.ScalableConfig{Seed: hashing.Mix64(^seed)})
	}
	plain := func(width int) func(int, uint64) (lab.Instance, error) {
		return func(n int, seed uint64) (lab.Instance, error) {
			return measure.NewCuckoo(width, cuckoo.Config{Capacity: n}, seed)
		}
	}
	return []panelFilter{{growthOwn, scalable}, {growthRight, plain(growthWidth)}, {growthEqual, plain(equal)}}, nil
}

// growthKeys returns the numbers of keys of a profile, sorted.
func growthKeys(s growthSize) (keys []int) {
	for k := s.from; k < s.to; k++ {
		for step := range s.steps {
			keys = append(keys, 1<<k+step<<k/s.steps)
		}
	}
	return append(keys, 1<<s.to)
}

// growthTrials are a job for each filter and number of keys.
func growthTrials(s lab.Setup) ([]lab.Job, error) {
	size := growthSizes[s.Profile]
	filters, err := growthFilters()
	if err != nil {
		return nil, err
	}
	var jobs []lab.Job
	for _, f := range filters {
		for _, n := range growthKeys(size) {
			jobs = append(jobs, lab.Job{
				Series: f.name,
				Params: lab.IntValues(n),
				Trials: size.trials,
				Bytes:  int64(n) * 7, // with both tables, while it grows
				Cost:   2*float64(n)*measure.FillCost(n) + 3*float64(n+size.probes)*measure.ProbeCost(n),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					filter, err := f.new(n, seed)
					if err != nil {
						return nil, err
					}
					counts, err := measure.CountRate(ctx, measure.Stream{Next: seed}, filter, n, size.probes)
					if g, ok := filter.(growing); ok {
						return append(counts, g.Doublings()), err
					}
					return append(counts, 0), err
				},
			})
		}
	}
	return jobs, nil
}

// growthFigures draw the bits per item and the rate against n.
func growthFigures(d *lab.Data) []*chart.Figure {
	space := growthPanel(d, chart.Axis{Label: "space (bits per item)", Min: 0, Max: 45}, bitsPerItem)
	right := d.Select(growthRight)
	for i := range space.Series {
		s := &space.Series[i]
		if s.Label == growthOwn {
			s.Points = saw(s.Points, func(i int) float64 { return bitsPerItem(right[i]) })
		}
	}
	space.Series = append(space.Series, unknownBound(d))
	rate := growthPanel(d, chart.Axis{Label: "false-positive rate", Log: true, Min: 1e-5, Max: 1e-2}, func(g lab.Group) float64 {
		r := measure.Pooled(g)
		if r.Events == 0 {
			return math.NaN()
		}
		return r.Value()
	})
	promise := chart.Series{Label: "promise of growing", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	if plan, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{}, growthWidth); err == nil {
		promise.Points = []chart.Point{{X: rate.X.Min, Y: plan.FalsePositiveRate}, {X: rate.X.Max, Y: plan.FalsePositiveRate}}
	}
	rate.Series = append(rate.Series, promise)
	return []*chart.Figure{{
		Name:  "growth-space",
		Title: fmt.Sprintf("Space of filters that grow from %d keys", growthFirst),
		Caption: "Bits per item against the number of keys on a log axis: growing filters have the shape of a saw, lowest just before a growth, where they " +
			"take what a filter of the right size and as wide fingerprints takes. Between two numbers of keys a growth is drawn where the smaller table is as full as that. " +
			"The thin line has log2(1/eps) + log2 log2 n at the rate that the growing filter has with n keys. Pagh, Segev and Wieder (FOCS 2013) prove that a filter which " +
			"does not know n needs the first and, up to a constant factor, the second.",
		Panels: []chart.Panel{space},
	}, {
		Name:    "growth-rate",
		Title:   fmt.Sprintf("False-positive rate of filters that grow from %d keys", growthFirst),
		Caption: "Measured false-positive rate on a log axis against the number of keys: it rises by the same step with each doubling, and stays below the promise.",
		Panels:  []chart.Panel{rate},
	}}
}

// unknownBound returns the terms of the lower bound on bits per item of filters that do not know n, at the rates of the growing filter. The
// second one holds up to a constant factor that is not known, which is taken as 1.
func unknownBound(d *lab.Data) chart.Series {
	s := chart.Series{Label: "log2(1/eps) + log2 log2 n", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	for _, g := range d.Select(growthOwn) {
		if r, n := measure.Pooled(g), float64(g.Param("n")); r.Events > 0 {
			s.Points = append(s.Points, chart.Point{X: n, Y: -math.Log2(r.Value()) + math.Log2(math.Log2(n))})
		}
	}
	return s
}

// growthPanel draws one value of each group against the number of keys.
func growthPanel(d *lab.Data, y chart.Axis, value func(lab.Group) float64) chart.Panel {
	size := growthSizes[d.Setup.Profile]
	p := chart.Panel{
		X: chart.Axis{Label: "keys n", Log: true, Base: 2, Min: float64(int(1) << size.from), Max: float64(int(1) << size.to)},
		Y: y,
		Series: d.Lines(chart.Line, func(g lab.Group) chart.Point {
			return chart.Point{X: float64(g.Param("n")), Y: value(g)}
		}),
	}
	for i := range p.Series {
		if p.Series[i].Label == growthRight {
			p.Series[i].Style = chart.StyleFor("cuckoo")
		}
	}
	return p
}

// saw draws each growth between two points as a vertical line. Until then the table is that of the first point, and it is
// replaced where its bits per item are those of a filter of the right size.
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
	worst, numbers := math.Inf(-1), 0
	for _, g := range d.Groups {
		if g.Series == growthOwn {
			r, bound := measure.Pooled(g), law.RateBound(growthWidth-1, 4)*(1+lab.Quotient(g.Sum("doublings"), len(g.Rows))/2)
			worst = max(worst, (r.Value()-bound)/math.Sqrt(bound*(1-bound)/float64(r.N)))
			numbers++
		}
	}
	e := claims.Exactly(worst)
	e.Format, e.Note = "%.1f", fmt.Sprintf("binomial standard errors above the bound, the most of %d numbers of keys", numbers)
	return []claims.Verdict{
		takesKeys(d.Groups, func(g lab.Group) int { return g.Param("n") * len(g.Rows) }),
		claims.Claim{ID: "rate", Says: "Growing filters: the rate stays below (1 + g/2) * 2b/2^(f-1) after g doublings, over the whole growth", Paper: "-"}.
			Below(e, stat.Deviations, "of a rate at the bound one in 30 000 exceeds that"),
	}
}
