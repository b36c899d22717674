package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Text is the result for people: what was read, a table, and notes. The width is that of the terminal, 0 if it is none.
func (r *Result) Text(width int) string {
	queries := fmt.Sprintf("%d random strings, none of them a key", r.Probes)
	if q := r.Options.Queries; q != nil {
		queries = fmt.Sprintf("%v\n         %d are keys (true positives), %d are absent and measure the rate", q, r.TruePositives, r.Probes)
	}
	return fmt.Sprintf("keys:    %v\nqueries: %s\nhash:    %s, %.1f ns a key, part of every time but the map's\n\n%s\n%s",
		r.Options.Keys, queries, r.Options.Hash.Recipe(), r.Hash.Interval().Median, r.table().Text(width), tabular.Notes(width, r.notes()...))
}

// table is what people read: one row per filter and rate.
func (r *Result) table() *tabular.Table {
	t := &tabular.Table{
		Header: []string{"asked", "filter", "parameters", "bits/item", "measured rate", "95% interval", "predicted", "over bound", "build ns", "hit ns", "miss ns"},
		Left:   3,
		Minor:  []string{"95% interval", "predicted", "over bound", "parameters", "build ns"},
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		cells := []string{"exact", row.Filter, "", fmt.Sprintf("%.2f", row.BitsPerItem), "0%", "", "", ""}
		if !row.Exact() {
			lo, hi := row.Measured.Interval()
			over, measured := row.OverBound()
			excess := fmt.Sprintf("%+.2f", over)
			if !measured {
				excess += "*"
			}
			cells = []string{
				percent(row.Asked), row.Filter, row.parameters(), fmt.Sprintf("%.2f", row.BitsPerItem),
				stat.RateText(row.Measured.Value()), percent(lo) + " to " + percent(hi), percent(row.Predicted), excess,
			}
		}
		for _, timing := range []measure.Rounds{row.Build, row.Hit, row.Miss} {
			cells = append(cells, fmt.Sprintf("%.1f", timing.Interval().Median))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// parameters leaves out what the filter's name says already.
func (r *Row) parameters() string {
	if r.Plan.Width > 0 {
		return fmt.Sprintf("f=%d", r.Plan.Width)
	}
	return r.Plan.Parameters()
}

func percent(p float64) string { return stat.Percent(p, 3) }

// notes explain the columns and what was unusual.
func (r *Result) notes() []string {
	notes := []string{
		"rate: share of absent keys reported as present. over bound: bits per item above log2(1/rate), at the measured rate.",
		"predicted: from what the filter holds, so it scatters a little about the rate that the filter was sized for.",
		fmt.Sprintf("times: ns per key, from strings, in batches of %d; medians of %d interleaved rounds.", batch, r.Options.Rounds),
	}
	for _, row := range r.Rows {
		if row.Measured.Events < minEvents && !row.Exact() {
			notes = append(notes, fmt.Sprintf("*: at the predicted rate, because fewer than %d false positives were seen.", minEvents))
			break
		}
	}
	return append(notes, r.Notes...)
}

// Report is the result as a report of two sections: space and rate, whose files depend on the keys, the
// queries, the hash and the seed alone, and speed.
func (r *Result) Report() *report.Report {
	keys, space := r.Options.Keys, r.spaceTable()
	return &report.Report{
		Kind:    "compare",
		Title:   fmt.Sprintf("Filters for %d keys", len(keys.Keys)),
		Summary: r.summary(),
		Seed:    r.Options.Seed,
		Sections: []report.Section{
			{
				ID: "compare", Title: "Space and false-positive rate",
				Claim:      "What each filter takes for these keys, and how often it reports an absent one.",
				Figure:     r.Figure(),
				Caption:    r.caption(),
				Conditions: r.conditions(),
				Method: "Every filter is sized for the distinct keys at the largest reachable rate that is not above the one asked for, and filled. " +
					"Each key is looked up again: a filter that denies one ends the comparison. Each probe is a string that is not a key, by an exact set.",
				Table: space,
				Summary: space.Only("filter", "asked_rate", "bits_per_item", "measured_rate", "rate_low", "rate_high", "predicted_rate",
					"bits_over_bound_predicted"),
				Limits: []string{"Other keys and other seeds of the hash give other counts, within the intervals.", "The Go map is measured by the growth of the heap, and the text of the keys is counted, which it keeps alive."},
			},
			{
				ID: "speed", Title: "Speed",
				Claim:      fmt.Sprintf("Hashing a key takes %.1f ns, which is part of every time but the Go map's.", r.Hash.Interval().Median),
				Conditions: r.conditions(),
				Method: fmt.Sprintf("All candidates in turn, %d rounds, from strings in random order, in batches of %d. Median and 95%% interval of the rounds, by order statistics.",
					r.Options.Rounds, batch),
				Table:  r.speedTable(),
				Limits: []string{"Times are this machine's and of tables of this size: those that fit a cache are faster than larger ones."},
			},
		},
		Bench: r.bench(),
	}
}

func (r *Result) conditions() string {
	queries := "random strings"
	if r.Options.Queries != nil {
		queries = r.Options.Queries.String()
	}
	return fmt.Sprintf("Keys: %v. Queries: %s; %d probes, %d true positives. Hash %s.",
		r.Options.Keys, queries, r.Probes, r.TruePositives, r.Options.Hash.Recipe())
}

// summary names the smallest filter at each rate.
func (r *Result) summary() string {
	var parts []string
	for _, fpr := range r.Options.FPRs {
		if row := r.smallest(fpr); row != nil {
			parts = append(parts, fmt.Sprintf("at %s %s is smallest, with %.2f bits per item and a measured rate of %s",
				percent(fpr), row.Filter, row.BitsPerItem, stat.RateText(row.Measured.Value())))
		}
	}
	text := strings.Join(parts, "; ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:] + ". "
	}
	return text + fmt.Sprintf("A Go map takes %.0f bits per item. No filter lost a key.", r.Rows[len(r.Rows)-1].BitsPerItem)
}

// spaceTable is compare.csv: counts, and what follows from them.
func (r *Result) spaceTable() report.Table {
	t := report.Table{Columns: []string{"filter", "asked_rate", "f", "b", "placement", "load", "hashes", "items", "size_bytes", "bits_per_item", "probes",
		"false_positives", "measured_rate", "rate_low", "rate_high", "predicted_rate", "bits_over_bound_measured", "bits_over_bound_predicted"}}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Exact() {
			continue
		}
		placement, load := "", math.NaN()
		if row.Plan.Width > 0 {
			if row.Plan.Spec.Kind == nest.Cuckoo {
				placement = row.Plan.Placement.String()
			}
			load = float64(len(r.Options.Keys.Keys)) / float64(row.Plan.Buckets*row.Plan.BucketSize)
		}
		lo, hi := row.Measured.Interval()
		over, measured := row.OverBound()
		if !measured {
			over = math.NaN() // too few events
		}
		t.Add(row.Filter, row.Asked, blank(int(row.Plan.Width)), blank(row.Plan.BucketSize), placement, load, blank(row.Plan.Hashes),
			len(r.Options.Keys.Keys), row.Bytes, row.BitsPerItem, row.Measured.N,
			row.Measured.Events, row.Measured.Value(), lo, hi, row.Predicted, over, row.BitsPerItem+math.Log2(row.Predicted))
	}
	return t
}

// speedTable is speed.csv: what the machine decides.
func (r *Result) speedTable() report.Table {
	t := report.Table{Columns: []string{"filter", "asked_rate", "size_bytes", "bits_per_item", "build_ns", "build_low", "build_high",
		"hit_ns", "hit_low", "hit_high", "miss_ns", "miss_low", "miss_high", "hash_ns"}}
	t.Timed = t.Columns[2:] // the size of the Go map is measured too
	for i := range r.Rows {
		row := &r.Rows[i]
		values := []any{row.Filter, row.Asked, row.Bytes, row.BitsPerItem}
		for _, timing := range []measure.Rounds{row.Build, row.Hit, row.Miss} {
			q := timing.Interval()
			values = append(values, q.Median, q.Lo, q.Hi)
		}
		t.Add(append(values, r.Hash.Interval().Median)...)
	}
	return t
}

func (r *Result) bench() (out []report.Bench) {
	keys := len(r.Options.Keys.Keys)
	for i := range r.Rows {
		row := &r.Rows[i]
		name := strings.NewReplacer(" b=", "/b=", " xor", "/placement=xor", " ", "-").Replace(row.Filter)
		if !row.Exact() {
			name += fmt.Sprintf("/fpr=%v", row.Asked)
		}
		add := func(verb, suffix string, n int, ns measure.Rounds) {
			out = append(out, ns.Bench(fmt.Sprintf("Benchmark%s/filter=%s/n=%d%s", verb, name, keys, suffix), n, row.BitsPerItem)...)
		}
		add("Insert", "", keys, row.Build)
		add("Contains", "/hit=1", min(keys, measure.TimedLookups), row.Hit)
		add("Contains", "/hit=0", min(r.Probes, measure.TimedLookups), row.Miss)
	}
	return out
}

// blank is n, or an empty cell for a parameter that the filter does not have.
func blank(n int) any {
	if n == 0 {
		return ""
	}
	return n
}
