package chart

import (
	"bytes"
	"errors"
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

// marks and lines say how a kind shows its points; one with lines shows intervals as bands.
func (k Kind) marks() bool { return k == LineMarks || k == Marks || k == Hollow }
func (k Kind) lines() bool { return k == LineMarks || k == Line || k == Thin }

// A pen draws a layout on a canvas.
type pen struct{ draw.Canvas }

func (l *layout) draw(c vg.CanvasWriterTo) ([]byte, error) {
	p := pen{draw.NewCanvas(c, l.width, l.height)}
	p.box(p.Rectangle, white)
	p.text(l.title, sizeTitle, vg.Point{X: l.center(), Y: l.height - margin}, text.XCenter, text.YTop)
	for i := range l.panels {
		p.panel(&l.panels[i])
	}
	p.legend(&l.legend)
	p.text(l.words, sizeNote, vg.Point{X: margin, Y: margin / 2}, text.XLeft, text.YBottom)
	var buf bytes.Buffer
	n, err := c.WriteTo(&buf)
	if err == nil && n == 0 {
		err = errors.New("the canvas wrote nothing")
	}
	return buf.Bytes(), err
}

// center is the middle of the frames: a legend to the right does not push the title aside.
func (l *layout) center() vg.Length {
	w := width(l.title, sizeTitle)
	middle := (l.panels[0].frame.Min.X + l.panels[len(l.panels)-1].frame.Max.X) / 2
	return min(max(middle, w/2+margin), l.width-w/2-margin)
}

func (p pen) panel(pl *placed) {
	p.areas(pl)
	p.axes(pl)
	inside := pen{draw.Canvas{Canvas: p.Canvas.Canvas, Rectangle: pl.frame}}
	for _, s := range pl.Series {
		for _, b := range pl.bands(s) {
			inside.band(b, s.Style.light())
		}
	}
	taken := map[vg.Point]int{}
	for _, layer := range [][]Kind{{Thin}, {Hollow}, {Line, LineMarks, Marks}} {
		for _, s := range pl.Series {
			if slices.Contains(layer, s.Kind) {
				inside.series(pl, s, taken)
			}
		}
	}
	p.border(pl.frame, 0.7)
	for _, n := range pl.names {
		p.text(n.text, sizeLabel, center(n.box), text.XCenter, text.YCenter)
	}
	for _, n := range pl.notes {
		p.note(n)
	}
	if len(pl.Areas) == 0 && !slices.ContainsFunc(pl.Series, func(s Series) bool { return len(s.Points) > 0 }) {
		p.text("no data", sizeLabel, center(pl.frame), text.XCenter, text.YCenter)
	}
}

func (p pen) axes(pl *placed) {
	f, middle := pl.frame, center(pl.frame)
	tick := func(t tick, at, outside, across vg.Point) {
		if t.label != "" {
			p.line(hairWidth, paleGrey, at, at.Add(across))
			outside = outside.Scale(tickLength / minorLength)
		}
		p.line(thinWidth, black, at, at.Add(outside))
	}
	for _, t := range pl.xTicks {
		at := pl.at(t.at, pl.y.lo)
		tick(t, at, vg.Point{Y: -minorLength}, vg.Point{Y: f.Size().Y})
		if !pl.noX {
			p.text(t.label, sizeTick, at.Sub(vg.Point{Y: tickLength + 2}), text.XCenter, text.YTop)
		}
	}
	for _, t := range pl.yTicks {
		at := pl.at(pl.x.lo, t.at)
		tick(t, at, vg.Point{X: -minorLength}, vg.Point{X: f.Size().X})
		if !pl.noY {
			p.text(t.label, sizeTick, at.Sub(vg.Point{X: tickLength + 2}), text.XRight, text.YCenter)
		}
	}
	p.text(pl.xLabel, sizeLabel, vg.Point{X: middle.X, Y: f.Min.Y - tickLength - 3 - pl.tickHeight}, text.XCenter,
		text.YTop)
	p.text(pl.Title, sizeLabel, vg.Point{X: middle.X, Y: f.Max.Y + gap/2}, text.XCenter, text.YBottom)
	p.upright(pl.yLabel, sizeLabel, vg.Point{X: f.Min.X - tickLength - pl.widest() - 5, Y: middle.Y})
}

// series draws lines, intervals and marks of one series, clipped to the frame. Taken counts the arrows at each place:
// filters that saw no event in as many probes share one, and each steps farther aside.
func (p pen) series(pl *placed, s Series, taken map[vg.Point]int) {
	p.StrokeLines(s.stroke(), pieces(p.ClipLinesXY(pl.lines(s)...))...)
	for i, pt := range s.Points {
		if pl.bar(s, i) {
			p.errorBar(pl, pt, s.markInk())
		}
	}
	for _, pt := range s.Points {
		if pl.limit(pt) {
			if at := pl.point(pt.X, pt.Hi); pl.shows(at) {
				n := taken[at]
				taken[at]++
				at.X += vg.Length((n + 1) / 2 * 5 * (2*(n%2) - 1))
				p.arrow(at, s.markInk())
			}
			continue
		}
		if at := pl.point(pt.X, pt.Y); s.Kind.marks() && pl.shows(at) {
			p.mark(s, at)
		}
	}
}

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
	return has(i) && (!s.Kind.lines() || p.Sideways || !has(i-1) && !has(i+1))
}

