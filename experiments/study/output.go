package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Kind is the kind of the reports of this package, in their manifests.
const Kind = "bench-study"

// The sections of a result.
const (
	alone    = "alone"      // what one goroutine does
	shared   = "shared"     // what several do, as ratios
	byNumber = "goroutines" // throughput by their number
	byWrites = "writes"     // throughput by the share of writes
)

// A Series is the rounds of one row of one subject.
type Series struct {
	Section string
	N       int
	// Subject is the label of the filter, What the row.
	Subject, What string
	// Unit is that of the values: ns a key, Mops (million operations a second), us, % or x; empty for bits and counts.
	Unit   string
	Rounds measure.Rounds
	// Point is that of throughput.
	Point Point
	// Base is what the ratio is to; nil for none.
	Base *Series
}

// A Result holds what was measured, in the order of the tables.
type Result struct {
	// Options are the options with defaults filled in.
	Options Options
	Title   string
	Procs   int
	Series  []*Series
	// Handover is, for each round of several goroutines, the nanoseconds in which one processor sees what another has written. Where it is
	// longer, what goroutines write together costs more.
	Handover measure.Rounds
}

// add adds a series, and its base, which is the same row of another subject.
func (r *Result) add(s Series, base string) {
	if base != "" {
		s.Base = r.at(s.Section, s.N, base, s.What)
	}
	r.Series = append(r.Series, &s)
}

// at returns a series, nil if there is none.
func (r *Result) at(section string, n int, subject, what string) *Series {
	for _, s := range r.Series {
		if s.Section == section && s.N == n && s.Subject == subject && s.What == what {
			return s
		}
	}
	return nil
}

// over is the ratio to the base. One that was counted once has it too.
func (s *Series) over() measure.Interval {
	if s.Base == nil {
		return measure.Rounds(nil).Interval()
	}
	return s.Rounds.Over(s.Base.Rounds)
}

// addRates adds the throughput of a point to the sections that it belongs to.
func (r *runner) addRates(n int, at place, rates map[place]measure.Rounds) {
	subject := Subjects()[at.subject]
	s := Series{N: n, Subject: subject.Label, What: at.String(), Unit: "Mops", Rounds: rates[at], Point: at.Point}
	if at.Writes == DefaultWrites && !subject.sorted {
		s.Section = byNumber
		r.add(s, "")
	}
	if at.Goroutines == r.Procs && !at.Beside {
		s.Section = byWrites
		r.add(s, "")
	}
	s.Section = shared
	base := at
	switch readers := (Point{Goroutines: r.Procs}); {
	case at.Goroutines == 1 && at.Writes == 0 && !at.Beside:
		r.add(s, "")
		return
	case at.Beside:
		base.Beside = false
		s.What += ", over one alone"
	case at.Point == readers:
		base.Goroutines = 1
		s.What += ", over one alone"
	case at.Goroutines == r.Procs && at.Writes == DefaultWrites:
		base.subject = slices.IndexFunc(Subjects(), func(o Subject) bool { return o.Name == rivals[subject.whole] })
		s.What += ", over RWMutex"
	default:
		return
	}
	if ref := rates[base]; ref != nil && base != at {
		s.Base = &Series{Rounds: ref, Subject: Subjects()[base.subject].Label, What: base.String()}
	}
	r.add(s, "")
}

// rivals are the names of what throughput with writes is compared with, one by one and in batches.
var rivals = map[bool]string{false: "rwmutex", true: "rwmutex-256"}

// table returns a section, tidy.
func (r *Result) table(section string) report.Table {
	t := report.Table{
		Columns: []string{"filter", "n", "what", "unit", "rounds", "value", "value_low", "value_high", "over", "ratio", "ratio_low", "ratio_high"},
		Timed:   []string{"value", "value_low", "value_high", "ratio", "ratio_low", "ratio_high"},
	}
	for _, s := range r.Series {
		if s.Section != section {
			continue
		}
		v, ratio, over := s.Rounds.Interval(), s.over(), ""
		if s.Base != nil {
			if over = s.Base.Subject; over == s.Subject {
				over = s.Base.What
			}
		}
		t.Add(s.Subject, s.N, s.What, s.Unit, len(s.Rounds), v.Median, v.Lo, v.Hi, over, ratio.Median, ratio.Lo, ratio.Hi)
	}
	return t
}

