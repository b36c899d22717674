package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// clutter is what text must keep away from: points that stand close enough together (spacing) for
// every line, band, marker and error bar of a panel.
type clutter []vg.Point

const spacing = 2 // points

// line adds a straight piece.
func (c *clutter) line(a, b vg.Point) {
	for _, t := range steps(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y))) {
		*c = append(*c, mix(a, b, t))
	}
}

// mostSteps is more than a line across the largest picture takes. Data can lead much farther.
const mostSteps = 1 << 12

// steps are shares of a length, from 0 to 1, that are no more than spacing apart, as far as mostSteps are enough.
func steps(length float64) []vg.Length {
	n := int(min(max(math.Ceil(length/spacing), 0), mostSteps))
	out := make([]vg.Length, n+1)
	for i := range out {
		out[i] = vg.Length(float64(i) / float64(max(n, 1)))
	}
	return out
}

// lines adds lines of straight pieces.
func (c *clutter) lines(lines [][]vg.Point) {
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			c.line(line[i-1], line[i])
		}
	}
}

// between adds the area between two lines of equal length, for bands, as far as it is inside.
func (c *clutter) between(lo, hi []vg.Point, inside draw.Canvas) {
	for i := 1; i < len(lo); i++ {
		for _, t := range steps(float64(lo[i].X - lo[i-1].X)) {
			c.lines(inside.ClipLinesXY([]vg.Point{mix(lo[i-1], lo[i], t), mix(hi[i-1], hi[i], t)}))
		}
	}
}

// box adds the area of a text.
func (c *clutter) box(r vg.Rectangle) {
	for y := r.Min.Y; y <= r.Max.Y; y += spacing {
		c.line(vg.Point{X: r.Min.X, Y: y}, vg.Point{X: r.Max.X, Y: y})
	}
}

func mix(a, b vg.Point, t vg.Length) vg.Point {
	return vg.Point{X: a.X + (b.X-a.X)*t, Y: a.Y + (b.Y-a.Y)*t}
}

// clearance is the distance of a rectangle from the nearest point, 0 if one is inside.
func (c clutter) clearance(r vg.Rectangle) float64 {
	best := math.Inf(1)
	for _, p := range c {
		dx := max(r.Min.X-p.X, 0, p.X-r.Max.X)
		dy := max(r.Min.Y-p.Y, 0, p.Y-r.Max.Y)
		best = min(best, math.Hypot(float64(dx), float64(dy)))
	}
	return best
}

// Distances in points that text keeps from data. Markers reach about 3 points beyond their centre.
const (
	legendClearance = 6
	noteClearance   = 4.5
)

// emptiest returns the place for a box of the given size inside the frame that is farthest from
// the clutter, corners before the middles of edges, and whether it is free.
func emptiest(frame vg.Rectangle, w, h vg.Length, c clutter) (vg.Rectangle, bool) {
	const inset = 5
	room := vg.Rectangle{Min: frame.Min.Add(vg.Point{X: inset, Y: inset}),
		Max: frame.Max.Sub(vg.Point{X: inset + w, Y: inset + h})}
	if room.Max.X < room.Min.X || room.Max.Y < room.Min.Y {
		return vg.Rectangle{}, false
	}
	for _, ring := range [][][2]vg.Length{
		{{1, 1}, {0, 0}, {1, 0}, {0, 1}},
		{{0.5, 1}, {0.5, 0}, {1, 0.5}, {0, 0.5}, {0.75, 1}, {0.25, 1}, {0.75, 0}, {0.25, 0}},
	} {
		var best vg.Rectangle
		most := 0.0
		for _, at := range ring {
			r := sized(vg.Point{X: room.Min.X + room.Size().X*at[0], Y: room.Min.Y + room.Size().Y*at[1]}, w, h)
			if d := c.clearance(r); d > most {
				best, most = r, d
			}
		}
		if most >= legendClearance {
			return best, true
		}
	}
	return vg.Rectangle{}, false
}

// sized is the rectangle of that lower left corner and size.
func sized(at vg.Point, w, h vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: w, Y: h})}
}

// center is the middle of a rectangle.
func center(r vg.Rectangle) vg.Point { return r.Min.Add(r.Max).Scale(0.5) }

// nearest is the point of a box that is nearest to p.
func nearest(r vg.Rectangle, p vg.Point) vg.Point {
	return vg.Point{X: min(max(p.X, r.Min.X), r.Max.X), Y: min(max(p.Y, r.Min.Y), r.Max.Y)}
}

// beside returns the place for the text of a note at p: of those clear of data the nearest, or the clearest of all.
func beside(frame vg.Rectangle, p vg.Point, w, h vg.Length, c clutter) vg.Rectangle {
	var best vg.Rectangle
	least := math.Inf(1)
	for radius := 10.0; radius < 150; radius *= 1.3 {
		for i := range 36 {
			sin, cos := math.Sincos(math.Pi / 4 * (1 + float64(i)/4.5))
			// The box's centre is on an ellipse that its near edge clears.
			dx, dy := vg.Length(cos)*(vg.Length(radius)+w/2)-w/2, vg.Length(sin)*(vg.Length(radius)+h/2)-h/2
			r := sized(p.Add(vg.Point{X: dx, Y: dy}), w, h)
			if !within(r, frame, 3) {
				continue
			}
			cost := radius
			if d := c.clearance(r); d < noteClearance {
				cost = 1e4 - 1e3*d
			}
			if cost < least {
				best, least = r, cost
			}
		}
	}
	return best
}

// within reports whether r lies in frame, at least inset from its edges.
func within(r, frame vg.Rectangle, inset vg.Length) bool {
	return r.Min.X >= frame.Min.X+inset && r.Max.X <= frame.Max.X-inset &&
		r.Min.Y >= frame.Min.Y+inset && r.Max.Y <= frame.Max.Y-inset
}
