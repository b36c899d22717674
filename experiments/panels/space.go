package panels

import (
	"context"
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
func spaceByKeys() lab.Simple {
	return lab.Simple{
		Declare: lab.About{
			Name:  "space-by-n",
			Title: "Bits per item by the number of keys",
			Claim: "The paper fills tables whose number of buckets is a power of two: 12.60 bits per item (Table 3). Ours: for other numbers of keys such a table takes " +
				"up to twice that. Additive placement takes the least of it for every number of keys.",
			Method: fmt.Sprintf("Each filter is made for n keys at the rate of a full cuckoo filter of 12-bit fingerprints (%.4g%%) and given n keys; "+
				"each is looked up again, and so are keys that are absent. n runs through eight steps an octave, and through the two numbers of keys "+
				"between which the power-of-two table doubles. Paired slots, 4 a bucket, have fingerprints of a bit less.", 100*catalogue.PanelRate),
			NotShown: []string{
				"A power-of-two table that is half empty has about half the false-positive rate; the CSV has the measured rates.",
				"A d-left filter has whole bits of remainder, so its rate can be better than was asked for.",
			},
			Params:  []string{"n"},
			Counts:  measure.TrialCounts,
			Derived: measure.TrialDerived,
		},
		Trials:  spaceTrials,
		Figures: spaceFigures,
		Claims:  func(d *lab.Data) []claims.Verdict { return d.Judged(spaceClaims(d)) },
	}
}

// A panelFilter makes filters for n keys at panelRate.
type panelFilter struct {
	name string
	new  func(n int, seed uint64) (lab.Instance, error)
}

// panelFilters are those of the panels of space and of overload, by name.
var panelFilters = []panelFilter{
	{"cuckoo, additive", func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Capacity: n}, seed)
	}},
	{"cuckoo, xor", func(n int, seed uint64) (lab.Instance, error) {
		return measure.NewCuckoo(catalogue.PanelWidth, cuckoo.Config{Capacity: n, Placement: cuckoo.XOR}, seed)
	}},
	{"bloom", func(n int, _ uint64) (lab.Instance, error) {
		return catalogue.NeverFull(bloom.New(bloom.Config{Capacity: n, FalsePositiveRate: catalogue.PanelRate}))
	}},
	{"blocked bloom", func(n int, _ uint64) (lab.Instance, error) {
		return catalogue.NeverFull(bloom.NewBlocked(bloom.Config{Capacity: n, FalsePositiveRate: catalogue.PanelRate}))
	}},
	{"d-left counting bloom", func(n int, _ uint64) (lab.Instance, error) {
		return counting.NewDLeft(counting.DLeftConfig{Capacity: n, FalsePositiveRate: catalogue.PanelRate})
	}},
}

// pairedFilter is a cuckoo filter with paired slots of one bit less, whose rate is that of the others. It is in the panel of space alone.
var pairedFilter = panelFilter{pairedSeries, func(n int, seed uint64) (lab.Instance, error) {
	return measure.NewCuckoo(catalogue.PanelWidth-1, cuckoo.Config{Capacity: n, Layout: cuckoo.PairedSlots}, seed)
}}

// panelLines are the panel's filters, and the user's at their first setting.
func panelLines(s lab.Setup) []panelFilter {
	out := slices.Clone(panelFilters)
	for _, f := range s.Own.Filters {
		out = append(out, panelFilter{f.Name, f.Settings[0].New})
	}
	return out
}

// The series that are judged.
const (
	additiveSeries = "cuckoo, additive"
	xorSeries      = "cuckoo, xor"
	pairedSeries   = "paired cuckoo"
	bloomSeries    = "bloom"
)

// spaceRange has the exponents of the first and the last octave of n, and the number of probes.
type spaceRange struct{ from, to, probes int }

var spaceRanges = map[lab.Profile]spaceRange{lab.Tiny: {10, 11, 1 << 12}, lab.Quick: {14, 19, 1 << 17}, lab.Paper: {14, 24, 1 << 20}}

