package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// mark draws the marker of a series.
func (p pen) mark(s Series, at vg.Point) {
	if s.Kind == Hollow {
		p.outline(s.Style.Marker, at, hollowRadius, grey, 0.9)
		return
	}
	ink := s.Style.ink()
	if lines := strokes(s.Style.Marker, at, markRadius+0.4); lines != nil {
		p.StrokeLines(draw.LineStyle{Color: ink, Width: 1.2}, lines...)
		return
	}
	p.SetColor(ink)
	p.Fill(shape(s.Style.Marker, at, markRadius))
}

// outline draws a marker hollow, on white so that grid and lines do not cross it.
func (p pen) outline(m Marker, at vg.Point, radius vg.Length, ink color.NRGBA, width vg.Length) {
	line := draw.LineStyle{Color: ink, Width: width}
	if lines := strokes(m, at, radius); lines != nil {
		p.StrokeLines(line, lines...)
		return
	}
	path := shape(m, at, radius)
	p.SetColor(white)
	p.Fill(path)
	p.SetLineStyle(line)
	p.Stroke(path)
}

// strokes returns the lines of a marker that has no inside.
func strokes(m Marker, at vg.Point, r vg.Length) [][]vg.Point {
	d := r * math.Sqrt2 / 2
	switch m {
	case Cross:
		return [][]vg.Point{
			{{X: at.X - d, Y: at.Y - d}, {X: at.X + d, Y: at.Y + d}},
			{{X: at.X - d, Y: at.Y + d}, {X: at.X + d, Y: at.Y - d}},
		}
	case Plus:
		return [][]vg.Point{
			{{X: at.X - r, Y: at.Y}, {X: at.X + r, Y: at.Y}},
			{{X: at.X, Y: at.Y - r}, {X: at.X, Y: at.Y + r}},
		}
	case Star:
		x, y := r*vg.Length(math.Sqrt(3)/2), r/2
		return [][]vg.Point{
			{{X: at.X, Y: at.Y - r}, {X: at.X, Y: at.Y + r}},
			{{X: at.X - x, Y: at.Y - y}, {X: at.X + x, Y: at.Y + y}},
			{{X: at.X - x, Y: at.Y + y}, {X: at.X + x, Y: at.Y - y}},
		}
	}
	return nil
}

// shape returns the outline of a marker, of about equal area for all.
func shape(m Marker, at vg.Point, r vg.Length) vg.Path {
	switch m {
	case Triangle:
		return polygon(at, r*1.3, 3, math.Pi/2)
	case Square:
		return polygon(at, r*1.25, 4, math.Pi/4)
	case Diamond:
		return polygon(at, r*1.3, 4, 0)
	case Inverted:
		return polygon(at, r*1.3, 3, -math.Pi/2)
	case Pentagon:
		return polygon(at, r*1.2, 5, math.Pi/2)
	}
	return circle(at, r)
}

// polygon is a regular one whose first corner lies in the direction start.
func polygon(at vg.Point, r vg.Length, corners int, start float64) vg.Path {
	var path vg.Path
	for i := range corners {
		sin, cos := math.Sincos(start + 2*math.Pi*float64(i)/float64(corners))
		pt := vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
		if i == 0 {
			path.Move(pt)
		} else {
			path.Line(pt)
		}
	}
	path.Close()
	return path
}

// circle is four cubic curves, which every backend draws alike; the handles' length is the usual
// 4/3*(sqrt(2)-1) of the radius.
func circle(at vg.Point, r vg.Length) vg.Path {
	k := r * 4 / 3 * (math.Sqrt2 - 1)
	to := func(x, y vg.Length) vg.Point { return vg.Point{X: at.X + x, Y: at.Y + y} }
	var path vg.Path
	path.Move(to(r, 0))
	path.CubeTo(to(r, k), to(k, r), to(0, r))
	path.CubeTo(to(-k, r), to(-r, k), to(-r, 0))
	path.CubeTo(to(-r, -k), to(-k, -r), to(0, -r))
	path.CubeTo(to(k, -r), to(r, -k), to(r, 0))
	path.Close()
	return path
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
