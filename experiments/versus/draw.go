package versus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
)

// loses reports whether the filling of the filter lost a key at any capacity.
func loses(results []Result, label string) bool {
	return slices.ContainsFunc(results, func(r Result) bool {
		return r.Label() == label && slices.ContainsFunc(r.Filling, func(p Point) bool { return p.Lost > 0 })
	})
}

// Figure draws lost keys per 1000 accepted while filters are filled beyond their capacity, one panel a
// capacity. Filters that lose none at any capacity share a line, and the caption names them.
func Figure(results []Result) *chart.Figure {
	var lossy, lossless []string
	for i := range results {
		label := results[i].Label()
		if slices.Contains(lossy, label) || slices.Contains(lossless, label) {
			continue
		}
		if loses(results, label) {
			lossy = append(lossy, label)
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
	for i, capacity := range capacities(results) {
		p := chart.Panel{
			Title: fmt.Sprintf("(%c) capacity %d", 'a'+i, capacity),
			X:     chart.Axis{Label: "keys offered / capacity", Min: 0.8, Max: fillingEnd},
			Y:     chart.Axis{Label: "lost keys per 1000 accepted"},
		}
		for j, label := range lossy {
			p.Series = append(p.Series, curve(results, capacity, label, label, chart.Numbered(j+1)))
		}
		if len(lossless) > 0 {
			p.Series = append(p.Series, curve(results, capacity, lossless[len(lossless)-1], others, chart.Numbered(0)))
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// curve returns the filling of the filter called name as a series.
func curve(results []Result, capacity int, name, label string, style chart.Style) chart.Series {
	s := chart.Series{Label: label, Style: style}
	for i := range results {
		if r := &results[i]; r.Label() == name && r.Capacity == capacity {
			for _, p := range r.Filling {
				s.Points = append(s.Points, chart.Point{X: float64(p.Offered) / float64(capacity), Y: p.PerThousand()})
			}
		}
	}
	return s
}