// spaceKeys returns the numbers of keys of a profile, sorted: eight to an octave, and the last that a power of
// two of slots takes and the next.
func spaceKeys(r spaceRange) ([]int, error) {
	var keys []int
	for k := r.from; k < r.to; k++ {
		for eighth := range 8 {
			keys = append(keys, 1<<k+eighth<<(k-3))
		}
		last, err := catalogue.MostKeys(1 << (k + 1))
		if err != nil {
			return nil, err
		}
		keys = append(keys, last, last+1)
	}
	keys = append(keys, 1<<r.to)
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// spaceTrials are a job for each filter and number of keys.
func spaceTrials(s lab.Setup) ([]lab.Job, error) {
	size := spaceRanges[s.Profile]
	keys, err := spaceKeys(size)
	if err != nil {
		return nil, err
	}
	var jobs []lab.Job
	for _, f := range append(panelLines(s), pairedFilter) {
		for _, n := range keys {
			jobs = append(jobs, lab.Job{
				Series: f.name,
				Params: lab.IntValues(n),
				Trials: 1,
				Bytes:  int64(n) * 4, // up to 25 bits per item
				Cost:   float64(n)*measure.FillCost(n) + float64(n+size.probes)*measure.ProbeCost(n),
				Run: func(ctx context.Context, seed uint64) ([]int, error) {
					filter, err := f.new(n, seed)
					if err != nil {
						return nil, err
					}
					return measure.CountRate(ctx, measure.Stream{Next: seed}, filter, n, size.probes)
				},
			})
		}
	}
	return jobs, nil
}

// spaceFigures draw the bits per item against n.
func spaceFigures(d *lab.Data) []*chart.Figure {
	r := spaceRanges[d.Setup.Profile]
	p := chart.Panel{
		X: chart.Axis{Label: "keys n", Log: true, Base: 2, Min: float64(int(1) << r.from), Max: float64(int(1) << r.to)},
		Y: chart.Axis{Label: "space (bits per item)", Min: 10, Max: 26},
		Series: panelStyled(d, d.Lines(chart.Line, func(g lab.Group) chart.Point {
			return chart.Point{X: float64(g.Param("n")), Y: bitsPerItem(g)}
		})),
	}
	for _, s := range p.Series {
		if d.Setup.Own.Number(s.Label) >= 0 {
			catalogue.WidenFor(&p, s)
		}
	}
	return []*chart.Figure{{
		Name:    "space-by-n",
		Title:   fmt.Sprintf("Space of filters made for n keys at a rate of %.3g%%", 100*catalogue.PanelRate),
		Caption: "Bits per item against the number of keys on a log axis: the power-of-two cuckoo filter's line has the shape of a saw, the others are flat.",
		Panels:  []chart.Panel{p},
	}}
}

// panelStyled gives lines the styles of their filters. The two tables of a cuckoo filter differ in the dash.
func panelStyled(d *lab.Data, lines []chart.Series) []chart.Series {
	for i := range lines {
		s := &lines[i]
		switch number := d.Setup.Own.Number(s.Label); {
		case number >= 0:
			s.Style = catalogue.OwnStyle(number)
		case s.Label == additiveSeries:
			s.Style = chart.StyleFor("cuckoo")
		case s.Label == xorSeries:
			s.Style = chart.StyleFor("cuckoo")
			s.Style.Dash = nil
		}
	}
	return lines
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
	bits := func(i int) float64 { return bitsPerItem(additive[i]) }
	least := bits(0)
	for i := range additive {
		least = min(least, bits(i))
	}
	even := spaceRatio(d, bits, func(int) float64 { return least })
	even.Note = fmt.Sprintf("the most over the least of %.2f bits", least)
	smaller := spaceRatio(d, bits, func(i int) float64 { return bitsPerItem(bloom[i]) })
	smaller.Note = "the highest of all numbers of keys"
	paired := d.Select(pairedSeries)
	pairs := claims.Claim{ID: "paired slots", Says: "Paired slots of one bit less take less than 0.94 of the bits of packed buckets of 4, for every n", Paper: "-"}
	saving := pairs.NotMeasured("No such filter was measured.")
	if len(paired) == len(additive) {
		ratio := spaceRatio(d, func(i int) float64 { return bitsPerItem(paired[i]) }, bits)
		ratio.Note = "the highest of all numbers of keys"
		saving = pairs.Below(ratio, 0.94, "11 of 12 bits, and 2% for their lower load")
	}
	ours := slices.DeleteFunc(slices.Clone(d.Groups), func(g lab.Group) bool { return d.Setup.Own.Number(g.Series) >= 0 })
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
