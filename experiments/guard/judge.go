package guard

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// at is the group of a guard at a share of absent keys and of deleted rows.
func at(d *lab.Data, absent int, guard string, percent int) (lab.Group, bool) {
	for _, g := range d.Select(shareName(absent)) {
		if g.Rows[0].Value("guard").String() == guard && g.Param("deleted_percent") == percent {
			return g, true
		}
	}
	return lab.Group{}, false
}

// sum adds up a count of a guard over all steps of a share of absent keys.
func sum(d *lab.Data, absent int, guard, count string) (total int) {
	for percent := 0; percent <= last; percent += step {
		if g, ok := at(d, absent, guard, percent); ok {
			total += g.Sum(count)
		}
	}
	return total
}

// wastedOf is the share of queries for absent keys that reached the store.
func wastedOf(d *lab.Data, guard string, percent int) (r stat.Rate) {
	for _, absent := range absentPercents {
		if g, ok := at(d, absent, guard, percent); ok {
			r.Events, r.N = r.Events+g.Sum("wasted"), r.N+g.Sum("absent")
		}
	}
	return r
}

// memory is the bytes of a guard when all steps are done.
func memory(d *lab.Data, guard string) float64 {
	g, ok := at(d, absentPercents[0], guard, last)
	if !ok {
		return math.NaN()
	}
	return lab.Quotient(g.Sum("table_bytes")+g.Sum("set_bytes"), len(g.Rows))
}

// promisedLoad is the load of a cuckoo filter that holds as many keys as it is made for.
const promisedLoad = .96

func judged(d *lab.Data) []claims.Verdict {
	denied, asked := 0, 0
	for _, g := range d.Groups {
		denied += g.Sum("denied")
		asked += g.Sum("queries") - g.Sum("absent")
	}
	stale, cuckoo := wastedOf(d, "stale Bloom", last), wastedOf(d, "cuckoo", last)
	share := float64(last) / (100 + last) // of the absent keys are deleted rows
	want := share + (1-share)*rate
	half := law.ExactRate(10, 4, promisedLoad/2)
	chance := func(p float64, n int) float64 { return stat.Deviations * math.Sqrt(p*(1-p)/float64(max(n, 1))) }
	staleRate, cuckooRate := rated(stale), rated(cuckoo)
	set := claims.Exactly(memory(d, "Bloom and a Set") / memory(d, "cuckoo"))
	set.Format, set.Note = "%.1f", "times the memory"
	pauses, deletes := sum(d, 90, "Bloom, rebuilt", "rebuild_ns"), sum(d, 90, "cuckoo", "delete_ns")
	paused := claims.Exactly(lab.Quotient(pauses, deletes))
	paused.Format, paused.Note = "%.0f", fmt.Sprintf("%.1f ms of building anew, %.1f ms of deletes", float64(pauses)/1e6, float64(deletes)/1e6)
	faster := claims.Exactly(lab.Quotient(sum(d, 99, "nothing", "ns"), sum(d, 99, "cuckoo", "ns")))
	faster.Format, faster.Note = "%.0f", "times as long without a guard"
	vs := []claims.Verdict{
		claims.NoneLost(denied, asked),
		claims.Claim{ID: "stale", Says: "Stale Bloom filter: of half the rows deleted, a third of the absent keys are deleted rows, and all of these reach the store", Paper: "-"}.
			Equal(staleRate, want, chance(want, stale.N)+.003, "4 standard errors of the queries, and .3% for the rate that a filter has"),
		claims.Claim{ID: "cuckoo", Says: "Cuckoo filter: with half the rows deleted as many queries for absent keys reach the store as at half the load, fewer than before", Paper: "-"}.
			Equal(cuckooRate, half, chance(half, cuckoo.N)+.0005, "4 standard errors of the queries about the formula, and .05%"),
		claims.Claim{ID: "counting", Says: "Counting Bloom filter: three to four times the memory of the cuckoo filter", Paper: "-"}.
			Within(claims.Exactly(memory(d, "counting Bloom")/memory(d, "cuckoo")), 3, 4, "the claim's own number"),
		claims.Claim{ID: "set", Says: "Bloom filter and a Set: more than five times the memory of the cuckoo filter, once half the rows are deleted", Paper: "-", Machine: true}.
			Within(set, 5, 200, "the claim's own number"),
		claims.Claim{ID: "pauses", Says: "Building the Bloom filter anew takes more time than all deletes from the cuckoo filter", Paper: "-", Machine: true}.
			Within(paused, 1, 1e5, "the claim's own number"),
		claims.Claim{ID: "time", Says: "99% absent: queries through the cuckoo filter are at least ten times as fast as without a guard", Paper: "-", Machine: true}.
			Within(faster, 10, 1e5, "the claim's own number"),
	}
	return d.Judged(vs)
}

// rated is a rate as an estimate.
func rated(r stat.Rate) claims.Estimate {
	e := claims.Estimate{Value: r.Value(), Format: "%.4f", Note: fmt.Sprintf("%d of %d", r.Events, r.N)}
	e.Low, e.High = r.Interval()
	return e
}

