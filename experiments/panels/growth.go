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

// Growth is a panel that the paper lacks: filters that were made for a thousand keys and grow, against filters of the
// right size.
type Growth struct{}

// About states the claim.
func (Growth) About() lab.About {
	return lab.About{
		Name:  "growth",
		Title: "Growing filters against filters of the right size",
		Claim: "A growing filter keeps its compound rate over any growth. Not knowing the size costs it the logarithm of its number of sub-filters in " +
			"bits of fingerprint, and what the newest sub-filter has empty.",
		Method: fmt.Sprintf("Growing filters of %d-bit fingerprints, made for %d keys, are filled with n; a plain filter of as wide fingerprints is made for n, and "+
			"one of the fewest bits that have the growing filter's promised rate. Each is looked up again, and so are absent keys.", growthWidth, growthFirst),
		NotShown: []string{
			"Time: docs/SCALABLE.md has lookups side by side.",
			"Growth from more than a thousand keys makes fewer sub-filters.",
		},
		Params:  []string{"n"},
		Counts:  append(slices.Clone(measure.TrialCounts), "sub_filters"),
		Derived: measure.TrialDerived,
	}
}

// growthWidth is the width of the growing filters, and growthFirst the number of keys that they are made for, the default.
const (
	growthWidth = 16
	growthFirst = 1024
)

// The series of the panel.
const (
	growthTwo   = "growing by 2"
	growthFour  = "growing by 4"
	growthRight = "right size, 16 bits"
	growthEqual = "right size, same rate"
)

// growing is a filter that counts its sub-filters.
type growing interface {
	lab.Instance
	SubFilters() int
}

// growthSize has the exponents of the first and the last n, steps an octave, trials, and probes.
type growthSize struct{ from, to, steps, trials, probes int }

var growthSizes = map[lab.Profile]growthSize{lab.Tiny: {10, 12, 2, 1, 1 << 12}, lab.Quick: {10, 20, 6, 3, 1 << 18}, lab.Paper: {10, 22, 8, 5, 1 << 20}}

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
	scalable := func(factor int) func(int, uint64) (lab.Instance, error) {
		return func(_ int, seed uint64) (lab.Instance, error) {
			return cuckoo.NewScalable[fingerprint.Bits16](cuckoo.ScalableConfig{GrowthFactor: factor, Seed: hashing.Mix64(^seed)})
		}
	}
	plain := func(width int) func(int, uint64) (lab.Instance, error) {
		return func(n int, seed uint64) (lab.Instance, error) {
			return measure.NewCuckoo(width, cuckoo.Config{Capacity: n}, seed)
		}
	}
	return []panelFilter{{growthTwo, scalable(2)}, {growthFour, scalable(4)}, {growthRight, plain(growthWidth)}, {growthEqual, plain(equal)}}, nil
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

// Plan returns a job for each filter and number of keys.
func (Growth) Plan(s lab.Setup) ([]lab.Job, error) {
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
				Params: lab.Ints(n),
				Trials: size.trials,
				Bytes:  int64(n) * 10, // after a growth by 4
				Cost:   2*float64(n)*measure.FillCost(n) + 3*float64(n+size.probes)*measure.ProbeCost(n),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					filter, err := f.new(n, seed)
					if err != nil {
						return nil, err
					}
					counts, err := measure.CountRate(ctx, measure.Stream{Next: seed}, filter, n, size.probes)
					if g, ok := filter.(growing); ok {
						return append(counts, g.SubFilters()), err
					}
					return append(counts, 1), err
				},
			})
		}
	}
	return jobs, nil
}

// growthPanel draws one value of each group against the number of keys.
func growthPanel(d *lab.Data, y chart.Axis, value func(lab.Group) chart.Point) chart.Panel {
	size := growthSizes[d.Setup.Profile]
	p := chart.Panel{
		X: chart.Axis{Label: "keys n", Log: true, Base: 2, Min: float64(int(1) << size.from), Max: float64(int(1) << size.to)},
		Y: y,
	}
	for _, series := range d.Series() {
		s := chart.Series{Label: series, Style: growthStyle(series), Kind: chart.Line}
		for _, g := range d.Select(series) {
			pt := value(g)
			pt.X = float64(g.Param("n"))
			s.Points = append(s.Points, pt)
		}
		p.Series = append(p.Series, s)
	}
	return p
}

