package chart

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Area is a rectangle in a light colour under everything else. Areas of one label are one region:
// its name is written once, where it has most room, or in the legend where it has none. Areas do not
// widen an automatic axis, so that a panel of areas has axes with Min and Max.
type Area struct {
	Label          string
	Style          Style // a dashed style gives a stronger colour than a solid one
	X0, X1, Y0, Y1 float64
}

// tint is the ink as an opaque area: translucent neighbours would show seams.
func (s Style) tint() color.NRGBA {
	share := 0.3
	if s.Dash != nil {
		share = 0.55
	}
	mix := func(c uint8) uint8 { return uint8(math.Round(255 - share*(255-float64(c)))) }
	ink := s.ink()
	return color.NRGBA{mix(ink.R), mix(ink.G), mix(ink.B), 255}
}

// check says what is wrong with an area of the panel.
func (a Area) check(fail failFunc, i int, p *Panel) {
	checkText(fail, "area label", a.Label)
	for _, pt := range []Point{{X: a.X0, Y: a.Y0}, {X: a.X1, Y: a.Y1}} {
		if what := p.checkPoint(pt); what != "" {
			fail("area %d %q: %s", i, a.Label, what)
		}
	}
	if a.X0 > a.X1 || a.Y0 > a.Y1 {
		fail("area %d %q: from %v, %v down to %v, %v", i, a.Label, a.X0, a.Y0, a.X1, a.Y1)
	}
}

// rectangle is the part of an area inside the frame.
func (p *placed) rectangle(a Area) vg.Rectangle {
	low, high := p.point(a.X0, a.Y0), p.point(a.X1, a.Y1)
	r := vg.Rectangle{
		Min: vg.Point{X: max(low.X, p.frame.Min.X), Y: max(low.Y, p.frame.Min.Y)},
		Max: vg.Point{X: min(high.X, p.frame.Max.X), Y: min(high.Y, p.frame.Max.Y)},
	}
	r.Max.X, r.Max.Y = max(r.Max.X, r.Min.X), max(r.Max.Y, r.Min.Y)
	return r
}

// areas draws the areas from left to right. Each reaches a little under the next, so that no seam shows.
func (p pen) areas(pl *placed) {
	const under = 0.4
	for _, a := range pl.Areas {
		r := pl.rectangle(a)
		r.Max.X, r.Max.Y = min(r.Max.X+under, pl.frame.Max.X), min(r.Max.Y+under, pl.frame.Max.Y)
		p.box(r, a.Style.tint())
	}
}

// names writes the names of the regions.
func (p pen) names(pl *placed) {
	for _, n := range pl.names {
		middle := vg.Point{X: (n.box.Min.X + n.box.Max.X) / 2, Y: (n.box.Min.Y + n.box.Max.Y) / 2}
		p.text(n.text, sizeLabel, middle, text.XCenter, text.YCenter)
	}
}

