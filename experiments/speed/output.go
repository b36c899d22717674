package speed

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Kind is the kind of the reports of this package, in their manifests.
const Kind = "bench"

// base returns the series of the base at the point of s.
func (r *Result) base(s *Series) *Series {
	p := s.Point
	p.Filter = r.Options.Base
	return r.at[p]
}

// limit returns the gather limit at the size of s, if s is of lookups.
func (r *Result) limit(s *Series) *Series {
	if s.Verb != Contains {
		return nil
	}
	return r.at[gatherPoint(s.N)]
}

// over is the time as a multiple of that of base, NaN where there is nothing to compare with.
func (s *Series) over(base *Series) measure.Interval {
	if s == nil || base == nil {
		return measure.Rounds(nil).Interval()
	}
	return s.Rounds.Over(base.Rounds)
}

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
		ns, ratio := s.Rounds.Interval(), s.over(r.base(s))
		hit, batch, bits := math.NaN(), any(""), math.NaN()
		if s.Verb == Contains {
			hit, batch = s.Hit, max(1, s.Batch)
		}
		if s.BitsPerItem > 0 {
			bits = s.BitsPerItem
		}
		t.Add(s.Filter, s.N, s.SizeBytes, bits, s.Verb, s.From, s.Load, hit, batch, s.Keys, len(s.Rounds),
			ns.Median, ns.Lo, ns.Hi, ratio.Median, ratio.Lo, ratio.Hi, s.over(r.limit(s)).Median)
	}
	return t
}

// The selections of the sections.
func ofSize(s *Series) bool { return s.Verb == Contains && s.Load == FullLoad }
func ofFill(s *Series) bool { return s.Verb == Insert && (s.From > 0 || s.Load < FullLoad) }
func ofVerb(s *Series) bool { return s.Verb != Contains && s.From == 0 && s.Load == FullLoad }
func (r *Result) ofLoad(s *Series) bool {
	return s.Verb == Contains && s.N == r.Options.sweepSize() && (s.Slots || s.Filter == GatherName)
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
			if row := r.overviewRow(n, f); row != nil {
				t.Rows = append(t.Rows, row)
			}
		}
		if g := r.at[gatherPoint(n)]; g != nil {
			row := make([]string, len(t.Header))
			row[0], row[1], row[2], row[5] = fmt.Sprint(n), g.Label, kibibytes(g.SizeBytes), nanos(g)
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// overviewRow is the row of one filter at one size, nil if it is left out there.
func (r *Result) overviewRow(n int, f Subject) []string {
	at := func(p Point) *Series {
		p.Filter, p.N, p.Load = f.Name, n, FullLoad
		return r.at[p]
	}
	single := at(Point{Verb: Contains})
	if single == nil {
		return nil
	}
	batch := at(Point{Verb: Contains, Batch: DefaultBatch})
	ratio := func(q measure.Interval) string { return stat.Digits(q.Median, 3) }
	row := []string{
		fmt.Sprint(n), f.Label, kibibytes(single.SizeBytes),
		nanos(single), nanos(at(Point{Verb: Contains, Hit: 1})),
		nanos(batch), nanos(at(Point{Verb: Contains, Hit: 1, Batch: DefaultBatch})),
		"", ratio(batch.over(r.limit(batch))), nanos(at(Point{Verb: Insert})), "",
		nanos(at(Point{Verb: Delete})), nanos(at(Point{Verb: Build})),
	}
	if base := r.base(batch); base != nil {
		row[7] = ratio(batch.over(base))
	}
	if loads := Loads(); f.Slots {
		row[10] = nanos(at(Point{Verb: Insert, From: loads[len(loads)-2]}))
	}
	return row
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
		fmt.Sprintf("ns per key at load %v, integer keys, hash included; medians of %d interleaved rounds.", FullLoad, r.Options.Rounds),
		fmt.Sprintf("batch: %d lookups at a time. x base, x gather: batch miss as a multiple of that of %s and of the gather limit, "+
			"which is two reads of 8 bytes a key at random places of an array of equal size, digests ready.", DefaultBatch, r.Options.Base),
		"last 5%: inserts from load 0.9 to 0.95. build: bulk construction of ready digests, on all cores.",
	}
}

