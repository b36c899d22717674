package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Strokes and sizes in points.
const (
	lineWidth    = 1.4
	thinWidth    = 0.7
	hairWidth    = 0.5
	markRadius   = 2.5
	hollowRadius = 3.6
	arrowLength  = 11
	ringRadius   = 4.8
)

// marks and bands say how a kind shows its points and its intervals.
func (k Kind) marks() bool { return k == LineMarks || k == Marks || k == Hollow }
func (k Kind) bands() bool { return k.lines() }
func (k Kind) lines() bool { return k == LineMarks || k == Line || k == Thin }

// A pen draws a layout on a canvas.
type pen struct{ draw.Canvas }

// draw draws everything, what lies under first.
func (l *layout) draw(c vg.Canvas) {
	p := pen{draw.NewCanvas(c, l.width, l.height)}
	p.box(p.Rectangle, white)
	if l.title != "" {
		p.text(l.title, sizeTitle, vg.Point{X: l.center(), Y: l.height - margin}, text.XCenter, text.YTop)
	}
	for i := range l.panels {
		p.panel(&l.panels[i])
	}
	p.legend(&l.legend)
	p.text(l.words, sizeNote, vg.Point{X: margin, Y: margin / 2}, text.XLeft, text.YBottom)
}

// center is the middle of the frames: a legend to the right does not push the title aside.
func (l *layout) center() vg.Length {
	w := width(l.title, sizeTitle)
	middle := (l.panels[0].frame.Min.X + l.panels[len(l.panels)-1].frame.Max.X) / 2
	return min(max(middle, w/2+margin), l.width-w/2-margin)
}

func (p pen) panel(pl *placed) {
	p.areas(pl)
	p.grid(pl)
	inside := pen{draw.Canvas{Canvas: p.Canvas.Canvas, Rectangle: pl.frame}}
	for _, s := range pl.Series {
		for _, b := range pl.bands(s) {
			inside.band(b, s.Style.light())
		}
	}
	taken := dodge{}
	for _, layer := range [][]Kind{{Thin}, {Hollow}, {Line, LineMarks, Marks}} {
		for _, s := range pl.Series {
			if slices.Contains(layer, s.Kind) {
				inside.series(pl, s, taken)
			}
		}
	}
	p.axes(pl)
	p.names(pl)
	for _, n := range pl.notes {
		p.note(n)
	}
	if len(pl.Areas) == 0 && !slices.ContainsFunc(pl.Series, func(s Series) bool { return len(s.Points) > 0 }) {
		p.text("no data", sizeLabel, center(pl.frame), text.XCenter, text.YCenter)
	}
}

func (p pen) grid(pl *placed) {
	line := draw.LineStyle{Color: paleGrey, Width: hairWidth}
	for _, t := range pl.xTicks {
		if t.label != "" {
			x := pl.x.place(t.at)
			p.StrokeLine2(line, x, pl.frame.Min.Y, x, pl.frame.Max.Y)
		}
	}
	for _, t := range pl.yTicks {
		if t.label != "" {
			y := pl.y.place(t.at)
			p.StrokeLine2(line, pl.frame.Min.X, y, pl.frame.Max.X, y)
		}
	}
}

// axes draws the frame, the ticks outside of it, and all labels.
func (p pen) axes(pl *placed) {
	f, line := pl.frame, draw.LineStyle{Color: black, Width: 0.7}
	p.border(f, line)
	for _, t := range pl.xTicks {
		x := pl.x.place(t.at)
		p.StrokeLine2(line, x, f.Min.Y, x, f.Min.Y-t.length())
		if !pl.noX {
			p.text(t.label, sizeTick, vg.Point{X: x, Y: f.Min.Y - tickLength - 2}, text.XCenter, text.YTop)
		}
	}
	for _, t := range pl.yTicks {
		y := pl.y.place(t.at)
		p.StrokeLine2(line, f.Min.X, y, f.Min.X-t.length(), y)
		if !pl.noY {
			p.text(t.label, sizeTick, vg.Point{X: f.Min.X - tickLength - 2, Y: y}, text.XRight, text.YCenter)
		}
	}
	middle := center(f)
	p.text(pl.xLabel, sizeLabel, vg.Point{X: middle.X, Y: f.Min.Y - tickLength - 3 - pl.tickHeight}, text.XCenter,
		text.YTop)
	p.text(pl.Title, sizeLabel, vg.Point{X: middle.X, Y: f.Max.Y + gap/2}, text.XCenter, text.YBottom)
	p.upright(pl.yLabel, sizeLabel, vg.Point{X: f.Min.X - tickLength - pl.widest() - 5, Y: middle.Y})
}

