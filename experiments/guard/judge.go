package guard

import (
	"math"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
)

// at are the groups of a guard at a share of absent keys and of deleted rows.
func at(d *lab.Data, guard, absent, deleted string) []lab.Group {
	return d.Where("guard", guard, "absent", absent, "deleted_percent", deleted)
}

// sum adds up a count of a guard over all steps of a share of absent keys, the median of the trials at each.
func sum(d *lab.Data, guard, absent, count string) (total float64) {
	for _, g := range d.Where("guard", guard, "absent", absent) {
		total += lab.Median(count)(g).Value
	}
	return total
}

// wasted is the share of queries for absent keys that reached the store, over all shares of them.
func wasted(d *lab.Data, guard, deleted string) claims.Estimate {
	r := lab.PooledRate("wasted", "absent", d.Where("guard", guard, "deleted_percent", deleted)...)
	return claims.Of(r, 1).As("%.4f", "%d of %d", r.Events, r.N)
}

// memory is the bytes of a guard when all steps are done.
func memory(d *lab.Data, guard string) float64 {
	groups := at(d, guard, "50", "50")
	return lab.Sample("table_bytes", groups...).Mean + lab.Sample("set_bytes", groups...).Mean
}

func judged(d *lab.Data) []claims.Verdict {
	times := func(id, says string, of, by, low, high float64) claims.Verdict {
		c := claims.Claim{ID: id, Says: says, Paper: "-", Machine: id != "counting"}
		return c.Within(claims.Exactly(of/by).As("%.1f", "times"), low, high, "the claim's own number")
	}
	half := claims.ExactRate(10, 4, .48) // at half the load of as many keys as it is made for
	gone := lab.PooledRate("gone_read", "gone", d.Where("guard", "cuckoo", "deleted_percent", "50")...)
	at90 := func(guard, count string) float64 { return sum(d, guard, "90", count) }
	late := func(guard string) float64 { return lab.Median("ns")(at(d, guard, "90", "50")[0]).Value }
	return []claims.Verdict{
		claims.NoneLost(d.Sum("denied"), d.Sum("queries")-d.Sum("absent")),
		claims.Ours("cuckoo", "Cuckoo filter: with half the rows deleted, queries for deleted rows reach the store as "+
			"those for keys that never were in it, at the rate of half the load").Equal(
			claims.Of(gone, 1).As("%.4f", "%d of %d", gone.Events, gone.N), half,
			claims.Deviations*math.Sqrt(half*(1-half)/max(float64(gone.N), 1))+.0005,
			"4 standard errors of the queries about the formula, and .05%"),
		times("stale", "Stale Bloom filter of as many bytes: with half the rows deleted and 90% absent, queries take at "+
			"least twice as long as through the cuckoo filter", late("stale Bloom"), late("cuckoo"), 2, 1e5),
		times("counting", "Counting Bloom filter: three to four times the memory of the cuckoo filter",
			memory(d, "counting Bloom"), memory(d, "cuckoo"), 3, 4),
		times("set", "Bloom filter and a set of deleted keys: more than five times the memory of the cuckoo filter, once "+
			"half the rows are deleted", memory(d, "Bloom and a Set"), memory(d, "cuckoo"), 5, 200),
		times("digests", "Bloom filter and a set of digests: more than twice the memory of the cuckoo filter, once half "+
			"the rows are deleted", memory(d, "Bloom and digests"), memory(d, "cuckoo"), 2, 200),
		times("pauses", "Building the Bloom filter anew takes more time than all deletes from the cuckoo filter",
			at90("Bloom, rebuilt", "rebuild_ns"), at90("cuckoo", "delete_ns"), 1, 1e5),
		times("riding", "It does so even where the store is scanned anyway",
			at90("Bloom, rebuilt", "riding_ns"), at90("cuckoo", "delete_ns"), 1, 1e5),
		times("time", "99% absent: queries through the cuckoo filter are at least ten times as fast as without a guard",
			sum(d, "nothing", "99", "ns"), sum(d, "cuckoo", "99", "ns"), 10, 1e5),
	}
}

