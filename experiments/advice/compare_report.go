package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// compareSteps are what is timed of a row, with the benchmark of each.
var compareSteps = []struct{ name, step, bench, hit string }{
	{"build", measure.StepBuild, "BenchmarkInsert", ""},
	{"hit", measure.StepPresentBatch, "BenchmarkContains", "/hit=1"},
	{"miss", measure.StepAbsentBatch, "BenchmarkContains", "/hit=0"},
}

// Text is the comparison for people: what was read, a table, and notes. The width is that of the terminal, or 0.
func (r *Comparison) Text(width int) string {
	queries := fmt.Sprintf("%d random strings, none of them a key", r.Probes)
	if q := r.Options.Queries; q != nil {
		queries = fmt.Sprintf("%v\n         %d are keys (true positives), %d are absent and measure the rate",
			q, r.TruePositives, r.Probes)
	}
	t := r.shown("asked", "filter", "parameters", "deletes", "bits_per_item", "rate", "rate_low", "rate_high",
		"over_bound", "build_ns", "hit_ns", "miss_ns")
	t.Left, t.Minor = 4, []string{"rate_low", "rate_high", "over_bound", "parameters", "build_ns"}
	return fmt.Sprintf("keys:    %v\nqueries: %s\nhash:    %s, %.1f ns for a key by itself\n\n%s\n%s",
		r.Options.Keys, queries, r.Options.Hash.Recipe(), r.Hash.Interval().Median, t.Text(width),
		report.Notes(width, append([]string{
			"rate: share of absent keys reported as present, with its 95% interval. over bound: bits per item above " +
				fmt.Sprintf("log2(1/rate), at the predicted rate where fewer than %d false positives were seen.", fewEvents),
			fmt.Sprintf("times: ns per key, hashing included, in batches of %d; medians of %d interleaved rounds.",
				measure.ContestBatch, r.Options.Rounds),
		}, r.Notes...)...))
}

// Report is the comparison as a report of a section for each rate. Its file follows from the keys, queries, hash and
// seed, but for its timed columns. Its summary names the smallest filter of each rate, and of those that delete.
func (r *Comparison) Report() *report.Report {
	o, table, queries := r.Options, r.rows(), "random strings"
	if o.Queries != nil {
		queries = o.Queries.String()
	}
	out := &report.Report{
		Kind: "compare", Title: fmt.Sprintf("Filters for %d keys", len(o.Keys.Keys)), Seed: o.Seed, Bench: r.bench(),
		Sections: []report.Section{{
			ID: "compare", Title: "Space, false-positive rate and speed", Table: table,
			Figure: r.Figure("compare", "rate", "Measured false-positive rate"),
			Conditions: fmt.Sprintf("Keys: %v. Queries: %s; %d probes, %d true positives. Hash %s.",
				o.Keys, queries, r.Probes, r.TruePositives, o.Hash.Recipe()),
			Claim: "What each filter takes for these keys, how often it reports an absent one, and what it costs.",
			Method: fmt.Sprintf("Every filter is sized for the distinct keys at the largest reachable rate that is not above "+
				"the one asked for, and timed from strings, in batches of %d, all filters in turn in %d rounds: the median and "+
				"its 95%% interval. Times include hashing; to hash one of the keys by itself takes %.1f ns, and queries can "+
				"be shorter. Each key is looked up again: a filter that denies one ends the comparison. Each probe is a "+
				"string that is not a key, by an exact set.",
				measure.ContestBatch, o.Rounds, r.Hash.Interval().Median),
			Limits: []string{"The picture leaves out counting Bloom filters, which are four times as large as Bloom filters.",
				"Other keys and other seeds of the hash give other counts, within the intervals.",
				"The Go map is measured by the growth of the heap, and the text of the keys is counted, which it keeps alive.",
				"The predicted rate is held to --fpr; a measured one can be above it by chance, as its interval shows.",
				"Times are this machine's and of tables of this size: those that fit a cache are faster than larger ones."},
		}},
	}
	if l := &out.Sections[0].Limits; r.busy() {
		*l = append(*l, "Do not rank filters whose intervals overlap: the machine was busy; repeat it on an idle one.")
	}
	why := r.addRates(out)
	out.Sections = append(out.Sections, report.Section{ID: "compare-speed", Title: "Time of a lookup",
		Figure: r.Figure("compare-speed", "miss_ns", "Lookup time of absent keys (ns, in batches)")})
	out.Summary += why + fmt.Sprintf("A Go map takes %.0f bits per item.", r.goMapRow().Plan.BitsPerItem)
	return out
}

