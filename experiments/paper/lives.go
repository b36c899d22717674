package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
)

// LookupByShare is figure 5 of the paper: lookup throughput by the fraction of lookups that are of stored keys.
func LookupByShare() *lab.Experiment {
	j := speeds{figure: 5, source: "figure 5", what: "lookups", of: "lookups", by: "ns", unit: 1,
		x: func(r lab.Row) float64 { return catalogue.ShareOf(r.Param("step")) }}
	return &lab.Experiment{
		Name:  "fig5",
		Title: "Figure 5: lookup throughput by the fraction of positive queries",
		Claim: "Lookups of a full cuckoo filter take about as long for stored keys as for absent ones. Bloom filters get " +
			"slower with the fraction of positive queries; the cuckoo filter is ahead of them there.",
		Method: "Each filter is filled: cuckoo and d-left counting Bloom filters until a key is refused, the others with " +
			"the paper's number of items. Stored and absent keys are looked up in random order," + lookupMethod,
		Limits: append(slices.Clone(throughputLimits),
			"The paper's text has dl-CBF 30% slower than BF. Its figure 5 draws it ahead of BF at every fraction."),
		Columns: []lab.Column{
			{Name: "positive_share", Of: func(r lab.Row) float64 { return r.Ratio("positives", "lookups") }},
			speedOf(million, "lookups", "ns"),
		},
		Params: "slots batch step", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life("stored lookups positives found ns", "ns", func(z catalogue.LifeSize, _ catalogue.Entry) int {
			return 40 * z.Lookups
		}, catalogue.Forms, catalogue.Shares),
		Timed: million, Plots: []lab.Plot{lab.Drawn(j.byShare)},
		Claims: []lab.Rule{
			noneDenied("positives", "found"),
			j.everywhere("CF", "BF", "figure 5; section 1, item 2", "It provides higher lookup performance than traditional "+
				"Bloom filters, even when close to full (e.g., 95% space utilized);"),
			j.alike("CF"), j.along("CF", 50, 0, dips), j.alike("ss-CF"), j.along("ss-CF", 50, 0, dips),
			j.along("BF", 100, 0, changes), j.along("QF", 100, 0, changes), j.along("blk-BF", 100, 0, equal),
			j.along("dl-CBF", 100, 0, equal), j.along("dl-CBF", 50, 0, equal),
			j.everywhere("dl-CBF", "BF", j.source, ""), j.ahead("CF", "QF", 0),
			j.neighbours(100), j.batches("CF"), j.batches("BF"),
		},
	}
}

// alike says that stored keys are looked up as fast as absent ones.
func (j speeds) alike(series string) lab.Rule {
	return j.ratio(j.claim(series+", flat", series+": lookups of stored keys are as fast as those of absent ones",
		j.paper(series, 100)/j.paper(series, 0)), j.at(series, 100), j.at(series, 0), flat)
}

// byShare draws single lookups over the paper's points, and batches beside them.
func (j speeds) byShare(d *lab.Data) *chart.Figure {
	x := chart.Axis{Label: "fraction of positive queries (%)", Min: -4, Max: 104}
	single := chart.Panel{Title: "(a) one by one", X: x, Y: chart.Axis{Label: "lookups (million per second)"}}
	batches := chart.Panel{Title: "(b) in batches of 1024", X: x, Y: chart.Axis{Label: "batched " + single.Y.Label}}
	kinds := catalogue.DrawnKinds(d, catalogue.Table3())
	text, scale := " The paper's points are drawn with tables of its size only.", j.scale(d)
	if likePaper(d) {
		text = " The paper's points are multiplied by one number, which puts its cuckoo filter at 0% on ours."
	}
	for _, k := range kinds {
		single.Series = append(single.Series, j.line(d, k, ""))
		batches.Series = append(batches.Series, j.line(d, k, "1024"))
	}
	for _, k := range kinds {
		label := fmt.Sprintf("paper, times %.3g: cuckoo at 0%% is ours", scale)
		single.Series = append(single.Series, j.drawn(d, k.Name, label, k.Style(), scale)...)
	}
	single.Y.Max, batches.Y.Max = speedTop(single), speedTop(batches)
	return &chart.Figure{
		Name:  "fig5",
		Title: "Lookup throughput by the fraction of positive queries, filters full" + throughputWhere(d),
		Caption: "Millions of lookups per second against the fraction of lookups that are of stored keys, one by one and " +
			"in batches." + text + catalogue.OwnText(kinds),
		Panels: []chart.Panel{single, batches},
	}
}

