package rivals

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus"
)

// Report returns the league as a report: a section for each size, with its laps, its table and its chart, and one of
// the ratios to the native twin.
func (r *Result) Report() *report.Report {
	out := &report.Report{
		Kind: journal, Title: "The league: filters of several modules and in C++, timed in one run",
		Summary: r.summary(), Seed: r.Source.Seeds[0], Settings: maps.Clone(r.Source.Settings),
	}
	versions := versus.Versions()
	for _, row := range r.Rows {
		out.Bench = append(out.Bench, row.bench()...)
		if version := versions[row.Module]; version != "" {
			out.Settings[row.Module] = version
		}
	}
	for _, n := range r.Sizes() {
		rounds := 0
		for _, row := range r.of(n) {
			rounds = max(rounds, len(row.Times[add]))
		}
		s := report.Section{
			ID: journal + "-" + strconv.Itoa(n), Title: fmt.Sprintf("%d keys", KeysOf(n)), Table: r.Laps, Summary: r.table(n),
			Conditions: fmt.Sprintf("%d rounds, %d slots.", rounds, n), Figure: r.Figure(n),
			Method: "Every filter in turn, in every round with other keys. Times are nanoseconds per key, the hash included, " +
				"medians of the rounds; intervals are of 95% by order statistics. find: lookups one by one, with 0 to 100% " +
				"present keys. last 5%: inserts from 90% to 95% of the slots. over: bits per key above log2(1/rate). lost: " +
				"keys that were inserted, not deleted, and are denied, over all rounds.",
			Limits: []string{"Sizes are powers of two; filters that need one take up to twice the bits elsewhere."},
		}
		other := func(row []string) bool { return row[1] != strconv.Itoa(n) }
		s.Table.Rows = slices.DeleteFunc(slices.Clone(r.Laps.Rows), other)
		if s.Figure != nil {
			s.Caption = s.Figure.Caption
		}
		out.Sections = append(out.Sections, s)
	}
	if ratios := r.ratios(); len(ratios.Rows) > 0 {
		out.Sections = append(out.Sections, report.Section{
			ID: "native", Title: "Times over those of the native twin", Summary: ratios,
			Method: "Our filters, and the other ones of the twin, as multiples of its cuckoo filter of 12 bits; split-block " +
				"filters of its split-block filter. Each is the median over the rounds of the ratio within a round. Batches " +
				"of ours are compared with single lookups and deletes of the twin, and what is built of all keys at once " +
				"with inserts of the twin, one by one.",
		})
	}
	return out
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
	return strings.TrimSpace(text + " " + r.Note)
}

// table is what people read of one size.
func (r *Result) table(n int) report.Table {
	t := report.Table{Left: 2, Columns: []string{"filter", "key", "bits/key", "rate", "over"},
		Minor: []string{"25%", "75%", "batch 100%", "last 5%", "mean interval", "key"}}
	for verb, name := range timed {
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
	if r.Kept {
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
			cells = append(cells, between(r.Mean().Interval()))
		}
		cells = append(cells, digits(rounds.Interval().Median))
	}
	return append(cells, strconv.Itoa(r.Lost))
}

// digits writes a number for people, and nothing for NaN: what was not timed. between writes an interval.
func digits(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return claims.Digits(v, 3)
}

func between(i measure.Interval) string {
	return strings.TrimPrefix(digits(i.Lo)+" to "+digits(i.Hi), " to ")
}

// ratios are our filters' times as multiples of the native twin's.
func (r *Result) ratios() report.Table {
	t := report.Table{Left: 1, Columns: []string{"filter", "slots", "find 0%", "interval", "find 100%", "batch 0%", "add",
		"last 5%", "remove", "remove batch"}}
	for _, row := range r.Rows {
		name := nativeBase
		if strings.Contains(row.Name, "split-block") {
			name = nativeBlock
		}
		base := r.named(name, row.Slots)
		if base == nil || row.Bytes || row.Group == Peer || row == base {
			continue
		}
		miss := row.Times[find].Over(base.Times[find])
		cells := []any{row.Name, row.Slots, digits(miss.Median), between(miss)}
		for _, verb := range [][2]int{ // ours, theirs
			{batch - 1, batch - 1}, {batch, find}, {add, add}, {last, last}, {remove, remove}, {removeBatch, remove},
		} {
			cells = append(cells, digits(row.Times[verb[0]].Over(base.Times[verb[1]]).Median))
		}
		t.Add(cells...)
	}
	return t
}

// bench are the rounds in Go's benchmark format.
func (r *Row) bench() (out []report.Bench) {
	filter := strings.NewReplacer(" ", "_", "/", "-", "%", "pct").Replace(r.Name)
	for verb, rounds := range r.Times {
		if name := timed[verb].bench; name != "" {
			name = strings.Replace("Benchmark"+name, "@", fmt.Sprintf("/filter=%s/n=%d", filter, r.Slots), 1)
			out = append(out, rounds.Bench(name, r.Keys, r.SizeBits)...)
		}
	}
	return out
}

// Text is the league for people: a table for each size.
func (r *Result) Text(width int) string {
	var b strings.Builder
	for _, n := range r.Sizes() {
		t := r.table(n)
		fmt.Fprintf(&b, "%d keys, %d slots, ns per key\n%s\n", KeysOf(n), n, t.Text(width))
	}
	return b.String() + report.Notes(width, append([]string{r.summary()}, r.remarks()...)...)
}

// remarks are those of the rows, each once.
func (r *Result) remarks() (all []string) {
	for _, row := range r.Rows {
		if remark := row.Name + ": " + row.Remark + "."; row.Remark != "" && !slices.Contains(all, remark) {
			all = append(all, remark)
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
			"Args": args, "Source": r.Source, "Report": out, "Remarks": r.remarks(),
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