// growthStyle is the fixed style of a series.
func growthStyle(series string) chart.Style {
	switch series {
	case growthTwo:
		return chart.StyleFor("cuckoo")
	case growthFour:
		return chart.StyleFor(bloomSeries)
	case growthRight:
		return chart.Style{Marker: chart.Square}
	}
	return chart.StyleFor("d-left counting bloom")
}

// Draw draws the bits per item and the rate against n.
func (Growth) Draw(d *lab.Data) []*chart.Figure {
	space := growthPanel(d, chart.Axis{Label: "space (bits per item)", Min: 0, Max: 80}, func(g lab.Group) chart.Point {
		return chart.Point{Y: bitsPerItem(g)}
	})
	rate := growthPanel(d, chart.Axis{Label: "false-positive rate", Log: true, Min: 1e-5, Max: 1e-2}, func(g lab.Group) chart.Point {
		pt := measure.RatePoint(g)
		if !pt.Zero {
			pt.Lo, pt.Hi = 0, 0 // a hundred intervals would hide the lines
		}
		return pt
	})
	promise := chart.Series{Label: "promise of growing by 2", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	if plan, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{}, growthWidth); err == nil {
		promise.Points = []chart.Point{{X: rate.X.Min, Y: plan.FalsePositiveRate}, {X: rate.X.Max, Y: plan.FalsePositiveRate}}
	}
	rate.Series = append(rate.Series, promise)
	return []*chart.Figure{{
		Name:  "growth-space",
		Title: fmt.Sprintf("Space of filters that grow from %d keys", growthFirst),
		Caption: "Bits per item against the number of keys on a log axis: growing filters have the shape of a saw, lowest just before a growth, where they " +
			"take what a filter of the right size and as wide fingerprints takes.",
		Panels: []chart.Panel{space},
	}, {
		Name:    "growth-rate",
		Title:   fmt.Sprintf("False-positive rate of filters that grow from %d keys", growthFirst),
		Caption: "Measured false-positive rate on a log axis against the number of keys: it rises by the same step with each sub-filter, and stays below the promise.",
		Panels:  []chart.Panel{rate},
	}}
}

// growthExcess returns the least and the most bits per item of a series over those of filters of the right size.
func growthExcess(d *lab.Data, series string) (least, most float64) {
	right := d.Select(growthRight)
	for i, g := range d.Select(series) {
		ratio := bitsPerItem(g) / bitsPerItem(right[i])
		if i == 0 {
			least, most = ratio, ratio
		}
		least, most = min(least, ratio), max(most, ratio)
	}
	return least, most
}

// Judge holds growing filters to their promised rate and to the space that the sizes of sub-filters make.
func (Growth) Judge(d *lab.Data) []claims.Verdict {
	lost, short, beyond := 0, 0, 0
	var worst stat.Rate
	share := law.RateBound(growthWidth, 4)
	for _, g := range d.Groups {
		lost += g.Sum("lost")
		short += g.Param("n")*len(g.Rows) - g.Sum("stored")
		r, bound := measure.Pooled(g), share*lab.Quotient(g.Sum("sub_filters"), len(g.Rows))
		if g.Series != growthTwo && g.Series != growthFour {
			continue
		}
		if r.Value() > bound+stat.Deviations*math.Sqrt(bound*(1-bound)/float64(r.N)) {
			beyond++
		}
		if worst.N == 0 || r.Value() > worst.Value() {
			worst = r
		}
	}
	least, most := growthExcess(d, growthTwo)
	return d.Judged([]claims.Verdict{
		claims.Judge(lost == 0 && short == 0, claims.Draft{
			Claim: "Every filter takes all keys, and finds them", Paper: "-",
			Ours: fmt.Sprintf("%d refused, %d lost", short, lost), Tolerance: "none",
		}),
		claims.Judge(beyond == 0, claims.Draft{
			Claim: "Growing filters: the rate stays below that of so many full sub-filters over the whole growth", Paper: "-",
			Ours:      fmt.Sprintf("%d numbers of keys beyond it; highest rate %s", beyond, stat.RateText(worst.Value())),
			Tolerance: fmt.Sprintf("%d binomial standard errors", stat.Deviations),
		}),
		claims.Judge(least < 1.06 && most < 3.1, claims.Draft{
			Claim: "Growing by 2 takes the space of a right size just before a growth, and three times as much behind it at most", Paper: "-",
			Ours:      fmt.Sprintf("%.2f to %.2f times", least, most),
			Tolerance: "6%, the steps of n being that far from a growth; (2^k+2^k-1)/(2^k-1) is 3 at the first growth and falls to 2",
		}),
	})
}
