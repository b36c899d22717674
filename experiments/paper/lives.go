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
	j := speeds{figure: 5, source: "figure 5", what: "lookups", of: "lookups", column: million, unit: 1, apart: 25,
		x: func(r lab.Row) float64 { return catalogue.ShareOf(r.Param("step")) }}
	x, y := chart.Axis{Label: "fraction of positive queries (%)", Min: -4, Max: 104}, "lookups (million per second)"
	single := j.drawn(x, chart.Axis{Label: y}, "", j.theirs("", j))
	batches := j.drawn(x, chart.Axis{Label: "batched " + y}, "1024")
	single.Title, batches.Title = "(a) one by one", "(b) in batches of 1024"
	return &lab.Experiment{
		Name:  "fig5",
		Title: "Figure 5: lookup throughput by the fraction of positive queries",
		Claim: "Lookups of a full cuckoo filter take about as long for stored keys as for absent ones. Bloom filters get " +
			"slower with the fraction of positive queries; the cuckoo filter is ahead of them there.",
		Method: "Each filter is filled: cuckoo and d-left counting Bloom filters until a key is refused, the others with " +
			"the paper's number of items. Stored and absent keys are looked up in random order," + lookupMethod,
		Limits: append(slices.Clone(throughputLimits),
			"The paper's text has dl-CBF 30% slower than BF, its figure 5 ahead of it at every fraction: both are judged."),
		Columns: []lab.Column{
			{Name: "positive_share", Of: func(r lab.Row) float64 { return r.Ratio("positives", "lookups") }},
			speedOf(million, "lookups", "ns"),
		},
		Params: "slots batch step", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life("stored lookups positives found ns", "ns",
			func(z catalogue.LifeSize, _ catalogue.Entry) int { return 40 * z.Lookups }, catalogue.Forms, catalogue.Shares),
		Timed: million,
		Plots: []lab.Plot{{
			Title:   "Lookup throughput by the fraction of positive queries, filters full",
			Caption: "Millions of lookups per second, one by one and in batches.",
			Panels:  []lab.Panel{single, batches}, Edit: j.finished,
		}},
		Claims: []lab.Rule{
			noneDenied("positives", "found"),
			j.everywhere(j.said("lookups"), "CF", "BF", 0, quarters...),
			j.everywhere(j.said("outperform"), "CF", "QF", substantial, quarters...),
			j.everywhere(j.said("outperform"), "CF", "dl-CBF", substantial, quarters...),
			j.everywhere(j.said("quotient"), "BF", "QF", substantial, quarters...),
			j.everywhere(j.said("ss-CF over BF"), "ss-CF", "BF", 0, quarters[2:]...),
			j.everywhere(claims.Sentence("dl-CBF over ss-CF", claims.Claim{Source: j.source,
				Open: "The text has it, and the figure. Ours reads four lines of memory for dl-CBF and two for ss-CF (Table 1). " +
					"How the authors' dl-CBF divides its 12 bits is not known (its rate is unexplained too)."}),
				"dl-CBF", "ss-CF", 0, quarters...),
			j.contradicted(), j.everywhere(claims.Claim{Source: j.source, Open: "The paper's text contradicts its " +
				"figure (the row on dl-CBF and BF at 50%). Ours reads all four tables for every key; BF ends at the " +
				"first bit that is not set."},
				"dl-CBF", "BF", 0, quarters...),
			j.alike("CF"), j.dips("CF"), j.alike("ss-CF"), j.dips("ss-CF"),
			guessed(j), j.along("QF", 100, 0, halfOrMore),
			j.shown(j.along("blk-BF", 100, 0, changes), j.at("blk-BF", 100), j.at("blk-BF", 0), flat, "Ours tests all "+
				"nine bits of a key without a branch: stored keys take %.2f times the speed of absent ones (%.2f to "+
				"%.2f). The code that the authors published ends a lookup at the first bit that is not set "+
				"(efficient/cuckoofilter, commit f9808ce, filter/blockedbloomfilter.h)."),
			j.batches("CF", ""),
			j.batches("BF", "Misses do not overlap where a batch writes to a place that depends on the bit read last. Without "+
				"such writes batches of absent keys took .40 to .48 of the time (2^24 items)."),
		},
	}
}

