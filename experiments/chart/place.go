package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// clutter is what text must keep away from: points that stand close enough together (spacing) for
// every line, band, marker and error bar of a panel.
type clutter []vg.Point

const (
	spacing   = 2       // points
	mostSteps = 1 << 12 // more than a line across the largest picture takes; data can lead much farther
)

// steps are shares of a length, from 0 to 1, that are no more than spacing apart, as far as mostSteps are enough.
func steps(length vg.Length) (out []vg.Length) {
	n := vg.Length(math.Ceil(float64(min(max(length/spacing, 1), mostSteps))))
	for i := vg.Length(0); i <= n; i++ {
		out = append(out, i/n)
	}
	return out
}

func (c *clutter) lines(lines ...[]vg.Point) {
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			for _, t := range steps(distance(line[i-1], line[i])) {
				*c = append(*c, mix(line[i-1], line[i], t))
			}
		}
	}
}

// band adds the area between two lines of equal length, as far as it is inside.
func (c *clutter) band(b band, inside draw.Canvas) {
	for i := 1; i < len(b.lo); i++ {
		for _, t := range steps(b.lo[i].X - b.lo[i-1].X) {
			c.lines(inside.ClipLinesXY([]vg.Point{mix(b.lo[i-1], b.lo[i], t), mix(b.hi[i-1], b.hi[i], t)})...)
		}
	}
}

func (c *clutter) box(r vg.Rectangle) {
	for y := r.Min.Y; y <= r.Max.Y; y += spacing {
		c.lines([]vg.Point{{X: r.Min.X, Y: y}, {X: r.Max.X, Y: y}})
	}
}

func mix(a, b vg.Point, t vg.Length) vg.Point { return a.Add(b.Sub(a).Scale(t)) }

func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
}

// clearance is the distance of a rectangle from the nearest point, 0 if one is inside.
func (c clutter) clearance(r vg.Rectangle) vg.Length {
	best := vg.Length(math.Inf(1))
	for _, p := range c {
		best = min(best, distance(nearest(r, p), p))
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
func emptiest(frame vg.Rectangle, w, h vg.Length, c clutter) (best vg.Rectangle, free bool) {
	room := grown(frame, -5)
	room.Max = room.Max.Sub(vg.Point{X: w, Y: h})
	if room.Max.X < room.Min.X || room.Max.Y < room.Min.Y {
		return best, false
	}
	most := vg.Length(0)
	for i, at := range [][2]vg.Length{{1, 1}, {0, 0}, {1, 0}, {0, 1},
		{0.5, 1}, {0.5, 0}, {1, 0.5}, {0, 0.5}, {0.75, 1}, {0.25, 1}, {0.75, 0}, {0.25, 0}} {
		if i == 4 && most >= legendClearance {
			break
		}
		r := sized(vg.Point{X: room.Min.X + room.Size().X*at[0], Y: room.Min.Y + room.Size().Y*at[1]}, w, h)
		if d := c.clearance(r); d > most {
			best, most = r, d
		}
	}
	return best, most >= legendClearance
}

// sized is the rectangle of that lower left corner and size.
func sized(at vg.Point, w, h vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: at, Max: at.Add(vg.Point{X: w, Y: h})}
}

// grown is a rectangle with so much more on each side.
func grown(r vg.Rectangle, by vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: r.Min.Sub(vg.Point{X: by, Y: by}), Max: r.Max.Add(vg.Point{X: by, Y: by})}
}

func center(r vg.Rectangle) vg.Point { return mix(r.Min, r.Max, 0.5) }

// nearest is the point of a box that is nearest to p.
func nearest(r vg.Rectangle, p vg.Point) vg.Point {
	return vg.Point{X: min(max(p.X, r.Min.X), r.Max.X), Y: min(max(p.Y, r.Min.Y), r.Max.Y)}
}

// beside returns the place for the text of a note at p: of those clear of data the nearest, or the clearest of all.
func beside(frame vg.Rectangle, p vg.Point, w, h vg.Length, c clutter) (best vg.Rectangle) {
	least := vg.Length(math.Inf(1))
	for radius := vg.Length(10); radius < 150; radius *= 1.3 {
		for i := range 36 {
			sin, cos := math.Sincos(math.Pi / 4 * (1 + float64(i)/4.5))
			// The box's centre is on an ellipse that its near edge clears.
			dx, dy := vg.Length(cos)*(radius+w/2)-w/2, vg.Length(sin)*(radius+h/2)-h/2
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
	in := grown(frame, -inset)
	return nearest(in, r.Min) == r.Min && nearest(in, r.Max) == r.Max
}
