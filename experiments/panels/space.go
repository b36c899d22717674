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
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

func spaceByKeys() *lab.Experiment {
	return &lab.Experiment{
		Name:  "space-by-n",
		Title: "Bits per item by the number of keys",
		Claim: "The paper fills tables of a power of two of buckets: 12.60 bits per item. Ours: for other numbers of keys " +
			"such a table takes up to twice that; additive placement takes the least for every number.",
		Method: fmt.Sprintf("Each filter is made for n keys at the rate of a full cuckoo filter of 12-bit fingerprints "+
			"(%.4g%%) and given n; each is looked up again, and so are absent ones. n runs through eight steps an octave, "+
			"and the two numbers between which the power-of-two table doubles. Paired slots have a bit less.",
			100*catalogue.PanelRate),
		Limits: []string{"A d-left filter has whole bits of remainder, so its rate can be better than was asked for."},
		Params: "n",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(1, 1, 1), Axes: []lab.Axis{
			lab.Over("filter", lab.Join(panelFilters(additiveSeries, xorSeries, bloomSeries, blockedSeries, dleftSeries),
				lab.OwnFilters, panelFilters(pairedSeries))),
			lab.Over("n", spaceKeys),
		}}},
		Trial: measure.FillAndProbe(measure.Asked{
			Keys: measure.Of("n"), New: newPanelFilter("n"), Probes: measure.In(lab.Size{1 << 12, 1 << 17, 1 << 20}),
		}),
		Columns: measure.RateColumns,
		Plots: []lab.Plot{{
			Title:   fmt.Sprintf("Space of filters made for n keys at a rate of %.3g%%", 100*catalogue.PanelRate),
			Caption: "The power-of-two cuckoo filter's line has the shape of a saw, the others are flat.",
			Panels: []lab.Panel{{
				X: keysAxis, Y: chart.Axis{Label: "space (bits per item)", Min: 10, Max: 26},
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

var keysAxis = chart.Axis{Label: "keys n", Log: true, Base: 2}

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

// octaves are numbers of keys between two powers of two, in so many steps to an octave, with the last one.
func octaves(from, to, steps int) (keys []int) {
	for k := from; k < to; k++ {
		for step := range steps {
			keys = append(keys, 1<<k+step<<k/steps)
		}
	}
	return append(keys, 1<<to)
}

// spaceKeys are eight numbers of keys to an octave, and the last that a power of two of slots takes and the next.
func spaceKeys(c lab.Cell) []lab.Value {
	from, to := c.In(lab.Size{10, 14, 14}), c.In(lab.Size{11, 19, 24})
	keys := octaves(from, to, 8)
	for k := from; k < to; k++ {
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
	case g.Series == additiveSeries, g.Series == growthRight:
		return chart.StyleFor("cuckoo")
	case g.Series == xorSeries:
		usual = chart.StyleFor("cuckoo")
		usual.Dash = nil
	}
	return usual
}

func spaceClaims(d *lab.Data) []claims.Verdict {
	bits := func(series string) (all []float64) {
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
	saving := claims.Ours("paired slots", "Paired slots of one bit less take less than 0.94 of the bits of packed "+
		"buckets of 4, for every n").
		Below(most(paired, additive, highest), 0.94, "11 of 12 bits, and 2% for their lower load")
	if len(paired) != len(additive) {
		saving = saving.Claim.NotMeasured("No such filter was measured.")
	}
	ours := slices.DeleteFunc(slices.Clone(d.Groups), func(g lab.Group) bool { return g.Cell.Own() })
	return []claims.Verdict{
		claims.Ours("additive", "Additive placement: bits per item hardly depend on the number of keys, by less than 2%").
			Below(most(additive, slices.Repeat([]float64{least}, len(additive)), "the most over the least of %.2f bits", least),
				1.02, itsOwn+": small tables keep a larger reserve"),
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

func offeredKeys(c lab.Cell) int { return c.Int("capacity") / 100 * c.Int("percent") }

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
			Title:   "False-positive rate beyond the capacity, filters made for {capacity} keys",
			Caption: "Bloom filters' lines rise to three times the capacity; those of filters with slots end at a refusal.",
			Panels: []lab.Panel{{
				X:  chart.Axis{Label: "keys inserted / capacity", Min: 0, Max: 3.05},
				Y:  chart.Axis{Label: "measured false-positive rate", Log: true, Min: 1e-6, Max: 1},
				At: ofCapacity, Of: measure.Rate, Style: filterStyle,
				Only: func(g lab.Group) bool { return g.Cell.Int("percent") <= last(g.Data, g.Series).Cell.Int("percent") },
				More: []lab.More{func(_ *lab.Data, groups []lab.Group) []chart.Series {
					return []chart.Series{theory("bloom, predicted", lab.Among(groups, "filter", bloomSeries),
						func(g lab.Group) float64 { return g.Cell.Float("percent") / 100 }, predictedBloom)}
				}},
			}},
		}},
		Claims: []lab.Rule{lab.Judged(overloadClaims)},
	}
}

// refused tells whether a key was, in any run, and last is the first group of which that is so, or the last.
func refused(g lab.Group) bool { return g.Sum("stored") < g.Sum("offered") }

func last(d *lab.Data, series string) lab.Group {
	groups := d.Select(series)
	if i := slices.IndexFunc(groups, refused); i >= 0 {
		return groups[i]
	}
	return groups[len(groups)-1]
}

func ofCapacity(g lab.Group) float64 { return measure.MeanLoad("stored", "capacity", g) }

func bloomOf(g lab.Group) (bits, hashes, n int) {
	bits = 8 * g.Sum("size_bytes") / len(g.Rows)
	c, _, _ := bloom.Plan(bloom.Config{Capacity: g.Param("capacity"), Slots: bits})
	return bits, c.Hashes, g.Param("capacity") / 100 * g.Param("percent")
}

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
	end, full := last(d, additiveSeries), last(d, bloomSeries)
	shares := end.Values("share_of_capacity")
	share := claims.Estimate{Value: claims.SampleOf(shares).Mean, Low: slices.Min(shares), High: slices.Max(shares)}
	pooled, predicted := measure.Pooled(full), predictedBloom(full)
	rate := claims.Of(pooled, 1)
	if refused(full) { // a rate of fewer keys is no evidence
		rate = claims.Exactly(math.NaN())
	}
	if !refused(end) {
		share = claims.Exactly(math.Inf(1))
	}
	allowed := math.Hypot(math.Sqrt(predicted*(1-predicted)/float64(pooled.N)),
		bloomScatter(full)/math.Sqrt(float64(len(full.Rows))))
	return []claims.Verdict{
		claims.Ours("refusal", "Cuckoo filter: it takes its capacity, and refuses soon after").
			Within(share.As("", "of the capacity, mean and range of the runs"), 1, 1.05, "the reserve behind the promise"),
		claims.Ours("Bloom", "Bloom filter: at 300% of the capacity nothing is refused and the rate is the predicted one").
			Equal(rate.As("%.5f", "%.5f predicted; %d keys refused", predicted, full.Sum("offered")-full.Sum("stored")),
				predicted, claims.Deviations*allowed,
				fmt.Sprintf("%d standard errors, of the probes and of the share of bits set", claims.Deviations)),
	}
}

const (
	growthWidth, growthFirst = 16, 1024 // bits, and keys that growing filters are made for, the default

	growthOwn   = "growing"
	growthRight = "right size, 16 bits"
	growthEqual = "right size, same rate"
)

func growth() *lab.Experiment {
	probes := measure.In(lab.Size{1 << 12, 1 << 18, 1 << 20})
	panel := func(y chart.Axis, of lab.Stat, more lab.More) []lab.Panel {
		return []lab.Panel{{X: keysAxis, Y: y, At: lab.At("n"), Of: of, Kind: chart.Line, Style: filterStyle,
			More: []lab.More{more}}}
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
			lab.Over("filter", growthFilters), lab.Over("n", func(c lab.Cell) []lab.Value {
				return lab.IntValues(octaves(10, c.In(lab.Size{12, 20, 22}), c.In(lab.Size{2, 4, 8}))...)
			}),
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
			Caption: "Growing filters have the shape of a saw, lowest just before a growth, where they take what a filter of " +
				"the right size and as wide fingerprints takes. The thin line is at the rate that the growing filter has. Pagh, " +
				"Segev and Wieder (FOCS 2013) prove that a filter which does not know n needs its first term and, up to a " +
				"constant factor, the second.",
			Panels: panel(chart.Axis{Label: "space (bits per item)", Min: 0, Max: 45}, measure.BitsPerItem, unknownBound),
			Edit:   endsAt(lab.At("n"), 0),
		}, {
			Name: "growth-rate", Title: fmt.Sprintf("False-positive rate of filters that grow from %d keys", growthFirst),
			Caption: "The rate rises by the same step with each doubling, and stays below the promise.",
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

func promisedRate() float64 {
	plan, _, err := cuckoo.PlanScalable(cuckoo.ScalableConfig{FingerprintBits: growthWidth})
	if err != nil {
		panic(err)
	}
	return plan.FalsePositiveRate
}

func seenRate(g lab.Group) claims.Estimate {
	if g.Sum("false_positives") == 0 {
		return claims.Exactly(math.NaN())
	}
	return claims.Exactly(measure.Rate(g).Value)
}

// unknownBound returns the terms of the lower bound on bits per item of filters that do not know n, at the rates of the
// growing filter. The second one holds up to a constant factor that is not known, which is taken as 1.
func unknownBound(d *lab.Data, _ []lab.Group) []chart.Series {
	groups := slices.DeleteFunc(d.Select(growthOwn), func(g lab.Group) bool { return g.Sum("false_positives") == 0 })
	return []chart.Series{theory("log2(1/eps) + log2 log2 n", groups, lab.At("n"), func(g lab.Group) float64 {
		return math.Log2(math.Log2(g.Cell.Float("n"))) - math.Log2(measure.Rate(g).Value)
	})}
}

func growthClaims(d *lab.Data) []claims.Verdict {
	worst, own := math.Inf(-1), d.Select(growthOwn)
	for _, g := range own {
		r, bound := measure.Pooled(g), claims.RateBound(growthWidth-1, 4)*(1+lab.Quotient(g.Sum("doublings"), len(g.Rows))/2)
		worst = max(worst, (r.Value()-bound)/math.Sqrt(bound*(1-bound)/float64(r.N)))
	}
	return []claims.Verdict{
		takesKeys(d.Groups, func(g lab.Group) int { return g.Param("n") * len(g.Rows) }),
		claims.Ours("rate", "Growing filters: the rate stays below (1 + g/2) * 2b/2^(f-1) after g doublings, over the whole "+
			"growth").Below(
			claims.Exactly(worst).As("%.1f", "binomial standard errors above the bound, the most of %d numbers of keys",
				len(own)), claims.Deviations, "of a rate at the bound one in 30 000 exceeds that"),
	}
}
