package rivals

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/versus"
)

// A part is a section of the league: the filters that take keys of one sort, or those whose laps are kept.
type part struct {
	id, title   string
	bytes, kept bool
}

// parts are all of them. Only those of the run are drawn.
var parts = []part{
	{journal + "-integers", "Integer keys", false, false},
	{journal + "-bytes", "Keys of " + keyName(true), true, false},
	{journal + "-kept", "Filters of other runs", false, true},
}

// has tells whether a row is in the part.
func (p part) has(r *Row) bool { return p.kept == (r.Kept != "") && (p.kept || p.bytes == r.Bytes) }

func keyName(bytes bool) string {
	if bytes {
		return fmt.Sprintf("%d bytes", KeyBytes)
	}
	return "integers"
}

// A section is what people read of a part, or of the duels.
type section struct {
	Title, Method string
	Figure        *chart.Figure // at the middle one of the sizes, or nil
	Table         report.Table
}

// sections are those that have rows.
func (r *Result) sections() []section {
	all := []section{{
		Title: "Ours against rivals", Table: r.duelTable(),
		Method: "Times of ours as multiples of the rival's, by size: medians over the rounds of the ratio within a round. " +
			"Of several rivals it is the fastest in that column at that size. Batches are compared with batches.",
	}}
	sizes := r.Sizes()
	for _, p := range parts {
		s := section{Title: p.title, Table: r.table(p)}
		if !p.kept && len(sizes) > 0 {
			s.Figure = r.figure(p, sizes[len(sizes)/2])
		}
		all = append(all, s)
	}
	return slices.DeleteFunc(all, func(s section) bool { return len(s.Table.Rows) == 0 })
}

// perSize joins what is said of each size, once if it is the same of all; of a size of which nothing is said it has a
// dash.
func perSize(sizes []int, of func(slots int) string) string {
	all := make([]string, len(sizes))
	for i, n := range sizes {
		all[i] = of(n)
	}
	if said := slices.Compact(slices.Clone(all)); len(said) == 1 {
		return said[0]
	}
	for i, one := range all {
		all[i] = cmp.Or(one, "–")
	}
	return strings.Join(all, " / ")
}

// columns are what a table says of a row.
var columns = []struct {
	name string
	of   func(*Row) string
}{
	{"bits/key", func(r *Row) string { return fmt.Sprintf("%.2f", r.SizeBits) }},
	{"rate", func(r *Row) string { return cmp.Or(percent(r.Rate.Value(), 2), "none seen") }},
	{"over", func(r *Row) string { return percent(r.Overhead(), 2) }},
	{"absent", func(r *Row) string { return median(r.Times[find]) }},
	{"present", func(r *Row) string { return median(r.Times[batch-1]) }},
	{"mean", func(r *Row) string { return median(r.Mean()) }},
	{"rounds", func(r *Row) string { return percent(r.Between(), 1) }},
	{"again", func(r *Row) string { return percent(r.Within(), 1) }},
	{"batch", func(r *Row) string { return median(r.Batched()) }},
	{"add", func(r *Row) string { return median(r.Times[add]) }},
	{"last 5%", func(r *Row) string { return median(r.Times[last]) }},
	{"remove", func(r *Row) string { return median(r.Times[remove]) }},
}

func median(rounds measure.Rounds) string { return digits(rounds.Interval().Median, 3) }

// digits writes a number for people, and nothing for NaN: what was not timed. So does percent, of 0 too.
func digits(v float64, n int) string {
	if math.IsNaN(v) {
		return ""
	}
	return claims.Digits(v, n)
}

func percent(v float64, n int) string {
	if v == 0 || math.IsNaN(v) {
		return ""
	}
	return digits(100*v, n) + "%"
}

