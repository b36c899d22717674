package versus

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// measure returns a measure of a check, NaN if it was not taken.
func (r *Result) measure(check, name string) float64 {
	f, _ := r.Report.Finding(check)
	if v, ok := f.Measures[name]; ok {
		return v
	}
	return math.NaN()
}

// deletes returns how many checks of Delete passed, of those that were made.
func (r *Result) deletes() (passed, of int) {
	for _, name := range []string{"delete", "operations", "duplicates", "saturation", "absent-delete"} {
		if f, ok := r.Report.Finding(name); ok && f.Status != filtertest.Skipped {
			of++
			if f.Status == filtertest.Passed {
				passed++
			}
		}
	}
	return passed, of
}

// Overview is the table that people read, one row for each filter and capacity, and the same as tidy columns, in which
// what was not measured is empty, and so is the day of rows that are not kept ones.
func Overview(results []Result) (shown, data report.Table) {
	shown.Left, shown.Columns = 4, []string{
		"module", "version", "measured", "filter", "capacity", "taken at first refusal", "lost keys", "refused keys found",
		"rate claimed", "rate measured", "checks of Delete passed", "failed checks",
	}
	data.Columns = strings.Fields("module version kept filter capacity taken_at_first_refusal accepted lost refusals " +
		"refused_found rate_claimed rate_measured rate_queries delete_checks_passed delete_checks failed_checks")
	for i := range results {
		r := &results[i]
		taken, rate := r.measure("capacity", "first-refusal"), r.measure("rate", "rate")
		lost, accepted := r.measure("overfilling", "lost"), r.measure("overfilling", "accepted")
		found, refused := r.measure("refusal", "kept-keys"), cmp.Or(r.measure("refusal", "refusals"), math.NaN())
		claimed := cmp.Or(r.Adapter.TargetRate, math.NaN())
		day, deletes := "", "no Delete"
		if r.Kept != nil {
			day = r.Kept.Measured
		}
		passed, of := r.deletes()
		if of > 0 {
			deletes = fmt.Sprintf("%d of %d", passed, of)
		}
		var failed []string
		for _, f := range r.Report.Failed() {
			failed = append(failed, f.Check)
		}
		version := cmp.Or(r.Version, "unknown")
		shown.Add(r.Module, version, cmp.Or(day, "by this command"), r.Adapter.Name, r.Capacity,
			orElse("none refused", taken, count), share(lost, accepted), share(found, refused),
			orElse("none", claimed, percent), orElse("-", rate, percent), deletes, cmp.Or(strings.Join(failed, ", "), "none"))
		data.Add(r.Module, version, day, r.Adapter.Name, r.Capacity, taken, accepted, lost, refused, found, claimed, rate,
			r.measure("rate", "queries"), passed, of, strings.Join(failed, " "))
	}
	return shown, data
}

func count(v float64) string   { return fmt.Sprint(int(v)) }
func percent(v float64) string { return stat.Percent(v, 3) }

// orElse formats v, and writes other for NaN.
func orElse(other string, v float64, format func(float64) string) string {
	if math.IsNaN(v) {
		return other
	}
	return format(v)
}

// share writes "12 of 345", "-" if either is NaN.
func share(part, of float64) string {
	return orElse("-", part+of, func(float64) string { return fmt.Sprintf("%.0f of %.0f", part, of) })
}

// details have one row for each filter, capacity and check, and for each filter, capacity and step of the filling.
func details(results []Result) (findings, filling report.Table) {
	findings.Columns = strings.Fields("module version filter capacity check status evidence")
	filling.Columns = strings.Fields("module version filter capacity offered accepted lost lost_per_1000")
	for _, r := range results {
		version := cmp.Or(r.Version, "unknown")
		for _, f := range r.Report.Findings {
			findings.Add(r.Module, version, r.Adapter.Name, r.Capacity, f.Check, f.Status, f.Evidence)
		}
		for _, p := range r.Filling {
			filling.Add(r.Module, version, r.Adapter.Name, r.Capacity, p.Offered, p.Accepted, p.Lost, p.PerThousand())
		}
	}
	return findings, filling
}

// firstLoss is the place of the first point of the filling at which a key is lost, -1 if none is.
func (r *Result) firstLoss() int {
	return slices.IndexFunc(r.Filling, func(p Point) bool { return p.Lost > 0 })
}

