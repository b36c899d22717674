package chart

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// regions is a figure of two regions with room for their names and one without, on log axes.
func regions() *Figure {
	return &Figure{Name: "map", Title: "Who wins where", Panels: []Panel{{
		X: Axis{Label: "keys", Log: true, Min: 1e3, Max: 1e6},
		Y: Axis{Label: "cost", Log: true, Min: 1, Max: 1e6},
		Areas: []Area{
			{Label: "bloom", Style: StyleFor("bloom"), X0: 1e3, X1: 1e5, Y0: 1, Y1: 1e3},
			{Label: "bloom", Style: StyleFor("bloom"), X0: 1e5, X1: 1e6, Y0: 1, Y1: 1e2},
			{Label: "cuckoo", Style: StyleFor("cuckoo"), X0: 1e3, X1: 1e5, Y0: 1e3, Y1: 1e6},
			{Label: "cuckoo", Style: StyleFor("cuckoo"), X0: 1e5, X1: 9e5, Y0: 1e2, Y1: 1e6},
			{Label: "blocked bloom", Style: StyleFor("blocked bloom"), X0: 9e5, X1: 1e6, Y0: 1e2, Y1: 1e6},
		},
		Series: []Series{{Label: "break-even", Kind: Line, NoLegend: true,
			Points: []Point{{X: 1e3, Y: 1e3}, {X: 1e5, Y: 1e3}}}},
		Notes: []Note{{X: 1e4, Y: 1e5, Text: "here"}},
	}}}
}

// A name lies inside its region, off the notes; a region without room for it is in the legend, beside the frame.
func TestAreas_NamesLieInside(t *testing.T) {
	f := regions()
	l := f.layout()
	p := &l.panels[0]
	if len(p.names) != 2 || len(l.legend.entries) != 1 || l.legend.entries[0].label != "blocked bloom" {
		t.Fatalf("names %v, legend %v", p.names, l.legend.entries)
	}
	if l.legend.box.Min.X < p.frame.Max.X {
		t.Errorf("the legend %v lies over the frame %v", l.legend.box, p.frame)
	}
	for _, n := range p.names {
		var own []vg.Rectangle
		for i, r := range p.rectangles(p.Areas) {
			if p.Areas[i].Label == n.text {
				own = append(own, r)
			}
		}
		for _, corner := range []vg.Point{n.box.Min, n.box.Max, {X: n.box.Min.X, Y: n.box.Max.Y}, {X: n.box.Max.X, Y: n.box.Min.Y}} {
			if !slices.ContainsFunc(own, func(r vg.Rectangle) bool { return nearest(r, corner) == corner }) {
				t.Errorf("a corner %v of %q is outside of its region", corner, n.text)
			}
		}
		if note := p.notes[0]; overlap(n.box, note.box) || within(vg.Rectangle{Min: note.at, Max: note.at}, n.box, 0) {
			t.Errorf("%q at %v is over the note at %v", n.text, n.box, note.at)
		}
	}
}

// Neighbouring regions of styles in one colour can be told apart, in grey too.
func TestAreas_TintsDiffer(t *testing.T) {
	grey := func(name string) int {
		c := StyleFor(name).tint()
		return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
	}
	for _, pair := range [][2]string{{"blocked bloom", "split-block bloom"}, {"cuckoo", "split-block bloom"},
		{"cuckoo", "blocked bloom"},
		{"counting bloom", "d-left counting bloom"}} {
		if a, b := grey(pair[0]), grey(pair[1]); max(a-b, b-a) < 15 {
			t.Errorf("%v have greys %d and %d", pair, a, b)
		}
	}
}

// A border lies where two regions meet, on all of the side that they share, and nowhere else.
func TestAreas_BordersLieBetweenRegions(t *testing.T) {
	p := &regions().layout().panels[0]
	lines := p.borders()
	drawn := func(at vg.Point) bool {
		return slices.ContainsFunc(lines, func(r vg.Rectangle) bool { return nearest(r, at) == at })
	}
	for _, side := range [][4]float64{{1e3, 1e3, 1e5, 1e3}, {1e5, 1e2, 1e5, 1e3}, {1e5, 1e2, 9e5, 1e2}, {9e5, 1e2, 9e5, 1e6}} {
		from, to := p.point(side[0], side[1]), p.point(side[2], side[3])
		for i := range 101 {
			at := mix(from, to, vg.Length(i)/100)
			if !drawn(at) {
				t.Fatalf("no line at %v, between %v and %v", at, from, to)
			}
		}
	}
	if drawn(p.point(1e4, 1e4)) {
		t.Errorf("a line in the middle of a region: %v", lines)
	}
	alone := regions()
	alone.Panels[0].Areas = alone.Panels[0].Areas[:2]
	if lines := alone.layout().panels[0].borders(); lines != nil {
		t.Errorf("the lines %v within one region, or around it", lines)
	}
}
