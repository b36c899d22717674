package chart

import (
	"image/color"
	"math"
	"slices"

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
	fill := func(ink color.NRGBA, all []vg.Rectangle, under vg.Length) {
		p.SetColor(ink)
		for piece := range slices.Chunk(all, strokePoints) {
			var path vg.Path
			for _, r := range piece {
				path = append(path, common(grown(r, under), pl.frame).Path()...)
			}
			p.Fill(path)
		}
	}
	for _, own := range pl.regions() {
		fill(own[0].Style.tint(), pl.rectangles(own), 0.4)
	}
	fill(black, pl.borders(), 0)
}

// borders are where areas of different regions meet, as wide as a line.
func (p *placed) borders() (lines []vg.Rectangle) {
	all := p.rectangles(p.Areas)
	for i, a := range p.Areas {
		for j, b := range p.Areas[:i] {
			if edge := common(grown(all[i], 0.5), grown(all[j], 0.5)); a.Label != b.Label && size(edge) > 0 {
				lines = append(lines, edge)
			}
		}
	}
	return lines
}

// common is what two rectangles share; without any, an end lies before its beginning.
func common(a, b vg.Rectangle) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: max(a.Min.X, b.Min.X), Y: max(a.Min.Y, b.Min.Y)},
		Max: vg.Point{X: min(a.Max.X, b.Max.X), Y: min(a.Max.Y, b.Max.Y)}}
}

func size(r vg.Rectangle) vg.Length { return max(r.Size().X, 0) * max(r.Size().Y, 0) }

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
		low, high := p.point(a.X0, a.Y0), p.point(a.X1, a.Y1)
		out = append(out, vg.Rectangle{Min: nearest(p.frame, low), Max: nearest(p.frame, high)})
	}
	return out
}

// placeNames finds room for the names of the regions and returns as series those that have none.
func (p *placed) placeNames() (without []Series) {
	p.names = nil
	for _, own := range p.regions() {
		a := own[0]
		if n := p.nameIn(a.Label, p.rectangles(own)); n.text != "" {
			p.names = append(p.names, n)
		} else if a.Label != "" {
			without = append(without, Series{Label: a.Label, Style: a.Style, Kind: region})
		}
	}
	return without
}

// nameIn places a region's name, on one line or on two, around the middle of the area where it has most room.
func (p *placed) nameIn(label string, own []vg.Rectangle) (best placedNote) {
	room := vg.Length(1)
	for _, txt := range []string{label, wrap(label, sizeLabel, width(label, sizeLabel)*0.6)} {
		w, h := measure(txt, sizeLabel)
		for _, r := range own {
			box := sized(center(r).Sub(vg.Point{X: w / 2, Y: h / 2}), w, h)
			for ; (best.text == "" || best.text == txt) && p.free(own, grown(box, room)); room += 1.5 {
				best = placedNote{text: txt, box: box}
			}
		}
	}
	return best
}

// free tells whether the areas of a region cover a box, in which there is no note.
func (p *placed) free(own []vg.Rectangle, box vg.Rectangle) bool {
	covered := vg.Length(0)
	for _, r := range own {
		covered += size(common(r, box))
	}
	return covered > 0.999*size(box) && !slices.ContainsFunc(p.Notes, func(n Note) bool {
		at := p.point(n.X, n.Y)
		return nearest(box, at) == at
	})
}
