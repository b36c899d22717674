package panels

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// spaceByKeys measures the bits per item of filters that are made for n keys, for any n, not for those that fill a
// power of two.
func spaceByKeys() *lab.Experiment {
	return &lab.Experiment{
		Name:  "space-by-n",
		Title: "Bits per item by the number of keys",
		Claim: "The paper fills tables of a power of two of buckets: 12.60 bits per item. Ours: for other numbers of keys " +
			"such a table takes up to twice that; additive placement takes the least for every number.",
		Method: fmt.Sprintf("Each filter is made for n keys at the rate of a full cuckoo filter of 12-bit fingerprints "+
			"(%.4g%%) and given n keys; each is looked up again, and so are keys that are absent. n runs through eight steps "+
			"an octave, and through the two numbers of keys between which the power-of-two table doubles. Paired slots, 4 a "+
			"bucket, have fingerprints of a bit less.", 100*catalogue.PanelRate),
		Limits: []string{"A d-left filter has whole bits of remainder, so its rate can be better than was asked for."},
		Params: "n",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(1, 1, 1), Axes: []lab.Axis{
			lab.Over("filter", lab.Join(panelFilters(additiveSeries, xorSeries, bloomSeries, blockedSeries, dleftSeries),
				lab.OwnFilters,
				panelFilters(pairedSeries))),
			lab.Over("n", spaceKeys),
		}}},
		Trial: measure.FillAndProbe(measure.Asked{
			Keys: measure.Of("n"), New: newPanelFilter("n"), Probes: measure.In(lab.Size{1 << 12, 1 << 17, 1 << 20}),
		}),
		Columns: measure.RateColumns,
		Plots: []lab.Plot{{
			Title: fmt.Sprintf("Space of filters made for n keys at a rate of %.3g%%", 100*catalogue.PanelRate),
			Caption: "Bits per item against the number of keys on a log axis: the power-of-two cuckoo filter's line has the " +
				"shape of a saw, the others are flat.",
			Panels: []lab.Panel{{
				X: chart.Axis{Label: "keys n", Log: true, Base: 2}, Y: chart.Axis{Label: "space (bits per item)", Min: 10, Max: 26},
				At: lab.At("n"), Of: measure.BitsPerItem, Kind: chart.Line, Style: filterStyle,
			}},
			Edit: func(d *lab.Data, f *chart.Figure) {
				endsAt(lab.At("n"), 0)(d, f)
				for _, s := range f.Panels[0].Series {
					if d.Setup.Own.Number(s.Label) >= 0 {
						catalogue.WidenFor(&f.Panels[0], s)
					}
				}
			},
		}},
		Claims: []lab.Rule{lab.Judged(spaceClaims)},
	}
}

// The series of both panels.
const (
	additiveSeries = "cuckoo, additive"
	xorSeries      = "cuckoo, xor"
	pairedSeries   = "paired cuckoo"
	bloomSeries    = "bloom"
	blockedSeries  = "blocked bloom"
	dleftSeries    = "d-left counting bloom"
)

// A maker makes a filter for n keys at the rate of the panels: the value of an axis filter.
type maker = func(n int, seed uint64) (lab.Instance, error)

// panelMakers make the filters. Paired slots of one bit less have the rate of the others.
var panelMakers = map[string]maker{
	additiveSeries: madeCuckoo(catalogue.PanelWidth, cuckoo.Config{}),
	xorSeries:      madeCuckoo(catalogue.PanelWidth, cuckoo.Config{Placement: cuckoo.XOR}),
	pairedSeries:   madeCuckoo(catalogue.PanelWidth-1, cuckoo.Config{Layout: cuckoo.PairedSlots}),
	bloomSeries:    madeKind("bloom"), blockedSeries: madeKind("blocked-bloom"), dleftSeries: madeKind("dleft"),
}

func madeCuckoo(width int, c cuckoo.Config) maker {
	return func(n int, seed uint64) (lab.Instance, error) {
		c := c
		c.Capacity = n
		return measure.NewCuckoo(width, c, seed)
	}
}

func madeKind(kind nest.Kind) maker {
	return func(n int, _ uint64) (lab.Instance, error) {
		return nest.New(nest.Spec{Kind: kind, Capacity: n, FalsePositiveRate: catalogue.PanelRate})
	}
}

// panelFilters are values of the axis filter.
func panelFilters(names ...string) lab.Values {
	return lab.ListOf(names, func(name string) lab.Value { return lab.Named(name, panelMakers[name]) })
}

// newPanelFilter makes the filter of a cell, the user's at its first setting, for the number of keys of an axis.
func newPanelFilter(axis string) func(lab.Cell, uint64) (lab.Instance, error) {
	return func(c lab.Cell, seed uint64) (lab.Instance, error) {
		if own, ok := c.Of("filter").(lab.Filter); ok {
			return own.Settings[0].New(c.Int(axis), seed)
		}
		return c.Of("filter").(maker)(c.Int(axis), seed)
	}
}

