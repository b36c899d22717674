package advice

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// Text is the comparison for people: what was read, a table, and notes. The width is that of the terminal, 0 if it is
// none.
func (r *Comparison) Text(width int) string {
	queries := fmt.Sprintf("%d random strings, none of them a key", r.Probes)
	if q := r.Options.Queries; q != nil {
		queries = fmt.Sprintf("%v\n         %d are keys (true positives), %d are absent and measure the rate",
			q, r.TruePositives, r.Probes)
	}
	notes := []string{
		"rate: share of absent keys reported as present. over bound: bits per item above log2(1/rate), at the measured rate.",
		"predicted: from what the filter holds, so it scatters a little about the rate that the filter was sized for.",
		fmt.Sprintf("times: ns per key, from strings, in batches of %d; medians of %d interleaved rounds.",
			measure.ContestBatch, r.Options.Rounds),
	}
	for _, row := range r.Rows {
		if _, measured := row.OverBound(); !measured && !row.Exact() {
			notes = append(notes, fmt.Sprintf("*: at the predicted rate, because fewer than %d false positives were seen.",
				fewEvents))
			break
		}
	}
	return fmt.Sprintf("keys:    %v\nqueries: %s\nhash:    %s, %.1f ns a key, part of every time but the map's\n\n%s\n%s",
		r.Options.Keys, queries, r.Options.Hash.Recipe(), r.Hash.Interval().Median, r.table().Text(width),
		report.Notes(width, append(notes, r.Notes...)...))
}

