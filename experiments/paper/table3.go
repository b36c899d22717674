package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// SpaceAndSpeed is Table 3 of the paper: filters of one size, what they hold, their false-positive
// rates, and how fast they are filled.
type SpaceAndSpeed struct{}

// About states the claim.
func (SpaceAndSpeed) About() lab.About {
	return lab.About{
		Name:  "table3",
		Title: "Table 3: space efficiency and construction speed",
		Claim: "Of filters of 192 MiB, the cuckoo filter holds the most items for its rate (12.60 bits per item at 0.19%, a Bloom filter of that rate 13.00), " +
			"and is filled faster than the Bloom filter, slower than the blocked one.",
		Method: "Filters of 12 bits for each of 2^q slots (q = 27 in the paper and its profile) are filled with distinct random 64-bit integers: cuckoo and " +
			"d-left counting Bloom filters until the first is refused, the others with the paper's number of items. Every key is looked up again, then keys that are " +
			"absent. One hash of a key is counted in the times: hashing.Mix64 here, CityHash-64 in the paper. Filters are filled in turns, on one " +
			"goroutine; speeds are medians over the rounds. " + oneLife + " " + madeText(),
		NotShown: []string{
			"Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. What can be compared is the order.",
			"The paper does not state how its d-left counting Bloom filter divides 12 bits into remainder and counter.",
			paperCaches,
			"Tables of the quick profile fit into a processor's cache, where a key of nine hashes costs little more than a key of two.",
		},
		Params: []string{"slots"},
		Counts: append(slices.Clone(catalogue.FillCounts), "build_ns"),
		Derived: append(slices.Clone(catalogue.FillDerived),
			lab.Derived{Name: "million_keys_per_second", Of: func(r lab.Row) float64 { return 1000 * r.Ratio("items", "build_ns") }}),
		Timed: []string{"build_ns", "million_keys_per_second"},
	}
}

// madeText lists the filters with their parameters.
func madeText() string {
	text := ""
	for i, k := range catalogue.Table3() {
		if i > 0 {
			text += "; "
		}
		text += k.Name + " (" + k.Label + "): " + k.Made
	}
	return text + "."
}

// Plan returns a job for each filter.
func (SpaceAndSpeed) Plan(s lab.Setup) ([]lab.Job, error) {
	size := catalogue.LifeSizes[s.Profile]
	kinds, err := catalogue.WithOwn(s, catalogue.Table3())
	if err != nil {
		return nil, err
	}
	return size.Lives(kinds, func(k catalogue.Kind) ([][]lab.Value, float64) {
		return [][]lab.Value{lab.Ints(1 << size.Q)}, size.Seconds(k, 1<<size.Q+size.Probes, k.Costs().Recall)
	}), nil
}

// cost is roughly the seconds of a trial.
func sizeCost(z catalogue.FillSize) float64 {
	n := 1 << z.Q
	return float64(n)*measure.FillCost(n) + float64(n+z.Probes)*measure.ProbeCost(n) + float64(z.Traced)*4e-7
}

// table3Cells are the paper's values: million items, bits per item, rate, million keys a second.
type table3Cells struct {
	items, bits, rate, speed float64
}

type table3Rows map[string]table3Cells

