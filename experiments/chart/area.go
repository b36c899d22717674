package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// An Area is a rectangle in a light colour under everything else. Areas of one label, which must not overlap, are one
// region: its name is written once, where it has most room, or in the legend where it has none, and a line is drawn
// where it meets another. Areas do not widen an automatic axis, so that a panel of areas has axes with Min and Max.
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

// areas draws the regions, and a line where one meets another. Each area reaches a little under the next, so that no
// seam shows.
func (p pen) areas(pl *placed) {
	const under = 0.4
	fill := func(ink color.NRGBA, all []vg.Rectangle, more vg.Length) {
		p.SetColor(ink)
		for piece := range slices.Chunk(all, strokePoints) {
			var path vg.Path
			for _, r := range piece {
				path = append(path, common(grown(r, more), pl.frame).Path()...)
			}
			p.Fill(path)
		}
	}
	for _, own := range pl.regions() {
		fill(own[0].Style.tint(), pl.rectangles(own), under)
	}
	fill(black, pl.borders(), 0)
}

// borders are where areas of different regions meet, as wide as a line.
func (p *placed) borders() (lines []vg.Rectangle) {
	all := p.rectangles(p.Areas)
	for i, a := range p.Areas {
		for j, b := range p.Areas[:i] {
			if edge := common(grown(all[i], 0.5), grown(all[j], 0.5)); a.Label != b.Label && edge.Max.X > edge.Min.X && edge.Max.Y > edge.Min.Y {
				lines = append(lines, edge)
			}
		}
	}
	return lines
}

// grown is a rectangle with so much more on each side.
func grown(r vg.Rectangle, by vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: r.Min.Sub(vg.Point{X: by, Y: by}), Max: r.Max.Add(vg.Point{X: by, Y: by})}
}

// common is what two rectangles share; without any, an end lies before its beginning.
func common(a, b vg.Rectangle) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: max(a.Min.X, b.Min.X), Y: max(a.Min.Y, b.Min.Y)},
		Max: vg.Point{X: min(a.Max.X, b.Max.X), Y: min(a.Max.Y, b.Max.Y)}}
}

// regions are the areas of each label.
func (p *placed) regions() (all [][]Area) {
	for _, a := range p.Areas {
		at := slices.IndexFunc(all, func(own []Area) bool { return own[0].Label == a.Label })
		if at < 0 {
			at, all = len(all), append(all, nil)
		}
		all[at] = append(all[at], a)
	}
	return all
}

// rectangles are the parts of areas inside the frame.
func (p *placed) rectangles(areas []Area) (out []vg.Rectangle) {
	for _, a := range areas {
		out = append(out, vg.Rectangle{Min: nearest(p.frame, p.point(a.X0, a.Y0)), Max: nearest(p.frame, p.point(a.X1, a.Y1))})
	}
	return out
}

// names writes the names of the regions.
func (p pen) names(pl *placed) {
	for _, n := range pl.names {
		p.text(n.text, sizeLabel, center(n.box), text.XCenter, text.YCenter)
	}
}

// placeNames finds room for the names of the regions and returns an area of each that has none.
func (p *placed) placeNames() (without []Area) {
	p.names = nil
	for _, own := range p.regions() {
		if n, ok := p.nameIn(own[0].Label, p.rectangles(own)); ok {
			p.names = append(p.names, n)
		} else if own[0].Label != "" {
			without = append(without, own[0])
		}
	}
	return without
}

// nameIn places a region's name, on one line or on two, around the middle of the area where it has most room.
func (p *placed) nameIn(label string, own []vg.Rectangle) (best placedNote, found bool) {
	for _, txt := range []string{label, wrap(label, sizeLabel, width(label, sizeLabel)*0.6)} {
		w, h := measure(txt, sizeLabel)
		room := vg.Length(1)
		for _, r := range own {
			box := sized(center(r).Sub(vg.Point{X: w / 2, Y: h / 2}), w, h)
			for ; p.free(own, grown(box, room)); room += 1.5 {
				best, found = placedNote{text: txt, box: box}, true
			}
		}
		if found {
			return best, label != ""
		}
	}
	return best, false
}

// free tells whether the areas of a region cover a box, in which there is no note.
func (p *placed) free(own []vg.Rectangle, box vg.Rectangle) bool {
	size := func(r vg.Rectangle) vg.Length { return max(r.Size().X, 0) * max(r.Size().Y, 0) }
	covered := vg.Length(0)
	for _, r := range own {
		covered += size(common(r, box))
	}
	return covered > 0.999*size(box) && !slices.ContainsFunc(p.Notes, func(n Note) bool {
		at := p.point(n.X, n.Y)
		return nearest(box, at) == at
	})
}
