package panels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/hashing"
)

// hashSeeds measures for how many of their seeds the hash families of package integerhash make other filters of consecutive integers
// than random digests do.
func hashSeeds() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "hash-seeds",
			Title: "Seeds of the hash families for integers",
			Claim: "The paper's authors have multiply-shift and tabulation in their code; the paper does not compare them. Ours: under most seeds of multiply-shift " +
				"a filter of consecutive integers does not have the predicted rate. It is mostly lower, and for few seeds higher. Under most seeds of tabulation it is as predicted.",
			Method: "Each trial draws a seed, makes a cuckoo filter (12-bit fingerprints, b = 4, breadth-first), fills it to a load of .95 with consecutive integers from a " +
				"random one on, and asks for the integers after them. A seed is odd if a key is refused, or if the rate is more than 4 binomial standard errors from the predicted one.",
			NotShown: []string{"Integers that are not consecutive."},
			Params:   []string{"slots"}, Counts: measure.TrialCounts, Derived: measure.TrialDerived,
		},
		Trials:  seedTrials,
		Figures: seedFigures,
		Claims: func(d *lab.Data) []claims.Verdict {
			return d.Judged([]claims.Verdict{
				claims.Claim{ID: d.Groups[0].Series, Says: "Multiply-shift: more than half of the seeds are odd for consecutive integers", Paper: "-"}.
					Within(oddSeeds(d.Groups[0]), 0.5, 1, "the claim's own number"),
				claims.Claim{ID: d.Groups[1].Series, Says: "Tabulation: fewer than one seed in 8 is odd for consecutive integers", Paper: "-"}.
					Below(oddSeeds(d.Groups[1]), 1.0/8, "the claim's own number; of random digests one in 16 000 is odd"),
			})
		},
	}
}

// seedSizes are what a profile measures.
var seedSizes = map[lab.Profile]struct{ slots, seeds, probes int }{
	lab.Tiny: {1 << 10, 4, 1 << 12}, lab.Quick: {1 << 16, 32, 1 << 17}, lab.Paper: {1 << 20, 256, 1 << 20},
}

// seedTrials are a job for each family. A trial's seed is the family's too.
func seedTrials(s lab.Setup) ([]lab.Job, error) {
	size := seedSizes[s.Profile]
	var jobs []lab.Job
	for i, family := range integerhash.Families(0) {
		jobs = append(jobs, lab.Job{
			Series: family.Name(), Params: lab.IntValues(size.slots), Trials: size.seeds,
			Cost: float64(size.slots)*measure.FillCost(size.slots) + float64(size.slots+size.probes)*measure.ProbeCost(size.slots),
			Run: func(ctx context.Context, seed uint64) ([]int, error) {
				f, err := measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Buckets: size.slots / 4}, seed)
				if err != nil {
					return nil, err
				}
				keys := measure.Stream{Next: hashing.Mix64(seed), Hash: integerhash.Families(seed)[i]}
				return measure.CountRate(ctx, keys, f, size.slots/100*95, size.probes)
			},
		})
	}
	return jobs, nil
}

// seedRate is the rate of a trial over the predicted one, and whether its seed is odd.
func seedRate(r lab.Row) (ratio float64, odd bool) {
	slots, rate := r.Param("slots"), r.Ratio("false_positives", "probes")
	want := law.ExactRate(catalogue.PanelWidth, 4, lab.Quotient(r.Count("stored"), slots))
	far := math.Abs(rate-want) > stat.Deviations*math.Sqrt(want*(1-want)/float64(r.Count("probes")))
	return rate / want, far || r.Count("stored") < slots/100*95
}

// oddSeeds is the share of a family's seeds that are odd.
func oddSeeds(g lab.Group) claims.Estimate {
	odd := stat.Rate{N: len(g.Rows)}
	for _, r := range g.Rows {
		if _, is := seedRate(r); is {
			odd.Events++
		}
	}
	e := claims.Estimate{Value: odd.Value(), Note: fmt.Sprintf("%d of %d seeds", odd.Events, odd.N)}
	e.Low, e.High = odd.Interval()
	return e
}

// seedFigures draw the rates of all seeds in their order.
func seedFigures(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "share of the seeds", Format: chart.Percent, Min: 0, Max: 1},
		Y: chart.Axis{Label: "measured over predicted rate", Log: true, Min: 0.05, Max: 20},
	}
	for i, g := range d.Groups {
		ratios := make([]float64, len(g.Rows))
		for at, r := range g.Rows {
			ratios[at], _ = seedRate(r)
		}
		s := chart.Series{Label: g.Series, Style: chart.Numbered(i), Kind: chart.Line}
		for at, y := range slices.Sorted(slices.Values(ratios)) {
			s.Points = append(s.Points, chart.Point{X: (float64(at) + 0.5) / float64(len(ratios)), Y: min(max(y, p.Y.Min), p.Y.Max)})
		}
		p.Series = append(p.Series, s)
	}
	return []*chart.Figure{{
		Name:    "hash-seeds",
		Title:   "False-positive rate of filters of consecutive integers, by the seed of the hash family",
		Caption: "Measured over predicted false-positive rate on a log axis, for each seed, sorted. Tabulation's rates are near 1, most of multiply-shift's about one half. Values beyond an end of the axis are drawn there.",
		Panels:  []chart.Panel{p},
	}}
}