// of returns the cells of a filter; of one that the paper does not have they are NaN, which shows as nothing.
func (t table3Rows) of(name string) table3Cells {
	if c, ok := t[name]; ok {
		return c
	}
	return table3Cells{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
}

// has tells whether the paper has the filter of a group.
func (t table3Rows) has(g lab.Group) bool {
	_, ok := t[g.Series]
	return ok
}

var table3Paper = table3Rows{
	"CF":     {127.78, 12.60, .0019, 5.00},
	"ss-CF":  {128.04, 12.58, .0009, 3.13},
	"BF":     {123.89, 13.00, .0019, 3.91},
	"blk-BF": {123.89, 13.00, .0043, 7.64},
	"QF":     {120.80, 13.33, .0018, 1.91},
	"dl-CBF": {103.82, 15.51, .0076, 4.78},
}

// speeds are those of the rounds, in million keys a second.
func speedsOfGroup(g lab.Group) []float64 {
	out := g.Ratios("items", "build_ns")
	for i := range out {
		out[i] *= 1000
	}
	return out
}

// Shown puts the paper's columns beside ours.
func (SpaceAndSpeed) Shown(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"filter", "items_million", "paper_items", "bits_per_item", "paper_bits", "rate", "rate_low", "rate_high",
		"predicted_rate", "paper_rate", "million_keys_per_second", "speed_low", "speed_high", "paper_speed"}}
	for _, g := range d.Groups {
		rate, paper := measure.Pooled(g), table3Paper.of(g.Series)
		rateLow, rateHigh := rate.Interval()
		low, high := stat.MedianInterval(speedsOfGroup(g))
		t.Add(g.Series, lab.Quotient(g.Sum("items"), 1_000_000*len(g.Rows)), paper.items, groupBits(g), paper.bits,
			rate.Value(), rateLow, rateHigh, predictedOf(g), paper.rate, stat.Median(speedsOfGroup(g)), low, high, paper.speed)
	}
	return t
}

// bitsPerItem is the mean over the trials.
func groupBits(g lab.Group) float64 { return lab.Quotient(8*g.Sum("size_bytes"), g.Sum("items")) }

// predicted is the mean over the trials of the rate to expect.
func predictedOf(g lab.Group) float64 {
	sum := 0.0
	for _, r := range g.Rows {
		sum += catalogue.PredictedRate(r)
	}
	return sum / float64(len(g.Rows))
}

// Draw draws rate by space, ours and the paper's.
func (SpaceAndSpeed) Draw(d *lab.Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "space (bits per item)", Min: 12, Max: 16},
		Y: chart.Axis{Label: "false-positive rate", Log: true, Min: 5e-4, Max: 3e-2},
	}
	kinds := catalogue.DrawnKinds(d, catalogue.Table3())
	for _, k := range kinds {
		for _, g := range d.Select(k.Name) {
			at, style := paperPoint(g), k.Style()
			p.Series = append(p.Series, chart.Series{Label: k.Label, Kind: chart.Marks, Style: style, Points: []chart.Point{at}})
			if paper := table3Paper.of(g.Series); table3Paper.has(g) {
				p.Series = append(p.Series, chart.Series{Label: "paper", Kind: chart.Hollow, Style: style, Points: []chart.Point{{X: paper.bits, Y: paper.rate}}})
			} else {
				catalogue.WidenFor(&p, p.Series[len(p.Series)-1])
			}
		}
	}
	line := chart.Series{Label: "Bloom, formula", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	for rate := p.Y.Min; rate < p.Y.Max; rate *= 1.1 {
		line.Points = append(line.Points, chart.Point{X: law.BloomBits(rate), Y: rate})
	}
	p.Series = append(p.Series, line)
	title := "Filters of one size"
	if len(kinds) > len(catalogue.Table3()) {
		title += ", and one's own"
	}
	return []*chart.Figure{{
		Name:    "table3",
		Title:   title + ": false-positive rate by space",
		Caption: "Measured false-positive rate on a log axis against bits per item of filters of one size, the paper's values hollow." + catalogue.OwnText(kinds),
		Panels:  []chart.Panel{p},
		Below:   true,
	}}
}

// paperPoint is a filter as bits per item and pooled rate.
func paperPoint(g lab.Group) chart.Point {
	rate := measure.Pooled(g)
	lo, hi := rate.Interval()
	return chart.Point{X: groupBits(g), Y: rate.Value(), Lo: lo, Hi: hi, Zero: rate.Events == 0}
}

// slotsText names the size of a group's tables.
func slotsText(g lab.Group) string {
	return fmt.Sprintf("2^%d slots", measure.Power2(g.Param("slots")))
}
