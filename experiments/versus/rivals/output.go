package rivals

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// Report returns the league as a report: a section for each size, with its table and its chart, and one of the ratios to
// the native twin.
func (r *Result) Report() *report.Report {
	source := r.Laps.Source
	out := &report.Report{
		Kind: journal, Title: "The league: filters of several modules and in C++, timed in one run",
		Summary: r.summary(), Seed: source.Seeds[0],
	}
	for _, n := range r.Sizes() {
		s := report.Section{
			ID: journal + "-" + strconv.Itoa(n), Title: fmt.Sprintf("%d keys", KeysOf(n)),
			Claim:      "What a key takes in each filter, in bits and in time, and how often it says yes to another one.",
			Conditions: fmt.Sprintf("%d rounds, %d slots.", r.rounds(n), n), Figure: r.Figure(n),
			Method: fmt.Sprintf("Every filter in turn, in every round with other keys: integers or %d bytes. Times are "+
				"nanoseconds per key, the hash included, medians of the rounds; intervals are of 95%% by order statistics. "+
				"find: lookups one by one, with 0 to 100%% present keys. last 5%%: inserts from 90%% to 95%% of the slots. "+
				"over: bits per key above log2(1/rate). lost: keys that were inserted, not deleted, and are denied, over "+
				"all rounds.", KeyBytes),
			Table: r.data(n), Summary: *r.table(n),
			Limits: []string{"Times are those of " + source.Where() + ", begun on " + source.Measured() + ".",
				"A power of two of slots suits the filters that need one; others take up to twice the bits elsewhere.",
				"Rows that are kept were measured in a run of their own, on the day and machine that they name."},
		}
		if s.Figure != nil {
			s.Caption = s.Figure.Caption
		}
		out.Sections = append(out.Sections, s)
	}
	if data, shown := r.ratios(); len(data.Rows) > 0 {
		out.Sections = append(out.Sections, report.Section{
			ID: "native", Title: "Times over those of the native twin", Table: data, Summary: shown,
			Claim: "Times as multiples of those of a filter in C++ that was compiled with " + source.Settings["compiler"] + ".",
			Method: "Our filters, and the other ones of the twin, as multiples of its cuckoo filter of 12 bits; split-block " +
				"filters of its split-block filter. Each is the median over the rounds of the ratio within a round. Batches " +
				"of ours are compared with single lookups and deletes of the twin, and what is built of all keys at once " +
				"with inserts of the twin, one by one.",
		})
	}
	for _, row := range r.Rows {
		out.Bench = append(out.Bench, row.bench()...)
	}
	return out
}

// rounds is the largest number of rounds of a filter of so many slots.
func (r *Result) rounds(slots int) (n int) {
	for _, row := range r.of(slots) {
		n = max(n, len(row.Times[add]))
	}
	return n
}

func (r *Result) summary() string {
	text := "Every filter of the list was filled with the same keys and asked for them in one run. "
	var losers []string
	for _, row := range r.Rows {
		if row.Lost > 0 {
			losers = append(losers, fmt.Sprintf("%s lost %d keys of %d slots", row.Name, row.Lost, row.Slots))
		}
	}
	text += cmp.Or(strings.Join(losers, "; "), "No filter lost a key") + "."
	return strings.TrimSpace(text + " " + r.Laps.Note)
}

// table is what people read of one size.
func (r *Result) table(n int) *report.Table {
	t := &report.Table{Left: 2, Columns: []string{"filter", "key", "bits/key", "rate", "over"},
		Minor: []string{"25%", "75%", "batch 100%", "last 5%", "mean interval", "key"}}
	for verb, name := range names {
		if verb == batch {
			t.Columns = append(t.Columns, "mean interval")
		}
		t.Columns = append(t.Columns, name.title)
	}
	t.Columns = append(t.Columns, "lost")
	for _, row := range r.of(n) {
		t.Rows = append(t.Rows, row.cells(len(t.Columns)))
	}
	return t
}

func (r *Row) cells(columns int) []string {
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
	if len(r.Times[add]) == 0 {
		return append([]string{name, key, fmt.Sprintf("refused a key after %d", r.Refused)}, make([]string, columns-3)...)
	}
	over, rate := "", "none seen"
	if r.Rate.Events > 0 {
		over, rate = claims.Percent(r.Overhead(), 2), claims.Percent(r.Rate.Value(), 3)
	}
	cells := []string{name, key, fmt.Sprintf("%.2f", r.SizeBits), rate, over}
	for verb, rounds := range r.Times {
		if verb == batch {
			cells = append(cells, span(r.Mean().Interval()))
		}
		cells = append(cells, digits(rounds.Interval().Median))
	}
	return append(cells, strconv.Itoa(r.Lost))
}

// digits writes a number for people, and nothing for NaN: what was not timed. span writes an interval.
func digits(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return claims.Digits(v, 3)
}

func span(i measure.Interval) string {
	return strings.TrimPrefix(digits(i.Lo)+" to "+digits(i.Hi), " to ")
}

