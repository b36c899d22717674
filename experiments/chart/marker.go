package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// A Marker is the shape of a point.
type Marker int

// The shapes. All are filled with the series's colour, except Hollow series's, which are outlines;
// Cross, Plus and Star are strokes.
const (
	Circle Marker = iota
	Triangle
	Square
	Diamond
	Inverted // a triangle on its tip
	Cross
	Plus
	Pentagon
	Star      // three crossing strokes
	Hourglass // two triangles tip to tip
	Sideways  // a triangle that points right
)

// shapes are regular polygons of about equal area, or strokes between opposite corners of one.
var shapes = [...]struct {
	corners int
	turn    float64 // direction of the first corner, in degrees
	size    float64 // in radii
	strokes bool
}{
	Circle: {24, 0, 1, false}, Triangle: {3, 90, 1.3, false}, Square: {4, 45, 1.25, false}, Diamond: {4, 0, 1.3, false},
	Inverted: {3, -90, 1.3, false}, Cross: {4, 45, 1, true}, Plus: {4, 0, 1, true}, Pentagon: {5, 90, 1.2, false},
	Star: {6, 90, 1, true}, Hourglass: {4, -135, 1.35, false}, Sideways: {3, 0, 1.3, false},
}

// corners are those of a marker of radius r around a point.
func (m Marker) corners(at vg.Point, r vg.Length) (out []vg.Point) {
	s := shapes[m]
	for i := range s.corners {
		sin, cos := math.Sincos(s.turn*math.Pi/180 + 2*math.Pi*float64(i)/float64(s.corners))
		out = append(out, at.Add(vg.Point{X: r * vg.Length(s.size*cos), Y: r * vg.Length(s.size*sin)}))
	}
	if m == Hourglass {
		out[2], out[3] = out[3], out[2]
	}
	return out
}

func (p pen) mark(s Series, at vg.Point) {
	m := s.Style.Marker
	switch {
	case s.Kind == Hollow:
		if !shapes[m].strokes { // grid and lines shall not cross it
			p.FillPolygon(white, m.corners(at, hollowRadius))
		}
		p.outline(m, at, hollowRadius, grey, 0.9)
	case shapes[m].strokes:
		p.outline(m, at, markRadius+0.4, s.Style.ink(), 1.2)
	default:
		p.FillPolygon(s.Style.ink(), m.corners(at, markRadius))
	}
}

func (p pen) outline(m Marker, at vg.Point, radius vg.Length, ink color.NRGBA, width vg.Length) {
	corners := m.corners(at, radius)
	if !shapes[m].strokes {
		p.line(width, ink, append(corners, corners[:2]...)...)
		return
	}
	for i := range len(corners) / 2 {
		p.line(width, ink, corners[i], corners[i+len(corners)/2])
	}
}

// arrow draws an upper limit: a bar at the limit and an arrow down from it.
func (p pen) arrow(at vg.Point, ink color.NRGBA) {
	off := func(x, y vg.Length) vg.Point { return at.Add(vg.Point{X: x, Y: y}) }
	p.line(1, ink, off(-3, 0), off(3, 0))
	p.line(1, ink, at, off(0, 3-arrowLength))
	p.FillPolygon(ink, []vg.Point{off(0, -arrowLength), off(-2.2, 4-arrowLength), off(2.2, 4-arrowLength)})
}