// Text returns the result for people: a table and what its columns mean. The width is that of the terminal, 0 if it is none.
func (r *Result) Text(width int) (string, error) {
	var b strings.Builder
	if err := r.overview().Write(&b, width); err != nil {
		return "", err
	}
	b.WriteString("\n")
	for _, note := range append(r.legend(), r.Notes...) {
		b.WriteString(tabular.Wrap("", note, min(width, tabular.TextWidth)))
	}
	return b.String(), nil
}

// Bench returns every round in Go's benchmark format.
func (r *Result) Bench() []report.Bench {
	var out []report.Bench
	for _, s := range r.Series {
		for _, ns := range s.Rounds {
			line := report.Bench{Name: s.Name(), N: s.Keys, Metrics: []report.Metric{{Value: ns, Unit: "ns/op"}}}
			if s.BitsPerItem > 0 {
				line.Metrics = append(line.Metrics, report.Metric{Value: s.BitsPerItem, Unit: "bits/item"})
			}
			out = append(out, line)
		}
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
			Figure: r.sizeFigure(), Caption: r.sizeFigure().Caption, Conditions: conditions,
			Method: fmt.Sprintf("Tables filled to load %v are asked for keys in random order. The gather limit reads two words of 8 bytes a key at random places of an array as large as the table, digests ready.", FullLoad),
			Table:  r.table(ofSize), Summary: report.Table{Columns: overview.Header, Rows: overview.Rows},
			Limits: []string{
				"Times are this machine's. On a machine that others use too, tables beyond the caches vary by a quarter from hour to hour.",
				"Calls of the Bloom filters go through an interface, which costs them some tenths of a nanosecond one by one.",
			},
		},
		{
			ID: "load", Title: "Lookups against the load",
			Claim:  "A lookup looks into both buckets whatever the load is.",
			Figure: r.loadFigure(), Caption: r.loadFigure().Caption, Conditions: conditions,
			Method: "A table is filled on and asked at each load.", Table: r.table(r.ofLoad),
		},
		{
			ID: "fill", Title: "The cost of a fill by its stretches",
			Claim:  "Inserts cost more the fuller the table is, because full buckets send their fingerprints elsewhere.",
			Figure: r.fillFigure(), Caption: r.fillFigure().Caption, Conditions: conditions,
			Method: fmt.Sprintf("Keys are inserted one by one; each tenth of the table is timed by itself, and the stretch from load 0.9 to %v.", FullLoad),
			Table:  r.table(ofFill),
		},
		{
			ID: "verbs", Title: "Inserts, deletes and bulk construction",
			Claim: "The mean over a whole fill, and what takes keys out or in together.", Conditions: conditions,
			Method: "Insert and Delete go one by one through all keys in the same order; Build makes a filter of ready digests on all cores, its allocation included.",
			Table:  r.table(ofVerb),
		},
	}
	kept := slices.DeleteFunc(sections, func(s report.Section) bool { return len(s.Table.Rows) == 0 })
	return &report.Report{
		Kind: Kind, Title: "The speed of filters", Summary: r.summary(), Seed: o.Seed, Sections: kept, Bench: r.Bench(),
	}
}

// summary says how far the base is from the gather limit at the largest size.
func (r *Result) summary() string {
	for i := len(r.Options.Sizes) - 1; i >= 0; i-- {
		p := Point{Filter: r.Options.Base, N: r.Options.Sizes[i], Verb: Contains, Load: FullLoad}
		single := r.at[p]
		p.Batch = DefaultBatch
		if batch := r.at[p]; single != nil && batch != nil {
			return fmt.Sprintf("A lookup in %s of %d slots, a table of %s KiB, takes %s ns one by one and %s ns in batches of %d, %s times the gather limit.",
				single.Label, p.N, kibibytes(single.SizeBytes), nanos(single), nanos(batch), DefaultBatch, stat.Digits(batch.over(r.limit(batch)).Median, 3))
		}
	}
	return "The base comes in none of the sizes."
}