// data is the league of one size, tidy.
func (r *Result) data(n int) report.Table {
	t := report.Table{Columns: strings.Fields("filter group module version kept build key static slots keys rounds " +
		"bits_per_key false_positives probes rate rate_low rate_high overhead lost refused_after remark")}
	for _, name := range names {
		for _, suffix := range []string{"_ns", "_low", "_high"} {
			t.Columns, t.Timed = append(t.Columns, name.column+suffix), append(t.Timed, name.column+suffix)
		}
	}
	for _, row := range r.of(n) {
		key, day, build := "integer", "", r.Laps.Source.Build()
		if row.Bytes {
			key = "bytes"
		}
		if row.Kept != nil {
			day, build = row.Kept.Measured(), row.Kept.Build()
		}
		if row.Group == Native {
			build = r.Laps.Source.Settings["compiler"]
		}
		lo, hi := row.Rate.Interval()
		values := []any{row.Name, row.Group, row.Module, row.Version, day, build, key, row.Static, row.Slots, row.Keys,
			len(row.Times[add]), row.SizeBits, row.Rate.Events, row.Rate.N, row.Rate.Value(), lo, hi, row.Overhead(),
			row.Lost, row.Refused, row.Remark}
		for _, rounds := range row.Times {
			ns := rounds.Interval()
			values = append(values, ns.Median, ns.Lo, ns.Hi)
		}
		t.Add(values...)
	}
	return t
}

// ratios are our filters' times as multiples of the native twin's: all digits, and for people.
func (r *Result) ratios() (data, shown report.Table) {
	data.Columns = strings.Fields(
		"filter slots find_0 find_0_low find_0_high find_100 batch_0 add last remove remove_batch")
	data.Timed = data.Columns[2:]
	shown.Left, shown.Columns = 1, []string{"filter", "slots", "find 0%", "interval", "find 100%", "batch 0%", "add",
		"last 5%", "remove", "remove batch"}
	for _, row := range r.Rows {
		name := nativeBase
		if strings.Contains(row.Name, "split-block") {
			name = nativeBlock
		}
		base := r.named(name, row.Slots)
		if base == nil || row.Bytes || row.Kept != nil || row.Static || row.Group == Peer || row == base {
			continue
		}
		miss := row.Times[find].Over(base.Times[find])
		values := []any{row.Name, row.Slots, miss.Median, miss.Lo, miss.Hi}
		texts := []any{row.Name, row.Slots, digits(miss.Median), span(miss)}
		for _, verb := range [][2]int{ // ours, theirs
			{batch - 1, batch - 1}, {batch, find}, {add, add}, {last, last}, {remove, remove}, {removeBatch, remove},
		} {
			over := row.Times[verb[0]].Over(base.Times[verb[1]]).Median
			values, texts = append(values, over), append(texts, digits(over))
		}
		data.Add(values...)
		shown.Add(texts...)
	}
	return data, shown
}

// named returns the row of that name and size, nil without one.
func (r *Result) named(name string, slots int) *Row {
	for _, row := range r.of(slots) {
		if row.Name == name {
			return row
		}
	}
	return nil
}

// bench are the rounds in Go's benchmark format.
func (r *Row) bench() (out []report.Bench) {
	filter := strings.NewReplacer(" ", "_", "/", "-", "%", "pct").Replace(r.Name)
	for verb, rounds := range r.Times {
		name, rest, more := strings.Cut(names[verb].bench, "/")
		if more {
			rest = "/" + rest
		}
		if name != "" {
			line := fmt.Sprintf("Benchmark%s/filter=%s/n=%d%s", name, filter, r.Slots, rest)
			out = append(out, rounds.Bench(line, r.Keys, r.SizeBits)...)
		}
	}
	return out
}

// Text is the league for people: a table for each size.
func (r *Result) Text(width int) string {
	var b strings.Builder
	for _, n := range r.Sizes() {
		fmt.Fprintf(&b, "%d keys, %d slots, ns per key\n%s\n", KeysOf(n), n, r.table(n).Text(width))
	}
	return b.String() + report.Notes(width, append([]string{r.summary()}, r.remarks()...)...)
}

// remarks are those of the rows, each once, and of what is kept the version and the day.
func (r *Result) remarks() (all []string) {
	seen := map[string]bool{}
	for _, row := range r.Rows {
		remark := row.Remark
		if row.Kept != nil {
			remark = strings.TrimSuffix("kept, "+row.Version+", measured on "+row.Kept.Measured()+"; "+remark, "; ")
		}
		if remark != "" && !seen[row.Name] {
			seen[row.Name] = true
			all = append(all, row.Name+": "+remark+".")
		}
	}
	return all
}

//go:embed page.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// WritePage writes the league as LEAGUE.md into a directory, and its charts into the directory images in it. Args are
// the arguments of the command that made it.
func (r *Result) WritePage(dir, args string) error {
	images, out := filepath.Join(dir, "images"), r.Report()
	err := os.MkdirAll(images, 0o755)
	for _, s := range out.Sections {
		if s.Figure != nil && err == nil {
			_, err = s.Figure.Write(images, []string{"svg"})
		}
	}
	var b bytes.Buffer
	if err == nil {
		err = pageTemplate.Execute(&b, map[string]any{
			"Command": r.Laps.Source.Command(args), "Source": r.Laps.Source, "Report": out, "Remarks": r.remarks(),
			"KeyBytes": KeyBytes, "Batch": measure.ContestBatch,
		})
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "LEAGUE.md"), append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("rivals: %w", err)
	}
	return nil
}
