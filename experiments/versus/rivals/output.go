package rivals

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Report returns the league as a report: a section for each size, with its table and its chart, one of the ratios to the native twin,
// and one of what another program printed.
func (r *Result) Report() *report.Report {
	out := &report.Report{
		Kind: "league", Title: "The league: filters of several modules and in C++, timed in one run",
		Summary: r.summary(), Seed: r.Laps.Source.Seed,
	}
	for _, n := range r.Sizes() {
		s := report.Section{
			ID: "league-" + strconv.Itoa(n), Title: fmt.Sprintf("%d keys", KeysOf(n)),
			Claim:      "What a key takes in each filter, in bits and in time, and how often it says yes to another one.",
			Figure:     r.Figure(n),
			Conditions: r.conditions(n),
			Method: "Every filter in turn, in every round with other keys. Times are nanoseconds per key, the hash included, medians of the rounds; " +
				"intervals are of 95% by order statistics. find: lookups one by one, with 0 to 100% present keys. last 5%: inserts from 90% to 95% of the slots. " +
				"over: bits per key above log2(1/rate). lost: keys that were inserted, not deleted, and are denied, over all rounds.",
			Table: r.data(n), Summary: report.Table{Columns: tableHeader},
			Limits: []string{"Times are this machine's.", "A power of two of slots suits the filters that need one; at other numbers of keys they take up to twice the bits.",
				"Rows that are kept were measured in a run of their own, on the day and machine that they name."},
		}
		s.Summary.Rows = r.table(n).Rows
		if s.Figure != nil {
			s.Caption = s.Figure.Caption
		}
		out.Sections = append(out.Sections, s)
	}
	if t := r.ratios(); len(t.Rows) > 0 {
		out.Sections = append(out.Sections, report.Section{
			ID: "native", Title: "Against the native twin",
			Claim: "Times as multiples of those of a cuckoo filter in C++ with fingerprints of 12 bits, in the same rounds.",
			Method: "The ratio within each round, and its median. The twin is compiled with " + r.Laps.Source.Compiler + ". Of split-block filters the twin is that in C++. " +
				"Batches in Go are compared with single lookups in C++.",
			Table: t, Summary: t,
		})
	}
	if len(r.Foreign) > 0 {
		out.Sections = append(out.Sections, r.foreignSection())
	}
	for _, row := range r.Rows {
		out.Bench = append(out.Bench, row.bench()...)
	}
	return out
}

func (r *Result) foreignSection() report.Section {
	t := report.Table{Columns: []string{"filter", "keys", "add_ns", "remove_ns", "find_0_ns", "find_25_ns", "find_50_ns", "find_75_ns", "find_100_ns", "bits_per_key", "rate", "overhead"}}
	for i := range r.Foreign {
		f := &r.Foreign[i]
		t.Add(f.Name, f.Keys, f.Add, f.Remove, f.Find[0], f.Find[1], f.Find[2], f.Find[3], f.Find[4], f.SizeBits, f.Rate, f.Overhead)
	}
	return report.Section{ID: "fastfilter", Title: "What fastfilter_cpp printed", Claim: "Times of another machine: hollow in the charts, and in no ratio.", Table: t}
}

// rounds is the largest number of rounds of a filter of so many slots.
func (r *Result) rounds(slots int) (n int) {
	for _, row := range r.Rows {
		if row.Slots == slots {
			n = max(n, len(row.Add))
		}
	}
	return n
}

func (r *Result) summary() string {
	text := "Every filter of the list was filled with the same keys and asked for them in one run. "
	if losers := r.Losers(); len(losers) > 0 {
		text += strings.Join(losers, "; ") + "."
	} else {
		text += "No filter lost a key."
	}
	if !r.Complete {
		text += " The run is not complete: some rounds are missing."
	}
	return strings.Join(append([]string{text}, r.Notes...), " ")
}

func (r *Result) conditions(n int) string {
	s := r.Laps.Source
	return fmt.Sprintf("%d slots and %d keys, integers or %d bytes; %d rounds. %s, begun on %s.", n, KeysOf(n), KeyBytes, r.rounds(n), s.Where(), s.Measured)
}

var tableHeader = []string{"filter", "key", "bits/key", "rate", "over", "add", "last 5%", "find 0%", "25%", "50%", "75%", "100%", "mean interval",
	"batch 0%", "batch 100%", "remove", "remove batch", "lost"}

// table is what people read of one size.
func (r *Result) table(n int) *tabular.Table {
	t := &tabular.Table{Left: 2, Header: tableHeader, Minor: []string{"25%", "75%", "batch 100%", "last 5%", "mean interval", "key"}}
	for _, row := range r.Rows {
		if row.Slots == n {
			t.Rows = append(t.Rows, row.cells())
		}
	}
	return t
}

func (r *Row) cells() []string {
	key, name := "integer", r.Name
	if r.Bytes {
		key = fmt.Sprintf("%d bytes", KeyBytes)
	}
	if r.Static {
		name += " (static)"
	}
	if r.Kept != nil {
		name += " (kept)"
	}
	if len(r.Add) == 0 {
		cells := make([]string, len(tableHeader))
		cells[0], cells[1], cells[2] = name, key, fmt.Sprintf("refused a key after %d", r.Refused)
		return cells
	}
	over, rate := "", "none seen"
	if r.Rate.Events > 0 {
		over, rate = stat.Percent(r.Overhead(), 2), stat.Percent(r.Rate.Value(), 3)
	}
	cells := []string{name, key, fmt.Sprintf("%.2f", r.SizeBits), rate, over, nanos(r.Add), nanos(r.Last)}
	for _, find := range r.Find {
		cells = append(cells, nanos(find))
	}
	mean := ""
	if rounds := r.Mean(); len(rounds) > 0 {
		i := rounds.Interval()
		mean = stat.Digits(i.Lo, 3) + " to " + stat.Digits(i.Hi, 3)
	}
	return append(cells, mean, nanos(r.Batch[0]), nanos(r.Batch[1]), nanos(r.Remove), nanos(r.RemoveBatch), strconv.Itoa(r.Lost))
}

