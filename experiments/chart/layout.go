package chart

import (
	"gonum.org/v1/plot/vg"
)

// Sizes of the picture.
const (
	figureWidth  = 12 * vg.Centimeter
	panelWidth   = 9.5 * vg.Centimeter // of one among several
	figureHeight = 8 * vg.Centimeter
)

// Distances inside the picture, in points.
const (
	margin      = 7
	gap         = 4
	tickLength  = 3.5
	minorLength = 2
	keyWidth    = 29
	keyGap      = 5
)

// A layout is a figure with a place for everything in it: drawing it is mere strokes.
type layout struct {
	width, height vg.Length
	title         string
	panels        []placed
	legend        []entry
	legendBox     vg.Rectangle // empty without a legend
}

// A placed panel has scales that map to the picture.
type placed struct {
	*Panel
	xLabel, yLabel string // wrapped; yLabel is empty where the panel to the left says it
	frame          vg.Rectangle
	x, y           scale
	xTicks, yTicks []tick
	tickHeight     vg.Length    // of the x axis's labels
	nameRoom       vg.Length    // width of a named tick's label; 0 without fixed ticks
	names          []placedNote // of the areas
	notes          []placedNote
}

// A placedNote is a note with the box that its text fills.
type placedNote struct {
	at   vg.Point
	text string
	box  vg.Rectangle
}

// layout computes the place of everything.
func (f *Figure) layout() *layout {
	l := &layout{legend: f.entries()}
	var cell vg.Length
	l.width, l.height, cell = f.size()
	top := vg.Length(margin)
	if f.Title != "" {
		l.title = wrap(f.Title, sizeTitle, l.width-2*margin)
		_, h := measure(l.title, sizeTitle)
		_, one := measure("X", sizeTitle)
		l.height += h - one // a second line is not taken from the panels
		top += h + gap
	}
	titles := vg.Length(0)
	for _, p := range f.Panels {
		if p.Title != "" {
			_, titles = measure("X", sizeLabel)
		}
	}
	xs, ys := f.spans()
	for i := range f.Panels {
		room := vg.Rectangle{
			Min: vg.Point{X: vg.Length(i) * cell, Y: 0},
			Max: vg.Point{X: vg.Length(i+1) * cell, Y: l.height - top - titles},
		}
		p := place(&f.Panels[i], room, xs[i], ys[i])
		l.panels = append(l.panels, p)
	}
	for i := range l.panels {
		for _, a := range l.panels[i].placeNames() {
			l.legend = append(l.legend, entry{label: a.Label, series: []Series{{Style: a.Style}}, area: true})
		}
	}
	l.placeLegend()
	for i := range l.panels {
		l.panels[i].placeNames() // again, as the legend may have made the picture taller
		l.placeNotes(&l.panels[i])
	}
	return l
}

// spans are the data ranges of the panels, joined where axes have one label.
func (f *Figure) spans() (xs, ys []span) {
	join := func(label func(Panel) string, of func(*Panel) span) []span {
		joint := map[string]span{}
		for i := range f.Panels {
			key := label(f.Panels[i])
			s, ok := joint[key]
			if !ok {
				s = emptySpan()
			}
			if own := of(&f.Panels[i]); !own.empty() {
				s.add(own.lo)
				s.add(own.hi)
			}
			joint[key] = s
		}
		out := make([]span, len(f.Panels))
		for i, p := range f.Panels {
			out[i] = joint[label(p)]
		}
		return out
	}
	xs = join(func(p Panel) string { return p.X.Label }, (*Panel).xSpan)
	ys = join(func(p Panel) string { return p.Y.Label }, (*Panel).ySpan)
	return xs, ys
}

// place lays one panel out in its room. What surrounds the frame decides the frame: labels of the
// ticks to the left and below, half of the last label to the right.
func place(p *Panel, room vg.Rectangle, xs, ys span) placed {
	out := placed{Panel: p, x: p.X.scale(xs), y: p.Y.scale(ys)}
	_, out.tickHeight = measure("0", sizeTick)
	if n := len(p.X.Ticks); n > 0 { // names may take several lines
		out.nameRoom = room.Size().X*0.8/vg.Length(n) - gap
		for _, t := range p.X.Ticks {
			_, h := measure(wrap(t.Label, sizeTick, out.nameRoom), sizeTick)
			out.tickHeight = max(out.tickHeight, h)
		}
	}
	bottom := margin + out.tickHeight + tickLength + 2
	if p.X.Label != "" {
		out.xLabel = wrap(p.X.Label, sizeLabel, room.Size().X-2*margin)
		_, h := measure(out.xLabel, sizeLabel)
		bottom += h + 1
	}
	out.frame.Min.Y = room.Min.Y + bottom
	out.frame.Max.Y = room.Max.Y - gap
	out.y.from, out.y.to = out.frame.Min.Y, out.frame.Max.Y

	high := out.frame.Size().Y
	most := int(high / 19)
	if p.Y.Log {
		most = int(high / 14)
	}
	out.yTicks = p.Y.ticks(out.y, most)
	left := vg.Length(margin + tickLength + 2)
	widest := vg.Length(0)
	for _, t := range out.yTicks {
		w, _ := measure(t.label, sizeTick)
		widest = max(widest, w)
	}
	left += widest
	if p.Y.Label != "" {
		out.yLabel = wrap(p.Y.Label, sizeLabel, high+40)
		_, h := measure(out.yLabel, sizeLabel)
		left += h + 3
	}
	out.frame.Min.X = room.Min.X + left
	out.frame.Max.X = room.Max.X - margin - 3
	out.fitX(room)
	return out
}

