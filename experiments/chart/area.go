package chart

import (
	"cmp"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Area is a rectangle in a light colour under everything else. Areas of one label are one region:
// its name is written once, where it has most room, or in the legend where it has none, and a line is drawn
// where it meets another. Areas do not
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
	return vg.Rectangle{Min: nearest(p.frame, p.point(a.X0, a.Y0)), Max: nearest(p.frame, p.point(a.X1, a.Y1))}
}

// areas draws the areas, those of a label as one path, and the borders between regions. Each area reaches a little
// under the next, so that no seam shows.
func (p pen) areas(pl *placed) {
	const under = 0.4
	for _, label := range append(pl.regions(), "") {
		var path vg.Path
		for _, a := range pl.Areas {
			if a.Label == label {
				r := pl.rectangle(a)
				r.Max = nearest(pl.frame, r.Max.Add(vg.Point{X: under, Y: under}))
				path = append(path, r.Path()...)
				p.SetColor(a.Style.tint())
			}
		}
		if path != nil {
			p.Fill(path)
		}
	}
	p.StrokeLines(draw.LineStyle{Color: black, Width: 1}, pl.edges...)
}

// regions are the labels of the areas, each once.
func (p *placed) regions() (labels []string) {
	for _, a := range p.Areas {
		if a.Label != "" && !slices.Contains(labels, a.Label) {
			labels = append(labels, a.Label)
		}
	}
	return labels
}

// A place is a corner of the cells.
type place struct{ x, y int }

// borders are the lines between regions, each from one place where three regions or the frame meet to the next. They
// follow the corners of cells, smoothed by what a reader cannot see.
func (p *placed) borders(c cells) (lines [][]vg.Point) {
	const smooth = 0.8
	between := map[[2]int]map[place][]place{}
	edge := func(a, b int, from, to place) {
		if a == b || a == 0 || b == 0 {
			return
		}
		pair := [2]int{min(a, b), max(a, b)}
		if between[pair] == nil {
			between[pair] = map[place][]place{}
		}
		between[pair][from] = append(between[pair][from], to)
		between[pair][to] = append(between[pair][to], from)
	}
	for y := range c.high {
		for x := range c.wide {
			here := place{x, y}
			right, above, corner := place{x + 1, y}, place{x, y + 1}, place{x + 1, y + 1}
			edge(c.in(here), c.in(right), right, corner)
			edge(c.in(here), c.in(above), above, corner)
		}
	}
	for _, pair := range slices.SortedFunc(maps.Keys(between), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		for _, chain := range chains(between[pair]) {
			line := make([]vg.Point, len(chain))
			for i, at := range chain {
				line[i] = p.frame.Min.Add(vg.Point{X: vg.Length(at.x), Y: vg.Length(at.y)}.Scale(grain))
			}
			lines = append(lines, simplify(line, smooth))
		}
	}
	return lines
}

