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

// InsertByOccupancy is figure 7 of the paper: the throughput of inserts at each occupancy.
func InsertByOccupancy() *lab.Experiment {
	return &lab.Experiment{
		Name:  "fig7",
		Title: "Figure 7: insert throughput by occupancy",
		Claim: "The cuckoo filter is the fastest to insert into while it is empty, and gets some twenty times slower up to an occupancy of 92%. " +
			"Inserts of Bloom filters are as fast at any occupancy.",
		Method: "Each filter is filled in steps of 5% of its slots (Bloom filters: of their items), or until a key is refused, and every step is timed; a point " +
			"stands in the middle of its step. The paper's cuckoo filter kicks at random; a second one searches breadth-first, which is this module's default and the " +
			"paper does not have. The memory of the table is written to before, so that no page fault is timed." + throughputMethod,
		Limits: throughputLimits,
		Columns: []lab.Column{
			{Name: "occupancy", Of: func(r lab.Row) float64 { return mid(r.Count("stored"), r.Count("inserts"), r.Count("room")) }},
			speedOf(million, "inserts", "ns"),
		},
		Params: "slots to_permille", Grid: catalogue.Lives(catalogue.WithBreadthFirst()),
		Trial: catalogue.Life("room stored inserts ns", "ns", func(catalogue.LifeSize, catalogue.Entry) float64 { return 0 },
			lab.Over("to_permille", catalogue.Steps(func(_ lab.Cell, e catalogue.Entry) []int { return e.Windows() }))),
		Timed: million, Plots: []lab.Plot{lab.Drawn(fig7Figure)}, Claims: []lab.Rule{fig7Claims},
	}
}

// fig7Axis is how a line of figure 7 is made of groups.
var fig7Axis = speedAxis{
	of: "inserts", by: "ns",
	x: func(g lab.Group) float64 {
		return 100 * mid(g.Sum("stored"), g.Sum("inserts"), g.Sum("room"))
	},
}

// fig7Scaled is the occupancy at which the paper's cuckoo filter is put on ours, in percent.
const fig7Scaled = 2.5

// fig7Figure draws a panel for each filter, over the paper's points; this module's own policy is in that of the cuckoo filter.
func fig7Figure(d *lab.Data) *chart.Figure {
	scale := fig7Axis.scale(measure.Reached(d, "CF", "inserts"), percents(claims.PaperPoints(7, "", "CF")), fig7Scaled)
	least, most, kinds := math.Inf(1), 0.0, catalogue.DrawnKinds(d, catalogue.WithBreadthFirst())
	var panels []chart.Panel
	for _, k := range kinds {
		line := fig7Axis.line(k, measure.Reached(d, k.Name, "inserts"), stepsAPoint(d))
		for _, pt := range line.Points {
			least, most = min(least, pt.Lo), max(most, pt.Hi)
		}
		if k.Name == catalogue.BreadthFirstSeries {
			panels[0].Series = append(panels[0].Series, line)
			continue
		}
		line.Label = "this module"
		p := chart.Panel{Title: k.Label, X: occupancyAxis, Series: []chart.Series{line}}
		if likePaper(d) {
			p.Series = append(p.Series, paperLine(7, "", fmt.Sprintf("paper, times %.3g", scale), k, k.Style(), scale, 100)...)
		}
		panels = append(panels, p)
	}
	for i := range panels {
		panels[i].Y = chart.Axis{Label: "million inserts per second", Log: true, Min: 0.7 * least, Max: 1.4 * most}
	}
	caption := "Millions of inserts per second on a log axis against occupancy; a panel for each filter." + pointText(d)
	if likePaper(d) {
		caption += " The paper's points are multiplied by one number, which puts its cuckoo filter on ours in the first step."
	}
	return &chart.Figure{
		Name: "fig7", Title: "Insert throughput by occupancy" + throughputWhere(d), Columns: 3,
		Caption: caption + catalogue.OwnText(kinds), Panels: panels,
	}
}

// fig7Claims compare shapes with the paper's.
func fig7Claims(d *lab.Data) []claims.Verdict {
	j := speedJudge{
		d: d, source: "figure 7", what: "inserts", axis: fig7Axis,
		pick:   func(series string) []lab.Group { return measure.Reached(d, series, "inserts") },
		points: func(series string) []claims.PaperPoint { return percents(claims.PaperPoints(7, "", series)) },
	}
	ours := claims.Claim{ID: "breadth-first", Says: "CF at 92.5%: the random walk is slower than breadth-first search (walk over search)", Paper: "-"}
	return []claims.Verdict{
		j.along("CF", 2.5, 92.5, changes), j.along("ss-CF", 2.5, 92.5, changes), j.along("QF", 2.5, 92.5, changes),
		j.flat("BF"), j.flat("blk-BF"), j.flat("dl-CBF"),
		j.ahead("CF", "BF", 2.5), j.ahead("BF", "CF", 92.5),
		j.ratio(ours, j.at("CF", 92.5), j.at(catalogue.BreadthFirstSeries, 92.5), behind),
	}
}
