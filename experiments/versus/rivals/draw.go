package rivals

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
)

// A spot is a filter in the chart.
type spot struct {
	chart.Point
	name  string
	group Group
	// takes tells that it is a filter in Go that takes keys after it was built.
	takes bool
}

// legend are the groups of the chart.
var legend = [...]string{Ours: "nest", Native: "native twin (C++)", Peer: "other Go modules"}

// drawnOverhead is the largest space above the bound that is drawn, in per cent.
const drawnOverhead = 1000

// spots are the filters of a size that have a rate and times, and those beyond what is drawn.
func (r *Result) spots(slots int) (all, beyond []spot) {
	for _, row := range r.of(slots) {
		name := strings.TrimPrefix(strings.TrimPrefix(row.Name, "nest "), "native ") // the colour says it
		at := chart.Point{X: row.Mean().Interval().Median, Y: 100 * row.Overhead()}
		s := spot{at, name, row.Group, row.Group != Native && !row.Static}
		switch {
		case len(row.Times[find]) == 0 || math.IsNaN(s.Y):
		case s.Y > drawnOverhead:
			beyond = append(beyond, s)
		default:
			all = append(all, s)
		}
	}
	return all, beyond
}

// frontier are the spots that no other one beats in both directions, by time; of filters in Go that take keys later, or
// of all.
func frontier(all []spot, taking bool) (best []spot) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b spot) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	for _, s := range all {
		if (s.takes || !taking) && (len(best) == 0 || s.Y < best[len(best)-1].Y) {
			best = append(best, s)
		}
	}
	return best
}

// Figure draws the space of every filter above the bound against the time of its lookups, at one size, with its name.
// It is nil without a filter that has both.
func (r *Result) Figure(slots int) *chart.Figure {
	all, beyond := r.spots(slots)
	if len(all) == 0 {
		return nil
	}
	p := chart.Panel{
		X: chart.Axis{Label: "ns per lookup, mean over 0 to 100% present keys (log scale)", Log: true},
		Y: chart.Axis{Label: "bits above log2(1/rate), in % of it (log scale)", Log: true},
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = extent(all)
	p.X.Ticks = measure.DecadeTicks(p.X.Min, p.X.Max, 1, 2, 3, 5, 7)
	p.Y.Ticks = measure.DecadeTicks(p.Y.Min, p.Y.Max, 1, 2, 3, 5, 7)
	line := func(s chart.Series, of []spot) {
		for _, at := range of {
			s.Points = append(s.Points, at.Point)
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	edge := chart.Series{Label: "frontier", Style: chart.StyleFor("bound"), Kind: chart.Thin, Step: true}
	line(edge, frontier(all, false))
	edge.Label, edge.Style = "frontier in Go, with inserts", chart.Numbered(0)
	line(edge, frontier(all, true))
	for group, label := range legend {
		of := slices.DeleteFunc(slices.Clone(all), func(s spot) bool { return s.group != Group(group) })
		for _, at := range of {
			p.Notes = append(p.Notes, chart.Note{X: at.X, Y: at.Y, Text: at.name})
		}
		line(chart.Series{Label: label, Style: chart.Numbered(group), Kind: chart.Marks}, of)
	}
	return &chart.Figure{
		Name: journal + "-" + strconv.Itoa(slots), Width: 24, Height: 18, Below: true,
		Title: fmt.Sprintf("Space above the bound against lookups, %d keys", KeysOf(slots)),
		Caption: "Bits per key above log2(1/rate), in per cent of that, against nanoseconds per lookup one by one. " +
			caption(all, beyond),
		Panels: []chart.Panel{p},
	}
}

// caption names the filters that no other one beats, and those that are not drawn.
func caption(all, beyond []spot) string {
	best := func(taking bool) string {
		var texts []string
		for _, s := range frontier(all, taking) {
			texts = append(texts, fmt.Sprintf("%s (%s ns, %s%%)", s.name, claims.Digits(s.X, 2), claims.Digits(s.Y, 2)))
		}
		return strings.Join(texts, ", ")
	}
	text := "On the frontier, where no other filter is both smaller and faster: " + best(false) + ". Among the filters " +
		"in Go that take keys after they are built: " + best(true) + "."
	for _, s := range beyond {
		text += fmt.Sprintf(" Not drawn: %s, %s%% above the bound, %s ns.", s.name, claims.Digits(s.Y, 2), claims.Digits(s.X, 2))
	}
	return text
}

// extent is a margin around all spots. Space at or below the bound is not drawn.
func extent(all []spot) (left, right, low, high float64) {
	left, low = math.Inf(1), math.Inf(1)
	for _, s := range all {
		left, right = min(left, s.X), max(right, s.X)
		low, high = min(low, max(s.Y, 1)), max(high, s.Y)
	}
	return left / 1.3, right * 1.5, low / 1.3, high * 1.3
}
