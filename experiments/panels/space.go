package panels

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// spaceByKeys measures the bits per item of filters that are made for n keys, for any n, not for the numbers that fill a power of two.
func spaceByKeys() *lab.Experiment {
	return &lab.Experiment{
		Name:  "space-by-n",
		Title: "Bits per item by the number of keys",
		Claim: "The paper fills tables whose number of buckets is a power of two: 12.60 bits per item (Table 3). Ours: for other numbers of keys such a table takes " +
			"up to twice that. Additive placement takes the least of it for every number of keys.",
		Method: fmt.Sprintf("Each filter is made for n keys at the rate of a full cuckoo filter of 12-bit fingerprints (%.4g%%) and given n keys; "+
			"each is looked up again, and so are keys that are absent. n runs through eight steps an octave, and through the two numbers of keys "+
			"between which the power-of-two table doubles. Paired slots, 4 a bucket, have fingerprints of a bit less.", 100*catalogue.PanelRate),
		Limits: []string{
			"A power-of-two table that is half empty has about half the false-positive rate; the CSV has the measured rates.",
			"A d-left filter has whole bits of remainder, so its rate can be better than was asked for.",
		},
		Params: "n",
		Grid: lab.Grid{{Series: "{filter}", Trials: lab.Times(1, 1, 1), Axes: []lab.Axis{
			// Paired slots of one bit less have the rate of the others.
			lab.Over("filter", lab.Join(panelFilters(additiveSeries, xorSeries, bloomSeries, "blocked bloom", "d-left counting bloom"), lab.OwnFilters, panelFilters(pairedSeries))),
			lab.Over("n", spaceKeys),
		}}},
		Trial:   measure.FillAndProbe(measure.Asked{Keys: measure.Of("n"), New: newPanelFilter("n"), Probes: measure.In(lab.Size{1 << 12, 1 << 17, 1 << 20})}),
		Columns: measure.RateColumns,
		Plots: []lab.Plot{{
			Title:   fmt.Sprintf("Space of filters made for n keys at a rate of %.3g%%", 100*catalogue.PanelRate),
			Caption: "Bits per item against the number of keys on a log axis: the power-of-two cuckoo filter's line has the shape of a saw, the others are flat.",
			Panels: []lab.Panel{{
				X: chart.Axis{Label: "keys n", Log: true, Base: 2}, Y: chart.Axis{Label: "space (bits per item)", Min: 10, Max: 26},
				At: lab.At("n"), Of: measure.BitsPerItem, Kind: chart.Line, Style: filterStyle,
			}},
			Edit: func(d *lab.Data, f *chart.Figure) {
				f.Panels[0].X.Min, f.Panels[0].X.Max = keyEnds(d)
				widenForOwn(d, f)
			},
		}},
		Claims: []lab.Rule{lab.Judged(spaceClaims)},
	}
}

// A maker makes a filter for n keys at the rate of the panels: the value of an axis filter.
type maker = func(n int, seed uint64) (lab.Instance, error)

var panelMakers = map[string]maker{
	additiveSeries: func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Capacity: n}, seed)
	},
	xorSeries: func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Capacity: n, Placement: cuckoo.XOR}, seed)
	},
	bloomSeries: func(n int, _ uint64) (lab.Instance, error) {
		return catalogue.NeverFull(bloom.New(bloom.Config{Capacity: n, FalsePositiveRate: catalogue.PanelRate}))
	},
	"blocked bloom": func(n int, _ uint64) (lab.Instance, error) {
		return catalogue.NeverFull(bloom.NewBlocked(bloom.Config{Capacity: n, FalsePositiveRate: catalogue.PanelRate}))
	},
	"d-left counting bloom": func(n int, _ uint64) (lab.Instance, error) {
		return counting.NewDLeft(counting.DLeftConfig{Capacity: n, FalsePositiveRate: catalogue.PanelRate})
	},
	pairedSeries: func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(catalogue.PanelWidth-1, cuckoo.Config{Capacity: n, Layout: cuckoo.PairedSlots}, seed)
	},
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

// The series that are judged.
const (
	additiveSeries = "cuckoo, additive"
	xorSeries      = "cuckoo, xor"
	pairedSeries   = "paired cuckoo"
	bloomSeries    = "bloom"
)

// spaceKeys are the numbers of keys of a profile, sorted: eight to an octave, and the last that a power of two of slots takes and
// the next.
func spaceKeys(c lab.Cell) []lab.Value {
	from, to := c.In(lab.Size{10, 14, 14}), c.In(lab.Size{11, 19, 24})
	var keys []int
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
	keys = append(keys, 1<<to)
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

// widenForOwn makes the axes hold the lines of a user's filters.
func widenForOwn(d *lab.Data, f *chart.Figure) {
	for i := range f.Panels {
		for _, s := range f.Panels[i].Series {
			if d.Setup.Own.Number(s.Label) >= 0 {
				catalogue.WidenFor(&f.Panels[i], s)
			}
		}
	}
}

// spaceRatio is the most of a ratio of bits per item, over all numbers of keys.
func spaceRatio(d *lab.Data, of, over func(i int) float64) claims.Estimate {
	most := 0.0
	for i := range d.Select(additiveSeries) {
		most = max(most, of(i)/over(i))
	}
	return claims.Exactly(most)
}

// spaceClaims compare the additive line of the cuckoo filter with itself and with the Bloom filter.
func spaceClaims(d *lab.Data) []claims.Verdict {
	additive, bloom := d.Select(additiveSeries), d.Select(bloomSeries)
	bits := func(i int) float64 { return measure.BitsPerItem(additive[i]).Value }
	least := bits(0)
	for i := range additive {
		least = min(least, bits(i))
	}
	even := spaceRatio(d, bits, func(int) float64 { return least })
	even.Note = fmt.Sprintf("the most over the least of %.2f bits", least)
	smaller := spaceRatio(d, bits, func(i int) float64 { return measure.BitsPerItem(bloom[i]).Value })
	smaller.Note = "the highest of all numbers of keys"
	paired := d.Select(pairedSeries)
	pairs := claims.Claim{ID: "paired slots", Says: "Paired slots of one bit less take less than 0.94 of the bits of packed buckets of 4, for every n", Paper: "-"}
	saving := pairs.NotMeasured("No such filter was measured.")
	if len(paired) == len(additive) {
		ratio := spaceRatio(d, func(i int) float64 { return measure.BitsPerItem(paired[i]).Value }, bits)
		ratio.Note = "the highest of all numbers of keys"
		saving = pairs.Below(ratio, 0.94, "11 of 12 bits, and 2% for their lower load")
	}
	ours := slices.DeleteFunc(slices.Clone(d.Groups), func(g lab.Group) bool { return g.Cell.Own() })
	return []claims.Verdict{
		claims.Claim{ID: "additive", Says: "Additive placement: bits per item hardly depend on the number of keys, by less than 2%", Paper: "-"}.
			Below(even, 1.02, "the claim's own number: small tables keep a larger reserve"),
		claims.Claim{ID: "Bloom", Says: fmt.Sprintf("At a rate of %.3g%% a cuckoo filter is smaller than a Bloom filter for every n", 100*catalogue.PanelRate), Paper: "-"}.
			Below(smaller, 1, "bits per item of the cuckoo filter over those of the Bloom filter"),
		saving,
		takesKeys(ours, func(g lab.Group) int {
			if g.Series == pairedSeries {
				return g.Sum("stored") // at 11 bits one set of keys in a thousand may be refused
			}
			return g.Param("n") * len(g.Rows)
		}),
	}
}
