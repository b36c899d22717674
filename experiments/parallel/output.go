package parallel

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Kind is the kind of the reports of this package, in their manifests.
const Kind = "bench-parallel"

// table returns the points that keep says, tidy.
func (r *Result) table(keep func(Point) bool) report.Table {
	t := report.Table{
		Columns: []string{"set", "goroutines", "writes", "keys", "rounds", "mops", "mops_low", "mops_high"},
		Timed:   []string{"mops", "mops_low", "mops_high"},
	}
	for _, p := range r.Points {
		if keep(p) {
			lo, hi := stat.MedianInterval(r.Rounds[p])
			t.Add(p.Subject, p.Goroutines, p.Writes, r.Options.Keys, len(r.Rounds[p]), stat.Median(r.Rounds[p]), lo, hi)
		}
	}
	return t
}

func ofGoroutines(p Point) bool         { return p.Writes == DefaultWrites }
func (r *Result) ofWrites(p Point) bool { return p.Goroutines == r.Procs }

// figure returns the chart of the points that keep says, at x(p).
func (r *Result) figure(title string, x chart.Axis, keep func(Point) bool, at func(Point) float64) *chart.Figure {
	panel := chart.Panel{X: x, Y: chart.Axis{Label: "million operations per second", Log: true}}
	for k, s := range r.Subjects {
		line := chart.Series{Label: s.Label, Style: chart.Numbered(k)}
		for _, p := range r.Points {
			if p.Subject == s.Name && keep(p) {
				lo, hi := stat.MedianInterval(r.Rounds[p])
				line.Points = append(line.Points, chart.Point{X: at(p), Y: stat.Median(r.Rounds[p]), Lo: lo, Hi: hi})
			}
		}
		panel.Series = append(panel.Series, line)
	}
	return &chart.Figure{Title: title, Panels: []chart.Panel{panel}, Below: true, Width: 14, Height: 9}
}

// ticks are the numbers of goroutines.
func ticks() (all []chart.Tick) {
	for _, g := range Goroutines() {
		all = append(all, chart.Tick{At: float64(g), Label: fmt.Sprint(g)})
	}
	return all
}

// overview is what people read: a row for each set.
func (r *Result) overview(column string, keep func(Point) bool, at func(Point) string) *tabular.Table {
	t := &tabular.Table{Header: []string{column}, Left: 1}
	for _, s := range r.Subjects {
		row := []string{s.Label}
		for _, p := range r.Points {
			if p.Subject == s.Name && keep(p) {
				row = append(row, stat.Digits(stat.Median(r.Rounds[p]), 3))
				if s.Name == r.Subjects[0].Name {
					t.Header = append(t.Header, at(p))
				}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r *Result) overviews() (goroutines, writes *tabular.Table) {
	return r.overview("goroutines", ofGoroutines, func(p Point) string { return fmt.Sprint(p.Goroutines) }),
		r.overview("writes", r.ofWrites, func(p Point) string { return fmt.Sprintf("%v%%", 100*p.Writes) })
}

// notes say what the numbers are.
func (r *Result) notes() string {
	return fmt.Sprintf("Million operations per second of all goroutines together, %d keys, half of the lookups absent; medians of %d interleaved rounds of %v, %d processors.",
		r.Options.Keys, r.Options.Rounds, r.Options.Turn, r.Procs)
}

// Text returns the result for people. The width is that of the terminal, 0 if it is none.
func (r *Result) Text(width int) string {
	goroutines, writes := r.overviews()
	return goroutines.Text(width) + "\n" + writes.Text(width) + "\n" + tabular.Notes(width, r.notes(),
		fmt.Sprintf("The first table has %v%% of writes, the second %d goroutines.", 100*DefaultWrites, r.Procs))
}

// Report is the result as a report of two sections.
func (r *Result) Report() *report.Report {
	goroutines, writes := r.overviews()
	sections := []report.Section{
		{
			ID: "goroutines", Title: "Throughput by the number of goroutines",
			Claim:  "Lookups and inserts that take no lock gain from every processor.",
			Figure: r.figure("Throughput by goroutines", chart.Axis{Label: "goroutines", Log: true, Base: 2, Ticks: ticks()}, ofGoroutines, func(p Point) float64 { return float64(p.Goroutines) }),
			Method: fmt.Sprintf("%v%% of the operations are writes: a delete of a key and its insert.", 100*DefaultWrites),
			Table:  r.table(ofGoroutines), Summary: report.Table{Columns: goroutines.Header, Rows: goroutines.Rows},
			Limits: []string{fmt.Sprintf("More than %d goroutines share the %d processors of this machine.", r.Procs, r.Procs)},
		},
		{
			ID: "writes", Title: "Throughput by the share of writes",
			Claim:  "A lock that lookups share is not cheap, and a write makes all of them wait.",
			Figure: r.figure("Throughput by writes", chart.Axis{Label: "writes (%)"}, r.ofWrites, func(p Point) float64 { return 100 * p.Writes }),
			Method: fmt.Sprintf("%d goroutines, as many as processors.", r.Procs),
			Table:  r.table(r.ofWrites), Summary: report.Table{Columns: writes.Header, Rows: writes.Rows},
		},
	}
	for k := range sections {
		sections[k].Conditions = r.notes()
		sections[k].Caption = "Throughput of each set, with the interval of the median."
	}
	return &report.Report{
		Kind: Kind, Title: "Filters that goroutines share", Summary: r.notes(), Seed: r.Options.Seed, Sections: sections,
	}
}
