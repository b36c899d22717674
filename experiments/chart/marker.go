package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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

// shapes are regular polygons of about equal area, or as many strokes through the middle.
var shapes = [...]struct {
	corners int
	turn    float64 // direction of the first corner, in degrees
	size    float64 // in radii
	strokes bool
}{
	Circle: {24, 0, 1, false}, Triangle: {3, 90, 1.3, false}, Square: {4, 45, 1.25, false}, Diamond: {4, 0, 1.3, false},
	Inverted: {3, -90, 1.3, false}, Cross: {2, 45, 1, true}, Plus: {2, 0, 1, true}, Pentagon: {5, 90, 1.2, false},
	Star: {3, 90, 1, true}, Hourglass: {4, -135, 1.35, false}, Sideways: {3, 0, 1.3, false},
}

// corners are those of a marker of radius r around the origin, or the first ends of its strokes.
func (m Marker) corners(r vg.Length) []vg.Point {
	s := shapes[m]
	around := 2 * math.Pi
	if s.strokes {
		around = math.Pi
	}
	out := make([]vg.Point, s.corners)
	for i := range out {
		sin, cos := math.Sincos(s.turn*math.Pi/180 + around*float64(i)/float64(s.corners))
		out[i] = vg.Point{X: r * vg.Length(s.size*cos), Y: r * vg.Length(s.size*sin)}
	}
	if m == Hourglass {
		out[2], out[3] = out[3], out[2]
	}
	return out
}

// mark draws the marker of a series.
func (p pen) mark(s Series, at vg.Point) {
	if s.Kind == Hollow {
		p.outline(s.Style.Marker, at, hollowRadius, grey, 0.9, true)
		return
	}
	if shapes[s.Style.Marker].strokes {
		p.outline(s.Style.Marker, at, markRadius+0.4, s.Style.ink(), 1.2, false)
		return
	}
	p.FillPolygon(s.Style.ink(), moved(s.Style.Marker.corners(markRadius), at))
}

// outline draws a marker hollow, on white if grid and lines shall not cross it.
func (p pen) outline(m Marker, at vg.Point, radius vg.Length, ink color.NRGBA, width vg.Length, ground bool) {
	line := draw.LineStyle{Color: ink, Width: width}
	corners := m.corners(radius)
	if shapes[m].strokes {
		for _, c := range corners {
			p.StrokeLine2(line, at.X-c.X, at.Y-c.Y, at.X+c.X, at.Y+c.Y)
		}
		return
	}
	corners = moved(corners, at)
	if ground {
		p.FillPolygon(white, corners)
	}
	p.StrokeLines(line, append(corners, corners[0], corners[1]))
}

func moved(points []vg.Point, by vg.Point) []vg.Point {
	for i := range points {
		points[i] = points[i].Add(by)
	}
	return points
}

// arrow draws an upper limit: a bar at the limit and an arrow down from it.
func (p pen) arrow(at vg.Point, ink color.NRGBA) {
	line := draw.LineStyle{Color: ink, Width: 1}
	p.StrokeLine2(line, at.X-3, at.Y, at.X+3, at.Y)
	p.StrokeLine2(line, at.X, at.Y, at.X, at.Y-arrowLength+3)
	p.FillPolygon(ink, []vg.Point{
		{X: at.X, Y: at.Y - arrowLength},
		{X: at.X - 2.2, Y: at.Y - arrowLength + 4},
		{X: at.X + 2.2, Y: at.Y - arrowLength + 4},
	})
}