// LookupByOccupancy is figure 6 of the paper: lookup throughput against occupancy, of absent and of stored keys.
func LookupByOccupancy() *lab.Experiment {
	side := func(panel, source, what string) speeds {
		return speeds{figure: 6, panel: panel, source: source, what: what, of: "lookups", by: panel + "_ns", unit: 100,
			scaled: 50, x: func(r lab.Row) float64 { return r.Ratio("stored", "room") }}
	}
	absent := side("negative", "figure 6 (a)", "lookups of absent keys")
	stored := side("positive", "figure 6 (b)", "lookups of stored keys")
	return &lab.Experiment{
		Name:  "fig6",
		Title: "Figure 6: lookup throughput by occupancy",
		Claim: "Lookups of a cuckoo filter are as fast in a full table as in an empty one. Lookups of absent keys in Bloom " +
			"filters get slower as the filter fills, and a quotient filter becomes slow when it is nearly full.",
		Method: "Each filter is filled in steps of 5% of its slots (Bloom filters: of their items). In the middle of each " +
			"step absent keys are looked up, then stored ones drawn at random:" + lookupMethod,
		Limits: throughputLimits,
		Columns: []lab.Column{
			{Name: "occupancy", Of: absent.x},
			speedOf("negative_"+million, "lookups", "negative_ns"), speedOf("positive_"+million, "lookups", "positive_ns"),
		},
		Params: "slots occupancy_permille batch", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life("room stored lookups found_absent found_stored negative_ns positive_ns",
			"negative_ns positive_ns",
			func(z catalogue.LifeSize, e catalogue.Entry) int { return 4 * z.Lookups * len(e.Stops()) }, lab.Over("occupancy_permille", catalogue.Steps(func(_ lab.Cell, e catalogue.Entry) []int { return e.Stops() })),
			catalogue.Forms),
		Timed: "negative_" + million + " positive_" + million,
		Plots: []lab.Plot{
			lab.Drawn(func(d *lab.Data) *chart.Figure {
				return fig6Figure(d, "", chart.Figure{Name: "fig6", Title: "Lookup throughput by occupancy, one by one",
					Caption: "Millions of lookups per second, one by one, against occupancy, of absent and of stored keys; a panel " +
						"for each filter." + pointText(d, "for absent keys at half occupancy")}, absent, stored)
			}),
			lab.Drawn(func(d *lab.Data) *chart.Figure {
				return fig6Figure(d, "1024", chart.Figure{Name: "fig6-batch",
					Title: "Lookup throughput by occupancy, in batches of 1024",
					Caption: "Millions of lookups per second in batches of 1024 against occupancy, of absent and of stored keys; a " +
						"panel for each filter. The paper has no such lookups."}, absent, stored)
			}),
		},
		Claims: []lab.Rule{
			noneDenied("lookups", "found_stored"),
			absent.flat("CF"), absent.flat("ss-CF"), absent.along("QF", 92.5, 2.5, changes),
			stored.flat("CF"), stored.flat("ss-CF"), stored.along("QF", 92.5, 2.5, changes),
			absent.along("BF", 97.5, 2.5, changes),
			shownBy(absent.along("blk-BF", 97.5, 2.5, equal), func(d *lab.Data) (bool, string) {
				return neverEarly(d, absent, stored)
			}),
			absent.flat("dl-CBF"), stored.flat("BF"), stored.flat("blk-BF"), stored.along("dl-CBF", 77.5, 2.5, equal),
			stored.ahead("CF", "BF", 92.5),
		},
	}
}

// fig6Figure draws a panel for each filter, of a form of lookups, with the paper's points of single ones.
func fig6Figure(d *lab.Data, form string, f chart.Figure, sides ...speeds) *chart.Figure {
	kinds, scale := catalogue.DrawnKinds(d, catalogue.Table3()), sides[0].scale(d)
	for _, k := range kinds {
		p := chart.Panel{Title: k.Label, X: occupancyAxis, Y: chart.Axis{Label: "million lookups per second"}}
		for i, side := range sides {
			s := side.line(d, k, form)
			s.Label = []string{"absent keys", "stored keys"}[i]
			if i > 0 {
				s.Style.Dash, s.Style.Marker = []float64{2, 2}, chart.Plus
			}
			p.Series = append(p.Series, s)
			if form == "" {
				label := fmt.Sprintf("paper, %s, times %.3g", s.Label, scale)
				p.Series = append(p.Series, side.drawn(d, k.Name, label, s.Style, scale)...)
			}
		}
		f.Panels = append(f.Panels, p)
	}
	top := speedTop(f.Panels...)
	for i := range f.Panels {
		f.Panels[i].Y.Max = top
	}
	f.Columns, f.Title = 3, f.Title+throughputWhere(d)
	if form == "" {
		f.Caption += catalogue.OwnText(kinds)
	}
	return &f
}