// fitX chooses the ticks of the x axis so that their labels neither touch nor leave the room.
func (p *placed) fitX(room vg.Rectangle) {
	right := p.frame.Max.X
	for most := 11; most > 1; most-- {
		p.frame.Max.X = right
		p.x.from, p.x.to = p.frame.Min.X, right
		p.xTicks = p.X.ticks(p.x, most)
		for i, t := range p.xTicks {
			if p.nameRoom > 0 {
				p.xTicks[i].label = wrap(t.label, sizeTick, p.nameRoom)
			}
		}
		if n := len(p.xTicks); n > 0 {
			last := p.xTicks[n-1]
			w, _ := measure(last.label, sizeTick)
			if over := p.x.place(last.at) + w/2 - (room.Max.X - 3); over > 0 {
				p.frame.Max.X = right - over
				p.x.to = p.frame.Max.X
			}
		}
		if !p.crowded() {
			return
		}
	}
	p.thin()
}

// crowded reports whether labels of the x axis come too close.
func (p *placed) crowded() bool {
	end := vg.Length(-1e9)
	for _, t := range p.xTicks {
		if t.label == "" {
			continue
		}
		w, _ := measure(t.label, sizeTick)
		at := p.x.place(t.at)
		if at-w/2 < end+4 {
			return true
		}
		end = at + w/2
	}
	return false
}

// thin empties the labels of the x axis for which there is no room: those that a figure fixed.
func (p *placed) thin() {
	end := vg.Length(-1e9)
	for i, t := range p.xTicks {
		w, _ := measure(t.label, sizeTick)
		at := p.x.place(t.at)
		if at-w/2 < end+4 {
			p.xTicks[i].label = ""
		} else if t.label != "" {
			end = at + w/2
		}
	}
}

// point is where a datum lies in the picture.
func (p *placed) point(x, y float64) vg.Point {
	return vg.Point{X: p.x.at(x), Y: p.y.at(y)}
}

// limit reports whether a point is drawn as an upper limit.
func (p *placed) limit(pt Point) bool { return pt.Zero && p.Y.Log }

// shows reports whether the middle of a marker at pt is inside the frame.
func (p *placed) shows(pt vg.Point) bool {
	return within(vg.Rectangle{Min: pt, Max: pt}, p.frame, -0.01)
}

// placeLegend finds room for the legend inside a panel, the emptiest corner of all of them, or
// makes room to the right.
func (l *layout) placeLegend() {
	if len(l.legend) == 0 {
		return
	}
	w, h := legendSize(l.legend)
	for i := range l.panels {
		p := &l.panels[i]
		if len(p.Areas) > 0 {
			continue // it has no empty corner
		}
		if box, ok := emptiest(p.frame, w, h, p.clutter()); ok {
			l.legendBox = box
			return
		}
	}
	frame := l.panels[len(l.panels)-1].frame
	l.legendBox = vg.Rectangle{
		Min: vg.Point{X: l.width, Y: frame.Max.Y - h},
		Max: vg.Point{X: l.width + w, Y: frame.Max.Y},
	}
	l.width += w + margin
	if low := l.legendBox.Min.Y - margin; low < 0 { // many series: grow upwards
		l.lift(-low)
	}
}

// lift makes the picture taller and moves the frames up, so that a long legend fits beside them.
func (l *layout) lift(by vg.Length) {
	l.height += by
	l.legendBox.Min.Y += by
	l.legendBox.Max.Y += by
	for i := range l.panels {
		p := &l.panels[i]
		p.frame.Max.Y += by
		p.y.to = p.frame.Max.Y
	}
}

// placeNotes finds room for the texts of the notes.
func (l *layout) placeNotes(p *placed) {
	taken := p.clutter()
	taken.box(l.legendBox)
	for _, n := range p.names {
		taken.box(n.box)
	}
	for _, n := range p.Notes {
		out := placedNote{at: p.point(n.X, n.Y), text: wrap(n.Text, sizeNote, 120)}
		if !p.shows(out.at) {
			continue
		}
		w, h := measure(out.text, sizeNote)
		out.box = beside(p.frame, out.at, w, h, taken)
		taken.box(out.box)
		p.notes = append(p.notes, out)
	}
}

// clutter is all that the panel draws inside its frame.
func (p *placed) clutter() clutter {
	var c clutter
	for _, s := range p.Series {
		for _, line := range p.lines(s) {
			for i := 1; i < len(line); i++ {
				c.line(line[i-1], line[i])
			}
		}
		for i, pt := range s.Points {
			at := p.point(pt.X, pt.Y)
			switch {
			case p.limit(pt):
				at = p.point(pt.X, pt.Hi)
				c.line(at, vg.Point{X: at.X, Y: at.Y - arrowLength})
			case s.Kind.marks():
				c.line(at, at)
			}
			if p.bar(s, i) {
				c.line(p.point(pt.X, pt.Lo), p.point(pt.X, pt.Hi))
			}
		}
		for _, b := range p.bands(s) {
			c.between(b.lo, b.hi)
		}
	}
	for _, n := range p.Notes {
		at := p.point(n.X, n.Y)
		c.line(at, at)
	}
	return c
}
