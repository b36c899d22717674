package paper

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	"github.com/nestfilter/nest/experiments/measure"
)

// glance shows the paper's point at one look: the space that lies between a Bloom filter and the semi-sorted cuckoo filter, by
// the formula of the one and the exact law of the other at the load that was measured, with the measured points of both.
func glance(d *lab.Data) *chart.Figure {
	alpha := meanLoadOf(d, fig4Sorted)
	sorted := func(rate float64) float64 { return law.ExactCuckooBits(rate, 4, alpha, 1) }
	p := chart.Panel{
		X: chart.Axis{Label: "false-positive rate (log scale)", Log: true, Min: fig4Low, Max: 0.2, Format: chart.Percent},
		Y: chart.Axis{Label: "space (bits per key)", Min: 0, Max: 26},
	}
	const step = 1.02
	for rate := fig4Low; rate < 0.2; rate *= step {
		bloom, cuckoo := law.BloomBits(rate), sorted(rate)
		area := chart.Area{Label: "saved by cuckoo", Style: chart.StyleFor("semi-sorted cuckoo"), X0: rate, X1: min(rate*step, 0.2), Y0: cuckoo, Y1: bloom}
		if bloom < cuckoo {
			area = chart.Area{Label: "saved by Bloom", Style: chart.StyleFor("bloom"), X0: area.X0, X1: area.X1, Y0: bloom, Y1: cuckoo}
		}
		p.Areas = append(p.Areas, area)
	}
	for _, l := range []struct {
		label, measured, style string
		bits                   func(float64) float64
	}{
		{"Bloom", fig4Bloom, "bloom", law.BloomBits},
		{"semi-sorted cuckoo", fig4Sorted, "semi-sorted cuckoo", sorted},
	} {
		line := chart.Series{Label: l.label, Style: chart.StyleFor(l.style), Kind: chart.Line}
		for rate := fig4Low; rate <= 0.2; rate *= 1.1 {
			line.Points = append(line.Points, chart.Point{X: rate, Y: l.bits(rate)})
		}
		marks := chart.Series{Label: l.label, Style: line.Style, Kind: chart.Marks}
		for _, g := range d.Select(l.measured) {
			if pt := measure.RatePoint(g); !pt.Zero {
				marks.Points = append(marks.Points, chart.Point{X: pt.Y, Y: pt.X})
			}
		}
		p.Series = append(p.Series, line, marks)
	}
	bound := chart.Series{Label: "no filter can be smaller", Style: chart.StyleFor("bound"), Kind: chart.Thin}
	for _, rate := range []float64{fig4Low, 0.2} {
		bound.Points = append(bound.Points, chart.Point{X: rate, Y: law.LowerBound(rate)})
	}
	p.Series = append(p.Series, bound)
	if rate, bits, ok := law.Crossover(sorted, law.BloomBits, fig4Low, 0.2); ok {
		p.Notes = []chart.Note{{X: rate, Y: bits, Text: fmt.Sprintf("equal at %.1f%%", 100*rate)}}
	}
	return &chart.Figure{
		Name: "fig4-glance", Title: "A cuckoo filter is smaller than a Bloom filter at low rates, and it deletes",
		Caption: fmt.Sprintf("Bits per key by false-positive rate: a Bloom filter with the best number of hashes, and the semi-sorted cuckoo filter at the load that was measured (%.3f). "+
			"The marks are measured filters.", math.Round(1000*alpha)/1000),
		Panels: []chart.Panel{p}, Width: 15, Height: 8.5,
	}
}

// meanLoadOf is the mean load that the filters of a series reached.
func meanLoadOf(d *lab.Data, series string) float64 {
	stored, slots := 0, 0
	for _, g := range d.Select(series) {
		stored, slots = stored+g.Sum("stored"), slots+len(g.Rows)*g.Param("keys")
	}
	return lab.Quotient(stored, slots)
}