var quarters = []float64{0, 25, 50, 75, 100} // the places of figure 5

// said is a sentence of the paper that the figure is held against.
func (j speeds) said(name string) claims.Claim {
	return claims.Sentence(name, claims.Claim{Source: j.source})
}

// substantial is by how much what outperforms others substantially is faster than they are, at least.
const substantial = 0.1

// contradicted holds the paper's text against ours, and its own figure against both.
func (j speeds) contradicted() lab.Rule {
	const x = 50
	figure := j.paper("dl-CBF", x) / j.paper("BF", x)
	c := claims.Sentence("dl-CBF slower", claims.Claim{ID: "dl-CBF and BF, text", Paper: "0.7",
		Says: "Lookups at 50%: speed of dl-CBF over that of BF"})
	r := j.ratio(c, j.at("dl-CBF", x), j.at("BF", x), within(0.65, 0.75, "half of the last digit of 30%"))
	return func(d *lab.Data) []claims.Verdict {
		return []claims.Verdict{r(d)[0].Shown(figure > 1, fmt.Sprintf("The paper's text and its figure disagree: "+
			"figure 5 has %.2f at 50%%, and dl-CBF ahead at every fraction.", figure))}
	}
}

// dips compares half positive queries with none, where the paper's lines dip.
func (j speeds) dips(series string) lab.Rule {
	return j.shown(j.along(series, 50, 0, changes), j.at(series, 50), j.at(series, 0), flat, "No dip is there: %.2f "+
		"(%.2f to %.2f). Nor has the authors' own run of 2016 one: 24.84 million a second at 50%%, 24.79 at 0%% for "+
		"CF, 9.57 and 9.37 for ss-CF (efficient/cuckoofilter, commit 5532476, benchmarks/conext-figure5.cc).")
}

func (j speeds) alike(series string) lab.Rule {
	return j.ratio(j.claim(series+", flat", series+": lookups of stored keys are as fast as those of absent ones",
		j.paper(series, 100)/j.paper(series, 0)), j.at(series, 100), j.at(series, 0), flat)
}

// LookupByOccupancy is figure 6 of the paper: lookup throughput against occupancy, of absent and of stored keys.
func LookupByOccupancy() *lab.Experiment {
	absent := speeds{figure: 6, panel: "negative", source: "figure 6 (a)", what: "lookups of absent keys", of: "lookups",
		column: "negative_" + million, unit: 100, apart: 10, scaled: 50,
		x: func(r lab.Row) float64 { return r.Ratio("stored", "room") }}
	stored := absent
	stored.panel, stored.source, stored.what = "positive", "figure 6 (b)", "lookups of stored keys"
	stored.column = "positive_" + million
	panel := func(form string, more ...lab.More) []lab.Panel {
		return []lab.Panel{absent.drawnEach("absent keys", chart.Axis{Label: "million lookups per second"}, form,
			append(more, func(_ *lab.Data, groups []lab.Group) []chart.Series {
				return []chart.Series{stored.line("stored keys", groups)}
			})...)}
	}
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
			speedOf(absent.column, "lookups", "negative_ns"), speedOf(stored.column, "lookups", "positive_ns"),
		},
		Params: "slots occupancy_permille batch", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: catalogue.Life("room stored lookups found_absent found_stored negative_ns positive_ns",
			"negative_ns positive_ns",
			func(z catalogue.LifeSize, e catalogue.Entry) int { return 4 * z.Lookups * len(e.Stops()) },
			lab.Over("occupancy_permille", catalogue.Steps(func(_ lab.Cell, e catalogue.Entry) []int { return e.Stops() })),
			catalogue.Forms),
		Timed: absent.column + " " + stored.column,
		Plots: []lab.Plot{{
			Title: "Lookup throughput by occupancy, one by one", Columns: 3, Edit: absent.finished,
			Caption: "Millions of lookups per second of absent and of stored keys; a panel for each filter.",
			Panels:  panel("", absent.theirs(", absent keys", absent), stored.theirs(", stored keys", absent)),
		}, {
			Name: "fig6-batch", Title: "Lookup throughput by occupancy, in batches of 1024", Columns: 3, Edit: speeds{}.finished,
			Caption: "Millions of lookups per second of absent and of stored keys. The paper has no such lookups.",
			Panels:  panel("1024"),
		}},
		Claims: []lab.Rule{
			noneDenied("lookups", "found_stored"),
			absent.flat("CF"), absent.flat("ss-CF"), absent.walked(),
			stored.flat("CF"), stored.flat("ss-CF"), stored.walked(),
			guessedAtFull(absent, stored), neverEarly(absent, stored),
			stored.flat("BF"), allTables(absent, stored), stored.ahead("CF", "BF", 92.5),
		},
	}
}

