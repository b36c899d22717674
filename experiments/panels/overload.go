package panels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// overload measures what happens to the false-positive rate as keys come in, up to three times as many as a filter was made for.
func overload() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "overload",
			Title: "False-positive rate from empty to three times the capacity",
			Claim: "The paper does not measure this. Ours: a Bloom filter takes any number of keys, and its rate rises as predicted. A cuckoo filter takes its capacity " +
				"and refuses the key that it has no room for, so that its rate stays below 2b/2^f.",
			Method: fmt.Sprintf("Filters made for a number of keys at %.4g%% are given up to three times as many; a filter that refuses one is asked for its rate "+
				"as it is then. Rates are pooled over the runs.", 100*catalogue.PanelRate),
			NotShown: []string{
				"What to do at a refusal: make a larger filter, or one that grows.",
			},
			Params: []string{"capacity", "percent"},
			Counts: append([]string{"offered"}, measure.TrialCounts...),
			Derived: append([]lab.Derived{
				{Name: "share_of_capacity", Of: func(r lab.Row) float64 { return lab.Quotient(r.Count("stored"), r.Param("capacity")) }},
			}, measure.TrialDerived...),
		},
		Trials:  overloadTrials,
		Figures: overloadFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(overloadClaims(d)) },
	}
}

// overloadSize is what a profile measures.
type overloadSize struct{ capacity, trials, probes int }

var overloadSizes = map[lab.Profile]overloadSize{
	lab.Tiny: {1000, 2, 1 << 12}, lab.Quick: {100_000, 4, 1 << 18}, lab.Paper: {2_000_000, 5, 1 << 21},
}

// overloadPercents are the keys offered, in percent of the capacity.
func overloadPercents(p lab.Profile) []int {
	if p == lab.Tiny {
		return []int{50, 100, 300}
	}
	var out []int
	for percent := 10; percent <= 300; percent += 10 {
		out = append(out, percent)
	}
	return out
}

// overloadTrials are a job for each filter and number of keys.
func overloadTrials(s lab.Setup) ([]lab.Job, error) {
	size := overloadSizes[s.Profile]
	var jobs []lab.Job
	for _, f := range panelLines(s) {
		if f.name == xorSeries {
			continue // between two powers of two its capacity is any number
		}
		for _, percent := range overloadPercents(s.Profile) {
			n := size.capacity / 100 * percent
			jobs = append(jobs, lab.Job{
				Series: f.name,
				Params: lab.IntValues(size.capacity, percent),
				Trials: size.trials,
				Bytes:  int64(size.capacity) * 3, // up to 20 bits per item
				Cost:   float64(n)*measure.FillCost(size.capacity) + float64(n+size.probes)*measure.ProbeCost(size.capacity),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					filter, err := f.new(size.capacity, seed)
					if err != nil {
						return nil, err
					}
					counts, err := measure.CountRate(ctx, measure.Stream{Next: seed}, filter, n, size.probes)
					return append([]int{n}, counts...), err
				},
			})
		}
	}
	return jobs, nil
}

// refused tells whether a key was, in any run.
func refused(g lab.Group) bool { return g.Sum("stored") < g.Sum("offered") }

// accepting returns the groups of a series up to the first in which a key was refused, that one included.
func accepting(d *lab.Data, series string) []lab.Group {
	groups := d.Select(series)
	if i := slices.IndexFunc(groups, refused); i >= 0 {
		return groups[:i+1]
	}
	return groups
}

