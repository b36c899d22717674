package speed

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Kind is the kind of the reports of this package, in their manifests.
const Kind = "bench"

// table returns the measurements that keep says, tidy.
func (r *Result) table(keep func(*Series) bool) report.Table {
	t := report.Table{
		Columns: []string{"filter", "n", "table_bytes", "bits_per_item", "verb", "from_load", "load", "hit", "batch", "keys", "rounds",
			"ns", "ns_low", "ns_high", "ratio", "ratio_low", "ratio_high", "over_gather"},
		Timed: []string{"ns", "ns_low", "ns_high", "ratio", "ratio_low", "ratio_high", "over_gather"},
	}
	for _, s := range r.Series {
		if !keep(s) {
			continue
		}
		ns, ratio, gather := s.Rounds.Interval(), s.over(r.of(r.Options.Base, s)), math.NaN()
		hit, batch, bits := math.NaN(), any(""), cmp.Or(s.BitsPerItem(), math.NaN())
		if s.Verb == Contains {
			hit, batch, gather = s.Hit, max(1, s.Batch), s.over(r.limitAt(s.N)).Median
		}
		t.Add(s.Filter, s.N, s.SizeBytes, bits, s.Verb, s.From, s.Load, hit, batch, s.Keys, len(s.Rounds),
			ns.Median, ns.Lo, ns.Hi, ratio.Median, ratio.Lo, ratio.Hi, gather)
	}
	return t
}

// The selections of the sections.
func ofSize(s *Series) bool { return s.Verb == Contains && s.Load == catalogue.FullLoad }
func ofFill(s *Series) bool { return s.Verb == Insert && (s.From > 0 || s.Load < catalogue.FullLoad) }
func ofVerb(s *Series) bool { return s.Verb != Contains && s.From == 0 && s.Load == catalogue.FullLoad }
func (r *Result) ofLoad(s *Series) bool {
	return s.Verb == Contains && s.N == r.Options.sweepSize() && (s.Of.Slots || s.Of == &limit)
}