// neverEarly compares lookups of absent keys in the full blocked Bloom filter with those in the empty one. Where they
// end no sooner in the empty one than lookups of stored keys, that is the cause: the paper's end sooner.
func neverEarly(absent, stored speeds) lab.Rule {
	const name, x = "blk-BF", 2.5
	return crossed(absent.along(name, 97.5, x, changes), absent, stored, name, x, "In the nearly empty filter lookups of "+
		"absent keys are %.2f times as fast as those of stored ones (%.2f to %.2f): ours tests all nine bits without a "+
		"branch, and gains nothing in an emptier filter. The paper's lookup ends at the first bit that is not set, as in "+
		"the code that its authors published (efficient/cuckoofilter, commit f9808ce, filter/blockedbloomfilter.h).")
}

// walked compares lookups in a quotient filter at two loads. Where the paper's lose twice as much time as ours for each
// used slot on the way, or more, its code is the cause.
func (j speeds) walked() lab.Rule {
	const name, half, full = "QF", 77.5, 92.5
	r, slots := j.along(name, full, 2.5, halfOrMore), (math.Pow(1-full/100, -2)-math.Pow(1-half/100, -2))/2
	theirs := 1000 * (1/j.paper(name, full) - 1/j.paper(name, half)) / slots
	return func(d *lab.Data) []claims.Verdict {
		fast, slow := claims.Median(j.rounds(j.at(name, half)(d))), claims.Median(j.rounds(j.at(name, full)(d)))
		ours := 1000 * (1/slow - 1/fast) / slots
		return []claims.Verdict{r(d)[0].Shown(2*ours < theirs, fmt.Sprintf("A lookup walks past used slots. From %g%% to "+
			"%g%% those in front of a place become %.0f more, by Knuth's (1+1/(1-load)^2)/2. Ours takes %.1f ns more for each "+
			"of them, the paper's %.0f ns: it is other code.", half, full, slots, ours, theirs))}
	}
}

const guessedWrong = " A lookup of an absent key ends at the first bit that is not set, and in a table that fits " +
	"into a cache the branch that is guessed wrong there takes as long as the reads that it spares."

// guessed compares lookups of stored keys in a Bloom filter with those of absent ones. Where they differ as the paper's
// in batches, in which no branch depends on one of the first bits, branches that are guessed wrong are the cause.
func guessed(j speeds) lab.Rule {
	const name = "BF"
	return j.shown(j.along(name, 100, 0, changes), j.batched(name, 100), j.batched(name, 0),
		changes(j.paper(name, 100)/j.paper(name, 0)), "In batches, in which no branch depends on one of the first "+
			"bits, the ratio is %.2f (%.2f to %.2f), as in the paper."+guessedWrong)
}

// guessedAtFull compares lookups of absent keys in the full Bloom filter with those in the empty one. Where they take
// as long as those of stored keys, of all bits, branches that are guessed wrong are the cause.
func guessedAtFull(absent, stored speeds) lab.Rule {
	const name, x = "BF", 97.5
	return crossed(absent.along(name, x, 2.5, changes), absent, stored, name, x, "In the full filter lookups of absent "+
		"keys, of two bits on average, are %.2f times as fast as those of stored ones, of nine (%.2f to %.2f)."+
		guessedWrong+" In the nearly empty filter it is guessed right.")
}

// allTables compares lookups of stored keys in the full d-left filter with those in the empty one. Where they are as
// fast as those of absent keys, which read all tables, that is the cause.
func allTables(absent, stored speeds) lab.Rule {
	const name, x = "dl-CBF", 77.5
	return crossed(stored.along(name, x, 2.5, changes), absent, stored, name, x, "In the full filter lookups of "+
		"absent keys are %.2f times as fast as those of stored ones (%.2f to %.2f): ours reads all four tables for "+
		"either, full or empty, without a branch.")
}

