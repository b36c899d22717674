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
func overload() *lab.Experiment {
	probes := measure.In(lab.Size{1 << 12, 1 << 18, 1 << 21})
	trial := measure.FillAndProbe(measure.Asked{
		Keys: func(c lab.Cell) int { return c.Int("capacity") / 100 * c.Int("percent") }, New: newPanelFilter("capacity"),
		Probes: probes, Needs: func(c lab.Cell) (float64, int64) {
			room, n := c.Int("capacity"), c.Int("capacity")/100*c.Int("percent")
			return float64(n)*measure.FillCost(room) + float64(n+probes(c))*measure.ProbeCost(room), int64(room) * 3 // up to 20 bits per item
		},
	})
	ask := trial.Run
	trial.Counts = "offered " + trial.Counts
	trial.Run = func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
		counts, err := ask(ctx, c, seed)
		return append([]int{c.Int("capacity") / 100 * c.Int("percent")}, counts...), err
	}
	return &lab.Experiment{
		Name:  "overload",
		Title: "False-positive rate from empty to three times the capacity",
		Claim: "The paper does not measure this. Ours: a Bloom filter takes any number of keys, and its rate rises as predicted. A cuckoo filter takes its capacity " +
			"and refuses the key that it has no room for, so that its rate stays below 2b/2^f.",
		Method: fmt.Sprintf("Filters made for a number of keys at %.4g%% are given up to three times as many; a filter that refuses one is asked for its rate "+
			"as it is then. Rates are pooled over the runs.", 100*catalogue.PanelRate),
		Limits: []string{"What to do at a refusal: make a larger filter, or one that grows."},
		Params: "capacity percent",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(2, 4, 5), Axes: []lab.Axis{
			// Without XOR placement: between two powers of two its capacity is any number.
			lab.Over("filter", lab.Join(panelFilters(additiveSeries, bloomSeries, "blocked bloom", "d-left counting bloom"), lab.OwnFilters)),
			lab.Over("capacity", lab.By(lab.Ints(1000), lab.Ints(100_000), lab.Ints(2_000_000))),
			lab.Over("percent", lab.By(lab.Ints(50, 100, 300), tenPercents, tenPercents)),
		}}},
		Trial:   trial,
		Columns: append([]lab.Column{{Name: "share_of_capacity", Of: lab.Div("stored", "capacity")}}, measure.RateColumns...),
		Plots: []lab.Plot{{
			Title:   "False-positive rate beyond the capacity, filters made for {capacity} keys",
			Caption: "Measured false-positive rate on a log axis against the number of keys as a share of the capacity. Bloom filters' lines rise to three times the capacity; those of filters with slots end where a key is refused. The predicted line of the Bloom filter is under its points where both agree.",
			Panels: []lab.Panel{{
				X: chart.Axis{Label: "keys inserted / capacity", Min: 0, Max: 3.05}, Y: chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 1},
				At: ofCapacity, Of: measure.Rate, Only: accepts, Style: filterStyle, More: []lab.More{bloomPrediction},
			}},
			Edit: overloadNotes,
		}},
		Claims: []lab.Rule{lab.Judged(overloadClaims)},
	}
}

// tenPercents are the keys offered, in percent of the capacity.
func tenPercents(lab.Cell) (out []lab.Value) {
	for percent := 10; percent <= 300; percent += 10 {
		out = append(out, lab.Int(percent))
	}
	return out
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

// accepts tells whether a group is one of those.
func accepts(g lab.Group) bool {
	all := accepting(g.Data, g.Series)
	return g.Cell.Int("percent") <= all[len(all)-1].Cell.Int("percent")
}

// ofCapacity is the share of the capacity that is stored.
func ofCapacity(g lab.Group) float64 {
	return lab.Quotient(g.Sum("stored"), g.Cell.Int("capacity")*len(g.Rows))
}

// bloomPrediction is the rate that package bloom predicts.
func bloomPrediction(d *lab.Data, _ []lab.Group) []chart.Series {
	return []chart.Series{{Label: "bloom, predicted", Kind: chart.Thin, Style: chart.StyleFor("bound"),
		Points: lab.Points(accepting(d, bloomSeries), func(g lab.Group) chart.Point {
			return chart.Point{X: lab.Quotient(g.Cell.Int("percent"), 100), Y: predictedBloom(g)}
		})}}
}

// overloadNotes says where filters refuse.
func overloadNotes(d *lab.Data, f *chart.Figure) {
	p := &f.Panels[0]
	for _, series := range d.Series() {
		all := accepting(d, series)
		if end := all[len(all)-1]; refused(end) {
			x := ofCapacity(end)
			p.Notes = append(p.Notes, chart.Note{X: x, Y: measure.Rate(end).Value, Text: fmt.Sprintf("refuses at %.2f", x)})
		}
	}
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