// areaKey draws the sample of a region in the legend.
func (p pen) areaKey(s Style, left, y vg.Length) {
	r := vg.Rectangle{Min: vg.Point{X: left, Y: y - 4}, Max: vg.Point{X: left + keyWidth, Y: y + 4}}
	p.box(r, s.tint())
	p.StrokeLines(draw.LineStyle{Color: black, Width: hairWidth},
		[]vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

// cell is the grain in points at which regions are searched for room.
const cell = 1.25

// A cells is a frame cut into squares: which region each belongs to, counted from 1, or 0.
type cells struct {
	wide, high int
	region     []int
}

// placeNames finds room for the names of the regions and returns an area of each that has none.
func (p *placed) placeNames() (without []Area) {
	if p.names = nil; len(p.Areas) == 0 {
		return nil
	}
	var labels []string
	for _, a := range p.Areas {
		if a.Label != "" && !slices.Contains(labels, a.Label) {
			labels = append(labels, a.Label)
		}
	}
	c := p.cells(labels)
	for i, label := range labels {
		if n, ok := p.nameIn(c, i+1, label); ok {
			p.names = append(p.names, n)
			continue
		}
		at := slices.IndexFunc(p.Areas, func(a Area) bool { return a.Label == label })
		without = append(without, p.Areas[at])
	}
	return without
}

// nameIn places a region's name, on one line or on two.
func (p *placed) nameIn(c cells, region int, label string) (placedNote, bool) {
	whole, _ := measure(label, sizeLabel)
	for _, txt := range []string{label, wrap(label, sizeLabel, whole*0.6)} {
		w, h := measure(txt, sizeLabel)
		if x, y, ok := c.room(region, int(math.Ceil(float64(w/cell))), int(math.Ceil(float64(h/cell)))); ok {
			low := vg.Point{X: p.frame.Min.X + vg.Length(x)*cell, Y: p.frame.Min.Y + vg.Length(y)*cell}
			return placedNote{text: txt, box: vg.Rectangle{Min: low, Max: vg.Point{X: low.X + w, Y: low.Y + h}}}, true
		}
	}
	return placedNote{}, false
}

// cells fills in the regions. Around a note's place there is none.
func (p *placed) cells(labels []string) cells {
	size := p.frame.Size()
	c := cells{wide: max(0, int(size.X/cell)), high: max(0, int(size.Y/cell))}
	c.region = make([]int, c.wide*c.high)
	set := func(r vg.Rectangle, region int) {
		for y := int((r.Min.Y - p.frame.Min.Y) / cell); y < min(c.high, int(math.Round(float64((r.Max.Y-p.frame.Min.Y)/cell)))); y++ {
			for x := int((r.Min.X - p.frame.Min.X) / cell); x < min(c.wide, int(math.Round(float64((r.Max.X-p.frame.Min.X)/cell)))); x++ {
				if x >= 0 && y >= 0 {
					c.region[y*c.wide+x] = region
				}
			}
		}
	}
	for _, a := range p.Areas {
		set(p.rectangle(a), 1+slices.Index(labels, a.Label))
	}
	const radius = 9
	for _, n := range p.Notes {
		at := p.point(n.X, n.Y)
		set(vg.Rectangle{Min: vg.Point{X: at.X - radius, Y: at.Y - radius}, Max: vg.Point{X: at.X + radius, Y: at.Y + radius}}, 0)
	}
	return c
}

// room returns the low corner of a box of w by h cells inside a region: with the widest margin up to 16 cells,
// and of equals the nearest to the region's middle.
func (c cells) room(region, w, h int) (x, y int, ok bool) {
	sums := c.foreign(region)
	middleX, middleY := c.middle(region)
	for margin := 16; margin >= 0 && !ok; margin-- {
		nearest := math.Inf(1)
		for j := margin; j+h+margin <= c.high; j++ {
			for i := margin; i+w+margin <= c.wide; i++ {
				if sums.within(i-margin, j-margin, i+w+margin, j+h+margin) > 0 {
					continue
				}
				if d := math.Hypot(float64(i)+float64(w)/2-middleX, float64(j)+float64(h)/2-middleY); d < nearest {
					nearest, x, y, ok = d, i, j, true
				}
			}
		}
	}
	return x, y, ok
}

// middle is the centre of gravity of a region.
func (c cells) middle(region int) (x, y float64) {
	n := 0.
	for i, r := range c.region {
		if r == region {
			x, y, n = x+float64(i%c.wide), y+float64(i/c.wide), n+1
		}
	}
	return x / max(n, 1), y / max(n, 1)
}

// A table of sums: of all cells to the left of a column and below a row.
type table struct {
	wide int
	sum  []int
}

// foreign counts the cells that do not belong to a region.
func (c cells) foreign(region int) table {
	t := table{c.wide + 1, make([]int, (c.wide+1)*(c.high+1))}
	for y := range c.high {
		row := 0
		for x := range c.wide {
			if c.region[y*c.wide+x] != region {
				row++
			}
			t.sum[(y+1)*t.wide+x+1] = t.sum[y*t.wide+x+1] + row
		}
	}
	return t
}

// within is the count of cells from one corner to before another.
func (t table) within(x0, y0, x1, y1 int) int {
	return t.sum[y1*t.wide+x1] - t.sum[y0*t.wide+x1] - t.sum[y1*t.wide+x0] + t.sum[y0*t.wide+x0]
}

// vegaAreas are the layers of the areas and of their names.
func (p *placed) vegaAreas(x, y obj) []obj {
	if len(p.Areas) == 0 {
		return nil
	}
	var rects, names []obj
	for _, a := range p.Areas {
		rects = append(rects, obj{"label": PlainText(a.Label), "fill": hex(a.Style.tint()),
			"x": six(a.X0), "x2": six(a.X1), "y": six(a.Y0), "y2": six(a.Y1)})
	}
	for _, n := range p.names {
		middle := vg.Point{X: (n.box.Min.X + n.box.Max.X) / 2, Y: (n.box.Min.Y + n.box.Max.Y) / 2}
		names = append(names, obj{"label": strings.Split(PlainText(n.text), "\n"), "x": six(p.x.datum(middle.X)), "y": six(p.y.datum(middle.Y))})
	}
	return []obj{
		{"mark": obj{"type": "rect", "clip": true, "tooltip": true}, "data": obj{"values": rects}, "encoding": obj{
			"x": x, "y": y, "x2": obj{"field": "x2"}, "y2": obj{"field": "y2"},
			"color":   obj{"field": "fill", "type": "nominal", "scale": nil},
			"tooltip": obj{"field": "label"}}},
		{"mark": obj{"type": "text"}, "data": obj{"values": names}, "encoding": obj{"x": x, "y": y, "text": obj{"field": "label"}}},
	}
}

// datum is what lies at a place.
func (s scale) datum(at vg.Length) float64 {
	return s.inverse(s.lo + float64((at-s.from)/(s.to-s.from))*(s.hi-s.lo))
}