// nanos writes a median, nothing for what was not timed.
func nanos(rounds measure.Rounds) string {
	if len(rounds) == 0 {
		return ""
	}
	return stat.Digits(rounds.Interval().Median, 3)
}

// data is the league of one size, tidy.
func (r *Result) data(n int) report.Table {
	t := report.Table{Columns: []string{"filter", "group", "module", "version", "kept", "build", "key", "static", "slots", "keys", "rounds", "bits_per_key",
		"false_positives", "probes", "rate", "rate_low", "rate_high", "overhead", "lost", "refused_after", "remark"}}
	names := []string{"add", "last", "find_0", "find_25", "find_50", "find_75", "find_100", "batch_0", "batch_100", "remove", "remove_batch"}
	for _, name := range names {
		for _, suffix := range []string{"_ns", "_low", "_high"} {
			t.Columns, t.Timed = append(t.Columns, name+suffix), append(t.Timed, name+suffix)
		}
	}
	for _, row := range r.Rows {
		if row.Slots != n {
			continue
		}
		key, day, build := "integer", "", r.Laps.Source.Build()
		if row.Bytes {
			key = "bytes"
		}
		if row.Kept != nil {
			day, build = row.Kept.Measured, row.Kept.Build()
		}
		if row.Group == Native {
			build = r.Laps.Source.Compiler
		}
		lo, hi := row.Rate.Interval()
		values := []any{row.Name, row.Group, row.Module, row.Version, day, build, key, row.Static, row.Slots, row.Keys, len(row.Add), row.SizeBits,
			row.Rate.Events, row.Rate.N, row.Rate.Value(), lo, hi, row.Overhead(), row.Lost, row.Refused, row.Remark}
		for _, rounds := range row.verbs() {
			ns := measure.Interval{Median: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
			if len(rounds) > 0 {
				ns = rounds.Interval()
			}
			values = append(values, ns.Median, ns.Lo, ns.Hi)
		}
		t.Add(values...)
	}
	return t
}

// verbs are the times in the order of the columns.
func (r *Row) verbs() []measure.Rounds {
	return []measure.Rounds{r.Add, r.Last, r.Find[0], r.Find[1], r.Find[2], r.Find[3], r.Find[4], r.Batch[0], r.Batch[1], r.Remove, r.RemoveBatch}
}

// ratios are our filters' times as multiples of the native twin's.
func (r *Result) ratios() report.Table {
	t := report.Table{Columns: []string{"filter", "slots", "find_0", "find_0_low", "find_0_high", "find_100", "batch_0", "add", "last", "remove", "remove_batch"}}
	t.Timed = t.Columns[2:]
	for _, n := range r.Sizes() {
		for _, row := range r.Rows {
			name := nativeBase
			if strings.Contains(row.Name, "split-block") {
				name = nativeBlock
			}
			base := r.of(name, n)
			if base == nil || row.Slots != n || row.Bytes || row.Kept != nil || row.Static || row.Group == Peer || row == base {
				continue
			}
			miss := row.Find[0].Over(base.Find[0])
			t.Add(row.Name, n, miss.Median, miss.Lo, miss.Hi, row.Find[4].Over(base.Find[4]).Median, row.Batch[0].Over(base.Find[0]).Median,
				row.Add.Over(base.Add).Median, row.Last.Over(base.Last).Median, row.Remove.Over(base.Remove).Median,
				row.RemoveBatch.Over(base.Remove).Median)
		}
	}
	return t
}

// bench are the rounds in Go's benchmark format.
func (r *Row) bench() (out []report.Bench) {
	name := "filter=" + strings.NewReplacer(" ", "_", "/", "-", "%", "pct").Replace(r.Name)
	add := func(verb, rest string, rounds measure.Rounds) {
		out = append(out, rounds.Bench(fmt.Sprintf("Benchmark%s/%s/n=%d%s", verb, name, r.Slots, rest), r.Keys, r.SizeBits)...)
	}
	add("Insert", "", r.Add)
	for i, share := range Shares {
		add("Contains", fmt.Sprintf("/hit=%v", float64(share)/100), r.Find[i])
	}
	add("Contains", "/hit=0/batch=256", r.Batch[0])
	add("Contains", "/hit=1/batch=256", r.Batch[1])
	add("Delete", "", r.Remove)
	add("Delete", "/batch=256", r.RemoveBatch)
	return out
}

// Text is the league for people: a table for each size.
func (r *Result) Text(width int) string {
	var b strings.Builder
	for _, n := range r.Sizes() {
		fmt.Fprintf(&b, "%d keys, %d slots, ns per key\n%s\n", KeysOf(n), n, r.table(n).Text(width))
	}
	return b.String() + tabular.Notes(width, append([]string{r.summary()}, r.remarks()...)...)
}

// remarks are those of the rows, each once, and of what is kept the version and the day.
func (r *Result) remarks() (all []string) {
	seen := map[string]bool{}
	for _, row := range r.Rows {
		remark := row.Remark
		if row.Kept != nil {
			remark = strings.TrimSuffix("kept, "+row.Version+", measured on "+row.Kept.Measured+"; "+remark, "; ")
		}
		if remark != "" && !seen[row.Name] {
			seen[row.Name] = true
			all = append(all, row.Name+": "+remark+".")
		}
	}
	return all
}