// A band is the area between two lines.
type band struct{ lo, hi []vg.Point }

// bands are the intervals of a series as areas, interrupted where a point has none.
func (p *placed) bands(s Series) []band {
	if !s.Kind.lines() || p.Sideways {
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
	lo, hi := pl.ends(pt)
	p.StrokeLines(draw.LineStyle{Color: ink, Width: thinWidth}, p.ClipLinesXY([]vg.Point{lo, hi})...)
	cap := vg.Point{X: 2}
	if pl.Sideways {
		cap = vg.Point{Y: 2}
	}
	for _, end := range []vg.Point{lo, hi} {
		if pl.shows(end) {
			p.line(thinWidth, ink, end.Sub(cap), end.Add(cap))
		}
	}
}

func (p pen) note(n placedNote) {
	near := nearest(n.box, n.at)
	if d := distance(near, n.at); d > 8 {
		p.line(hairWidth, grey, mix(n.at, near, ringRadius/d), near)
	}
	p.outline(Circle, n.at, ringRadius, black, 0.8)
	veil := white
	veil.A = 200
	p.box(n.box, veil)
	p.text(n.text, sizeNote, vg.Point{X: n.box.Min.X, Y: n.box.Max.Y}, text.XLeft, text.YTop)
}

func (p pen) line(width vg.Length, ink color.NRGBA, points ...vg.Point) {
	p.StrokeLines(draw.LineStyle{Color: ink, Width: width}, points)
}

func (p pen) border(r vg.Rectangle, width vg.Length) {
	p.line(width, black, r.Min, vg.Point{X: r.Max.X, Y: r.Min.Y}, r.Max, vg.Point{X: r.Min.X, Y: r.Max.Y}, r.Min)
}

func (p pen) box(r vg.Rectangle, ink color.NRGBA) {
	p.SetColor(ink)
	p.Fill(r.Path())
}

// onto reports whether two lines begin with the same points, half of them at least, within a line's width.
func (p *placed) onto(a, b Series) bool {
	if a.Kind.rank() > 0 || b.Kind.rank() > 0 {
		return false // theory and the paper's points are meant to lie there
	}
	la, lb := slices.Concat(p.lines(a)...), slices.Concat(p.lines(b)...)
	n := min(len(la), len(lb))
	return n > 1 && 2*n >= max(len(la), len(lb)) && slices.EqualFunc(la[:n], lb[:n], func(a, b vg.Point) bool {
		return distance(a, b) <= lineWidth || !p.shows(a) && !p.shows(b)
	})
}

const (
	fewPoints    = 4000 // of a line that is not thinned: the lines of reports have fewer
	column       = 0.25 // the width in points below which nobody sees where in it a point lies: a pixel at 300 dpi
	strokePoints = 64   // are stroked at a time: freetype takes time with the square of what a stroke leaves in a row
)

// thin leaves of a long line what shows: of consecutive points in one column the first, the lowest, the highest and
// the last, in their order.
func thin(line []vg.Point) (out []vg.Point) {
	if len(line) <= fewPoints {
		return line
	}
	at := func(p vg.Point) float64 { return math.Floor(float64(p.X) / column) }
	for from := 0; from < len(line); {
		low, high, to := from, from, from
		for ; to < len(line) && at(line[to]) == at(line[from]); to++ {
			if line[to].Y < line[low].Y {
				low = to
			}
			if line[to].Y > line[high].Y {
				high = to
			}
		}
		for _, i := range slices.Compact([]int{from, min(low, high), max(low, high), to - 1}) {
			out = append(out, line[i])
		}
		from = to
	}
	return out
}

// pieces cuts long lines into pieces. Each repeats the segment before it, so that no corner is open.
func pieces(lines [][]vg.Point) (out [][]vg.Point) {
	for _, line := range lines {
		if len(line) <= fewPoints/4 {
			out = append(out, line)
			continue
		}
		for from := 0; from < len(line)-1; from += strokePoints {
			out = append(out, line[max(from-1, 0):min(from+strokePoints+1, len(line))])
		}
	}
	return out
}