// spaceKeys are the numbers of keys of a profile, sorted: eight to an octave, and the last that a power of two of slots
// takes and the next.
func spaceKeys(c lab.Cell) []lab.Value {
	from, to := c.In(lab.Size{10, 14, 14}), c.In(lab.Size{11, 19, 24})
	keys := []int{1 << to}
	for k := from; k < to; k++ {
		for eighth := range 8 {
			keys = append(keys, 1<<k+eighth<<(k-3))
		}
		last, err := catalogue.MostKeys(1 << (k + 1))
		if err != nil {
			panic(err)
		}
		keys = append(keys, last, last+1)
	}
	slices.Sort(keys)
	return lab.IntValues(slices.Compact(keys)...)
}

// filterStyle gives lines the styles of their filters. The two tables of a cuckoo filter differ in the dash.
func filterStyle(g lab.Group, _ int, usual chart.Style) chart.Style {
	switch {
	case g.Cell.Own():
		return catalogue.OwnStyle(g.Cell.Int("filter"))
	case g.Series == additiveSeries:
		return chart.StyleFor("cuckoo")
	case g.Series == xorSeries:
		usual = chart.StyleFor("cuckoo")
		usual.Dash = nil
	}
	return usual
}

// spaceClaims compare the additive line of the cuckoo filter with itself and with others.
func spaceClaims(d *lab.Data) []claims.Verdict {
	bits := func(series string) []float64 {
		var all []float64
		for _, g := range d.Select(series) {
			all = append(all, measure.BitsPerItem(g).Value)
		}
		return all
	}
	// most is that of a ratio over all numbers of keys.
	most := func(of, over []float64, note string, args ...any) claims.Estimate {
		worst := 0.0
		for i := range of {
			worst = max(worst, of[i]/over[i])
		}
		return claims.Exactly(worst).As("", note, args...)
	}
	const highest = "the highest of all numbers of keys"
	additive, paired := bits(additiveSeries), bits(pairedSeries)
	least := slices.Min(additive)
	pairs := claims.Ours("paired slots", "Paired slots of one bit less take less than 0.94 of the bits of packed "+
		"buckets of 4, for every n")
	saving := pairs.NotMeasured("No such filter was measured.")
	if len(paired) == len(additive) {
		saving = pairs.Below(most(paired, additive, highest), 0.94, "11 of 12 bits, and 2% for their lower load")
	}
	ours := slices.DeleteFunc(slices.Clone(d.Groups), func(g lab.Group) bool { return g.Cell.Own() })
	return []claims.Verdict{
		claims.Ours("additive", "Additive placement: bits per item hardly depend on the number of keys, by less than "+
			"2%").Below(
			most(additive, slices.Repeat([]float64{least}, len(additive)), "the most over the least of %.2f bits", least), 1.02,
			itsOwn+": small tables keep a larger reserve"),
		claims.Ours("Bloom", fmt.Sprintf("At a rate of %.3g%% a cuckoo filter is smaller than a Bloom filter for every n",
			100*catalogue.PanelRate)).
			Below(most(additive, bits(bloomSeries), highest), 1,
				"bits per item of the cuckoo filter over those of the Bloom filter"),
		saving,
		takesKeys(ours, func(g lab.Group) int {
			if g.Series == pairedSeries {
				return g.Sum("stored") // at 11 bits one set of keys in a thousand may be refused
			}
			return g.Param("n") * len(g.Rows)
		}),
	}
}

// offeredKeys are those of a cell of overload.
func offeredKeys(c lab.Cell) int { return c.Int("capacity") / 100 * c.Int("percent") }