// crossed shows a cause where absent keys are looked up as fast as stored ones at a place.
func crossed(r lab.Rule, absent, stored speeds, name string, x float64, cause string) lab.Rule {
	return func(d *lab.Data) []claims.Verdict {
		e, rounds := speedRatio(absent.rounds(absent.at(name, x)(d)), stored.rounds(stored.at(name, x)(d)))
		alike := rounds >= leastRounds && equal(1)(claims.Claim{}, e).Status == claims.Holds
		return []claims.Verdict{r(d)[0].Shown(alike, fmt.Sprintf(cause, e.Value, e.Low, e.High))}
	}
}

// InsertByOccupancy is figure 7 of the paper: the throughput of inserts at each occupancy.
func InsertByOccupancy() *lab.Experiment {
	j := speeds{figure: 7, source: "figure 7", what: "inserts", of: "inserts", column: million, unit: 100, apart: 10,
		scaled: 2.5, x: mid("stored", "inserts")}
	const search = catalogue.BreadthFirstSeries
	panel := j.drawnEach("this module", chart.Axis{Label: "million inserts per second", Log: true}, "",
		j.theirs("", j), func(d *lab.Data, groups []lab.Group) []chart.Series {
			if own := j.groups(d, search); groups[0].Series == "CF" && len(own) > 0 { // our policy in the panel of the paper's
				return []chart.Series{j.line(labelOf(search), own)}
			}
			return nil
		})
	only := panel.Only
	panel.Only = func(g lab.Group) bool { return g.Series != search && only(g) }
	return &lab.Experiment{
		Name:  "fig7",
		Title: "Figure 7: insert throughput by occupancy",
		Claim: "The cuckoo filter is the fastest to insert into while it is empty, and gets some twenty times slower up to " +
			"an occupancy of 92%. Inserts of Bloom filters are as fast at any occupancy.",
		Method: "Each filter is filled in steps of 5% of its slots (Bloom filters: of their items), or until a key is " +
			"refused, and every step is timed. The paper's cuckoo filter kicks at random; another searches breadth-first. " +
			"The memory of the table is written to before, so that no page fault is timed." + throughputMethod,
		Limits:  throughputLimits,
		Columns: []lab.Column{{Name: "occupancy", Of: j.x}, speedOf(million, "inserts", "ns")},
		Params:  "slots to_permille", Grid: catalogue.Lives(catalogue.WithBreadthFirst()),
		Trial: catalogue.Life("room stored inserts kicks ns chase_ps", "ns chase_ps",
			func(catalogue.LifeSize, catalogue.Entry) int { return 0 },
			lab.Over("to_permille", catalogue.Steps(func(_ lab.Cell, e catalogue.Entry) []int { return e.Windows() }))),
		Timed: million,
		Plots: []lab.Plot{{
			Title: "Insert throughput by occupancy", Columns: 3, Panels: []lab.Panel{panel}, Edit: j.finished,
			Caption: "Millions of inserts per second on a log axis against occupancy; a panel for each filter.",
		}},
		Claims: []lab.Rule{
			j.fall("CF"), j.fall("ss-CF"), j.along("QF", 2.5, 92.5, halfOrMore),
			j.flat("BF"), j.ahead("CF", "BF", 2.5), j.ahead("BF", "CF", 92.5),
			j.ratio(claims.Ours("breadth-first", "CF at 92.5%: the random walk is slower than breadth-first search (walk over "+
				"search)"), j.at("CF", 92.5), j.at(search, 92.5), behind),
		},
	}
}

