package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// SpaceAndSpeed is Table 3 of the paper: six filters of one size, what they hold, their false-positive
// rates, and how fast they are filled.
type SpaceAndSpeed struct{}

// About states the claim.
func (SpaceAndSpeed) About() About {
	return About{
		Name:  "table3",
		Title: "Table 3: space efficiency and construction speed",
		Claim: "Of filters of 192 MiB, the cuckoo filter holds the most items for its rate (12.60 bits per item at 0.19%, a Bloom filter of that rate 13.00), " +
			"and is filled faster than the Bloom filter, slower than the blocked one.",
		Method: "Filters of 12 bits for each of 2^q slots (q = 27 in the paper and its profile) are filled with distinct random 64-bit integers: cuckoo and " +
			"d-left counting Bloom filters until the first is refused, the others with the paper's number of items. Every key is looked up again, then keys that are " +
			"absent. One hash of a key is counted in the times: hashing.Mix64 here, CityHash-64 in the paper. Filters are filled in turns, on one " +
			"goroutine; speeds are medians over the rounds. " + oneLife + " " + sixMade(),
		NotShown: []string{
			"Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. What can be compared is the order.",
			"The paper does not state how its d-left counting Bloom filter divides 12 bits into remainder and counter.",
			paperCaches,
			"Tables of the quick profile fit into a processor's cache, where a key of nine hashes costs little more than a key of two.",
		},
		Params: []string{"slots"},
		Counts: append(slices.Clone(sixCounts), "build_ns"),
		Derived: append(slices.Clone(sixDerived),
			Derived{"million_keys_per_second", func(r Row) float64 { return 1000 * r.ratio("items", "build_ns") }}),
		Timed: []string{"build_ns", "million_keys_per_second"},
	}
}

// sixMade lists the filters with their parameters.
func sixMade() string {
	text := ""
	for i, k := range sixKinds() {
		if i > 0 {
			text += "; "
		}
		text += k.name + " (" + k.label + "): " + k.made
	}
	return text + "."
}

// Plan returns a job for each filter.
func (SpaceAndSpeed) Plan(s Setup) ([]Job, error) {
	size := throughputSizes[s.Profile]
	kinds, err := s.withOwn(stepKinds())
	if err != nil {
		return nil, err
	}
	return size.lives(kinds, func(k sixKind) ([][]int, float64) {
		return [][]int{{1 << size.q}}, size.seconds(1<<size.q+size.probes, k.costs().recall)
	}), nil
}

// spaceAndRate looks all keys up again, and keys that are absent. That is untimed.
func (l *life) spaceAndRate(ctx context.Context) ([]int, error) {
	absent := stream{next: l.seed + l.searcher(table3Searcher).absent*splitMixStep}
	workers := l.size.workers()
	if l.own {
		workers = 1 // an Instance need not be safe for concurrent use
	}
	counts, err := l.recall(ctx, stream{next: l.seed}, l.stored, absent, l.size.probes, workers)
	return append(append([]int{l.stored, l.verbs.SizeBytes()}, counts...), int(l.spent)), err
}

// sixBytes is the size of each of the six filters.
func sixBytes(q int) int64 { return sixSlotBits * (int64(1) << q) / 8 }

// cost is roughly the seconds of a trial.
func (z sixSize) cost() float64 {
	n := 1 << z.q
	return float64(n)*fillCost(n) + float64(n+z.probes)*probeCost(n) + float64(z.traced)*4e-7
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
func (t table3Rows) has(g Group) bool {
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
func (g Group) speeds() []float64 {
	out := g.ratios("items", "build_ns")
	for i := range out {
		out[i] *= 1000
	}
	return out
}

// Shown puts the paper's columns beside ours.
func (SpaceAndSpeed) Shown(d *Data) report.Table {
	t := report.Table{Columns: []string{"filter", "items_million", "paper_items", "bits_per_item", "paper_bits", "rate", "rate_low", "rate_high",
		"predicted_rate", "paper_rate", "million_keys_per_second", "speed_low", "speed_high", "paper_speed"}}
	for _, g := range d.Groups {
		rate, paper := pooled(g), table3Paper.of(g.Series)
		rateLow, rateHigh := rate.Interval()
		low, high := stat.MedianInterval(g.speeds())
		t.Add(g.Series, quotient(g.Sum("items"), 1_000_000*len(g.Rows)), paper.items, g.bitsPerItem(), paper.bits,
			rate.Value(), rateLow, rateHigh, g.predicted(), paper.rate, stat.Median(g.speeds()), low, high, paper.speed)
	}
	return t
}

// bitsPerItem is the mean over the trials.
func (g Group) bitsPerItem() float64 { return quotient(8*g.Sum("size_bytes"), g.Sum("items")) }

// predicted is the mean over the trials of the rate to expect.
func (g Group) predicted() float64 {
	sum := 0.0
	for _, r := range g.Rows {
		sum += predictedRate(r)
	}
	return sum / float64(len(g.Rows))
}

// Draw draws rate by space, ours and the paper's.
func (SpaceAndSpeed) Draw(d *Data) []*chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "space (bits per item)", Min: 12, Max: 16},
		Y: chart.Axis{Label: "false-positive rate", Log: true, Min: 5e-4, Max: 3e-2},
	}
	kinds := d.drawn(stepKinds())
	for _, k := range kinds {
		for _, g := range d.Select(k.name) {
			at, style := sixPoint(g), throughputStyle(k)
			p.Series = append(p.Series, chart.Series{Label: g.Series, Kind: chart.Marks, Style: style, Points: []chart.Point{at}})
			if paper := table3Paper.of(g.Series); table3Paper.has(g) {
				p.Series = append(p.Series, chart.Series{Label: "paper", Kind: chart.Hollow, Style: style, Points: []chart.Point{{X: paper.bits, Y: paper.rate}}})
			} else {
				widenFor(&p, p.Series[len(p.Series)-1])
			}
		}
	}
	line := chart.Series{Label: "Bloom, formula", Kind: chart.Thin, Style: chart.StyleFor("bound")}
	for rate := p.Y.Min; rate < p.Y.Max; rate *= 1.1 {
		line.Points = append(line.Points, chart.Point{X: BloomBits(rate), Y: rate})
	}
	p.Series = append(p.Series, line)
	title := "Six filters of one size"
	if len(kinds) > len(stepKinds()) {
		title += ", and one's own"
	}
	return []*chart.Figure{{
		Name:    "table3",
		Title:   title + ": false-positive rate by space",
		Caption: "Measured false-positive rate on a log axis against bits per item of six filters, the paper's values hollow." + ownText(kinds),
		Panels:  []chart.Panel{p},
	}}
}

// sixPoint is a filter as bits per item and pooled rate.
func sixPoint(g Group) chart.Point {
	rate := pooled(g)
	lo, hi := rate.Interval()
	return chart.Point{X: g.bitsPerItem(), Y: rate.Value(), Lo: lo, Hi: hi, Zero: rate.Events == 0}
}

// slotsText names the size of a group's tables.
func slotsText(g Group) string { return fmt.Sprintf("2^%d slots", power2(g.Param("slots"))) }
