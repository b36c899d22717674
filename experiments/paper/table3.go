// Package paper has an experiment for each table and figure of "Cuckoo Filter: Practically Better Than Bloom" (Fan, Andersen,
// Kaminsky, Mitzenmacher, CoNEXT 2014).
package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// All returns the experiments of this package, in the order of the report.
func All() []*lab.Experiment {
	return []*lab.Experiment{
		Properties(), LookupCost(), SpaceAndSpeed(), BlockBits(),
		LoadFactor(), RateBySpace(), SpaceByRate(), LookupByShare(), LookupByOccupancy(), InsertByOccupancy(), DeleteByOccupancy(),
	}
}

// SpaceAndSpeed is Table 3 of the paper: filters of one size, what they hold, their false-positive
// rates, and how fast they are filled.
func SpaceAndSpeed() *lab.Experiment {
	return &lab.Experiment{
		Name:  "table3",
		Title: "Table 3: space efficiency and construction speed",
		Claim: "Of filters of 192 MiB, the cuckoo filter holds the most items for its rate (12.60 bits per item at 0.19%, a Bloom filter of that rate 13.00), " +
			"and is filled faster than the Bloom filter, slower than the blocked one.",
		Method: "Filters of 12 bits for each of 2^q slots (q = 27 in the paper and its profile) are filled with distinct random 64-bit integers: cuckoo and " +
			"d-left counting Bloom filters until the first is refused, the others with the paper's number of items. Every key is looked up again, then keys that are " +
			"absent. One hash of a key is counted in the times: hashing.Mix64 here, CityHash-64 in the paper. Filters are filled in turns, on one " +
			"goroutine; speeds are medians over the rounds. " + oneLife + " " + madeText(),
		Limits: []string{
			"Absolute speeds: the paper's are those of C++ on a Xeon L5640 of 2.27 GHz. What can be compared is the order.",
			"The paper does not state how its d-left counting Bloom filter divides 12 bits into remainder and counter.",
			paperCaches,
			"Tables of the quick profile fit into a processor's cache, where a key of nine hashes costs little more than a key of two.",
		},
		Columns: append(slices.Clone(catalogue.FillDerived),
			lab.Column{Name: "million_keys_per_second", Of: func(r lab.Row) float64 { return 1000 * r.Ratio("items", "build_ns") }}),
		Params: "slots", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life(strings.Join(catalogue.FillCounts, " ")+" build_ns", "build_ns", func(z catalogue.LifeSize, e catalogue.Entry) float64 {
			return z.Seconds(e, 1<<z.Q+z.Probes, e.Costs().Recall)
		}),
		Timed: "million_keys_per_second", Plots: []lab.Plot{lab.Drawn(table3Figure)}, Claims: []lab.Rule{table3Claims}, Table: table3Table,
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

// speedsOfGroup are those of the rounds, in million keys a second.
func speedsOfGroup(g lab.Group) []float64 { return speedsOf(g, "items", "build_ns") }

// table3Table puts the paper's columns beside ours.
func table3Table(d *lab.Data) report.Table {
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

// table3Figure draws rate by space, ours and the paper's.
func table3Figure(d *lab.Data) *chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "space (bits per item)", Min: 12, Max: 16},
		Y: chart.Axis{Label: "false-positive rate", Log: true, Min: 5e-4, Max: 3e-2},
	}
	kinds := catalogue.DrawnKinds(d, catalogue.Table3())
	for _, k := range kinds {
		for _, g := range d.Select(k.Name) {
			at, style := measure.RateAt(groupBits(g), g), k.Style()
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
	return &chart.Figure{
		Name:    "table3",
		Title:   title + ": false-positive rate by space",
		Caption: "Measured false-positive rate on a log axis against bits per item of filters of one size, the paper's values hollow." + catalogue.OwnText(kinds),
		Panels:  []chart.Panel{p},
		Below:   true,
	}
}

// slotsText names the size of a group's tables.
func slotsText(g lab.Group) string {
	return fmt.Sprintf("2^%d slots", measure.Power2(g.Param("slots")))
}

// table3Claims compare space, rates and speeds with the paper's.
func table3Claims(d *lab.Data) []claims.Verdict {
	var out []claims.Verdict
	for _, g := range d.Groups {
		k, _ := catalogue.Find(g.Series)
		if table3Paper.has(g) && k.UntilFull() { // the items of the others are the paper's by our setting
			out = append(out, d.Judged([]claims.Verdict{table3Space(g)})...)
		}
		if table3Paper.has(g) {
			out = append(out, table3Rate(d.Setup.Profile, g))
		}
	}
	out = append(out, smallerAtItsRate(d), table3Predicted(d), lab.NoneLost("items")(d)[0])
	for _, g := range d.Groups {
		if g.Series != "CF" && table3Paper.has(g) {
			out = append(out, table3Speed(d, g))
		}
	}
	return out
}

// roundedBits is how far a printed number of bits per item is from the true one at most.
const roundedBits = 0.005

// table3Space compares bits per item of a filter that is filled until it refuses a key.
func table3Space(g lab.Group) claims.Verdict {
	paper := table3Paper[g.Series]
	c := claims.Claim{ID: g.Series + ", space", Says: g.Series + ": bits per item", Source: "Table 3, " + g.Series,
		Paper: fmt.Sprintf("%.2f, %.2f million items", paper.bits, paper.items)}
	ours := stat.SampleOf(bitsOfRows(g))
	doublings, falls := float64(catalogue.PaperSlots-measure.Power2(g.Param("slots"))), firstRefusalFalls[g.Series]
	scatter := stat.Deviations * ours.Err * math.Sqrt(float64(ours.N)+1) // of the paper's one fill and our mean
	e := claims.Around(ours.Mean, 2*ours.Err)
	e.Note = fmt.Sprintf("%s, fills: %d", slotsText(g), ours.N)
	return c.Equal(e, paper.bits, roundedBits+scatter+doublings*falls*paper.bits, fmt.Sprintf(
		"rounding, %d standard deviations of the paper's one fill and our mean, and %.2f%% for each doubling of the table up to the paper's, at which the first refusal comes sooner",
		stat.Deviations, 100*falls))
}

// firstRefusalFalls is how much of its load a table loses with each doubling until the first refusal. For
// the cuckoo filters it is the fall of the paper's own plateaus in figure 2 from 2^15 buckets (.960) to
// 2^30 (.946); for the d-left filter that of its fluid limit, which TestDLeft_LoadsAreBelowFluidLimit
// of package counting integrates: .7528 at 2^10 buckets a table, .7415 at 2^14.
var firstRefusalFalls = map[string]float64{"CF": .001, "ss-CF": .001, "dl-CBF": .0038}

// bitsOfRows are the bits per item of each trial.
func bitsOfRows(g lab.Group) []float64 { return times(8, g.Ratios("size_bytes", "items")) }

// roundedRate is how far a printed rate is from the true one at most.
const roundedRate = 0.00005

// openDLeft is what was tried to explain the rate of dl-CBF.
const openDLeft = "The paper does not state the widths. Tried: every division of 12 bits into remainder and counter. With its 4 tables, 4 slots a bucket and load these make 0.30% (no counter), " +
	"0.60%, 1.20% (a counter of 2 bits, as here), 2.39%; of 560 settings of 2 to 8 tables and 1 to 16 slots nine come within 0.01% of 0.76%, none of them with 4 and 4."

// table3Rate compares measured rates.
func table3Rate(p lab.Profile, g lab.Group) claims.Verdict {
	paper, rate := table3Paper[g.Series], measure.Pooled(g)
	c := claims.Claim{ID: g.Series + ", rate", Says: g.Series + ": false-positive rate", Paper: stat.RateText(paper.rate), Source: "Table 3, " + g.Series}
	if g.Series == "dl-CBF" {
		c.Open = openDLeft
	}
	if p == lab.Tiny {
		return c.NotMeasured("Too few absent keys are looked up in this profile.")
	}
	v := c.Equal(percent(rate), 100*paper.rate, 100*(roundedRate+stat.Deviations*math.Sqrt(paper.rate/float64(rate.N))),
		fmt.Sprintf("what rounding hides, and %d standard errors of the count", stat.Deviations))
	if g.Series == "blk-BF" {
		return v.Shown(doubleHashing(g))
	}
	return v
}

// percent is a rate in percent with its interval.
func percent(r stat.Rate) claims.Estimate {
	low, high := r.Interval()
	return claims.Estimate{Value: 100 * r.Value(), Low: 100 * low, High: 100 * high, Format: "%.4f%%", Note: fmt.Sprintf("%d of %d", r.Events, r.N)}
}

// smallerAtItsRate compares the cuckoo filter with a Bloom filter of its rate: the measured one, with as many bits per halving of the rate.
func smallerAtItsRate(d *lab.Data) claims.Verdict {
	c := claims.Claim{ID: "CF and BF, space", Says: "CF takes fewer bits per item than a Bloom filter of its rate: bits that BF takes more",
		Paper: "13.00 - 12.60 at 0.19%", Source: "Table 3, CF and BF; abstract",
		Quote: "For applications that store many items and target moderately low false positive rates, cuckoo filters have lower space overhead than space-optimized Bloom filters."}
	cuckoo, bloom := d.Select("CF"), d.Select("BF")
	if d.Setup.Profile == lab.Tiny || len(cuckoo) == 0 || len(bloom) == 0 {
		return c.NotMeasured(claims.SmallTables)
	}
	at, of := measure.Pooled(cuckoo[0]), measure.Pooled(bloom[0])
	bits := stat.SampleOf(bitsOfRows(cuckoo[0]))
	more := func(at, of float64) float64 {
		return groupBits(bloom[0])*law.LowerBound(at)/law.LowerBound(of) - bits.Mean
	}
	atLow, atHigh := at.Interval()
	ofLow, ofHigh := of.Interval()
	e := claims.Estimate{Value: more(at.Value(), of.Value()), Low: more(atHigh, ofLow) - 2*bits.Err, High: more(atLow, ofHigh) + 2*bits.Err, Format: "%.2f"}
	return c.Order([]claims.Step{{Name: fmt.Sprintf("at %s", stat.RateText(at.Value())), Of: e}},
		"BF's bits are taken in proportion to log2(1/rate) from its own rate to that of CF")
}

// table3Predicted holds every filter's formula against its count.
func table3Predicted(d *lab.Data) claims.Verdict {
	worst, of := 0.0, "-"
	for _, g := range d.Groups {
		want := predictedOf(g) * float64(g.Sum("probes"))
		if off := math.Abs(float64(g.Sum("false_positives"))-want) / math.Sqrt(want); off >= worst {
			worst, of = off, g.Series
		}
	}
	c := claims.Claim{ID: "predicted rates", Says: "Each filter's measured rate is the one that its formula predicts: standard errors between them, at most", Paper: "-"}
	return c.Equal(claims.Estimate{Value: worst, Format: "%.1f", Note: of}, 0, stat.Deviations+1, "of six filters one exceeds them once in 290 000")
}

// table3Speed compares the speed of filling with that of the cuckoo filter: which of both is faster, or that they are as fast where the
// paper's are.
func table3Speed(d *lab.Data, g lab.Group) claims.Verdict {
	var cuckoo []float64
	for _, base := range d.Select("CF") {
		cuckoo = speedsOfGroup(base)
	}
	theirs, p := table3Paper[g.Series].speed/table3Paper["CF"].speed, d.Setup.Profile
	c := claims.Claim{ID: g.Series + ", construction", Paper: fmt.Sprintf("%.2f", theirs), Source: "Table 3, construction speed"}
	switch {
	case max(theirs, 1/theirs) < equalSlack:
		c.Says = g.Series + " is filled as fast as CF"
		return timed(c, p, speedsOfGroup(g), cuckoo, flat)
	case theirs > 1:
		c.Says, c.Paper = g.Series+" is filled faster than CF (speed of CF over its own)", fmt.Sprintf("%.2f", 1/theirs)
		return timed(c, p, cuckoo, speedsOfGroup(g), behind)
	}
	c.Says = g.Series + " is filled more slowly than CF (its speed over that of CF)"
	return timed(c, p, speedsOfGroup(g), cuckoo, behind)
}
