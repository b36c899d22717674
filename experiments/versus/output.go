package versus

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"fmt"
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

// finding is what a check found.
func (r *Result) finding(check string) filtertest.Finding {
	f, _ := filtertest.Report{Findings: r.Findings}.Finding(check)
	return f
}

// share writes two measures of a check, "12 of 345", or a hyphen if they were not taken.
func (r *Result) share(check, part, of string) string {
	measures := r.finding(check).Measures
	if measures[of] == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f of %.0f", measures[part], measures[of])
}

// deletes tells how many checks of Delete passed, of those that were made.
func (r *Result) deletes() string {
	n := map[filtertest.Status]int{}
	for _, check := range []string{"delete", "operations", "duplicates", "saturation", "absent-delete"} {
		n[r.finding(check).Status]++
	}
	of := n[filtertest.Passed] + n[filtertest.Failed] + n[filtertest.Noted]
	if of == 0 {
		return "no Delete"
	}
	return fmt.Sprintf("%d of %d", n[filtertest.Passed], of)
}

// Overview is the table of one row for each filter and capacity.
func Overview(results []Result) report.Table {
	t := report.Table{Left: 4, Columns: []string{"module", "version", "measured", "filter", "capacity",
		"taken at first refusal", "lost keys", "refused keys found", "rate claimed", "rate measured",
		"checks of Delete passed", "failed checks"}}
	for _, r := range results {
		day, first, claimed, rate := "by this command", "none refused", "none", "-"
		if r.Kept != nil {
			day = r.Kept.Measured
		}
		if n, ok := r.finding("capacity").Measures["first-refusal"]; ok {
			first = fmt.Sprintf("%.0f", n)
		}
		if r.TargetRate > 0 {
			claimed = claims.Percent(r.TargetRate, 3)
		}
		if v, ok := r.finding("rate").Measures["rate"]; ok {
			rate = claims.Percent(v, 3)
		}
		var failed []string
		for _, f := range (filtertest.Report{Findings: r.Findings}).Failed() {
			failed = append(failed, f.Check)
		}
		t.Add(r.Module, r.Version, day, r.Filter, r.Capacity, first, r.share("overfilling", "lost", "accepted"),
			r.share("refusal", "kept-keys", "refusals"), claimed, rate, r.deletes(), cmp.Or(strings.Join(failed, ", "), "none"))
	}
	return t
}

// firstLoss is the place of the first point of the filling at which a key is lost, -1 if none is.
func (r *Result) firstLoss() int {
	return slices.IndexFunc(r.Filling, func(p Point) bool { return p[lost] > 0 })
}

// Loss is a row of the page's table of lost keys: at the capacity and at the end. Without a loss it is empty.
func (r Result) Loss() string {
	at := func(p Point) string {
		return fmt.Sprintf("%d of %d (%s)", p[lost], p[accepted], claims.Digits(p.perThousand(), 3))
	}
	row := fmt.Sprintf("| %s | %d |", r.label(), r.Capacity)
	switch first := r.firstLoss(); {
	case r.FillingError != "":
		return row + " " + r.FillingError + " |  |  |"
	case first >= 0:
		return fmt.Sprintf("%s %.3f | %s | %s |", row, float64(r.Filling[first][offered])/float64(r.Capacity),
			at(r.Filling[fillingSteps-1]), at(r.Filling[len(r.Filling)-1]))
	}
	return ""
}

// Shown are the findings that a reader should see.
func (r Result) Shown() []filtertest.Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f filtertest.Finding) bool {
		return f.Status != filtertest.Failed && f.Status != filtertest.Noted
	})
}

// Figure draws lost keys per 1000 accepted while filters are filled beyond their capacity, one panel a capacity.
// Filters that lose none at any capacity share a line, that of the last one, and the caption names them.
func Figure(results []Result) *chart.Figure {
	var filters report.Groups[string, bool] // does it lose keys?
	var capacities []int
	for _, r := range results {
		loses := filters.Of(r.label())
		*loses = *loses || r.firstLoss() >= 0
		capacities = append(capacities, r.Capacity)
	}
	slices.Sort(capacities)
	var losing, lossless []string
	for i, label := range filters.Keys {
		if filters.Values[i] {
			losing = append(losing, label)
		} else {
			lossless = append(lossless, label)
		}
	}
	others := fmt.Sprintf("the other %d filters", len(lossless))
	f := &chart.Figure{
		Name:  "conformance",
		Title: "Accepted keys that are no longer found",
		Caption: "Lost keys per 1000 accepted, as keys are offered to filters made for the capacity. " +
			"On the line at 0 (" + others + "): " + strings.Join(lossless, ", ") + ".",
	}
	for i, capacity := range slices.Compact(capacities) {
		p := chart.Panel{
			Title: fmt.Sprintf("(%c) capacity %d", 'a'+i, capacity),
			X:     chart.Axis{Label: "keys offered / capacity", Min: 0.8, Max: fillingEnd},
			Y:     chart.Axis{Label: "lost keys per 1000 accepted"},
		}
		for j, label := range append(slices.Clone(losing), lossless[max(0, len(lossless)-1):]...) {
			s := chart.Series{Label: label, Style: chart.Numbered(j + 1)}
			if j == len(losing) {
				s.Label, s.Style = others, chart.Numbered(0)
			}
			for _, r := range results {
				for _, at := range r.Filling {
					if r.label() == label && r.Capacity == capacity {
						s.Points = append(s.Points, chart.Point{X: float64(at[offered]) / float64(capacity), Y: at.perThousand()})
					}
				}
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

//go:embed page.md.tmpl
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Write writes the page, CONFORMANCE.md, and its chart, conformance.svg, into a directory, which it makes.
func Write(dir string, results []Result) error {
	var kept []*Source
	for _, r := range results {
		if r.Kept != nil && !slices.Contains(kept, r.Kept) {
			kept = append(kept, r.Kept)
		}
	}
	var b bytes.Buffer
	figure, overview := Figure(results), Overview(results)
	err := pageTemplate.Execute(&b, map[string]any{
		"Go": runtime.Version() + " on " + runtime.GOOS + "/" + runtime.GOARCH, "Results": results, "Kept": kept,
		"Overview": &overview, "Title": chart.PlainText(figure.Title), "Caption": figure.Caption, "End": fillingEnd,
	})
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		_, err = figure.Write(dir, []string{"svg"})
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "CONFORMANCE.md"), b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("versus: %w", err)
	}
	return nil
}