// addRates adds the table of each rate and what is smallest and what nest size takes. It returns why they differ.
func (r *Comparison) addRates(out *report.Report) (why string) {
	for i, fpr := range r.Options.FPRs {
		best, deletes := r.smallest(fpr, false), r.smallest(fpr, true)
		if best != nil {
			out.Summary += fmt.Sprintf("At %s %s is smallest, with %.2f bits per item and a measured rate of %s. ",
				claims.Percent(fpr, 3), best.Filter, best.Plan.BitsPerItem, claims.RateText(best.Measured.Value()))
		}
		if deletes != nil && deletes != best {
			out.Summary += fmt.Sprintf("Of those that delete it is %s, with %.2f. ", deletes.Filter, deletes.Plan.BitsPerItem)
		}
		sized, err := For(Spec{Keys: len(r.Options.Keys.Keys), FPR: fpr})
		if best != nil && err == nil && sized.Plans[0].Filter != best.Plan.Filter {
			out.Summary += fmt.Sprintf("nest size takes %v, with %.2f. ", sized.Plans[0], sized.Plans[0].BitsPerItem)
			why = "Unless asked, nest size leaves out binary fuse filters (they take no key later), paired slots and " +
				fmt.Sprintf("semi-sorted buckets (both are slower); for fewer cache lines it takes up to %v%% more. ", 100*Slack)
		}
		if i > 0 {
			out.Sections = append(out.Sections, report.Section{ID: fmt.Sprintf("compare-%d", i+1),
				Title: "Filters for a rate of " + claims.Percent(fpr, 3)})
		}
		columns := []string{"asked", "filter", "deletes", "size_bytes", "bits_per_item", "rate", "rate_low", "rate_high",
			"predicted_rate", "build_ns", "hit_ns", "miss_ns"}
		t := r.shown(append(columns, "build_low", "build_high", "hit_low", "hit_high", "miss_low", "miss_high")...)
		for i := range 3 * len(t.Rows) {
			row, step := t.Rows[i/3], i%3
			row[9+step] += fmt.Sprintf(" (%s to %s)", row[12+2*step], row[13+2*step])
		}
		t = t.Only(columns...)
		t.Rows = slices.DeleteFunc(t.Rows, func(row []string) bool { return row[0] != report.Format(fpr) && row[1] != GoMap })
		out.Sections[i].Summary = t
	}
	return why
}

// busy tells whether an interval of times is wider than half of its median.
func (r *Comparison) busy() (wide bool) {
	for _, row := range r.Rows {
		for _, s := range compareSteps {
			q := row.timed.Times[s.step].Interval()
			wide = wide || q.Hi-q.Lo > q.Median/2
		}
	}
	return wide
}

// shown are columns of rows, numbers to three digits, with the size of the Go map.
func (r *Comparison) shown(columns ...string) report.Table {
	rows, size := r.rows(), r.goMapRow().Plan
	last := rows.Rows[len(rows.Rows)-1]
	last[slices.Index(rows.Columns, "size_bytes")] = report.Format(size.Bytes)
	last[slices.Index(rows.Columns, "bits_per_item")] = report.Format(size.BitsPerItem)
	t := rows.Only(columns...)
	for _, row := range t.Rows {
		for i, c := range t.Columns {
			if v, ok := report.Number(row[i]); ok && c != "asked" && c != "size_bytes" {
				row[i] = claims.Digits(v, 3)
			}
		}
	}
	return t
}