// overload measures what happens to the false-positive rate as keys come in, up to three times as many as a filter was
// made for.
func overload() *lab.Experiment {
	probes := measure.In(lab.Size{1 << 12, 1 << 18, 1 << 21})
	trial := measure.FillAndProbe(measure.Asked{
		Keys: offeredKeys, New: newPanelFilter("capacity"), Probes: probes, Needs: func(c lab.Cell) (float64, int64) {
			room, n := c.Int("capacity"), offeredKeys(c)
			return float64(2*n + probes(c)), int64(room) * 3 // up to 20 bits per item
		},
	})
	ask := trial.Run
	trial.Counts = "offered " + trial.Counts
	trial.Run = func(ctx context.Context, c lab.Cell, seed uint64) ([]int, error) {
		counts, err := ask(ctx, c, seed)
		return append([]int{offeredKeys(c)}, counts...), err
	}
	var tens []int
	for percent := 10; percent <= 300; percent += 10 {
		tens = append(tens, percent)
	}
	return &lab.Experiment{
		Name:  "overload",
		Title: "False-positive rate from empty to three times the capacity",
		Claim: "The paper does not measure this. Ours: a Bloom filter takes any number of keys, and its rate rises as " +
			"predicted. A cuckoo filter refuses the key that it has no room for, so that its rate stays below 2b/2^f.",
		Method: fmt.Sprintf("Filters made for a number of keys at %.4g%% are given up to three times as many; a filter "+
			"that refuses one is asked for its rate as it is then. Rates are pooled over the runs.", 100*catalogue.PanelRate),
		Limits: []string{"What to do at a refusal: make a larger filter, or one that grows."},
		Params: "capacity percent",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(2, 4, 5), Axes: []lab.Axis{
			// Without XOR placement: between two powers of two its capacity is any number.
			lab.Over("filter", lab.Join(panelFilters(additiveSeries, bloomSeries, blockedSeries, dleftSeries), lab.OwnFilters)),
			lab.Over("capacity", lab.By(lab.Ints(1000), lab.Ints(100_000), lab.Ints(2_000_000))),
			lab.Over("percent", lab.By(lab.Ints(50, 100, 300), lab.Ints(tens...), lab.Ints(tens...))),
		}}},
		Trial:   trial,
		Columns: append([]lab.Column{{Name: "share_of_capacity", Of: lab.Div("stored", "capacity")}}, measure.RateColumns...),
		Plots: []lab.Plot{{
			Title: "False-positive rate beyond the capacity, filters made for {capacity} keys",
			Caption: "Measured false-positive rate on a log axis against the number of keys as a share of the capacity. Bloom " +
				"filters' lines rise to three times the capacity; those of filters with slots end where a key is refused. The " +
				"predicted line of the Bloom filter is under its points where both agree.",
			Panels: []lab.Panel{{
				X:  chart.Axis{Label: "keys inserted / capacity", Min: 0, Max: 3.05},
				Y:  chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 1},
				At: ofCapacity, Of: measure.Rate, Style: filterStyle, More: []lab.More{bloomPrediction},
				Only: func(g lab.Group) bool {
					all := accepting(g.Data, g.Series)
					return g.Cell.Int("percent") <= all[len(all)-1].Cell.Int("percent")
				},
			}},
			Edit: overloadNotes,
		}},
		Claims: []lab.Rule{lab.Judged(overloadClaims)},
	}
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

// ofCapacity is the share of the capacity that is stored.
func ofCapacity(g lab.Group) float64 { return measure.MeanLoad("stored", "capacity", g) }

// bloomPrediction is the rate that package bloom predicts.
func bloomPrediction(d *lab.Data, _ []lab.Group) []chart.Series {
	return []chart.Series{{Label: "bloom, predicted", Kind: chart.Thin, Style: chart.StyleFor("bound"),
		Points: lab.Points(accepting(d, bloomSeries), func(g lab.Group) chart.Point {
			return chart.Point{X: lab.Quotient(g.Cell.Int("percent"), 100), Y: predictedBloom(g)}
		})}}
}

// overloadNotes says where filters refuse.
func overloadNotes(d *lab.Data, f *chart.Figure) {
	for _, series := range d.Series() {
		all := accepting(d, series)
		if end := all[len(all)-1]; refused(end) {
			x := ofCapacity(end)
			note := chart.Note{X: x, Y: measure.Rate(end).Value, Text: fmt.Sprintf("refuses at %.2f", x)}
			f.Panels[0].Notes = append(f.Panels[0].Notes, note)
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

// bloomScatter is the standard deviation of the rate among filters of a group. Of m bits, c = kn/m times as many throws
// leave a share of zeros with the variance (exp(-c) - (1+c)*exp(-2c))/m; the rate is the k-th power of the other bits'
// share.
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
	shares := end.Values("share_of_capacity")
	share := claims.Estimate{Value: claims.SampleOf(shares).Mean, Low: slices.Min(shares), High: slices.Max(shares)}
	pooled, predicted := measure.Pooled(last), predictedBloom(last)
	rate := claims.Of(pooled, 1)
	if refused(last) { // a rate of fewer keys is no evidence
		rate = claims.Exactly(math.NaN())
	}
	if !refused(end) {
		share = claims.Exactly(math.Inf(1))
	}
	allowed := math.Hypot(math.Sqrt(predicted*(1-predicted)/float64(pooled.N)),
		bloomScatter(last)/math.Sqrt(float64(len(last.Rows))))
	return []claims.Verdict{
		claims.Ours("refusal", "Cuckoo filter: it takes its capacity, and refuses soon after").
			Within(share.As("", "of the capacity, mean and range of the runs"), 1, 1.05, "the reserve behind the promise"),
		claims.Ours("Bloom", "Bloom filter: at 300% of the capacity nothing is refused and the rate is the predicted one").
			Equal(rate.As("%.5f", "%.5f predicted; %d keys refused", predicted, last.Sum("offered")-last.Sum("stored")),
				predicted,
				claims.Deviations*allowed, fmt.Sprintf("%d standard errors, of the probes and of the share of bits set",
					claims.Deviations)),
	}
}
