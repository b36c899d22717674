package rivals

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// A spot is a filter in the chart.
type spot struct {
	chart.Point
	name  string
	group string
	// takes tells that it is a filter in Go that takes keys after it was built.
	takes bool
}

// The legend of the chart.
const (
	foreignGroup = "fastfilter_cpp, another machine"
)

var groupNames = map[Group]string{Ours: "nest", Native: "native twin (C++)", Peer: "other Go modules"}

// drawnOverhead is the largest space above the bound that is drawn, in per cent.
const drawnOverhead = 1000

// spots are the filters of a size that have a rate and times.
func (r *Result) spots(slots int) (all []spot) {
	for _, row := range r.Rows {
		if row.Slots != slots || len(row.Find[0]) == 0 || math.IsNaN(row.Bound()) {
			continue
		}
		ns, group, name := row.Mean().Interval(), groupNames[row.Group], row.Name
		for _, prefix := range []string{"nest ", "native "} {
			name = strings.TrimPrefix(name, prefix) // the colour says it
		}
		all = append(all, spot{chart.Point{X: ns.Median, Y: 100 * row.Overhead()}, name, group, row.Group != Native && !row.Static})
	}
	if len(all) == 0 {
		return nil
	}
	for _, f := range r.Foreign {
		if !math.IsNaN(f.Overhead) {
			all = append(all, spot{chart.Point{X: f.Mean(), Y: 100 * f.Overhead}, f.Name, foreignGroup, false})
		}
	}
	return all
}

// frontier are the spots of this machine that no other one of it beats in both directions, by time; of filters in Go that take
// keys later, or of all.
func frontier(all []spot, taking bool) []spot {
	var own, best []spot
	for _, s := range all {
		if s.group != foreignGroup && (s.takes || !taking) {
			own = append(own, s)
		}
	}
	slices.SortFunc(own, func(a, b spot) int {
		if a.X != b.X {
			return sign(a.X - b.X)
		}
		return sign(a.Y - b.Y)
	})
	for _, s := range own {
		if len(best) == 0 || s.Y < best[len(best)-1].Y {
			best = append(best, s)
		}
	}
	return best
}

func sign(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// Figure draws the space of every filter above the bound against the time of its lookups, at one size, with its name. It is nil
// without a filter that has both.
func (r *Result) Figure(slots int) *chart.Figure {
	all := r.spots(slots)
	beyond := slices.DeleteFunc(slices.Clone(all), func(s spot) bool { return s.Y <= drawnOverhead })
	all = slices.DeleteFunc(all, func(s spot) bool { return s.Y > drawnOverhead })
	if len(all) == 0 {
		return nil
	}
	styles := map[string]chart.Style{}
	groups := []string{groupNames[Ours], groupNames[Native], groupNames[Peer], foreignGroup}
	for i, group := range groups {
		styles[group] = chart.Numbered(i)
	}
	p := chart.Panel{
		X: chart.Axis{Label: "ns per lookup, mean over 0 to 100% present keys (log scale)", Log: true},
		Y: chart.Axis{Label: "bits above log2(1/rate), in % of it (log scale)", Log: true},
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = extent(all)
	p.X.Ticks, p.Y.Ticks = measure.DecadeTicks(p.X.Min, p.X.Max, 1, 2, 3, 5, 7), measure.DecadeTicks(p.Y.Min, p.Y.Max, 1, 2, 3, 5, 7)
	for _, line := range []chart.Series{
		{Label: "frontier", Style: chart.StyleFor("bound"), Kind: chart.Thin, Step: true},
		{Label: "frontier in Go, with inserts", Style: styles[groupNames[Ours]], Kind: chart.Thin, Step: true},
	} {
		for _, s := range frontier(all, line.Label != "frontier") {
			line.Points = append(line.Points, s.Point)
		}
		if len(line.Points) > 0 {
			p.Series = append(p.Series, line)
		}
	}
	for _, group := range groups {
		s := chart.Series{Label: group, Style: styles[group], Kind: chart.Marks}
		if group == foreignGroup {
			s.Kind = chart.Hollow
		}
		for _, at := range all {
			if at.group == group {
				s.Points = append(s.Points, at.Point)
				p.Notes = append(p.Notes, chart.Note{X: at.X, Y: at.Y, Text: at.name})
			}
		}
		if len(s.Points) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return &chart.Figure{
		Name: "league-" + strconv.Itoa(slots), Width: 24, Height: 18, Below: true,
		Title:   fmt.Sprintf("Space above the bound against lookups, %d keys", KeysOf(slots)),
		Caption: "Bits per key above log2(1/rate), in per cent of that, against nanoseconds per lookup one by one. " + frontierText(all) + beyondText(beyond),
		Panels:  []chart.Panel{p},
	}
}

// frontierText names the filters that no other one beats.
func frontierText(all []spot) string {
	names := func(taking bool) string {
		var texts []string
		for _, s := range frontier(all, taking) {
			texts = append(texts, fmt.Sprintf("%s (%s ns, %s%%)", s.name, stat.Digits(s.X, 2), stat.Digits(s.Y, 2)))
		}
		return strings.Join(texts, ", ")
	}
	return "On the frontier, where no other filter is both smaller and faster: " + names(false) + ". Among the filters in Go that take keys " +
		"after they are built: " + names(true) + "."
}

// beyondText names the filters that are not drawn.
func beyondText(all []spot) (text string) {
	for _, s := range all {
		text += fmt.Sprintf(" Not drawn: %s, %s%% above the bound, %s ns.", s.name, stat.Digits(s.Y, 2), stat.Digits(s.X, 2))
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