// goMapRow is the last row.
func (r *Comparison) goMapRow() *Compared { return r.Rows[len(r.Rows)-1] }

// rows is compare.csv: counts, what follows from them, and what the machine decides.
func (r *Comparison) rows() report.Table {
	t := report.Table{Columns: strings.Fields("filter asked parameters deletes items size_bytes bits_per_item probes " +
		"false_positives rate rate_low rate_high predicted_rate over_bound build_ns build_low build_high hit_ns hit_low " +
		"hit_high miss_ns miss_low miss_high")}
	timed := slices.Index(t.Columns, "build_ns")
	t.Timed = t.Columns[timed:]
	for _, row := range r.Rows {
		// Of the Go map the machine decides the size too.
		p, n := row.Plan, len(r.Options.Keys.Keys)
		values := []any{row.Filter, "exact", "", "yes", n, "", "", row.Measured.N, 0, 0, "", "", "", ""}
		if !row.Exact() {
			lo, hi := row.Measured.Interval()
			values = []any{row.Filter, row.Asked, p.Parameters(), p.deletes(), n, p.Bytes, p.BitsPerItem, row.Measured.N,
				row.Measured.Events, row.Measured.Value(), lo, hi, p.FPR, row.overBound()}
		}
		for _, s := range compareSteps {
			q := row.timed.Times[s.step].Interval()
			values = append(values, q.Median, q.Lo, q.Hi)
		}
		t.Add(values...)
	}
	return t
}

func (r *Comparison) bench() (out []report.Bench) {
	n := len(r.Options.Keys.Keys)
	for _, row := range r.Rows {
		name := strings.NewReplacer(" b=", "/b=", " xor", "/placement=xor", " ", "-").Replace(row.Filter)
		if !row.Exact() {
			name += fmt.Sprintf("/fpr=%v", row.Asked)
		}
		for i, lookups := range []int{n, min(n, measure.TimedLookups), min(r.Probes, measure.TimedLookups)} {
			s := compareSteps[i]
			out = append(out, row.timed.Times[s.step].Bench(fmt.Sprintf("%s/filter=%s/n=%d%s", s.bench, name, n, s.hit), lookups,
				row.Plan.BitsPerItem)...)
		}
	}
	return out
}

// Figure draws a column, rate or miss_ns, of every filter against its bits per item, with 95% intervals, or nothing
// where there are more filters than styles. Counting Bloom filters and the Go map are in the caption.
func (r *Comparison) Figure(name, y, what string) *chart.Figure {
	t, log := r.rows(), y == "rate"
	t.Rows = slices.DeleteFunc(t.Rows[:len(t.Rows)-1], func(row []string) bool { return row[0] == "counting bloom" })
	f, notes, err := t.Figure(report.PlotOptions{X: "bits_per_item", Y: y, Series: []string{"filter"}, LogY: &log,
		Title: fmt.Sprintf("%s against space, %d keys", what, len(r.Options.Keys.Keys))})
	if err != nil {
		return nil
	}
	if f.Name, f.Panels[0].Listed = name, true; log {
		f.Panels[0].Y.Format = chart.Percent
	}
	slices.SortFunc(f.Panels[0].Series, func(a, b chart.Series) int { return strings.Compare(a.Label, b.Label) })
	f.Caption = fmt.Sprintf("%s with its 95%% interval against bits per item, %d probes. Lines only join points. "+
		"Counting Bloom filters, four times as large as Bloom filters, are left out. "+
		"A Go map takes %s bits per item and makes no error. %s", what, r.Probes,
		claims.Digits(r.goMapRow().Plan.BitsPerItem, 3), strings.Join(notes, ". "))
	return f
}