// neverEarly tells whether lookups of a nearly empty blocked Bloom filter end no sooner for absent keys than for stored
// ones, and says what that shows. The paper's end sooner.
func neverEarly(d *lab.Data, absent, stored speeds) (bool, string) {
	const name, x = "blk-BF", 2.5
	e, rounds := speedRatio(absent.rounds(absent.at(name, x)(d)), stored.rounds(stored.at(name, x)(d)))
	return rounds >= leastRounds && flat(claims.Claim{}, e).Status == claims.Holds,
		fmt.Sprintf("In the nearly empty filter lookups of absent keys are %.2f times as fast as those of stored ones "+
			"(%.2f to %.2f); the paper's are %.2f times: its lookup ends at the first bit that is not set, ours tests all "+
			"nine without a branch, and gains nothing in an emptier filter.",
			e.Value, e.Low, e.High, absent.paper(name, x)/stored.paper(name, x))
}

// InsertByOccupancy is figure 7 of the paper: the throughput of inserts at each occupancy.
func InsertByOccupancy() *lab.Experiment {
	j := speeds{figure: 7, source: "figure 7", what: "inserts", of: "inserts", by: "ns", unit: 100, scaled: 2.5,
		x: mid("stored", "inserts")}
	return &lab.Experiment{
		Name:  "fig7",
		Title: "Figure 7: insert throughput by occupancy",
		Claim: "The cuckoo filter is the fastest to insert into while it is empty, and gets some twenty times slower up to " +
			"an occupancy of 92%. Inserts of Bloom filters are as fast at any occupancy.",
		Method: "Each filter is filled in steps of 5% of its slots (Bloom filters: of their items), or until a key is " +
			"refused, and every step is timed; a point stands in the middle of its step. The paper's cuckoo filter kicks at " +
			"random; a second one searches breadth-first, which is this module's default. The memory of the table is written " +
			"to before, so that no page fault is timed." + throughputMethod,
		Limits:  throughputLimits,
		Columns: []lab.Column{{Name: "occupancy", Of: j.x}, speedOf(million, "inserts", "ns")},
		Params:  "slots to_permille", Grid: catalogue.Lives(catalogue.WithBreadthFirst()),
		Trial: catalogue.Life("room stored inserts ns", "ns", func(catalogue.LifeSize, catalogue.Entry) int { return 0 },
			lab.Over("to_permille", catalogue.Steps(func(_ lab.Cell, e catalogue.Entry) []int { return e.Windows() }))),
		Timed: million, Plots: []lab.Plot{lab.Drawn(j.ofInserts)},
		Claims: []lab.Rule{
			j.along("CF", 2.5, 92.5, changes), j.along("ss-CF", 2.5, 92.5, changes), j.along("QF", 2.5, 92.5, changes),
			j.flat("BF"), j.flat("blk-BF"), j.flat("dl-CBF"), j.ahead("CF", "BF", 2.5), j.ahead("BF", "CF", 92.5),
			j.ratio(claims.Ours("breadth-first", "CF at 92.5%: the random walk is slower than breadth-first search (walk over "+
				"search)"),
				j.at("CF", 92.5), j.at(catalogue.BreadthFirstSeries, 92.5), behind),
		},
	}
}

// ofInserts draws a panel for each filter, over the paper's points; this module's own policy is in that of the cuckoo
// filter.
func (j speeds) ofInserts(d *lab.Data) *chart.Figure {
	least, most, kinds := math.Inf(1), 0.0, catalogue.DrawnKinds(d, catalogue.WithBreadthFirst())
	var panels []chart.Panel
	for _, k := range kinds {
		line, scale := j.line(d, k, ""), j.scale(d)
		for _, pt := range line.Points {
			least, most = min(least, pt.Lo), max(most, pt.Hi)
		}
		if k.Name == catalogue.BreadthFirstSeries {
			panels[0].Series = append(panels[0].Series, line)
			continue
		}
		line.Label = "this module"
		paper := j.drawn(d, k.Name, fmt.Sprintf("paper, times %.3g", scale), k.Style(), scale)
		panels = append(panels, chart.Panel{Title: k.Label, X: occupancyAxis, Series: append([]chart.Series{line}, paper...)})
	}
	for i := range panels {
		panels[i].Y = chart.Axis{Label: "million inserts per second", Log: true, Min: 0.7 * least, Max: 1.4 * most}
	}
	return &chart.Figure{
		Name: "fig7", Title: "Insert throughput by occupancy" + throughputWhere(d), Columns: 3, Panels: panels,
		Caption: "Millions of inserts per second on a log axis against occupancy; a panel for each filter." +
			pointText(d, "in the first step") + catalogue.OwnText(kinds),
	}
}