// plots draw what the guards let through, what they take, how long queries take, and what building anew costs.
func plots() []lab.Plot {
	ticks := []chart.Tick{{At: 0}, {At: .1}, {At: .2}, {At: .3}, {At: .4}, {At: .5}}
	deleted := chart.Axis{Label: "share of the rows deleted", Format: chart.Percent, Max: .5, Ticks: ticks}
	lines := func(title, absent string, y chart.Axis, of lab.Stat) lab.Panel {
		return lab.Panel{
			Title: title, X: deleted, Y: y, By: "guard", Style: lab.Numbered, Kind: chart.LineMarks, Of: of,
			At:   func(g lab.Group) float64 { return g.Cell.Float("deleted_percent") / 100 },
			Only: lab.Is("absent", absent),
		}
	}
	share := chart.Axis{Label: "share of reads that are wasted", Format: chart.Percent, Max: 1}
	reads := lab.Pooled("wasted", "reads")
	log := func(title, label string, unit float64, columns ...string) lab.Panel {
		return lines(title, "90", chart.Axis{Label: label, Log: true}, func(g lab.Group) claims.Estimate {
			total := 0.
			for _, c := range columns {
				total += lab.Sample(c, g).Mean / unit
			}
			if total == 0 {
				total = math.NaN() // a logarithm has no place for it
			}
			return claims.Exactly(total)
		})
	}
	upkeep := log("", "milliseconds", 1e6, "delete_ns", "rebuild_ns")
	upkeep.Only = func(g lab.Group) bool { return lab.Is("absent", "90")(g) && g.Cell.Int("deleted_percent") > 0 }
	return []lab.Plot{{
		Title: "Share of the reads of the store that are wasted, by the share of rows deleted",
		Caption: "Share of the reads of the store that find no row. Where half of the queries are for absent keys, a guard " +
			"that is current wastes hardly a read; where 99% are, nearly all reads behind a stale Bloom filter are wasted, " +
			"and up to half of those behind filters that are current, since few rows are asked for.",
		Panels: []lab.Panel{lines("50% absent", "50", share, reads), lines("99% absent", "99", share, reads)},
	}, {
		Name: "guard-wasted", Title: "Wasted reads per query for an absent key, by the share of rows deleted",
		Caption: "On a log axis, over all shares of absent keys. The stale Bloom filter lets a third through once half of " +
			"the rows are deleted, the one that is built anew up to one in twenty between two rebuilds, the others about 1% " +
			"or less. Filters from which rows are deleted let fewer through as they empty.",
		Panels: []lab.Panel{lines("", "50", chart.Axis{Label: "wasted reads per query", Log: true, Max: 1},
			func(g lab.Group) claims.Estimate {
				return wasted(g.Data, g.Cell.Text("guard"), g.Cell.Text("deleted_percent"))
			})},
	}, {
		Name: "guard-memory", Title: "Memory of the guards, by the share of rows deleted",
		Caption: "Bits for each row of the full store, on a log axis. A Set of deleted keys grows past all filters before " +
			"a tenth of the rows are deleted.",
		Panels: []lab.Panel{log("", "bits per row", 1, "bits_per_row")},
	}, {
		Name: "guard-time", Title: "Time of a query, 90% of them for absent keys",
		Caption: "Median and 99th percentile of a query's time in microseconds on log axes. With a guard that is up to " +
			"date the median query does not read the store; the tail is reads of rows that are there.",
		Panels: []lab.Panel{
			log("(a) median", "microseconds", 1e3, "p50_ns"), log("(b) 99th percentile", "microseconds", 1e3, "p99_ns"),
		},
	}, {
		Name: "guard-upkeep", Title: "Time to keep a guard current, for each step of 5% of the rows",
		Caption: "Milliseconds on a log axis for each step: deletes, and building anew where that is done. Building anew " +
			"reads the whole store.",
		Panels: []lab.Panel{upkeep},
	}}
}

// overview says what each guard costs and saves, at 90% absent keys, over all steps.
func overview(d *lab.Data) report.Table {
	t := report.Table{Columns: []string{
		"guard", "kib_before", "kib_after", "reads_per_1000", "wasted_per_1000", "saved_per_1000", "disk_pages_per_1000",
		"us_per_query", "p50_us_at_half", "p99_us_at_half", "deletes_ms", "rebuilding_ms", "riding_ms",
	}}
	per := func(guard, count string) float64 {
		return 1000 * sum(d, guard, "90", count) / sum(d, guard, "90", "queries")
	}
	for _, k := range kinds {
		before := at(d, k.name, "90", "0")
		if len(before) == 0 {
			continue
		}
		after := func(column string) float64 { return lab.Median(column)(at(d, k.name, "90", "50")[0]).Value / 1000 }
		ms := func(count string) float64 { return sum(d, k.name, "90", count) / 1e6 }
		t.Add(k.name, lab.Sample("table_bytes", before...).Mean/1024, memory(d, k.name)/1024,
			per(k.name, "reads"), per(k.name, "wasted"), per("nothing", "reads")-per(k.name, "reads"),
			per(k.name, "disk_pages"), per(k.name, "ns")/1e6,
			after("p50_ns"), after("p99_ns"), ms("delete_ns"), ms("rebuild_ns"), ms("riding_ns"))
	}
	return t
}