// overloadFigures draw rates against keys. A line ends with a note where the filter refuses.
func overloadFigures(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "keys inserted / capacity", Min: 0, Max: 3.05},
		Y: chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 1},
	}
	predicted := chart.Series{Label: "bloom, predicted", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	p.Series = panelStyled(d, d.Lines(chart.LineMarks, func(g lab.Group) chart.Point {
		all := accepting(d, g.Series)
		end := all[len(all)-1]
		if g.Param("percent") > end.Param("percent") {
			return nowhere
		}
		if g.Series == bloomSeries {
			predicted.Points = append(predicted.Points, chart.Point{X: lab.Quotient(g.Param("percent"), 100), Y: predictedBloom(g)})
		}
		pt := measure.RatePoint(g)
		pt.X = lab.Quotient(g.Sum("stored"), g.Param("capacity")*len(g.Rows))
		if refused(g) {
			p.Notes = append(p.Notes, chart.Note{X: pt.X, Y: pt.Y, Text: fmt.Sprintf("refuses at %.2f", pt.X)})
		}
		return pt
	}))
	p.Series = append(p.Series, predicted)
	return []*chart.Figure{{
		Name:    "overload",
		Title:   fmt.Sprintf("False-positive rate beyond the capacity, filters made for %d keys", overloadSizes[d.Setup.Profile].capacity),
		Caption: "Measured false-positive rate on a log axis against the number of keys as a share of the capacity. Bloom filters' lines rise to three times the capacity; those of filters with slots end where a key is refused. The predicted line of the Bloom filter is under its points where both agree.",
		Panels:  []chart.Panel{p},
	}}
}

// bloomOf is the shape of a group's Bloom filters: bits, hashes, and keys offered.
func bloomOf(g lab.Group) (bits, hashes, n int) {
	bits = 8 * g.Sum("size_bytes") / len(g.Rows)
	return bits, bloom.OptimalHashes(bits, g.Param("capacity")), g.Param("capacity") / 100 * g.Param("percent")
}

// predictedBloom is the rate that package bloom predicts for the filters of a group.
func predictedBloom(g lab.Group) float64 { return bloom.PredictRate(bloomOf(g)) }

// bloomScatter is the standard deviation of the rate among filters of a group. Of m bits, c = kn/m times as many throws leave
// a share of zeros with the variance (exp(-c) - (1+c)*exp(-2c))/m; the rate is the k-th power of the other bits' share.
func bloomScatter(g lab.Group) float64 {
	m, k, n := bloomOf(g)
	c := float64(k) * float64(n) / float64(m)
	zeros := math.Exp(-c)
	return float64(k) * math.Pow(1-zeros, float64(k-1)) * math.Sqrt((zeros-(1+c)*zeros*zeros)/float64(m))
}

// overloadClaims compare the cuckoo filter with its capacity, and the Bloom filter with its prediction.
func overloadClaims(d *lab.Data) []claims.Verdict {
	cuckoos, blooms := accepting(d, additiveSeries), accepting(d, bloomSeries)
	end, last := cuckoos[len(cuckoos)-1], blooms[len(blooms)-1]
	shares := make([]float64, len(end.Rows))
	for i, r := range end.Rows {
		shares[i] = lab.Quotient(r.Count("stored"), r.Param("capacity"))
	}
	share := claims.Estimate{Value: stat.SampleOf(shares).Mean, Low: slices.Min(shares), High: slices.Max(shares), Note: "of the capacity, mean and range of the runs"}
	pooled, predicted := measure.Pooled(last), predictedBloom(last)
	allowed := stat.Deviations * math.Hypot(math.Sqrt(predicted*(1-predicted)/float64(pooled.N)), bloomScatter(last)/math.Sqrt(float64(len(last.Rows))))
	rate := claims.Estimate{Value: pooled.Value(), Format: "%.5f", Note: fmt.Sprintf("%.5f predicted; %d keys refused", predicted, last.Sum("offered")-last.Sum("stored"))}
	rate.Low, rate.High = pooled.Interval()
	takes := claims.Claim{ID: "refusal", Says: "Cuckoo filter: it takes its capacity, and refuses soon after", Paper: "-"}
	predicts := claims.Claim{ID: "Bloom", Says: "Bloom filter: at 300% of the capacity nothing is refused and the rate is the predicted one", Paper: "-"}
	reason := fmt.Sprintf("%d standard errors, of the probes and of the share of bits set", stat.Deviations)
	if refused(last) { // a rate of fewer keys is no evidence
		rate = claims.Exactly(math.NaN())
	}
	if !refused(end) {
		share = claims.Exactly(math.Inf(1))
	}
	return []claims.Verdict{
		takes.Within(share, 1, 1.05, "the reserve behind the promise"),
		predicts.Equal(rate, predicted, allowed, reason),
	}
}