// table is what people read of a part: a row for each filter, with what was measured at each size.
func (r *Result) table(p part) report.Table {
	t := report.Table{Left: 1, Columns: []string{"filter"}, Minor: []string{"again", "last 5%", "present", "absent"}}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
	}
	if p.kept {
		t.Columns = append(t.Columns, "keys", "version, day and machine")
	}
	seen, sizes := map[string]bool{}, r.Sizes()
	for _, row := range r.Rows {
		if seen[row.Name] || !p.has(row) {
			continue
		}
		seen[row.Name] = true
		cells := []any{strings.TrimSuffix(row.Name, " by bytes")}
		for _, c := range columns {
			cells = append(cells, perSize(sizes, func(slots int) string {
				row := r.named(row.Name, slots)
				switch {
				case row != nil && row.Refused == 0:
					return c.of(row)
				case row != nil && c.name == columns[0].name:
					return "refused a key"
				}
				return ""
			}))
		}
		if p.kept {
			cells = append(cells, keyName(row.Bytes), row.Kept)
		}
		t.Add(cells...)
	}
	return t
}

// summary are the sentences that a reader takes with him.
func (r *Result) summary() (all []string) {
	for _, d := range duels {
		if d.said {
			all = append(all, r.sentences(d)...)
		}
	}
	var within, between []float64
	losers := ""
	for _, row := range r.Rows {
		if row.Lost > 0 {
			losers += fmt.Sprintf("%s lost %d keys of %d slots. ", row.Name, row.Lost, row.Slots)
		}
		if w := row.Within(); w >= 0 {
			within, between = append(within, w), append(between, row.Between())
		}
	}
	if len(within) > 0 {
		all = append(all, fmt.Sprintf("From round to round the mean lookup time of half of the rows is certain to %s. "+
			"Asked again at once, the same table moves by %s.",
			percent(claims.Median(between), 2), percent(claims.Median(within), 2)))
	}
	all = append(all, cmp.Or(strings.TrimSpace(losers), "No filter lost a key."))
	certain := func(row *Row) bool { return row.Kept == "" && len(row.Times[add]) >= certainRounds }
	if !slices.ContainsFunc(r.Rows, certain) {
		all = append(all, fmt.Sprintf("Fewer than %d rounds prove nothing: this is a trial.", certainRounds))
	}
	if r.Note != "" {
		all = append(all, r.Note)
	}
	return all
}

// Text is the league for people.
func (r *Result) Text(width int) string {
	var b strings.Builder
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "%s, ns per key\n%s\n", s.Title, s.Table.Text(width))
	}
	return b.String() + report.Notes(width, append(r.summary(), r.remarks()...)...)
}

// remarks are those of the rows, each once with the names that it is of.
func (r *Result) remarks() (all []string) {
	names := map[string][]string{}
	for _, row := range r.Rows {
		remark := row.Remark
		if remark == "" || slices.Contains(names[remark], row.Name) {
			continue
		}
		if names[remark] = append(names[remark], row.Name); len(names[remark]) == 1 {
			all = append(all, remark)
		}
	}
	for i, remark := range all {
		all[i] = strings.Join(names[remark], ", ") + ": " + remark + "."
	}
	return all
}

//go:embed page.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// WritePage writes the league as LEAGUE.md, its charts, and the laps as league.csv, into a directory. Args are the
// arguments of the command that made it.
func (r *Result) WritePage(dir, args string) error {
	sections := r.sections()
	laps, err := r.Laps.CSV()
	err = errors.Join(err, os.MkdirAll(dir, 0o755))
	for _, s := range sections {
		if s.Figure != nil && err == nil {
			_, err = s.Figure.Write(dir, []string{"svg"})
		}
	}
	var b bytes.Buffer
	if err == nil {
		err = pageTemplate.Execute(&b, map[string]any{
			"Args": args, "Source": r.Source, "Day": r.Source.Start.Format("2006-01-02"), "Sections": sections,
			"Summary": r.summary(), "Remarks": r.remarks(), "Batch": measure.ContestBatch,
			"Sizes":    perSize(r.Sizes(), func(n int) string { return strconv.Itoa(KeysOf(n)) }),
			"Versions": r.versions(),
		})
	}
	for name, data := range map[string][]byte{
		"LEAGUE.md": append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), journal + ".csv": laps,
	} {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
	}
	if err != nil {
		return fmt.Errorf("rivals: %w", err)
	}
	return nil
}

// versions are those of the other modules of the run.
func (r *Result) versions() (all []string) {
	known := versus.Versions()
	for _, row := range r.Rows {
		if one := row.Module + " " + known[row.Module]; row.Group == Peer && row.Kept == "" && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}
