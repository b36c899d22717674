package versus

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/report"
)

// measure returns a measure of a check, NaN if it was not taken.
func (r *Result) measure(check, name string) float64 {
	f, _ := filtertest.Report{Findings: r.Findings}.Finding(check)
	if v, ok := f.Measures[name]; ok {
		return v
	}
	return math.NaN()
}

// deletes tells how many checks of Delete passed, of those that were made.
func (r *Result) deletes() string {
	passed, of := 0, 0
	for _, name := range []string{"delete", "operations", "duplicates", "saturation", "absent-delete"} {
		f, ok := filtertest.Report{Findings: r.Findings}.Finding(name)
		switch {
		case ok && f.Status == filtertest.Passed:
			passed++
			fallthrough
		case ok && f.Status != filtertest.Skipped:
			of++
		}
	}
	if of == 0 {
		return "no Delete"
	}
	return fmt.Sprintf("%d of %d", passed, of)
}

// Overview is the table of one row for each filter and capacity.
func Overview(results []Result) report.Table {
	t := report.Table{Left: 4, Columns: []string{"module", "version", "measured", "filter", "capacity",
		"taken at first refusal", "lost keys", "refused keys found", "rate claimed", "rate measured",
		"checks of Delete passed", "failed checks"}}
	count := func(v float64) string { return fmt.Sprint(int(v)) }
	percent := func(v float64) string { return claims.Percent(v, 3) }
	share := func(part, of float64) string { // "12 of 345"
		return orElse("-", part+of, func(float64) string { return fmt.Sprintf("%.0f of %.0f", part, of) })
	}
	for i := range results {
		r := &results[i]
		day := "by this command"
		if r.Kept != nil {
			day = r.Kept.Measured
		}
		var failed []string
		for _, f := range (filtertest.Report{Findings: r.Findings}).Failed() {
			failed = append(failed, f.Check)
		}
		t.Add(r.Module, r.Version, day, r.Filter, r.Capacity,
			orElse("none refused", r.measure("capacity", "first-refusal"), count),
			share(r.measure("overfilling", "lost"), r.measure("overfilling", "accepted")),
			share(r.measure("refusal", "kept-keys"), cmp.Or(r.measure("refusal", "refusals"), math.NaN())),
			orElse("none", cmp.Or(r.TargetRate, math.NaN()), percent), orElse("-", r.measure("rate", "rate"), percent),
			r.deletes(), cmp.Or(strings.Join(failed, ", "), "none"))
	}
	return t
}

// orElse formats v, and writes other for NaN.
func orElse(other string, v float64, format func(float64) string) string {
	if math.IsNaN(v) {
		return other
	}
	return format(v)
}

// details have one row for each filter, capacity and check, and for each filter, capacity and step of the filling. The
// measures of a check are an object of JSON.
func details(results []Result) (findings, filling report.Table) {
	findings.Columns = strings.Fields("module version filter capacity check status evidence measures")
	filling.Columns = strings.Fields("module version filter capacity offered accepted lost lost_per_1000")
	for _, r := range results {
		for _, f := range r.Findings {
			measures, _ := json.Marshal(f.Measures) // numbers
			findings.Add(r.Module, r.Version, r.Filter, r.Capacity, f.Check, f.Status, f.Evidence, string(measures))
		}
		for _, p := range r.Filling {
			filling.Add(r.Module, r.Version, r.Filter, r.Capacity, p[offered], p[accepted], p[lost], p.perThousand())
		}
	}
	return findings, filling
}

// firstLoss is the place of the first point of the filling at which a key is lost, -1 if none is.
func (r *Result) firstLoss() int {
	return slices.IndexFunc(r.Filling, func(p Point) bool { return p[lost] > 0 })
}

// Figure draws lost keys per 1000 accepted while filters are filled beyond their capacity, one panel a capacity.
// Filters that lose none at any capacity share a line, and the caption names them.
func Figure(results []Result) *chart.Figure {
	var labels, lossless []string
	var capacities []int
	for _, r := range results {
		labels, capacities = append(labels, r.label()), append(capacities, r.Capacity)
	}
	slices.Sort(capacities)
	labels = slices.DeleteFunc(unique(labels), func(label string) bool {
		loses := slices.ContainsFunc(results, func(r Result) bool { return r.label() == label && r.firstLoss() >= 0 })
		if !loses {
			lossless = append(lossless, label)
		}
		return !loses
	})
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
	for i, capacity := range slices.Compact(capacities) {
		p := chart.Panel{
			Title: fmt.Sprintf("(%c) capacity %d", 'a'+i, capacity),
			X:     chart.Axis{Label: "keys offered / capacity", Min: 0.8, Max: fillingEnd},
			Y:     chart.Axis{Label: "lost keys per 1000 accepted"},
		}
		for j, label := range labels {
			s := chart.Series{Label: label, Style: chart.Numbered(j + 1)}
			if slices.Contains(lossless, label) {
				s.Label, s.Style = others, chart.Numbered(0)
			}
			for _, r := range results {
				if r.label() != label || r.Capacity != capacity {
					continue
				}
				for _, at := range r.Filling {
					s.Points = append(s.Points, chart.Point{X: float64(at[offered]) / float64(capacity), Y: at.perThousand()})
				}
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// unique drops what was there before, in order.
func unique(texts []string) (once []string) {
	for _, text := range texts {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}

// Formats returns the formats that Write knows.
func Formats() []string { return append([]string{"md", "csv"}, chart.Formats()...) }

// Write writes the results into a directory, which it makes: CONFORMANCE.md for md, three tables for csv, and the chart
// in its formats. It returns the names of the files. Command is the line that made the results, for the page. The error
// names the unknown format or the file.
func Write(dir string, formats []string, results []Result, command string) (files []string, err error) {
	pictures := slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return f == "md" || f == "csv" })
	for _, f := range formats {
		if !slices.Contains(Formats(), f) {
			return nil, fmt.Errorf("versus: unknown format %q: want %s", f, strings.Join(Formats(), ", "))
		}
	}
	figure := Figure(results)
	if err = os.MkdirAll(dir, 0o755); err == nil {
		files, err = figure.Write(dir, pictures)
	}
	put := func(name string, text []byte, wrong error) {
		if err = cmp.Or(err, wrong); err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
			files = append(files, name)
		}
	}
	if slices.Contains(formats, "md") {
		text, wrong := markdown(results, figure, files, command)
		put("CONFORMANCE.md", text, wrong)
	}
	if slices.Contains(formats, "csv") {
		findings, filling := details(results)
		for name, t := range map[string]report.Table{"": Overview(results), "-findings": findings, "-filling": filling} {
			text, wrong := t.CSV()
			put("conformance"+name+".csv", text, wrong)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("versus: %w", err)
	}
	slices.Sort(files)
	return files, nil
}

//go:embed page.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	// shown are the findings that a reader should see.
	"shown": func(r Result) []filtertest.Finding {
		return slices.DeleteFunc(slices.Clone(r.Findings), func(f filtertest.Finding) bool {
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
	overview := Overview(results)
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
		return fmt.Sprintf("%d of %d (%s)", p[lost], p[accepted], claims.Digits(p.perThousand(), 3))
	}
	for _, r := range results {
		if r.FillingError != "" {
			t.Add(r.label(), r.Capacity, r.FillingError, "", "")
		} else if first := r.firstLoss(); first >= 0 {
			t.Add(r.label(), r.Capacity, fmt.Sprintf("%.3f", float64(r.Filling[first][offered])/float64(r.Capacity)),
				at(r.Filling[fillingSteps-1]), at(r.Filling[len(r.Filling)-1]))
		}
	}
	return t
}
