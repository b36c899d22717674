package rivals

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
)

// A spot is a filter in the chart.
type spot struct {
	chart.Point
	*Row
	name string
}

// legend are the groups of the chart.
var legend = [...]string{Ours: "nest", Native: "native twin (C++)", Peer: "other Go modules"}

// spots are the filters of a part at a size that have a rate and times. At or below the bound, of which a log axis has
// nothing, is 1%.
func (r *Result) spots(p part, slots int) (all []spot) {
	for _, row := range r.Rows {
		name := strings.TrimPrefix(strings.TrimPrefix(row.Name, "nest "), "native ") // the colour says it
		name = strings.TrimSuffix(name, " by bytes")
		s := spot{chart.Point{X: row.Mean().Interval().Median, Y: max(1, 100*row.Overhead())}, row, name}
		if row.Slots == slots && p.has(row) && len(row.Times[find]) > 0 && !math.IsNaN(s.Y) {
			all = append(all, s)
		}
	}
	return all
}

// frontier are the spots that no other one beats in both directions, by time; of filters in Go that take keys later, or
// of all.
func frontier(all []spot, taking bool) (best []spot) {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b spot) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	for _, s := range all {
		if takes := s.Group != Native && !s.Static; (takes || !taking) && (len(best) == 0 || s.Y < best[len(best)-1].Y) {
			best = append(best, s)
		}
	}
	return best
}

// figure draws the space of every filter above the bound against the time of its lookups, at one size, with its name,
// and the frontier of those that no other one beats. It is nil without a filter that has both.
func (r *Result) figure(of part, slots int) *chart.Figure {
	all := r.spots(of, slots)
	if len(all) == 0 {
		return nil
	}
	p := chart.Panel{
		X: chart.Axis{Label: "ns per lookup, mean over 0 to 100% present keys (log scale)", Log: true},
		Y: chart.Axis{Label: "bits above log2(1/rate), in % of it (log scale)", Log: true},
	}
	line := func(s chart.Series, of []spot) (texts string) {
		for i, at := range of {
			s.Points = append(s.Points, at.Point)
			texts += ", "[:2*min(i, 1)] + fmt.Sprintf("%s (%s ns, %s%%)", at.name, digits(at.X, 2), digits(at.Y, 2))
		}
		if len(of) > 0 {
			p.Series = append(p.Series, s)
		}
		return texts
	}
	edge := chart.Series{Label: "frontier", Style: chart.StyleFor("bound"), Kind: chart.Thin, Step: true}
	caption := "On the frontier, where no other filter is both smaller and faster: " +
		line(edge, frontier(all, false)) + "."
	edge.Label, edge.Style = "frontier in Go, with inserts", chart.Numbered(0)
	if taking := frontier(all, true); len(taking) > 0 && !slices.Equal(taking, frontier(all, false)) {
		caption += " Among the filters in Go that take keys after they are built: " + line(edge, taking) + "."
	}
	for group, label := range legend {
		of := slices.DeleteFunc(slices.Clone(all), func(s spot) bool { return s.Group != Group(group) })
		for _, at := range of {
			p.Notes = append(p.Notes, chart.Note{X: at.X, Y: at.Y, Text: at.name})
		}
		line(chart.Series{Label: label, Style: chart.Numbered(group), Kind: chart.Marks}, of)
	}
	return &chart.Figure{
		Name: of.id, Width: 24, Height: 18, Below: true, Panels: []chart.Panel{p}, Caption: caption,
		Title: fmt.Sprintf("Space above the bound against lookups, %d keys", KeysOf(slots)),
	}
}