// DeleteByOccupancy is figure 8 of the paper: the throughput of deletes, from a full filter to an empty one.
func DeleteByOccupancy() *lab.Experiment {
	j := speeds{figure: 8, source: "figure 8", what: "deletes", of: "deletes", by: "ns", unit: 1, scaled: 50,
		x: mid("before", "deletes")}
	return &lab.Experiment{
		Name:  "fig8",
		Title: "Figure 8: delete throughput by occupancy",
		Claim: "Deletes of a cuckoo filter are as fast at any occupancy, and faster than those of the other filters that " +
			"can delete. Those of a quotient filter are slow while it is nearly full.",
		Method: "Each filter that can delete is filled, cuckoo and d-left counting Bloom filters until a key is refused, " +
			"the quotient filter to 90%. Then all of its keys are deleted in another order (of a copy of the quotient filter, " +
			"which is filled further for figures 6 and 7), in steps of 5% of the slots, which are timed; a point stands in " +
			"the middle of its step." + throughputMethod,
		Limits:  throughputLimits,
		Columns: []lab.Column{{Name: "occupancy", Of: j.x}, speedOf(million, "deletes", "ns")},
		Params:  "slots from_permille", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: emptied(), Timed: million, Plots: []lab.Plot{lab.Drawn(j.ofDeletes)},
		Claims: []lab.Rule{
			allDeleted, j.flat("CF"), j.flat("ss-CF"), j.flat("dl-CBF"), j.along("QF", 2.5, 87.5, changes),
			j.ahead("CF", "QF", 87.5), j.neighbours(50),
		},
	}
}

// emptied is the trial. The quotient filter is emptied in a copy, which takes as many bytes again.
func emptied() lab.Trial {
	t := catalogue.Life("room before deletes found ns", "ns", func(z catalogue.LifeSize, _ catalogue.Entry) int {
		return 1 << z.Q
	}, lab.Over("from_permille", catalogue.Steps(func(c lab.Cell, e catalogue.Entry) []int {
		return e.DownFrom(catalogue.LifeSizes[c.Setup.Profile].Q)
	})))
	needs := t.Needs
	t.Needs = func(c lab.Cell) (float64, int64) {
		keys, bytes := needs(c)
		if c.Text("filter") == "QF" {
			bytes *= 2
		}
		return keys, bytes
	}
	return t
}

// allDeleted is the check that no delete misses its key.
func allDeleted(d *lab.Data) []claims.Verdict {
	deletes := d.Sum("deletes")
	share := claims.Estimate{Value: lab.Quotient(d.Sum("found"), deletes), Low: 1, High: 1}.As("%.6g", "of %d", deletes)
	return []claims.Verdict{
		claims.Ours("all deleted", "Every key that was stored can be deleted: share of the deletes that found their key").
			Equal(share, 1, 0, "none may miss"),
	}
}

// ofDeletes draws deletes over the paper's points.
func (j speeds) ofDeletes(d *lab.Data) *chart.Figure {
	p := chart.Panel{X: occupancyAxis, Y: chart.Axis{Label: "deletes (million per second)"}}
	all := catalogue.DrawnKinds(d, catalogue.Table3())
	kinds, scale := catalogue.Deleters(all), j.scale(d)
	for _, k := range kinds {
		p.Series = append(p.Series, j.line(d, k, ""))
	}
	for _, k := range kinds {
		label := fmt.Sprintf("paper, times %.3g: cuckoo at %g%% is ours", scale, j.scaled)
		p.Series = append(p.Series, j.drawn(d, k.Name, label, k.Style(), scale)...)
	}
	p.Y.Max = speedTop(p)
	return &chart.Figure{
		Name: "fig8", Title: "Delete throughput by occupancy, from full to empty" + throughputWhere(d), Below: true,
		Caption: "Millions of deletes per second against the occupancy at which they are made." +
			pointText(d, "at half occupancy") + catalogue.OwnText(kinds) + catalogue.LeftOut(all),
		Panels: []chart.Panel{p},
	}
}