// overview is what people read: a row for each filter and size.
func (r *Result) overview() *tabular.Table {
	t := &tabular.Table{
		Header: []string{"n", "filter", "KiB", "miss", "hit", "batch miss", "batch hit", "x base", "x gather", "insert", "last 5%", "delete", "build"},
		Left:   2,
		Minor:  []string{"last 5%", "x gather", "KiB", "build", "delete", "x base", "batch hit"},
	}
	for _, n := range r.Options.Sizes {
		for _, f := range r.Options.Filters {
			at := func(p Point) *Series {
				p.Filter, p.N, p.Load = f.Name, n, catalogue.FullLoad
				return r.at[p]
			}
			single, batch := at(Point{Verb: Contains}), at(Point{Verb: Contains, Batch: DefaultBatch})
			if single == nil {
				continue // left out there
			}
			ratio := func(base *Series) string {
				if base == nil {
					return ""
				}
				return stat.Digits(batch.over(base).Median, 3)
			}
			last := ""
			if f.Slots {
				last = nanos(at(Point{Verb: Insert, From: Loads()[len(Loads())-2]}))
			}
			t.Rows = append(t.Rows, []string{
				fmt.Sprint(n), f.Label, kibibytes(single.SizeBytes), nanos(single), nanos(at(Point{Verb: Contains, Hit: 1})),
				nanos(batch), nanos(at(Point{Verb: Contains, Hit: 1, Batch: DefaultBatch})), ratio(r.of(r.Options.Base, batch)), ratio(r.limitAt(n)),
				nanos(at(Point{Verb: Insert})), last, nanos(at(Point{Verb: Delete})), nanos(at(Point{Verb: Build})),
			})
		}
		if g := r.limitAt(n); g != nil {
			row := make([]string, len(t.Header))
			row[0], row[1], row[2], row[5] = fmt.Sprint(n), limit.Label, kibibytes(g.SizeBytes), nanos(g)
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// nanos writes the median of a series, nothing for nil.
func nanos(s *Series) string {
	if s == nil {
		return ""
	}
	return stat.Digits(s.Rounds.Interval().Median, 3)
}

func kibibytes(n int) string { return stat.Digits(float64(n)/1024, 3) }

// legend explains the columns of the overview.
func (r *Result) legend() []string {
	return []string{
		fmt.Sprintf("ns per key at load %v, integer keys, hash included; medians of %d interleaved rounds.", catalogue.FullLoad, r.Options.Rounds),
		fmt.Sprintf("batch: %d lookups at a time. x base, x gather: batch miss as a multiple of that of %s and of the gather limit, "+
			"which is two reads of 8 bytes a key at random places of an array of equal size, digests ready.", DefaultBatch, r.Options.Base),
		"last 5%: inserts from load 0.9 to 0.95. build: bulk construction of ready digests, on all cores.",
	}
}

// Text returns the result for people: a table and what its columns mean. The width is that of the terminal, 0 if it is none.
func (r *Result) Text(width int) string {
	return r.overview().Text(width) + "\n" + tabular.Notes(width, append(r.legend(), r.Notes...)...)
}

// Bench returns every round in Go's benchmark format.
func (r *Result) Bench() (out []report.Bench) {
	for _, s := range r.Series {
		out = append(out, s.Rounds.Bench(s.Name(), s.Keys, s.BitsPerItem())...)
	}
	return out
}

// Report is the result as a report of four sections: lookups against size, lookups against load, fills,
// and the other verbs.
func (r *Result) Report() *report.Report {
	o := r.Options
	conditions := fmt.Sprintf("Integer keys through Mix64, hash included; %d rounds, all filters in turn; median and its 95%% interval by order statistics.", o.Rounds)
	overview := r.overview()
	sections := []report.Section{
		{
			ID: "size", Title: "Lookups against the size of the table",
			Claim:  "What a lookup costs while the table fits a cache, and when it does not.",
			Figure: r.sizeFigure(),
			Method: fmt.Sprintf("Tables filled to load %v are asked for keys in random order. The gather limit reads two words of 8 bytes a key at random places of an array as large as the table, digests ready.", catalogue.FullLoad),
			Table:  r.table(ofSize), Summary: report.Table{Columns: overview.Header, Rows: overview.Rows},
			Limits: []string{"Times are this machine's. On a machine that others use too, tables beyond the caches vary by a quarter from hour to hour."},
		},
		{
			ID: "load", Title: "Lookups against the load",
			Claim:  "A lookup looks into both buckets whatever the load is.",
			Figure: r.loadFigure(),
			Method: "A table is filled on and asked at each load.", Table: r.table(r.ofLoad),
		},
		{
			ID: "fill", Title: "The cost of a fill by its stretches",
			Claim:  "Inserts cost more the fuller the table is, because full buckets send their fingerprints elsewhere.",
			Figure: r.fillFigure(),
			Method: fmt.Sprintf("Keys are inserted one by one; each tenth of the table is timed by itself, and the stretch from load 0.9 to %v.", catalogue.FullLoad),
			Table:  r.table(ofFill),
		},
		{
			ID: "verbs", Title: "Inserts, deletes and bulk construction",
			Claim:  "The mean over a whole fill, and what takes keys out or in together.",
			Method: "Insert and Delete go one by one through all keys in the same order; Build makes a filter of ready digests on all cores, its allocation included.",
			Table:  r.table(ofVerb),
		},
	}
	for i := range sections {
		sections[i].Conditions = conditions
		if f := sections[i].Figure; f != nil {
			sections[i].Caption = f.Caption
		}
	}
	kept := slices.DeleteFunc(sections, func(s report.Section) bool { return len(s.Table.Rows) == 0 })
	return &report.Report{
		Kind: Kind, Title: "The speed of filters", Summary: r.summary(), Seed: o.Seed, Sections: kept, Bench: r.Bench(),
	}
}

// summary says how far the base is from the gather limit at the largest size.
func (r *Result) summary() string {
	for i := len(r.Options.Sizes) - 1; i >= 0; i-- {
		p := Point{Filter: r.Options.Base, N: r.Options.Sizes[i], Verb: Contains, Load: catalogue.FullLoad}
		single := r.at[p]
		p.Batch = DefaultBatch
		if batch := r.at[p]; single != nil && batch != nil {
			return fmt.Sprintf("A lookup in %s of %d slots, a table of %s KiB, takes %s ns one by one and %s ns in batches of %d, %s times the gather limit.",
				single.Of.Label, p.N, kibibytes(single.SizeBytes), nanos(single), nanos(batch), DefaultBatch, stat.Digits(batch.over(r.limitAt(p.N)).Median, 3))
		}
	}
	return "The base comes in none of the sizes."
}