// Figure draws lost keys per 1000 accepted while filters are filled beyond their capacity, one panel a capacity.
// Filters that lose none at any capacity share a line, and the caption names them.
func Figure(results []Result) *chart.Figure {
	loses := map[string]bool{}
	var labels, lossless []string
	for _, r := range results {
		if _, known := loses[r.Label()]; !known {
			labels = append(labels, r.Label())
		}
		loses[r.Label()] = loses[r.Label()] || r.firstLoss() >= 0
	}
	lossless = slices.DeleteFunc(slices.Clone(labels), func(label string) bool { return loses[label] })
	labels = slices.DeleteFunc(labels, func(label string) bool { return !loses[label] })
	others := fmt.Sprintf("the other %d filters", len(lossless))
	f := &chart.Figure{
		Name:  "conformance",
		Title: "Accepted keys that are no longer found",
		Caption: "Lost keys per 1000 accepted, as keys are offered to filters made for the capacity. " +
			"On the line at 0 (" + others + "): " + strings.Join(lossless, ", ") + ".",
	}
	if len(lossless) > 0 {
		labels = append(labels, lossless[len(lossless)-1])
	}
	var capacities []int
	for _, r := range results {
		capacities = append(capacities, r.Capacity)
	}
	slices.Sort(capacities)
	for i, capacity := range slices.Compact(capacities) {
		p := chart.Panel{
			Title: fmt.Sprintf("(%c) capacity %d", 'a'+i, capacity),
			X:     chart.Axis{Label: "keys offered / capacity", Min: 0.8, Max: fillingEnd},
			Y:     chart.Axis{Label: "lost keys per 1000 accepted"},
		}
		for j, label := range labels {
			s := chart.Series{Label: label, Style: chart.Numbered(j + 1)}
			if !loses[label] {
				s.Label, s.Style = others, chart.Numbered(0)
			}
			for _, r := range results {
				for _, at := range r.Filling {
					if r.Label() == label && r.Capacity == capacity {
						s.Points = append(s.Points, chart.Point{X: float64(at.Offered) / float64(capacity), Y: at.PerThousand()})
					}
				}
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// Formats returns the formats that Write knows.
func Formats() []string { return append([]string{"md", "csv"}, chart.Formats()...) }

// Write writes the results into a directory, which it makes: CONFORMANCE.md for md, three tables for csv, and the chart
// in its formats. It returns the names of the files. Command is the line that made the results, for the page. The error
// names the unknown format or the file.
func Write(dir string, formats []string, results []Result, command string) (files []string, err error) {
	var pictures []string
	for _, f := range formats {
		switch {
		case !slices.Contains(Formats(), f):
			return nil, fmt.Errorf("versus: unknown format %q: want %s", f, strings.Join(Formats(), ", "))
		case f != "md" && f != "csv":
			pictures = append(pictures, f)
		}
	}
	figure := Figure(results)
	if err = os.MkdirAll(dir, 0o755); err == nil {
		files, err = figure.Write(dir, pictures)
	}
	if err != nil {
		return nil, fmt.Errorf("versus: %w", err)
	}
	texts := map[string][]byte{}
	if slices.Contains(formats, "md") {
		if texts["CONFORMANCE.md"], err = markdown(results, figure, files, command); err != nil {
			return nil, fmt.Errorf("versus: %w", err)
		}
	}
	if slices.Contains(formats, "csv") {
		_, overview := Overview(results)
		findings, filling := details(results)
		for name, t := range map[string]report.Table{"": overview, "-findings": findings, "-filling": filling} {
			if texts["conformance"+name+".csv"], err = t.CSV(); err != nil {
				return nil, fmt.Errorf("versus: %w", err)
			}
		}
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return nil, fmt.Errorf("versus: %w", err)
		}
		files = append(files, name)
	}
	slices.Sort(files)
	return files, nil
}

//go:embed page.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"version": func(r Result) string { return cmp.Or(r.Version, "unknown") },
	// shown are the findings that a reader should see.
	"shown": func(r Result) []filtertest.Finding {
		return slices.DeleteFunc(slices.Clone(r.Report.Findings), func(f filtertest.Finding) bool {
			return f.Status != filtertest.Failed && f.Status != filtertest.Noted
		})
	},
}).Parse(pageText))

// markdown returns the page.
func markdown(results []Result, figure *chart.Figure, files []string, command string) ([]byte, error) {
	picture := ""
	for _, format := range []string{".png", ".svg"} {
		if slices.Contains(files, figure.Name+format) {
			picture = figure.Name + format
		}
	}
	var b bytes.Buffer
	overview, _ := Overview(results)
	err := pageTemplate.Execute(&b, map[string]any{
		"Go": runtime.Version() + " on " + runtime.GOOS + "/" + runtime.GOARCH, "Command": command, "Results": results,
		"Kept": keptTable(results), "Overview": &overview, "Filling": fillingTable(results),
		"Picture": picture, "Title": chart.PlainText(figure.Title), "Caption": figure.Caption, "End": fillingEnd,
	})
	return b.Bytes(), err
}

// keptTable lists the sources of the kept rows.
func keptTable(results []Result) *report.Table {
	t := &report.Table{Left: 6, Columns: []string{"module", "version", "commit", "committed", "measured", "with"}}
	for _, r := range results {
		s := r.Kept
		if s != nil && !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[0] == s.Module }) {
			t.Rows = append(t.Rows, []string{s.Module, s.Version, s.Commit, s.Committed, s.Measured, s.Go})
		}
	}
	return t
}

// fillingTable has a row for each filter that lost keys: at the capacity and at the end.
func fillingTable(results []Result) *report.Table {
	t := &report.Table{Left: 1, Columns: []string{"filter", "capacity", "first loss seen at offered / capacity",
		"lost at the capacity (per 1000)", "lost at the end (per 1000)"}}
	at := func(p Point) string {
		return fmt.Sprintf("%d of %d (%s)", p.Lost, p.Accepted, stat.Digits(p.PerThousand(), 3))
	}
	for _, r := range results {
		if r.FillingError != nil {
			t.Add(r.Label(), r.Capacity, r.FillingError.Error(), "", "")
		} else if first := r.firstLoss(); first >= 0 {
			t.Add(r.Label(), r.Capacity, fmt.Sprintf("%.3f", float64(r.Filling[first].Offered)/float64(r.Capacity)),
				at(r.Filling[fillingSteps-1]), at(r.Filling[len(r.Filling)-1]))
		}
	}
	return t
}