// lines draws a number of each group, by the share of rows deleted, in a line for every guard.
func lines(d *lab.Data, absent int, point func(g lab.Group) chart.Point) (all []chart.Series) {
	for i, k := range kinds {
		s := chart.Series{Label: k.name, Style: chart.Numbered(i), Kind: chart.LineMarks}
		for percent := 0; percent <= last; percent += step {
			if g, ok := at(d, absent, k.name, percent); ok {
				if p := point(g); p.Y > 0 || p.Zero {
					p.X = float64(percent) / 100
					s.Points = append(s.Points, p)
				}
			}
		}
		if len(s.Points) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// figures draw what the guards let through, what they take, how long queries take, and what building anew costs.
func figures(d *lab.Data) []*chart.Figure {
	deleted := chart.Axis{Label: "share of the rows deleted", Format: chart.Percent, Min: 0, Max: last / 100., Ticks: []chart.Tick{{At: 0}, {At: .1}, {At: .2}, {At: .3}, {At: .4}, {At: .5}}}
	shareOf := func(r stat.Rate) chart.Point {
		low, high := r.Interval()
		return chart.Point{Y: r.Value(), Lo: low, Hi: high, Zero: r.Events == 0 && r.N > 0}
	}
	second := func(absent int) chart.Panel {
		return chart.Panel{Title: shareName(absent), X: deleted, Y: chart.Axis{Label: "wasted per second query", Format: chart.Percent, Min: 0, Max: 1},
			Series: lines(d, absent, func(g lab.Group) chart.Point {
				return shareOf(stat.Rate{Events: g.Sum("wasted"), N: g.Sum("reads")})
			})}
	}
	micros := func(title, count string) chart.Panel {
		return chart.Panel{Title: title, X: deleted, Y: chart.Axis{Label: "microseconds", Log: true},
			Series: lines(d, 90, func(g lab.Group) chart.Point { return chart.Point{Y: median(g, count) / 1000} })}
	}
	return []*chart.Figure{{
		Name: "guard", Title: "Wasted reads per second query, by the share of rows deleted",
		Caption: "Share of the reads of the store that find no row. Where half of the queries are for absent keys, a guard that is current wastes hardly a read; where 99% are, nearly all reads " +
			"behind a stale Bloom filter are wasted, and up to half of those behind filters that are current, since few rows are asked for.",
		Panels: []chart.Panel{second(50), second(99)},
	}, {
		Name: "guard-wasted", Title: "Wasted reads per query for an absent key, by the share of rows deleted",
		Caption: "On a log axis, over all shares of absent keys. The stale Bloom filter lets a third through once half of the rows are deleted, the one that is built anew up to one in twenty between " +
			"two rebuilds, the others about the 1% that they are made for, or less. Filters from which rows are deleted let fewer through as they empty.",
		Panels: []chart.Panel{{X: deleted, Y: chart.Axis{Label: "wasted reads per query", Log: true, Max: 1}, Series: lines(d, absentPercents[0], func(g lab.Group) chart.Point {
			return shareOf(wastedOf(d, g.Rows[0].Value("guard").String(), g.Param("deleted_percent")))
		})}},
	}, {
		Name: "guard-memory", Title: "Memory of the guards, by the share of rows deleted",
		Caption: "Bits for each row of the full store, on a log axis. A Set of deleted keys grows past all filters before a tenth of the rows are deleted.",
		Panels: []chart.Panel{{X: deleted, Y: chart.Axis{Label: "bits per row", Log: true}, Series: lines(d, 90, func(g lab.Group) chart.Point {
			return chart.Point{Y: lab.Quotient(8*(g.Sum("table_bytes")+g.Sum("set_bytes")), g.Sum("rows"))}
		})}},
	}, {
		Name: "guard-time", Title: "Time of a query, 90% of them for absent keys",
		Caption: "Median and 99th percentile of a query's time in microseconds on log axes. With a guard that is up to date the median query does not read the store; the tail is reads of rows that are there.",
		Panels:  []chart.Panel{micros("(a) median", "p50_ns"), micros("(b) 99th percentile", "p99_ns")},
	}, {
		Name: "guard-upkeep", Title: "Time to keep a guard current, for each step of 5% of the rows",
		Caption: "Milliseconds on a log axis for each step: deletes, and building anew where that is done. Building anew reads the whole store.",
		Panels: []chart.Panel{{X: deleted, Y: chart.Axis{Label: "milliseconds", Log: true}, Series: lines(d, 90, func(g lab.Group) chart.Point {
			if g.Param("deleted_percent") == 0 {
				return chart.Point{}
			}
			return chart.Point{Y: (median(g, "delete_ns") + median(g, "rebuild_ns")) / 1e6}
		})}},
	}}
}

// median is that of a count over the runs.
func median(g lab.Group, count string) float64 {
	var xs []float64
	for _, r := range g.Rows {
		xs = append(xs, float64(r.Count(count)))
	}
	return stat.Median(xs)
}

// overview says what each guard costs and saves, at 90% absent keys, over all steps.
func overview(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{"guard", "kib_before", "kib_after", "reads_per_1000", "wasted_per_1000", "saved_per_1000", "disk_pages_per_1000", "us_per_query", "p50_us_at_half", "p99_us_at_half", "deletes_ms", "rebuilding_ms"}}
	const absent = 90
	per := func(guard, count string) float64 {
		return lab.Quotient(1000*sum(d, absent, guard, count), sum(d, absent, guard, "queries"))
	}
	for _, k := range kinds {
		before, ok := at(d, absent, k.name, 0)
		after, _ := at(d, absent, k.name, last)
		if !ok {
			continue
		}
		t.Add(k.name, lab.Quotient(before.Sum("table_bytes"), 1024*len(before.Rows)), memory(d, k.name)/1024,
			per(k.name, "reads"), per(k.name, "wasted"), per("nothing", "reads")-per(k.name, "reads"), per(k.name, "disk_pages"), per(k.name, "ns")/1e6,
			median(after, "p50_ns")/1000, median(after, "p99_ns")/1000, float64(sum(d, absent, k.name, "delete_ns"))/1e6/float64(len(before.Rows)), float64(sum(d, absent, k.name, "rebuild_ns"))/1e6/float64(len(before.Rows)))
	}
	return t
}
