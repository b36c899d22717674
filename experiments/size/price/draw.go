package price

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/stat"
)

// mapSteps is the number of columns that are drawn: two for each point of the picture.
const mapSteps = 560

// Figure draws the map: who wins in which region, the lines along which two break even, and the marked
// point.
func (m *Map) Figure() *chart.Figure {
	left, right := m.columns[0].Keys, m.columns[len(m.columns)-1].Keys
	p := chart.Panel{
		X: chart.Axis{Label: "keys in the filter (log scale)", Log: true, Min: left, Max: right},
		Y: chart.Axis{Label: "cost of a miss (log scale)", Log: true, Min: lowestMiss, Max: highestMiss, Ticks: missTicks()},
	}
	step := math.Pow(right/left, 1./mapSteps)
	for i := range mapSteps {
		x0 := left * math.Pow(step, float64(i))
		x1 := left * math.Pow(step, float64(i+1))
		won := m.Winners(left * math.Pow(step, float64(i)+0.5))
		for _, s := range won {
			lo, hi := max(s.From, lowestMiss), min(s.To, highestMiss)
			if lo < hi {
				p.Areas = append(p.Areas, chart.Area{Label: s.Kind, Style: style(s.Kind), X0: x0, X1: x1, Y0: lo, Y1: hi})
			}
		}
	}
	p.Notes = m.note(left, right)
	negative := ", all lookups for absent keys"
	if m.work.Negative != 1 {
		negative = fmt.Sprintf(", %s of lookups for absent keys", stat.Percent(m.work.Negative, 2))
	}
	if m.work.deletes() {
		negative += ", keys deletable"
	}
	return &chart.Figure{
		Name:    "winners",
		Title:   "Which filter has the cheapest lookups, wasted work included" + negative,
		Caption: fmt.Sprintf("The kind of filter with the lowest price of a lookup, each at its own best number of bits per item from %d to %d, by number of keys and cost of a miss.", MinBits, MaxBits),
		Panels:  []chart.Panel{p},
	}
}

// style is that of a kind on the map.
func style(kind string) chart.Style {
	if kind == NoFilter {
		kind = "bound"
	}
	return chart.StyleFor(kind)
}

// note marks the point of the advice where it is on the map.
func (m *Map) note(left, right float64) []chart.Note {
	a := m.mark
	if a == nil || float64(a.Keys) < left || float64(a.Keys) > right || a.Work.MissCost < lowestMiss || a.Work.MissCost > highestMiss {
		return nil
	}
	return []chart.Note{{X: float64(a.Keys), Y: a.Work.MissCost, Text: fmt.Sprintf("%s keys, %s", short(a.Keys), Duration(a.Work.MissCost))}}
}

func short(n int) string {
	switch {
	case n%1_000_000 == 0:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n%1000 == 0:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func missTicks() (ticks []chart.Tick) {
	for at := float64(lowestMiss); at <= highestMiss; at *= 10 {
		ticks = append(ticks, chart.Tick{At: at, Label: Duration(at)})
	}
	return ticks
}