// fall compares inserts into an empty and a full cuckoo filter. Where the reads of its kicks, at the latency that was
// chased on the same machine, take most of the time of a full one, they are the cause of a difference.
func (j speeds) fall(series string) lab.Rule {
	r := j.along(series, 2.5, 92.5, changes)
	return func(d *lab.Data) []claims.Verdict {
		v, full, empty := r(d)[0], j.at(series, 92.5)(d), j.at(series, 2.5)(d)
		if len(full) == 0 || len(empty) == 0 {
			return []claims.Verdict{v}
		}
		kicks, read, insert := latency(full, "inserts", "ns")
		_, _, first := latency(empty, "inserts", "ns")
		theirs := (1/j.paper(series, 92.5) - 1/j.paper(series, 2.5)) * 1000 / kicks
		share := (first + kicks*read) / insert
		return []claims.Verdict{v.Shown(share > 0.6 && share < 1.4, fmt.Sprintf("An insert at 92.5%% takes %.0f ns and %.1f "+
			"kicks, each a read that waits for the one before. Such a read takes %.0f ns in a table of this size, chased on "+
			"this machine in each round: with the %.0f ns of an insert into the empty filter %.0f%% of the time. The paper's "+
			"inserts lose %.0f ns for each of as many kicks: memory of less latency, behind a first insert as slow.",
			insert, kicks, read, first, 100*share, theirs))}
	}
}

// DeleteByOccupancy is figure 8 of the paper: the throughput of deletes, from a full filter to an empty one.
func DeleteByOccupancy() *lab.Experiment {
	j := speeds{figure: 8, source: "figure 8", what: "deletes", of: "deletes", column: million, unit: 1, apart: 10,
		scaled: 50, x: mid("before", "deletes")}
	trial := catalogue.Life("room before deletes found ns", "ns",
		func(z catalogue.LifeSize, _ catalogue.Entry) int { return 1 << z.Q },
		lab.Over("from_permille", catalogue.Steps(func(c lab.Cell, e catalogue.Entry) []int {
			return e.DownFrom(catalogue.LifeSizes[c.Setup.Profile].Q)
		})))
	needs := trial.Needs
	trial.Needs = func(c lab.Cell) (float64, int64) {
		keys, bytes := needs(c)
		if c.Text("filter") == "QF" { // it is emptied in a copy
			bytes *= 2
		}
		return keys, bytes
	}
	return &lab.Experiment{
		Name:  "fig8",
		Title: "Figure 8: delete throughput by occupancy",
		Claim: "Deletes of a cuckoo filter are as fast at any occupancy, and faster than those of the other filters that " +
			"can delete. Those of a quotient filter are slow while it is nearly full.",
		Method: "Each filter that can delete is filled, cuckoo and d-left counting Bloom filters until a key is refused, " +
			"the quotient filter to 90%. Then all of its keys are deleted in another order (of a copy of the quotient filter, " +
			"which is filled further for figures 6 and 7), in timed steps of 5% of the slots." + throughputMethod,
		Limits:  throughputLimits,
		Columns: []lab.Column{{Name: "occupancy", Of: j.x}, speedOf(million, "deletes", "ns")},
		Params:  "slots from_permille", Grid: catalogue.Lives(catalogue.Table3()),
		Trial: trial, Timed: million,
		Plots: []lab.Plot{{
			Title:   "Delete throughput by occupancy, from full to empty",
			Caption: "Millions of deletes per second against the occupancy at which they are made.",
			Panels:  []lab.Panel{j.drawn(occupancyAxis, chart.Axis{Label: "deletes (million per second)"}, "", j.theirs("", j))},
			Edit: func(d *lab.Data, f *chart.Figure) {
				j.finished(d, f)
				f.Below = true
			},
		}},
		Claims: []lab.Rule{
			allDeleted, j.flat("CF"), j.flat("ss-CF"), j.along("QF", 2.5, 87.5, halfOrMore),
			j.everywhere(j.said("outperform"), "CF", "QF", substantial, 12.5, 47.5, 87.5),
			j.everywhere(j.said("outperform"), "CF", "dl-CBF", substantial, 12.5, 47.5),
			j.everywhere(j.said("QF deletes"), "QF", "ss-CF", 0, 2.5),
		},
	}
}

func allDeleted(d *lab.Data) []claims.Verdict {
	deletes := d.Sum("deletes")
	share := claims.Estimate{Value: lab.Quotient(d.Sum("found"), deletes), Low: 1, High: 1}.As("%.6g", "of %d", deletes)
	return []claims.Verdict{
		claims.Ours("all deleted", "Every key that was stored can be deleted: share of the deletes that found their key").
			Equal(share, 1, 0, "none may miss"),
	}
}
