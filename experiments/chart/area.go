package chart

import (
	"image/color"
	"math"
	"slices"

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

// borders are the lines between regions: the sides of cells whose neighbour above or to the right is of another one.
func (p *placed) borders(c cells) (lines [][]vg.Point) {
	const cap = 0.5 // of a line's width, so that corners are closed
	add := func(from, to place) {
		at := p.frame.Min.Add(vg.Point{X: vg.Length(from.x), Y: vg.Length(from.y)}.Scale(grain))
		end := p.frame.Min.Add(vg.Point{X: vg.Length(to.x), Y: vg.Length(to.y)}.Scale(grain))
		along := vg.Point{X: vg.Length(min(to.x-from.x, 1)), Y: vg.Length(min(to.y-from.y, 1))}.Scale(cap)
		lines = append(lines, []vg.Point{at.Sub(along), end.Add(along)})
	}
	differ := func(a, b place) bool { return c.in(a) != c.in(b) && c.in(a) != 0 && c.in(b) != 0 }
	for y := range c.high {
		runs(c.wide, func(x int) bool { return differ(place{x, y}, place{x, y + 1}) },
			func(from, to int) { add(place{from, y + 1}, place{to, y + 1}) })
	}
	for x := range c.wide {
		runs(c.high, func(y int) bool { return differ(place{x, y}, place{x + 1, y}) },
			func(from, to int) { add(place{x + 1, from}, place{x + 1, to}) })
	}
	return lines
}

// runs finds where something holds from one number below n up to another.
func runs(n int, holds func(int) bool, found func(from, to int)) {
	from := 0
	for i := range n + 1 {
		if i < n && holds(i) {
			continue
		}
		if i > from {
			found(from, i)
		}
		from = i + 1
	}
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