// table is what people read: one row per filter and rate.
func (r *Comparison) table() *report.Table {
	t := &report.Table{
		Columns: strings.Split("asked,filter,parameters,bits/item,measured rate,95% interval,predicted,over bound,build ns,"+
			"hit ns,miss ns", ","),
		Left:  3,
		Minor: []string{"95% interval", "predicted", "over bound", "parameters", "build ns"},
	}
	for _, row := range r.Rows {
		cells := []string{"exact", row.Filter, "", fmt.Sprintf("%.2f", row.BitsPerItem), "0%", "", "", ""}
		if !row.Exact() {
			lo, hi := row.Measured.Interval()
			over, measured := row.OverBound()
			cells[0], cells[2], cells[4] = percent(row.Asked), row.Plan.Parameters(), claims.RateText(row.Measured.Value())
			if row.Plan.Width > 0 { // the name says the rest
				cells[2] = fmt.Sprintf("f=%d", row.Plan.Width)
			}
			cells[5], cells[6], cells[7] = percent(lo)+" to "+percent(hi), percent(row.Predicted), fmt.Sprintf("%+.2f", over)
			if !measured {
				cells[7] += "*"
			}
		}
		for _, timing := range []measure.Rounds{row.Build, row.Hit, row.Miss} {
			cells = append(cells, fmt.Sprintf("%.1f", timing.Interval().Median))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func percent(p float64) string { return claims.Percent(p, 3) }

// Report is the comparison as a report of one section, whose file follows from the keys, the queries, the hash and the
// seed, but for its timed columns.
func (r *Comparison) Report() *report.Report {
	o, table, queries := r.Options, r.rows(), "random strings"
	if o.Queries != nil {
		queries = o.Queries.String()
	}
	return &report.Report{
		Kind: "compare", Title: fmt.Sprintf("Filters for %d keys", len(o.Keys.Keys)), Summary: r.summary(), Seed: o.Seed,
		Sections: []report.Section{{
			ID: "compare", Title: "Space, false-positive rate and speed",
			Conditions: fmt.Sprintf("Keys: %v. Queries: %s; %d probes, %d true positives. Hash %s.",
				o.Keys, queries, r.Probes, r.TruePositives, o.Hash.Recipe()),
			Claim:  "What each filter takes for these keys, how often it reports an absent one, and what it costs.",
			Figure: r.Figure(), Caption: r.caption(),
			Method: fmt.Sprintf("Every filter is sized for the distinct keys at the largest reachable rate that is not above the "+
				"one asked for, and filled. Each key is looked up again: a filter that denies one ends the comparison. Each probe "+
				"is a string that is not a key, by an exact set. Times are from strings, in batches of %d, all filters in turn in "+
				"%d rounds: the median and its 95%% interval. Hashing a key takes %.1f ns of each but the map's.",
				measure.ContestBatch, o.Rounds, r.Hash.Interval().Median),
			Table: table,
			Summary: table.Only("filter", "asked_rate", "bits_per_item", "measured_rate", "rate_low", "rate_high",
				"predicted_rate", "build_ns", "hit_ns", "miss_ns"),
			Limits: []string{"Other keys and other seeds of the hash give other counts, within the intervals.",
				"The Go map is measured by the growth of the heap, and the text of the keys is counted, which it keeps alive.",
				"Times are this machine's and of tables of this size: those that fit a cache are faster than larger ones."},
		}},
		Bench: r.bench(),
	}
}

// summary names the smallest filter at each rate.
func (r *Comparison) summary() string {
	var parts []string
	for _, fpr := range r.Options.FPRs {
		if row := r.smallest(fpr); row != nil {
			parts = append(parts, fmt.Sprintf("at %s %s is smallest, with %.2f bits per item and a measured rate of %s",
				percent(fpr), row.Filter, row.BitsPerItem, claims.RateText(row.Measured.Value())))
		}
	}
	text := strings.Join(parts, "; ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:] + ". "
	}
	exact := r.Rows[len(r.Rows)-1]
	return text + fmt.Sprintf("A Go map takes %.0f bits per item. No filter lost a key.", exact.BitsPerItem)
}

// rows is compare.csv: counts, what follows from them, and what the machine decides.
func (r *Comparison) rows() report.Table {
	t := report.Table{Columns: strings.Fields("filter asked_rate f b placement load hashes items size_bytes " +
		"bits_per_item probes false_positives measured_rate rate_low rate_high predicted_rate bits_over_bound_measured " +
		"bits_over_bound_predicted build_ns build_low build_high hit_ns hit_low hit_high miss_ns miss_low miss_high hash_ns")}
	timed := slices.Index(t.Columns, "build_ns")
	t.Timed = t.Columns[timed:]
	positive := func(n int) any { // or an empty cell for what the filter does not have
		if n == 0 {
			return ""
		}
		return n
	}
	for _, row := range r.Rows {
		values := []any{row.Filter}
		if !row.Exact() { // of the Go map the machine decides the size too, which is in the summary
			p, load := row.Plan, math.NaN()
			if p.Width > 0 {
				load = float64(len(r.Options.Keys.Keys)) / float64(p.Buckets*p.BucketSize)
			}
			lo, hi := row.Measured.Interval()
			over, measured := row.OverBound()
			if !measured {
				over = math.NaN() // too few events
			}
			values = append(values, row.Asked, positive(int(p.Width)), positive(p.BucketSize), p.PlacementName, load,
				positive(p.Hashes), len(r.Options.Keys.Keys), row.Bytes, row.BitsPerItem, row.Measured.N, row.Measured.Events,
				row.Measured.Value(), lo, hi, row.Predicted, over, row.BitsPerItem+math.Log2(row.Predicted))
		}
		for len(values) < timed {
			values = append(values, "")
		}
		for _, timing := range []measure.Rounds{row.Build, row.Hit, row.Miss} {
			q := timing.Interval()
			values = append(values, q.Median, q.Lo, q.Hi)
		}
		t.Add(append(values, r.Hash.Interval().Median)...)
	}
	return t
}

func (r *Comparison) bench() (out []report.Bench) {
	keys := len(r.Options.Keys.Keys)
	for _, row := range r.Rows {
		name := strings.NewReplacer(" b=", "/b=", " xor", "/placement=xor", " ", "-").Replace(row.Filter)
		if !row.Exact() {
			name += fmt.Sprintf("/fpr=%v", row.Asked)
		}
		name = fmt.Sprintf("/filter=%s/n=%d", name, keys)
		hits, misses := min(keys, measure.TimedLookups), min(r.Probes, measure.TimedLookups)
		out = append(out, row.Build.Bench("BenchmarkInsert"+name, keys, row.BitsPerItem)...)
		out = append(out, row.Hit.Bench("BenchmarkContains"+name+"/hit=1", hits, row.BitsPerItem)...)
		out = append(out, row.Miss.Bench("BenchmarkContains"+name+"/hit=0", misses, row.BitsPerItem)...)
	}
	return out
}

// Figure draws the measured rate of every filter against its bits per item, with 95% intervals, the best that a Bloom
// filter can do and the bound of all filters. The Go map, far to the right, is in the caption.
func (r *Comparison) Figure() *chart.Figure {
	p := chart.Panel{
		X: chart.Axis{Label: "space (bits per item, log scale)", Log: true},
		Y: chart.Axis{Label: "false-positive rate", Log: true, Min: 1},
	}
	left, right := math.Inf(1), 0.
	for _, f := range lineup {
		s := chart.Series{Label: f.Name, Style: chart.StyleFor(Name(f.Spec)), Kind: chart.Marks}
		switch { // the cuckoo filters differ in their markers
		case f.Spec.Placement == cuckoo.XOR:
			s.Style.Marker = chart.Pentagon
		case f.Spec.BucketSize == 2:
			s.Style.Marker = chart.Plus
		case f.Spec.BucketSize == 8:
			s.Style.Marker = chart.Square
		}
		for _, row := range r.Rows {
			if row.Filter != f.Name {
				continue
			}
			lo, hi := row.Measured.Interval()
			pt := chart.Point{X: row.BitsPerItem, Y: row.Measured.Value(), Lo: lo, Hi: hi}
			if row.Measured.Events == 0 {
				pt.Zero, pt.Y, pt.Lo = true, 0, 0
			}
			s.Points = append(s.Points, pt)
			left, right = min(left, pt.X), max(right, pt.X)
			p.Y.Min = min(p.Y.Min, row.Predicted, max(pt.Lo, pt.Y/5, pt.Hi/50)) // an interval that reaches far down is cut
			p.Y.Max = max(p.Y.Max, row.Predicted, pt.Hi)
		}
		p.Series = append(p.Series, s)
	}
	left, right = left/1.3, right*1.1
	p.Series = append(p.Series, ideal("bloom, formula", "bloom", left, right, math.Ln2),
		ideal("bound of all filters", "bound", left, right, 1))
	p.X.Min, p.X.Max, p.X.Ticks = left, right, measure.DecadeTicks(left, right, 1, 1.5, 2, 3, 4, 5, 7)
	p.Y.Min, p.Y.Max = p.Y.Min/1.5, min(1, p.Y.Max*2)
	return &chart.Figure{
		Name: "compare", Title: fmt.Sprintf("False-positive rate against space, %d keys", len(r.Options.Keys.Keys)),
		Caption: r.caption(), Panels: []chart.Panel{p},
	}
}

// ideal is the rate of so many bits per item where each of them yields so many bits of the rate. It ends before the
// rate is too small for a float, which tables of one or two keys are wide enough for.
func ideal(label, style string, left, right, yield float64) chart.Series {
	const steps, tiniest = 200, 1000 // bits
	s := chart.Series{Label: label, Style: chart.StyleFor(style), Kind: chart.Thin}
	right = min(right, max(tiniest, left))
	for i := range steps + 1 {
		bits := left * math.Pow(right/left, float64(i)/steps)
		s.Points = append(s.Points, chart.Point{X: bits, Y: math.Exp2(-bits * yield)})
	}
	return s
}

func (r *Comparison) caption() string {
	return fmt.Sprintf("False-positive rate with its 95%% interval against bits per item, %d probes. A Go map takes %s "+
		"bits per item and makes no error.", r.Probes, claims.Digits(r.Rows[len(r.Rows)-1].BitsPerItem, 3))
}
