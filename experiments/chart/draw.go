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
)

// marks and bands say how a kind shows its points and its intervals.
func (k Kind) marks() bool { return k == LineMarks || k == Marks || k == Hollow }
func (k Kind) bands() bool { return k == LineMarks || k == Line || k == Thin }
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
	p.legend(l)
}

// center is the middle of the frames: a legend to the right does not push the title aside.
func (l *layout) center() vg.Length {
	left, right := l.panels[0].frame.Min.X, l.panels[len(l.panels)-1].frame.Max.X
	w, _ := measure(l.title, sizeTitle)
	middle := (left + right) / 2
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
	for _, under := range []func(Kind) bool{
		func(k Kind) bool { return k == Thin },
		func(k Kind) bool { return k == Hollow },
		func(k Kind) bool { return k == Line || k == LineMarks || k == Marks },
	} {
		for _, s := range pl.Series {
			if under(s.Kind) {
				inside.series(pl, s, taken)
			}
		}
	}
	p.axes(pl)
	p.names(pl)
	for _, n := range pl.notes {
		p.note(n)
	}
	if pl.empty() {
		middle := vg.Point{X: (pl.frame.Min.X + pl.frame.Max.X) / 2, Y: (pl.frame.Min.Y + pl.frame.Max.Y) / 2}
		p.text("no data", sizeLabel, middle, text.XCenter, text.YCenter)
	}
}

// empty reports whether no series has a point.
func (p *placed) empty() bool {
	return len(p.Areas) == 0 && !slices.ContainsFunc(p.Series, func(s Series) bool { return len(s.Points) > 0 })
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
	f := pl.frame
	line := draw.LineStyle{Color: black, Width: 0.7}
	p.StrokeLines(line, []vg.Point{f.Min, {X: f.Max.X, Y: f.Min.Y}, f.Max, {X: f.Min.X, Y: f.Max.Y}, f.Min})
	for _, t := range pl.xTicks {
		x := pl.x.place(t.at)
		p.StrokeLine2(line, x, f.Min.Y, x, f.Min.Y-t.length())
		p.text(t.label, sizeTick, vg.Point{X: x, Y: f.Min.Y - tickLength - 2}, text.XCenter, text.YTop)
	}
	widest := vg.Length(0)
	for _, t := range pl.yTicks {
		y := pl.y.place(t.at)
		p.StrokeLine2(line, f.Min.X, y, f.Min.X-t.length(), y)
		p.text(t.label, sizeTick, vg.Point{X: f.Min.X - tickLength - 2, Y: y}, text.XRight, text.YCenter)
		w, _ := measure(t.label, sizeTick)
		widest = max(widest, w)
	}
	middle := vg.Point{X: (f.Min.X + f.Max.X) / 2, Y: (f.Min.Y + f.Max.Y) / 2}
	p.text(pl.xLabel, sizeLabel, vg.Point{X: middle.X, Y: f.Min.Y - tickLength - 3 - pl.tickHeight}, text.XCenter, text.YTop)
	p.text(pl.Title, sizeLabel, vg.Point{X: middle.X, Y: f.Max.Y + gap/2}, text.XCenter, text.YBottom)
	upright := style(sizeLabel, text.XCenter, text.YBottom)
	upright.Rotation = math.Pi / 2
	if pl.yLabel != "" {
		p.FillText(upright, vg.Point{X: f.Min.X - tickLength - widest - 5, Y: middle.Y}, pl.yLabel)
	}
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
		piece = append(piece, p.point(pt.X, pt.Y))
	}
	return append(out, thin(piece))
}

// bar reports whether the interval of point i is an error bar: for marks, and for a point of a line
// whose neighbours have no interval, so that a band would have no width.
func (p *placed) bar(s Series, i int) bool {
	has := func(j int) bool {
		return j >= 0 && j < len(s.Points) && s.Points[j].interval() && !p.limit(s.Points[j])
	}
	return has(i) && (!s.Kind.bands() || !has(i-1) && !has(i+1))
}

// A band is the area between two lines.
type band struct{ lo, hi []vg.Point }

