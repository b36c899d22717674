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
	low, high := p.point(a.X0, a.Y0), p.point(a.X1, a.Y1)
	r := vg.Rectangle{
		Min: vg.Point{X: max(low.X, p.frame.Min.X), Y: max(low.Y, p.frame.Min.Y)},
		Max: vg.Point{X: min(high.X, p.frame.Max.X), Y: min(high.Y, p.frame.Max.Y)},
	}
	r.Max.X, r.Max.Y = max(r.Max.X, r.Min.X), max(r.Max.Y, r.Min.Y)
	return r
}

// areas draws the areas, those of a label as one path, and the borders between regions. Each area reaches a little
// under the next, so that no seam shows.
func (p pen) areas(pl *placed) {
	const under = 0.4
	paths := map[string]vg.Path{}
	labels := pl.regions()
	for _, a := range pl.Areas {
		r := pl.rectangle(a)
		r.Max.X, r.Max.Y = min(r.Max.X+under, pl.frame.Max.X), min(r.Max.Y+under, pl.frame.Max.Y)
		paths[a.Label] = append(paths[a.Label], r.Path()...)
	}
	for _, label := range append(labels, "") {
		if at := slices.IndexFunc(pl.Areas, func(a Area) bool { return a.Label == label }); at >= 0 {
			p.SetColor(pl.Areas[at].Style.tint())
			p.Fill(paths[label])
		}
	}
	p.StrokeLines(draw.LineStyle{Color: black, Width: 1}, pl.borders()...)
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
func (p *placed) borders() (lines [][]vg.Point) {
	if len(p.Areas) == 0 {
		return nil
	}
	const grain, smooth = 0.5, 0.8
	c := p.cells(p.regions(), grain)
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
			here := c.region[y*c.wide+x]
			if x+1 < c.wide {
				edge(here, c.region[y*c.wide+x+1], place{x + 1, y}, place{x + 1, y + 1})
			}
			if y+1 < c.high {
				edge(here, c.region[(y+1)*c.wide+x], place{x, y + 1}, place{x + 1, y + 1})
			}
		}
	}
	for _, pair := range slices.SortedFunc(maps.Keys(between), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		for _, chain := range chains(between[pair]) {
			line := make([]vg.Point, len(chain))
			for i, at := range chain {
				line[i] = vg.Point{X: p.frame.Min.X + vg.Length(at.x)*grain, Y: p.frame.Min.Y + vg.Length(at.y)*grain}
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
		middle := vg.Point{X: (n.box.Min.X + n.box.Max.X) / 2, Y: (n.box.Min.Y + n.box.Max.Y) / 2}
		p.text(n.text, sizeLabel, middle, text.XCenter, text.YCenter)
	}
}

// cell is the grain in points at which regions are searched for room.
const cell = 1.25

// A cells is a frame cut into squares: which region each belongs to, counted from 1, or 0.
type cells struct {
	grain      vg.Length
	wide, high int
	region     []int
}

// placeNames finds room for the names of the regions and returns an area of each that has none.
func (p *placed) placeNames() (without []Area) {
	if p.names = nil; len(p.Areas) == 0 {
		return nil
	}
	labels := p.regions()
	c := p.cells(labels, cell)
	const radius = 9
	for _, n := range p.Notes {
		at := p.point(n.X, n.Y)
		c.set(p.frame, vg.Rectangle{Min: vg.Point{X: at.X - radius, Y: at.Y - radius}, Max: vg.Point{X: at.X + radius, Y: at.Y + radius}}, 0)
	}
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

// cells fills in the regions.
func (p *placed) cells(labels []string, grain vg.Length) cells {
	size := p.frame.Size()
	c := cells{grain: grain, wide: max(0, int(size.X/grain)), high: max(0, int(size.Y/grain))}
	c.region = make([]int, c.wide*c.high)
	for _, a := range p.Areas {
		c.set(p.frame, p.rectangle(a), 1+slices.Index(labels, a.Label))
	}
	return c
}

// set gives the cells of a rectangle in the frame to a region.
func (c cells) set(frame, r vg.Rectangle, region int) {
	at := func(v vg.Length, most int) int { return min(max(int(math.Round(float64(v/c.grain))), 0), most) }
	for y := at(r.Min.Y-frame.Min.Y, c.high); y < at(r.Max.Y-frame.Min.Y, c.high); y++ {
		for x := at(r.Min.X-frame.Min.X, c.wide); x < at(r.Max.X-frame.Min.X, c.wide); x++ {
			c.region[y*c.wide+x] = region
		}
	}
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
