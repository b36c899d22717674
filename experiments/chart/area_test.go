package chart

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
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
		Series: []Series{{Label: "break-even", Kind: Line, NoLegend: true, Points: []Point{{X: 1e3, Y: 1e3}, {X: 1e5, Y: 1e3}}}},
		Notes:  []Note{{X: 1e4, Y: 1e5, Text: "here"}},
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
		for _, corner := range []vg.Point{n.box.Min, n.box.Max, {X: n.box.Min.X, Y: n.box.Max.Y}, {X: n.box.Max.X, Y: n.box.Min.Y}} {
			inside := false
			for _, a := range p.Areas {
				r := p.rectangle(a)
				inside = inside || a.Label == n.text && corner.X >= r.Min.X && corner.X <= r.Max.X && corner.Y >= r.Min.Y && corner.Y <= r.Max.Y
			}
			if !inside {
				t.Errorf("a corner %v of %q is outside of its region", corner, n.text)
			}
		}
		if note := p.notes[0]; overlap(n.box, note.box) || within(vg.Rectangle{Min: note.at, Max: note.at}, n.box, 0) {
			t.Errorf("%q at %v is over the note at %v", n.text, n.box, note.at)
		}
	}
}

func TestAreas_RenderInEveryFormat(t *testing.T) {
	f := regions()
	for _, format := range Formats() {
		a, err := f.Render(format)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := f.Render(format); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs when drawn again: %v", format, err)
		}
		if format == "vl.json" && (!json.Valid(a) || bytes.Count(a, []byte(`"y2": `)) < len(f.Panels[0].Areas)) {
			t.Errorf("the areas are not in\n%s", a)
		}
	}
}

// Neighbouring regions of styles in one colour can be told apart, in grey too.
func TestAreas_TintsDiffer(t *testing.T) {
	grey := func(name string) int {
		c := StyleFor(name).tint()
		return (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
	}
	for _, pair := range [][2]string{{"blocked bloom", "split-block bloom"}, {"cuckoo", "split-block bloom"}, {"cuckoo", "blocked bloom"},
		{"counting bloom", "d-left counting bloom"}} {
		if a, b := grey(pair[0]), grey(pair[1]); max(a-b, b-a) < 15 {
			t.Errorf("%v have greys %d and %d", pair, a, b)
		}
	}
}

func TestAreas_Check(t *testing.T) {
	for want, a := range map[string]Area{
		`area 0 "x": x is 0 on a log axis`: {Label: "x", X1: 1e4, Y0: 1, Y1: 2},
		`down to`:                          {X0: 1e5, X1: 1e4, Y0: 1, Y1: 2},
		`printable ASCII`:                  {Label: "\u03b5", X0: 1e3, X1: 1e4, Y0: 1, Y1: 2},
	} {
		f := regions()
		f.Panels[0].Areas = []Area{a}
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", a, err, want)
		}
	}
}

// Every border runs from a place where it meets others, or the frame, to another such place: no gaps, no loose ends.
func TestAreas_BordersHaveNoLooseEnds(t *testing.T) {
	f := regions()
	f.Panels[0].Areas = nil
	kind := func(x, y int) string { // a diagonal, a crossing and an island
		switch {
		case (x-50)*(x-50)+(y-175)*(y-175) < 400:
			return "counting bloom"
		case x > 150 && y > 75:
			return "blocked bloom"
		case y > x:
			return "cuckoo"
		}
		return "bloom"
	}
	at := func(i int, from, to float64) float64 { return from * math.Pow(to/from, float64(i)/250) }
	for x := range 250 {
		for y := range 250 {
			f.Panels[0].Areas = append(f.Panels[0].Areas, Area{Label: kind(x, y), Style: StyleFor(kind(x, y)),
				X0: at(x, 1e3, 1e6), X1: at(x+1, 1e3, 1e6), Y0: at(y, 1, 1e6), Y1: at(y+1, 1, 1e6)})
		}
	}
	p := &f.layout().panels[0]
	lines := p.edges
	ends := map[vg.Point]int{}
	rings, corners := 0, 0
	for _, line := range lines {
		first, last := line[0], line[len(line)-1]
		if corners += len(line); first == last {
			rings++
			continue
		}
		ends[first]++
		ends[last]++
	}
	for end, n := range ends {
		edge := min(end.X-p.frame.Min.X, p.frame.Max.X-end.X, end.Y-p.frame.Min.Y, p.frame.Max.Y-end.Y) < 1
		if n < 3 && !edge {
			t.Errorf("%d borders end at %v, in the middle of %v", n, end, p.frame)
		}
	}
	if rings != 1 || len(ends) < 4 {
		t.Errorf("%d rings and %d ends in %d lines", rings, len(ends), len(lines))
	}
	if corners > 60 {
		t.Errorf("%d corners: the borders are stairs", corners)
	}
}