// chains joins edges to lines, from the ends first, so that what is left over are rings.
func chains(edges map[place][]place) (out [][]place) {
	all := slices.SortedFunc(maps.Keys(edges), func(a, b place) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	walk := func(at place) {
		chain := []place{at}
		for len(edges[at]) > 0 {
			to := edges[at][0]
			edges[at] = edges[at][1:]
			back := slices.Index(edges[to], at)
			edges[to] = slices.Delete(edges[to], back, back+1)
			chain, at = append(chain, to), to
		}
		out = append(out, chain)
	}
	for _, ends := range []bool{true, false} {
		for _, at := range all {
			for n := len(edges[at]); n > 0 && (n%2 == 1 || !ends); n = len(edges[at]) {
				walk(at)
			}
		}
	}
	return out
}

// simplify leaves out points of a line that are nearer than off to what is left (Ramer, Douglas and Peucker).
func simplify(line []vg.Point, off float64) []vg.Point {
	last := len(line) - 1
	if last < 2 {
		return line
	}
	at, most := 0, off
	d := line[last].Sub(line[0])
	length := math.Hypot(float64(d.X), float64(d.Y))
	for i, p := range line[1:last] {
		q := p.Sub(line[0])
		far := math.Hypot(float64(q.X), float64(q.Y))
		if length > 0 {
			far = math.Abs(float64(q.X*d.Y-q.Y*d.X)) / length
		}
		if far > most {
			at, most = i+1, far
		}
	}
	if at == 0 {
		return []vg.Point{line[0], line[last]}
	}
	return append(simplify(line[:at+1], off), simplify(line[at:], off)[1:]...)
}

// names writes the names of the regions.
func (p pen) names(pl *placed) {
	for _, n := range pl.names {
		p.text(n.text, sizeLabel, center(n.box), text.XCenter, text.YCenter)
	}
}

// grain is the size in points of the squares into which a frame is cut.
const grain = 0.5

// A cells is a frame cut into squares: which region each belongs to, counted from 1, or 0.
type cells struct {
	frame      vg.Rectangle
	wide, high int
	region     []int
}

// placeNames finds room for the names of the regions and returns an area of each that has none.
func (p *placed) placeNames() (without []Area) {
	if p.names = nil; len(p.Areas) == 0 {
		return nil
	}
	labels := p.regions()
	c := p.cells(labels)
	p.edges = p.borders(c)
	taken := p.clutter()
	for i, label := range labels {
		if n, ok := p.nameIn(c, taken, i+1, label); ok {
			p.names = append(p.names, n)
			continue
		}
		at := slices.IndexFunc(p.Areas, func(a Area) bool { return a.Label == label })
		without = append(without, p.Areas[at])
	}
	return without
}

// nameIn places a region's name, on one line or on two, where it is farthest from borders, data and the frame.
func (p *placed) nameIn(c cells, taken clutter, region int, label string) (placedNote, bool) {
	for _, txt := range []string{label, wrap(label, sizeLabel, width(label, sizeLabel)*0.6)} {
		w, h := measure(txt, sizeLabel)
		best, most := placedNote{text: txt}, 0.5
		for x := p.frame.Min.X + 1; x+w < p.frame.Max.X; x += 4 {
			for y := p.frame.Min.Y + 1; y+h < p.frame.Max.Y; y += 1.5 {
				r := sized(vg.Point{X: x, Y: y}, w, h)
				edge := float64(min(x-p.frame.Min.X, p.frame.Max.X-r.Max.X, y-p.frame.Min.Y, p.frame.Max.Y-r.Max.Y))
				if edge <= most || c.in(c.cell(r.Min)) != region || c.in(c.cell(r.Max)) != region {
					continue
				}
				if d := min(taken.clearance(r), edge); d > most {
					best.box, most = r, d
				}
			}
		}
		if most > 0.5 {
			return best, true
		}
	}
	return placedNote{}, false
}

// cells fills in the regions.
func (p *placed) cells(labels []string) cells {
	size := p.frame.Size()
	c := cells{frame: p.frame, wide: max(0, int(size.X/grain)), high: max(0, int(size.Y/grain))}
	c.region = make([]int, c.wide*c.high)
	for _, a := range p.Areas {
		r := p.rectangle(a)
		from, to := c.cell(r.Min), c.cell(r.Max)
		for y := from.y; y < to.y; y++ {
			for x := from.x; x < to.x; x++ {
				c.region[y*c.wide+x] = 1 + slices.Index(labels, a.Label)
			}
		}
	}
	return c
}

// cell is the corner of cells that is nearest to a place.
func (c cells) cell(pt vg.Point) place {
	at := func(v vg.Length, most int) int { return min(max(int(math.Round(float64(v/grain))), 0), most) }
	return place{at(pt.X-c.frame.Min.X, c.wide), at(pt.Y-c.frame.Min.Y, c.high)}
}

// in is the region of a cell, 0 beyond the last.
func (c cells) in(at place) int {
	if at.x >= c.wide || at.y >= c.high {
		return 0
	}
	return c.region[at.y*c.wide+at.x]
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
		middle := center(n.box)
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