func (t tick) length() vg.Length {
	if t.label == "" {
		return minorLength
	}
	return tickLength
}

// series draws lines, intervals and marks of one series, clipped to the frame.
func (p pen) series(pl *placed, s Series, taken dodge) {
	p.StrokeLines(s.stroke(), pieces(p.ClipLinesXY(pl.lines(s)...))...)
	for i, pt := range s.Points {
		if pl.bar(s, i) {
			p.errorBar(pl, pt, s.markInk())
		}
	}
	for _, pt := range s.Points {
		if pl.limit(pt) {
			if at := pl.point(pt.X, pt.Hi); pl.shows(at) {
				at.X += taken.shift(at)
				p.arrow(at, s.markInk())
			}
			continue
		}
		if at := pl.point(pt.X, pt.Y); s.Kind.marks() && pl.shows(at) {
			p.mark(s, at)
		}
	}
}

// A dodge counts the arrows at each place: filters that saw no event in as many probes share one,
// and the last would hide the others.
type dodge map[vg.Point]int

// shift is how far the next arrow at this place must step aside: 0, right, left, farther right...
func (d dodge) shift(at vg.Point) vg.Length {
	key := vg.Point{X: vg.Length(math.Round(float64(at.X))), Y: vg.Length(math.Round(float64(at.Y)))}
	n := d[key]
	d[key]++
	side := vg.Length(1 - 2*((n+1)%2))
	return side * vg.Length((n+1)/2) * 5
}

// stroke is the line of a series.
func (s Series) stroke() draw.LineStyle {
	line := draw.LineStyle{Color: s.Style.ink(), Width: lineWidth}
	if s.Kind == Thin {
		line.Width = thinWidth
	}
	for _, d := range s.Style.Dash {
		line.Dashes = append(line.Dashes, vg.Length(d))
	}
	return line
}

// markInk is the colour of a series's markers, bars and arrows.
func (s Series) markInk() color.NRGBA {
	if s.Kind == Hollow {
		return grey
	}
	return s.Style.ink()
}

// step adds the corner of a line of steps between its last point and the next.
func (s Series) step(line []vg.Point, next vg.Point) []vg.Point {
	if s.Step && len(line) > 0 {
		line = append(line, vg.Point{X: next.X, Y: line[len(line)-1].Y})
	}
	return append(line, next)
}

// lines are the connected pieces of a series: an upper limit interrupts the line.
func (p *placed) lines(s Series) [][]vg.Point {
	if !s.Kind.lines() {
		return nil
	}
	var out [][]vg.Point
	var piece []vg.Point
	for _, pt := range s.Points {
		if p.limit(pt) {
			out, piece = append(out, thin(piece)), nil
			continue
		}
		piece = s.step(piece, p.point(pt.X, pt.Y))
	}
	return append(out, thin(piece))
}

// bar reports whether the interval of point i is an error bar: for marks, and for a point of a line
// whose neighbours have no interval, so that a band would have no width.
func (p *placed) bar(s Series, i int) bool {
	has := func(j int) bool {
		return j >= 0 && j < len(s.Points) && s.Points[j].interval() && !p.limit(s.Points[j])
	}
	return has(i) && (!s.Kind.bands() || p.Sideways || !has(i-1) && !has(i+1))
}

// A band is the area between two lines.
type band struct{ lo, hi []vg.Point }