// bands are the intervals of a series as areas, interrupted where a point has none.
func (p *placed) bands(s Series) []band {
	if !s.Kind.bands() {
		return nil
	}
	var out []band
	var b band
	for _, pt := range s.Points {
		if !pt.interval() || p.limit(pt) {
			out, b = append(out, b), band{}
			continue
		}
		b.lo = append(b.lo, p.point(pt.X, pt.Lo))
		b.hi = append(b.hi, p.point(pt.X, pt.Hi))
	}
	return append(out, b)
}

func (p pen) band(b band, ink color.NRGBA) {
	if len(b.lo) < 2 {
		return
	}
	area := append([]vg.Point{}, b.hi...)
	for i := len(b.lo) - 1; i >= 0; i-- {
		area = append(area, b.lo[i])
	}
	p.FillPolygon(ink, p.ClipPolygonXY(area))
}

// errorBar draws the interval of a point, with a cap at each end that the frame does not cut.
func (p pen) errorBar(pl *placed, pt Point, ink color.NRGBA) {
	line := draw.LineStyle{Color: ink, Width: thinWidth}
	lo, hi := pl.point(pt.X, pt.Lo), pl.point(pt.X, pt.Hi)
	p.StrokeLines(line, p.ClipLinesXY([]vg.Point{lo, hi})...)
	for _, end := range []vg.Point{lo, hi} {
		if pl.shows(end) {
			p.StrokeLine2(line, end.X-2, end.Y, end.X+2, end.Y)
		}
	}
}

// note draws a diamond, the text, and a leader between them if they are apart.
func (p pen) note(n placedNote) {
	near := vg.Point{
		X: min(max(n.at.X, n.box.Min.X), n.box.Max.X),
		Y: min(max(n.at.Y, n.box.Min.Y), n.box.Max.Y),
	}
	if math.Hypot(float64(near.X-n.at.X), float64(near.Y-n.at.Y)) > 8 {
		p.StrokeLine2(draw.LineStyle{Color: grey, Width: hairWidth}, n.at.X, n.at.Y, near.X, near.Y)
	}
	p.outline(Diamond, n.at, markRadius+0.6, black, 0.8)
	veil := white
	veil.A = 200
	p.box(n.box, veil)
	p.text(n.text, sizeNote, vg.Point{X: n.box.Min.X, Y: n.box.Max.Y}, text.XLeft, text.YTop)
}

// legend draws the entries in the layout's box.
func (p pen) legend(l *layout) {
	if len(l.legend) == 0 {
		return
	}
	p.box(l.legendBox, white)
	for i, e := range l.legend {
		y := l.legendBox.Max.Y - (vg.Length(i)+0.5)*rowHeight()
		left := l.legendBox.Min.X
		p.key(e, left, y)
		p.text(e.label, sizeLegend, vg.Point{X: left + keyWidth + keyGap, Y: y}, text.XLeft, text.YCenter)
	}
}

// key draws the sample of a legend's entry, from left to right around y.
func (p pen) key(e entry, left, y vg.Length) {
	if e.area {
		p.areaKey(e.series[0].Style, left, y)
		return
	}
	if e.limit {
		p.arrow(vg.Point{X: left + keyWidth/2, Y: y + arrowLength/2 - 1}, grey)
		return
	}
	var marked []Series
	for _, s := range e.series {
		if s.Kind.lines() {
			p.StrokeLine2(s.stroke(), left, y, left+keyWidth, y)
		}
		if s.Kind.marks() {
			marked = append(marked, s)
		}
	}
	marked = marked[:min(len(marked), 4)]
	for i, s := range marked {
		x := left + keyWidth*vg.Length(float64(2*i+1)/float64(2*len(marked)))
		p.mark(s, vg.Point{X: x, Y: y})
	}
}

func (p pen) box(r vg.Rectangle, ink color.NRGBA) {
	p.SetColor(ink)
	p.Fill(r.Path())
}

func (p pen) text(txt string, size float64, at vg.Point, x text.XAlignment, y text.YAlignment) {
	if txt != "" {
		p.FillText(style(size, x, y), at, txt)
	}
}
