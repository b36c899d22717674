package paper

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/measure"
)

// DeleteByOccupancy is figure 8 of the paper: the throughput of deletes, from a full filter to an empty one.
func DeleteByOccupancy() *lab.Experiment {
	return &lab.Experiment{
		Name:  "fig8",
		Title: "Figure 8: delete throughput by occupancy",
		Claim: "Deletes of a cuckoo filter are as fast at any occupancy, and faster than those of the other filters that can delete. Those of a quotient filter " +
			"are slow while it is nearly full.",
		Method: "Each filter that can delete is filled, cuckoo and d-left counting Bloom filters until a key is refused, the quotient filter to 90%. Then all of its keys are " +
			"deleted in another order (of a copy of the quotient filter, which is filled further for figures 6 and 7), in steps of 5% of the slots, which are timed; a point stands in the middle of its step." + throughputMethod,
		Limits: throughputLimits,
		Columns: []lab.Column{
			{Name: "occupancy", Of: func(r lab.Row) float64 { return mid(r.Count("before"), r.Count("deletes"), r.Count("room")) }},
			speedOf(million, "deletes", "ns"),
		},
		Params: "slots from_permille", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: emptied, Timed: million, Plots: []lab.Plot{lab.Drawn(fig8Figure)}, Claims: []lab.Rule{fig8Claims},
	}
}

// emptied is the trial. The quotient filter is emptied in a copy, which takes as many bytes again.
var emptied = func() lab.Trial {
	t := catalogue.Life("room before deletes found ns", "ns", func(z catalogue.LifeSize, e catalogue.Entry) float64 {
		return z.Seconds(e, 1<<z.Q, e.Costs().Remove)
	}, lab.Over("from_permille", catalogue.Steps(func(c lab.Cell, e catalogue.Entry) []int { return e.DownFrom(catalogue.LifeSizes[c.Setup.Profile].Q) })))
	needs := t.Needs
	t.Needs = func(c lab.Cell) (float64, int64) {
		seconds, bytes := needs(c)
		if c.Text("filter") == "QF" {
			bytes *= 2
		}
		return seconds, bytes
	}
	return t
}()

// fig8Axis is how a line of figure 8 is made of groups.
var fig8Axis = speedAxis{
	of: "deletes", by: "ns",
	x: func(g lab.Group) float64 {
		return 100 * mid(g.Sum("before"), g.Sum("deletes"), g.Sum("room"))
	},
}

// fig8Scaled is the occupancy at which the paper's cuckoo filter is put on ours, in percent.
const fig8Scaled = 50

// fig8Figure draws deletes over the paper's points.
func fig8Figure(d *lab.Data) *chart.Figure {
	p := chart.Panel{X: occupancyAxis, Y: chart.Axis{Label: "deletes (million per second)"}}
	all := catalogue.DrawnKinds(d, catalogue.Table3())
	kinds := catalogue.Deleters(all)
	for _, k := range kinds {
		p.Series = append(p.Series, fig8Axis.line(k, measure.Reached(d, k.Name, "deletes"), stepsAPoint(d)))
	}
	text := pointText(d)
	if likePaper(d) {
		text = " The paper's points are multiplied by one number, which puts its cuckoo filter on ours at half occupancy."
		scale := fig8Axis.scale(measure.Reached(d, "CF", "deletes"), claims.PaperPoints(8, "", "CF"), fig8Scaled)
		for _, k := range kinds {
			p.Series = append(p.Series, paperLine(8, "", fmt.Sprintf("paper, times %.3g: cuckoo at %d%% is ours", scale, fig8Scaled), k, k.Style(), scale, 1)...)
		}
	}
	p.Y.Max = speedTop(p)
	return &chart.Figure{
		Name:    "fig8",
		Title:   "Delete throughput by occupancy, from full to empty" + throughputWhere(d),
		Caption: "Millions of deletes per second against the occupancy at which they are made." + text + catalogue.OwnText(kinds) + catalogue.LeftOut(all),
		Below:   true,
		Panels:  []chart.Panel{p},
	}
}

// fig8Claims compare shapes and orders with the paper's.
func fig8Claims(d *lab.Data) []claims.Verdict {
	found, deletes := d.Sum("found"), d.Sum("deletes")
	j := speedJudge{
		d: d, source: "figure 8", what: "deletes", axis: fig8Axis,
		pick:   func(series string) []lab.Group { return measure.Reached(d, series, "deletes") },
		points: func(series string) []claims.PaperPoint { return claims.PaperPoints(8, "", series) },
	}
	all := claims.Claim{ID: "all deleted", Says: "Every key that was stored can be deleted: share of the deletes that found their key", Paper: "-"}
	return append([]claims.Verdict{
		all.Equal(claims.Estimate{Value: lab.Quotient(found, deletes), Low: 1, High: 1, Format: "%.6g", Note: fmt.Sprintf("of %d", deletes)}, 1, 0, "none may miss"),
		j.flat("CF"), j.flat("ss-CF"), j.flat("dl-CBF"), j.along("QF", 2.5, 87.5, changes), j.ahead("CF", "QF", 87.5),
	}, j.neighbours(50)...)
}
