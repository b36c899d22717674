package paper

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// LookupByShare is figure 5 of the paper: lookup throughput against the fraction of lookups that are of stored keys.
func LookupByShare() *lab.Experiment {
	return &lab.Experiment{
		Name:  "fig5",
		Title: "Figure 5: lookup throughput by the fraction of positive queries",
		Claim: "Lookups of a full cuckoo filter take about as long for stored keys as for absent ones, for both of its buckets are read in any case. Bloom filters " +
			"get slower with the fraction of positive queries, which all their hashes have to be tried for; the cuckoo filter is ahead of them there.",
		Method: "Each filter is filled: cuckoo and d-left counting Bloom filters until a key is refused, the others with the paper's number of items. " +
			"Stored and absent keys are looked up in random order, one by one as in the paper, and with ContainsHashes in batches of 1024, right after a millisecond of such batches that is not timed, in which some processors wake up." + throughputMethod,
		Limits: append(slices.Clone(throughputLimits), "The paper's text has dl-CBF 30% slower than BF. Its figure 5 draws it ahead of BF at every fraction; the figure is what is compared."),
		Columns: []lab.Column{
			{Name: "positive_share", Of: func(r lab.Row) float64 { return r.Ratio("positives", "lookups") }},
			speedOf(million, "lookups", "ns"),
		},
		Params: "slots batch step", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life("stored lookups positives found ns", "ns", func(z catalogue.LifeSize, e catalogue.Entry) float64 {
			return z.Seconds(e, 40*z.Lookups, e.Costs().Full)
		}, catalogue.Forms, catalogue.Shares),
		Timed: million, Plots: []lab.Plot{lab.Drawn(fig5Figure)}, Claims: []lab.Rule{fig5Claims},
	}
}

// fig5Axis is how a line of figure 5 is made of groups.
var fig5Axis = speedAxis{
	of: "lookups", by: "ns",
	x: func(g lab.Group) float64 { return 100 * catalogue.ShareOf(g.Param("step")) },
}

// fig5Figure draws single lookups over the paper's points, and batches beside them.
func fig5Figure(d *lab.Data) *chart.Figure {
	x := chart.Axis{Label: "fraction of positive queries (%)", Min: -4, Max: 104}
	y := chart.Axis{Label: "lookups (million per second)"}
	single, batches := chart.Panel{Title: "(a) one by one", X: x, Y: y}, chart.Panel{Title: "(b) in batches of 1024", X: x, Y: y}
	batches.Y.Label = "batched " + y.Label // another label: a range of its own
	kinds := catalogue.DrawnKinds(d, catalogue.Table3())
	for _, k := range kinds {
		single.Series = append(single.Series, fig5Axis.line(k, withBatch(d, k.Name, 0), 1))
		batches.Series = append(batches.Series, fig5Axis.line(k, withBatch(d, k.Name, measure.Batch), 1))
	}
	text := " The paper's points are drawn with tables of its size only."
	if likePaper(d) {
		text = " The paper's points are multiplied by one number, which puts its cuckoo filter at 0% on ours."
		scale := fig5Axis.scale(withBatch(d, "CF", 0), claims.PaperPoints(5, "", "CF"), 0)
		label := fmt.Sprintf("paper, times %.3g: cuckoo at 0%% is ours", scale)
		for _, k := range kinds {
			single.Series = append(single.Series, paperLine(5, "", label, k, k.Style(), scale, 1)...)
		}
	}
	single.Y.Max, batches.Y.Max = speedTop(single), speedTop(batches)
	return &chart.Figure{
		Name:    "fig5",
		Title:   "Lookup throughput by the fraction of positive queries, filters full" + throughputWhere(d),
		Caption: "Millions of lookups per second against the fraction of lookups that are of stored keys, one by one and in batches." + text + catalogue.OwnText(kinds),
		Panels:  []chart.Panel{single, batches},
	}
}

// fig5Claims compare shapes and orders with the paper's.
func fig5Claims(d *lab.Data) []claims.Verdict {
	j := speedJudge{
		d: d, source: "figure 5", what: "lookups", axis: fig5Axis,
		pick:   func(series string) []lab.Group { return withBatch(d, series, 0) },
		points: func(series string) []claims.PaperPoint { return claims.PaperPoints(5, "", series) },
	}
	equal := func(theirs float64) rule { return as(theirs, equalSlack) }
	dip := func(theirs float64) rule { return as(theirs, dipSlack) }
	cuckoo := j.everywhere("CF", "BF")
	cuckoo.Source, cuckoo.Quote = "figure 5; section 1, item 2", "It provides higher lookup performance than traditional Bloom filters, even when close to full (e.g., 95% space utilized);"
	out := append(noneDenied(d, "positives", "found"), cuckoo)
	for _, series := range []string{"CF", "ss-CF"} {
		c := j.claim(series+", flat", series+": lookups of stored keys are as fast as those of absent ones", paperAt(j.points(series), 100)/paperAt(j.points(series), 0))
		out = append(out, j.ratio(c, j.at(series, 100), j.at(series, 0), flat), j.along(series, 50, 0, dip))
	}
	out = append(out,
		j.along("BF", 100, 0, changes), j.along("QF", 100, 0, changes), j.along("blk-BF", 100, 0, equal),
		j.along("dl-CBF", 100, 0, equal), j.along("dl-CBF", 50, 0, equal),
		j.everywhere("dl-CBF", "BF"), j.ahead("CF", "QF", 0))
	return append(append(out, j.neighbours(100)...), j.batches(measure.Batch)...)
}

// dipSlack is by what factor the dip at half positive queries may differ from the paper's, which is an eighth deep.
const dipSlack = 1.1