// bands are the intervals of a series as areas, interrupted where a point has none.
func (p *placed) bands(s Series) []band {
	if !s.Kind.bands() || p.Sideways {
		return nil
	}
	var out []band
	var b band
	for _, pt := range s.Points {
		if !pt.interval() || p.limit(pt) {
			out, b = append(out, b), band{}
			continue
		}
		lo, hi := p.ends(pt)
		b.lo, b.hi = s.step(b.lo, lo), s.step(b.hi, hi)
	}
	return append(out, b)
}

func (p pen) band(b band, ink color.NRGBA) {
	if len(b.lo) < 2 {
		return
	}
	back := slices.Clone(b.lo)
	slices.Reverse(back)
	p.FillPolygon(ink, p.ClipPolygonXY(slices.Concat(b.hi, back)))
}

// errorBar draws the interval of a point, with a cap at each end that the frame does not cut.
func (p pen) errorBar(pl *placed, pt Point, ink color.NRGBA) {
	line := draw.LineStyle{Color: ink, Width: thinWidth}
	lo, hi := pl.ends(pt)
	p.StrokeLines(line, p.ClipLinesXY([]vg.Point{lo, hi})...)
	cap := vg.Point{X: 2}
	if pl.Sideways {
		cap = vg.Point{Y: 2}
	}
	for _, end := range []vg.Point{lo, hi} {
		if pl.shows(end) {
			p.StrokeLine2(line, end.X-cap.X, end.Y-cap.Y, end.X+cap.X, end.Y+cap.Y)
		}
	}
}

// note draws a ring, the text, and a leader between them if they are apart.
func (p pen) note(n placedNote) {
	near := nearest(n.box, n.at)
	if d := math.Hypot(float64(near.X-n.at.X), float64(near.Y-n.at.Y)); d > 8 {
		out := near.Sub(n.at).Scale(vg.Length(ringRadius / d)).Add(n.at)
		p.StrokeLine2(draw.LineStyle{Color: grey, Width: hairWidth}, out.X, out.Y, near.X, near.Y)
	}
	p.outline(Circle, n.at, ringRadius, black, 0.8, false)
	veil := white
	veil.A = 200
	p.box(n.box, veil)
	p.text(n.text, sizeNote, vg.Point{X: n.box.Min.X, Y: n.box.Max.Y}, text.XLeft, text.YTop)
}

// border strokes the edges of a rectangle.
func (p pen) border(r vg.Rectangle, line draw.LineStyle) {
	p.StrokeLines(line, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min})
}

func (p pen) box(r vg.Rectangle, ink color.NRGBA) {
	p.SetColor(ink)
	p.Fill(r.Path())
}

// onto reports whether two lines lie on each other, within a line's width, wherever both are in sight: at
// least over half of each.
func (p *placed) onto(a, b Series) bool {
	if a.Kind.rank() > 0 || b.Kind.rank() > 0 {
		return false // theory and the paper's points are meant to lie there
	}
	la, lb := slices.Concat(p.lines(a)...), slices.Concat(p.lines(b)...)
	if len(la) < 2 || len(lb) < 2 {
		return false
	}
	from, to := max(la[0].X, lb[0].X, p.frame.Min.X), min(la[len(la)-1].X, lb[len(lb)-1].X, p.frame.Max.X)
	if longest := max(la[len(la)-1].X-la[0].X, lb[len(lb)-1].X-lb[0].X); to <= from || to-from < longest/2 {
		return false
	}
	for i := range 101 {
		x := from + (to-from)*vg.Length(i)/100
		if d := along(la, x) - along(lb, x); d > lineWidth || d < -lineWidth {
			return false
		}
	}
	return true
}

// along is the height of a line at x.
func along(line []vg.Point, x vg.Length) vg.Length {
	for i := 1; i < len(line); i++ {
		if a, b := line[i-1], line[i]; a.X <= x && x <= b.X {
			if a.X == b.X {
				return b.Y
			}
			return mix(a, b, (x-a.X)/(b.X-a.X)).Y
		}
	}
	return line[len(line)-1].Y
}
