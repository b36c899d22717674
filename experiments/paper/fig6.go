package paper

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// LookupByOccupancy is figure 6 of the paper: lookup throughput against occupancy, of absent and of stored keys.
func LookupByOccupancy() *lab.Experiment {
	return &lab.Experiment{
		Name:  "fig6",
		Title: "Figure 6: lookup throughput by occupancy",
		Claim: "Lookups of a cuckoo filter are as fast in a full table as in an empty one, whether their keys are stored or not. Lookups of absent keys " +
			"in Bloom filters get slower as the filter fills, and a quotient filter becomes slow when it is nearly full.",
		Method: "Each filter is filled in steps of 5% of its slots (Bloom filters: of their items). In the middle of each step absent keys are looked up, then " +
			"stored ones drawn at random: one by one as in the paper, and with ContainsHashes in batches of 1024, right after a millisecond of such batches that is not timed, in which some processors wake up." + throughputMethod,
		Limits: throughputLimits,
		Columns: []lab.Column{
			{Name: "occupancy", Of: func(r lab.Row) float64 { return r.Ratio("stored", "room") }},
			speedOf("negative_"+million, "lookups", "negative_ns"),
			speedOf("positive_"+million, "lookups", "positive_ns"),
		},
		Params: "slots occupancy_permille batch", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life("room stored lookups found_absent found_stored negative_ns positive_ns", "negative_ns positive_ns", func(z catalogue.LifeSize, e catalogue.Entry) float64 {
			return z.Seconds(e, 4*z.Lookups*len(e.Stops()), e.Costs().Lookup)
		}, lab.Over("occupancy_permille", catalogue.Steps(func(_ lab.Cell, e catalogue.Entry) []int { return e.Stops() })), catalogue.Forms),
		Timed: "negative_" + million + " positive_" + million,
		Plots: []lab.Plot{lab.Drawn(fig6Single), lab.Drawn(fig6Batches)}, Claims: []lab.Rule{fig6Claims},
	}
}

// fig6Side is one panel of the figure.
type fig6Side struct {
	panel string // as the paper's points call it
	title string
	axis  speedAxis
}

// fig6Sides are the panels.
func fig6Sides() []fig6Side {
	side := func(panel, title string) fig6Side {
		return fig6Side{panel, title, speedAxis{
			of: "lookups", by: panel + "_ns",
			x: func(g lab.Group) float64 { return 100 * g.Mean("stored", "room") },
		}}
	}
	return []fig6Side{side("negative", "(a) absent keys"), side("positive", "(b) stored keys")}
}

// fig6Scaled is the occupancy at which the paper's cuckoo filter is put on ours, in percent.
const fig6Scaled = 50

// fig6Single draws a panel for each filter, of single lookups over the paper's points.
func fig6Single(d *lab.Data) *chart.Figure {
	kinds := catalogue.DrawnKinds(d, catalogue.Table3())
	f := chart.Figure{Name: "fig6", Title: "Lookup throughput by occupancy, one by one" + throughputWhere(d), Columns: 3, Panels: fig6Panels(d, kinds, 0),
		Caption: "Millions of lookups per second, one by one, against occupancy, of absent and of stored keys; a panel for each filter." + pointText(d)}
	if likePaper(d) {
		f.Caption += " The paper's points are multiplied by one number, which puts its cuckoo filter on ours for absent keys at half occupancy."
	}
	f.Caption += catalogue.OwnText(kinds)
	return &f
}

// fig6Batches draws those in batches.
func fig6Batches(d *lab.Data) *chart.Figure {
	return &chart.Figure{
		Name: "fig6-batch", Title: "Lookup throughput by occupancy, in batches of 1024" + throughputWhere(d), Columns: 3,
		Panels:  fig6Panels(d, catalogue.DrawnKinds(d, catalogue.Table3()), measure.Batch),
		Caption: "Millions of lookups per second in batches of 1024 against occupancy, of absent and of stored keys; a panel for each filter. The paper has no such lookups.",
	}
}

// fig6Panels are those of a form of lookups.
func fig6Panels(d *lab.Data, kinds []catalogue.Entry, form int) []chart.Panel {
	sides := fig6Sides()
	scale := sides[0].axis.scale(withBatch(d, "CF", 0), percents(claims.PaperPoints(6, sides[0].panel, "CF")), fig6Scaled)
	var out []chart.Panel
	for _, k := range kinds {
		p := chart.Panel{Title: k.Label, X: occupancyAxis, Y: chart.Axis{Label: "million lookups per second"}}
		for i, side := range sides {
			s := side.axis.line(k, measure.Done(withBatch(d, k.Name, form), "lookups"), stepsAPoint(d))
			s.Label = side.title[4:]
			if i > 0 {
				s.Style.Dash, s.Style.Marker = []float64{2, 2}, chart.Plus
			}
			p.Series = append(p.Series, s)
			if form == 0 && likePaper(d) {
				label := fmt.Sprintf("paper, %s, times %.3g", s.Label, scale)
				p.Series = append(p.Series, paperLine(6, side.panel, label, k, s.Style, scale, 100)...)
			}
		}
		out = append(out, p)
	}
	top := speedTop(out...)
	for i := range out {
		out[i].Y.Max = top
	}
	return out
}

// fig6Claims compare shapes with the paper's.
func fig6Claims(d *lab.Data) []claims.Verdict {
	out := noneDenied(d, "lookups", "found_stored")
	var sides []speedJudge
	for _, side := range fig6Sides() {
		sides = append(sides, speedJudge{
			d: d, source: "figure 6 " + side.title[:3], what: "lookups of " + side.title[4:], axis: side.axis,
			pick:   func(series string) []lab.Group { return measure.Done(withBatch(d, series, 0), "lookups") },
			points: func(series string) []claims.PaperPoint { return percents(claims.PaperPoints(6, side.panel, series)) },
		})
	}
	absent, stored := sides[0], sides[1]
	equal := func(theirs float64) rule { return as(theirs, equalSlack) }
	for _, j := range sides {
		out = append(out, j.flat("CF"), j.flat("ss-CF"), j.along("QF", 92.5, 2.5, changes))
	}
	return append(out,
		absent.along("BF", 97.5, 2.5, changes), absent.along("blk-BF", 97.5, 2.5, equal).Shown(neverEarly(absent, stored)), absent.flat("dl-CBF"),
		stored.flat("BF"), stored.flat("blk-BF"), stored.along("dl-CBF", 77.5, 2.5, equal), stored.ahead("CF", "BF", 92.5))
}

// neverEarly tells whether lookups of a nearly empty blocked Bloom filter end no sooner for absent keys than for stored ones, and says
// what that shows. The paper's end sooner.
func neverEarly(absent, stored speedJudge) (bool, string) {
	const name, x = "blk-BF", 2.5
	e, rounds := speedRatio(absent.speeds(absent.at(name, x)), stored.speeds(stored.at(name, x)))
	return rounds >= leastRounds && flat(claims.Claim{}, e).Status == claims.Holds,
		fmt.Sprintf("In the nearly empty filter lookups of absent keys are %.2f times as fast as those of stored ones (%.2f to %.2f); the paper's are %.2f times: "+
			"its lookup ends at the first bit that is not set, ours tests all nine without a branch, and gains nothing in an emptier filter.",
			e.Value, e.Low, e.High, paperAt(absent.points(name), x)/paperAt(stored.points(name), x))
}