// overview is what people read: a row for each number of keys and row of the section, a column for each filter. Where subjects are many they are the
// rows.
func (r *Result) overview(section string) *tabular.Table {
	var rows, columns report.Groups[[2]string, map[string]string]
	for _, s := range r.Series {
		if s.Section != section {
			continue
		}
		what := s.What
		if s.Unit != "" && s.Unit != "x" {
			what += " (" + s.Unit + ")"
		}
		row, column := [2]string{fmt.Sprint(s.N), what}, [2]string{s.Subject}
		if section != alone {
			row, column = [2]string{fmt.Sprint(s.N), s.Subject}, [2]string{s.What}
		}
		cell := stat.Digits(s.Rounds.Interval().Median, 3)
		if s.Base != nil {
			cell += fmt.Sprintf(" (%s)", stat.Digits(s.over().Median, 3))
		}
		columns.Index(column)
		to := rows.Of(row)
		if *to == nil {
			*to = map[string]string{}
		}
		(*to)[column[0]] = cell
	}
	t := &tabular.Table{Header: []string{"keys", ""}, Left: 2}
	for _, c := range columns.Keys {
		t.Header = append(t.Header, c[0])
	}
	for i, key := range rows.Keys {
		row := key[:]
		for _, c := range columns.Keys {
			row = append(row, rows.Values[i][c[0]])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// notes say what the numbers are.
func (r *Result) notes() string {
	text := fmt.Sprintf("Medians of %d rounds, in turns; in parentheses the median ratio to the filter in the first column beside it, or to what the row names. "+
		"One goroutine: ns a key, digests ready, so that hashing is not counted. Several: million operations a second of all together, half of the lookups absent, "+
		"a write being a delete or an insert. %d processors.", r.Options.Rounds, r.Procs)
	if near := slices.DeleteFunc(slices.Clone(r.Handover), math.IsNaN); len(near) > 0 {
		text += fmt.Sprintf(" One processor sees what another has written after %.0f ns (median of the rounds; %.0f to %.0f).", near.Interval().Median, slices.Min(near), slices.Max(near))
	}
	return text
}

// sections returns the sections that have rows, with their overviews.
func (r *Result) sections() (all []report.Section) {
	for _, s := range []report.Section{
		{ID: alone, Title: r.Title, Claim: "What one goroutine pays, beside the filter that it would use otherwise.",
			Method: fmt.Sprintf("Filters of one set of keys are filled one by one, asked for %d present and as many absent keys a round, and keys are deleted and inserted again. The longest insert is, over all inserts, the largest of the shorter of two times.", timed)},
		{ID: shared, Title: "What sharing costs and gains", Claim: "Lookups that take no lock gain from every processor.",
			Method: "The reader beside a writer is counted alone; the writer deletes keys of its own and inserts them again. Batches have 256 operations, and filters per core are asked by goroutines that sort their digests and wait, or, keys sorted, by the one that owns them."},
		{ID: byNumber, Title: "Throughput by the number of goroutines", Claim: "Lookups and inserts that take no lock gain from every processor.",
			Method: fmt.Sprintf("%v%% of the operations are writes.", 100*DefaultWrites),
			Limits: []string{fmt.Sprintf("More than %d goroutines share the %d processors of this machine.", r.Procs, r.Procs)}},
		{ID: byWrites, Title: "Throughput by the share of writes", Claim: "A lock that lookups share is not cheap, and a write makes all of them wait.",
			Method: fmt.Sprintf("%d goroutines, as many as processors.", r.Procs)},
	} {
		s.Table = r.table(s.ID)
		if len(s.Table.Rows) == 0 {
			continue
		}
		o := r.overview(s.ID)
		s.Summary, s.Conditions = report.Table{Columns: o.Header, Rows: o.Rows}, r.notes()
		if s.Figure = r.figure(s.ID); s.Figure != nil {
			s.Caption = s.Figure.Caption
		}
		all = append(all, s)
	}
	return all
}

// Text returns the result for people. The width is that of the terminal, 0 if it is none.
func (r *Result) Text(width int) (text string) {
	for _, s := range r.sections() {
		text += r.overview(s.ID).Text(width) + "\n"
	}
	return text + tabular.Notes(width, r.notes())
}

// Report is the result as a report. Its benchmark lines are the values of every round.
func (r *Result) Report() *report.Report {
	return &report.Report{Kind: Kind, Title: r.Title, Summary: r.notes(), Seed: r.Options.Seed, Sections: r.sections(), Bench: r.bench()}
}

// bench returns every round of what was timed in Go's benchmark format.
func (r *Result) bench() (lines []report.Bench) {
	word := strings.NewReplacer(", ", ",", " ", "-", "/", "-")
	for _, s := range r.Series {
		unit := map[string]string{"ns": "ns/op", "Mops": "Mops/s"}[s.Unit]
		if unit == "" || s.Section == shared && s.Point.Writes == DefaultWrites {
			continue // counted, or in another section too
		}
		name := fmt.Sprintf("BenchmarkStudy/study=%s/filter=%s/what=%s/n=%d", r.Options.Study, word.Replace(s.Subject), word.Replace(s.What), s.N)
		for i, v := range s.Rounds {
			line := report.Bench{Name: name, N: 1, Metrics: []report.Metric{{Value: v, Unit: unit}}}
			if s.Section != alone && !math.IsNaN(r.Handover[i]) {
				line.Metrics = append(line.Metrics, report.Metric{Value: r.Handover[i], Unit: "ns/handover"})
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// figure returns the chart of a section, nil if it has none.
func (r *Result) figure(section string) *chart.Figure {
	switch {
	case section == byNumber:
		var ticks []chart.Tick
		for _, g := range Goroutines() {
			ticks = append(ticks, chart.Tick{At: float64(g), Label: fmt.Sprint(g)})
		}
		return r.throughput(section, "Throughput by goroutines", chart.Axis{Label: "goroutines", Log: true, Base: 2, Ticks: ticks}, func(p Point) float64 { return float64(p.Goroutines) })
	case section == byWrites:
		return r.throughput(section, "Throughput by writes", chart.Axis{Label: "writes (%)"}, func(p Point) float64 { return 100 * p.Writes })
	case r.Options.Study == growth && len(r.Options.Sizes) > 1:
		return r.growthFigure()
	}
	return nil
}

// throughput returns the chart of a section, at x(p): one by one, and in batches.
func (r *Result) throughput(section, title string, x chart.Axis, at func(Point) float64) *chart.Figure {
	f := &chart.Figure{Title: title, Below: true, Caption: "Throughput of each set, with the interval of the median."}
	for i, title := range []string{"(a) one by one", "(b) batches of 256"} {
		panel := chart.Panel{Title: title, X: x, Y: chart.Axis{Label: "million operations per second", Log: true}}
		for k, subject := range Subjects() {
			line := chart.Series{Label: subject.Label, Style: chart.Numbered(k)}
			for _, s := range r.Series {
				if s.Section == section && s.Subject == subject.Label && subject.whole == (i == 1) {
					v := s.Rounds.Interval()
					line.Points = append(line.Points, chart.Point{X: at(s.Point), Y: v.Median, Lo: v.Lo, Hi: v.Hi})
				}
			}
			slices.SortFunc(line.Points, func(a, b chart.Point) int {
				if a.X < b.X {
					return -1
				}
				return 1
			})
			if len(line.Points) > 0 {
				panel.Series = append(panel.Series, line)
			}
		}
		f.Panels = append(f.Panels, panel)
	}
	return f
}
