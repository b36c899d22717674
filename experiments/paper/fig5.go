package paper

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// LookupByShare is figure 5 of the paper: lookup throughput against the fraction of lookups that are of stored keys.
type LookupByShare struct{}

// About states the claim.
func (LookupByShare) About() lab.About {
	return lab.About{
		Name:  "fig5",
		Title: "Figure 5: lookup throughput by the fraction of positive queries",
		Claim: "Lookups of a full cuckoo filter take about as long for stored keys as for absent ones, for both of its buckets are read in any case. Bloom filters " +
			"get slower with the fraction of positive queries, which all their hashes have to be tried for; the cuckoo filter is ahead of them there.",
		Method: "Each filter is filled: cuckoo and d-left counting Bloom filters until a key is refused, the others with the paper's number of items. " +
			"Stored and absent keys are looked up in random order, one by one as in the paper, and with ContainsHashes in batches of 1024, right after a millisecond of such batches that is not timed, in which some processors wake up." + throughputMethod,
		NotShown: throughputLimits,
		Params:   []string{"slots", "batch", "step"},
		Counts:   []string{"stored", "lookups", "positives", "found", "ns"},
		Derived: []lab.Derived{
			{Name: "positive_share", Of: func(r lab.Row) float64 { return r.Ratio("positives", "lookups") }},
			speedOf(million, "lookups", "ns"),
		},
		Timed: []string{"ns", million},
	}
}

// Plan returns a job for each filter.
func (LookupByShare) Plan(s lab.Setup) ([]lab.Job, error) {
	size := catalogue.LifeSizes[s.Profile]
	kinds, err := catalogue.WithOwn(s, catalogue.Stepwise())
	if err != nil {
		return nil, err
	}
	return size.Lives(kinds, func(k catalogue.Kind) ([][]lab.Value, float64) {
		rows := catalogue.ShareRows(1 << size.Q)
		return rows, size.Seconds(4*size.Lookups*len(rows), k.Costs().Full)
	}), nil
}

// fig5Axis is how a line of figure 5 is made of groups.
var fig5Axis = speedAxis{
	of: "lookups", by: "ns",
	x: func(g lab.Group) float64 { return 100 * catalogue.ShareOf(g.Param("step")) },
}

// Draw draws single lookups over the paper's points, and batches beside them.
func (LookupByShare) Draw(d *lab.Data) []*chart.Figure {
	x := chart.Axis{Label: "fraction of positive queries (%)", Min: -4, Max: 104}
	y := chart.Axis{Label: "lookups (million per second)"}
	single, batches := chart.Panel{Title: "(a) one by one", X: x, Y: y}, chart.Panel{Title: "(b) in batches of 1024", X: x, Y: y}
	batches.Y.Label = "batched " + y.Label // another label: a range of its own
	kinds := catalogue.DrawnKinds(d, catalogue.Six())
	for _, k := range kinds {
		single.Series = append(single.Series, fig5Axis.line(k, withBatch(d, k.Name, 0)))
		batches.Series = append(batches.Series, fig5Axis.line(k, withBatch(d, k.Name, measure.Batch)))
	}
	scale := fig5Axis.scale(withBatch(d, "CF", 0), claims.PaperPoints(5, "", "CF"), 0)
	label := fmt.Sprintf("paper, times %.3g: CF at 0%% is ours", scale)
	single.Series = append(single.Series, paperLines(5, "", label, scale, 1)...)
	return []*chart.Figure{{
		Name:    "fig5",
		Title:   "Lookup throughput by the fraction of positive queries, filters full" + throughputWhere(d),
		Caption: "Millions of lookups per second against the fraction of lookups that are of stored keys, one by one and in batches. The paper's points are multiplied by one number, which puts its cuckoo filter at 0% on ours." + catalogue.OwnText(kinds),
		Panels:  []chart.Panel{single, batches},
	}}
}

// Judge compares shapes and orders with the paper's.
func (LookupByShare) Judge(d *lab.Data) []claims.Verdict {
	lost, asked := 0, 0
	for _, g := range d.Groups {
		if g.Param("step") == catalogue.ShareSteps {
			lost, asked = lost+g.Sum("lookups")-g.Sum("found"), asked+g.Sum("lookups")
		}
	}
	j := speedJudge{d: d, axis: fig5Axis, pick: func(series string) []lab.Group { return withBatch(d, series, 0) }}
	none := func(series string) []claims.PaperPoint { return claims.PaperPoints(5, "", series) }
	return append([]claims.Verdict{
		claims.NoneLost(lost, asked),
		j.flat("CF: lookups are as fast at any fraction of positive queries: fastest over slowest", "CF", none("CF")),
		j.flat("ss-CF: lookups are as fast at any fraction of positive queries: fastest over slowest", "ss-CF", none("ss-CF")),
		j.changes("BF: speed at 100% positive over that at 0%", "BF", none("BF"), 0, 100, cause{}),
		j.changes("QF: speed at 100% positive over that at 0%", "QF", none("QF"), 0, 100, cause{}),
		j.ahead("CF over BF, all queries positive", "CF", "BF", 100, none),
		j.ahead("CF over blk-BF, all queries positive", "CF", "blk-BF", 100, none),
		j.ahead("CF over QF, no query positive", "CF", "QF", 0, none),
		j.dleftText(none),
		j.order("Order of the filters, fastest first, all queries positive", 100, none),
	}, j.batches(measure.Batch)...)
}

// dleftText holds the text of the paper against its own figure.
func (j speedJudge) dleftText(points func(series string) []claims.PaperPoint) claims.Verdict {
	drawn := span{math.Inf(1), 0}
	for _, at := range points("BF") {
		ratio := paperAt(points("dl-CBF"), at.X) / at.Y
		drawn = span{min(drawn.least, ratio), max(drawn.most, ratio)}
	}
	v := claims.Draft{
		Claim:     "dl-CBF over BF: the text says 30% slower",
		Paper:     fmt.Sprintf("0.70 in the text, %.2f to %.2f in its figure 5", drawn.least, drawn.most),
		Tolerance: "0.6 to 0.8 at every fraction, for the text",
	}
	if why := j.tooSmall(); why != "" {
		return unmeasured(v, why)
	}
	text := span{0.6, 0.8}
	all, most := speedRatio{median: math.Inf(1), lo: math.Inf(1)}, 0.0 // the lowest median, and the highest
	var outcomes []claims.Status
	for _, at := range points("BF") {
		r := j.over(j.at("dl-CBF", at.X), j.at("BF", at.X))
		if r.rounds == 0 {
			return unmeasured(v, noFilter)
		}
		outcomes = append(outcomes, text.status(r))
		all = speedRatio{min(all.median, r.median), min(all.lo, r.lo), max(all.hi, r.hi), r.rounds}
		most = max(most, r.median)
	}
	v.Ours = fmt.Sprintf("%.2f to %.2f, %s", all.median, most, all.made())
	v.Interval = all.interval()
	// The paper's figure explains ratios that are as high everywhere as its own.
	return timed(v, sharedStatus(outcomes), all, cause{whyDLeftText, span{text.most, math.Inf(1)}})
}

// whyDLeftText is why dl-CBF is not as slow as the paper's text has it.
const whyDLeftText = "The paper's text contradicts its own figure, where dl-CBF is faster than BF at every fraction."
