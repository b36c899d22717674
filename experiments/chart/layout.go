package chart

import (
	"cmp"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Distances inside the picture, in points.
const (
	margin      = 7
	gap         = 4
	right       = margin + 3 // of a frame
	tickLength  = 3.5
	minorLength = 2
	keyWidth    = 29
	keyGap      = 5
	markWidth   = 10  // of one of several markers in a key
	sideRoom    = 190 // of a line of a legend beside or inside a panel
)

// A layout is a figure with a place for everything in it: drawing it is mere strokes.
type layout struct {
	*Figure
	width, height vg.Length
	columns, rows int
	title         string
	panels        []placed
	legend        legend
	words         string // about lines that coincide
}

// A placed panel has a frame in the picture, and scales for it.
type placed struct {
	*Panel
	noX, noY       bool // a panel below, or to the left, says it
	xLabel, yLabel string
	frame          vg.Rectangle
	x, y           scale
	xTicks, yTicks []tick
	tickHeight     vg.Length // of the x axis's labels
	names          []placedNote
	notes          []placedNote
}

// A placedNote is a note, or a region's name, with the box that its text fills.
type placedNote struct {
	at   vg.Point
	text string
	box  vg.Rectangle
}

// layout computes the place of everything. Regions without room for their name, which only a layout knows,
// are in the legend of the next.
func (f *Figure) layout() *layout {
	l := f.arrange(nil)
	if regions := l.nameRegions(); regions != nil {
		l = f.arrange(regions)
		l.nameRegions() // again, as the legend may have changed the frames
	}
	for i := range l.panels {
		l.placeNotes(&l.panels[i])
	}
	return l
}

func (l *layout) nameRegions() (without []Series) {
	for i := range l.panels {
		without = append(without, l.panels[i].placeNames()...)
	}
	return without
}

// arrange places the panels and the legend, from above to below and from left to right.
func (f *Figure) arrange(regions []Series) *layout {
	l := &layout{Figure: f, panels: f.scaled()}
	l.columns, l.rows = f.grid()
	l.width, l.height = f.size()
	top, bottom := vg.Length(margin), vg.Length(margin)
	if f.Title != "" {
		l.title = wrap(f.Title, sizeTitle, l.width-2*margin)
		h := height(l.title, sizeTitle)
		l.height += h - height("X", sizeTitle) // a second line is not taken from the panels
		top += h + gap
	}
	l.explain(regions)
	below := f.Below || l.rows > 1
	if below {
		bottom += l.legendBelow()
	}
	l.share()
	l.fitY(top, bottom)
	l.fitX()
	l.words = wrap(l.coincident(), sizeNote, l.width-2*margin)
	if l.words != "" {
		l.lift(height(l.words, sizeNote) + gap)
	}
	if !below {
		l.placeLegend()
	}
	return l
}

// grid is how many columns and rows of panels there are.
func (f *Figure) grid() (columns, rows int) {
	n := max(len(f.Panels), 1)
	columns = min(cmp.Or(max(f.Columns, 0), n), n)
	return columns, (n + columns - 1) / columns
}

// scaled are the panels with scales for their data, and one for all axes of one label.
func (f *Figure) scaled() (out []placed) {
	xs, ys := map[string][]float64{}, map[string][]float64{}
	for i := range f.Panels {
		p := &f.Panels[i]
		x, y := p.values()
		xs[p.X.Label], ys[p.Y.Label] = append(xs[p.X.Label], x...), append(ys[p.Y.Label], y...)
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		out = append(out, placed{Panel: p, x: p.X.scale(xs[p.X.Label]), y: p.Y.scale(ys[p.Y.Label])})
	}
	return out
}

// share leaves out the labels of axes that the next panel below, or to the left, has too.
func (l *layout) share() {
	same := func(a, b Axis, as, bs scale) bool {
		return a.Label == b.Label && as == bs && a.Format == b.Format && a.Whole == b.Whole && slices.Equal(a.Ticks, b.Ticks)
	}
	for i := range l.panels {
		p := &l.panels[i]
		if j := i + l.columns; j < len(l.panels) {
			p.noX = same(p.X, l.panels[j].X, p.x, l.panels[j].x)
		}
		if i%l.columns > 0 {
			p.noY = same(p.Y, l.panels[i-1].Y, p.y, l.panels[i-1].y)
		}
	}
}

// fitY shares the height between top and bottom out among the rows.
func (l *layout) fitY(top, bottom vg.Length) {
	free, weights := l.height-top-bottom, vg.Length(0)
	rows := make([]struct{ over, under, weight vg.Length }, l.rows)
	for i := range l.panels {
		p, r := &l.panels[i], &rows[i/l.columns]
		over := gap * vg.Length(1+min(i/l.columns, 1))
		if p.Title != "" {
			over += height("X", sizeLabel)
		}
		r.over, r.under = max(r.over, over), max(r.under, p.under(l.width/vg.Length(l.columns)))
		r.weight = max(r.weight, vg.Length(p.Height))
	}
	for i := range rows {
		r := &rows[i]
		r.weight = cmp.Or(r.weight, 1)
		weights += r.weight
		free -= r.over + r.under
	}
	free = max(free, 30*vg.Length(l.rows))
	high := l.height - top
	for i, r := range rows {
		high -= r.over
		low := high - free*r.weight/weights
		for j := i * l.columns; j < min((i+1)*l.columns, len(l.panels)); j++ {
			p := &l.panels[j]
			p.frame.Min.Y, p.frame.Max.Y = low, high
			most := int((high - low) / 19)
			if p.Y.Log {
				most = int((high - low) / 14)
			}
			for p.yTicks = p.Y.ticks(p.y, most); labels(p.yTicks) < 2 && most < 12; most++ {
				p.yTicks = p.Y.ticks(p.y, most+1)
			}
		}
		high = low - r.under
	}
}

// under is the room that the labels below a frame take; cell is the width of a panel with its labels.
func (p *placed) under(cell vg.Length) vg.Length {
	if p.noX {
		return tickLength
	}
	p.tickHeight = height("0", sizeTick)
	for _, t := range p.X.Ticks { // names may take several lines
		p.tickHeight = max(p.tickHeight, height(wrap(t.Label, sizeTick, p.nameRoom(cell*0.8)), sizeTick))
	}
	bottom := p.tickHeight + tickLength + 2
	if p.X.Label != "" {
		p.xLabel = wrap(p.X.Label, sizeLabel, cell-2*margin)
		bottom += height(p.xLabel, sizeLabel) + 1
	}
	return bottom
}

// nameRoom is the width of a named tick's label.
func (p *placed) nameRoom(wide vg.Length) vg.Length {
	return wide/vg.Length(max(len(p.X.Ticks), 1)) - gap
}

// beside is the room that the labels left of a frame take.
func (p *placed) beside() vg.Length {
	if p.noY {
		return gap
	}
	left := margin + tickLength + 2 + p.widest()
	if p.Y.Label != "" {
		p.yLabel = wrap(p.Y.Label, sizeLabel, p.frame.Size().Y+40)
		left += height(p.yLabel, sizeLabel) + 3
	}
	return left
}

func (p *placed) widest() (w vg.Length) {
	for _, t := range p.yTicks {
		w = max(w, width(t.label, sizeTick))
	}
	return w
}

// fitX shares the width out among the columns, as much to each frame, and again with as much less as the
// last labels reach beyond their room.
func (l *layout) fitX() {
	left := make([]vg.Length, l.columns)
	for i := range l.panels {
		c := i % l.columns
		left[c] = max(left[c], l.panels[i].beside())
	}
	spare, over := vg.Length(0), vg.Length(0)
	for range 2 {
		wide := max((l.width-sum(left))/vg.Length(l.columns)-right-spare, 30)
		for i := range l.panels {
			p, c, next := &l.panels[i], i%l.columns, vg.Length(right-3)
			if c+1 < l.columns {
				next = right + left[c+1] - 12
			}
			p.frame.Min.X = sum(left[:c+1]) + vg.Length(c)*(wide+right+spare)
			p.frame.Max.X = p.frame.Min.X + wide
			over = max(over, p.fitX()-next)
		}
		if over <= spare {
			return
		}
		spare = over
	}
}

// fitX chooses the ticks of the x axis so that labels do not touch. It returns how far the last passes the frame.
func (p *placed) fitX() vg.Length {
	for most := 11; most > 1; most-- {
		p.xTicks = p.X.ticks(p.x, most)
		for i, t := range p.xTicks {
			if len(p.X.Ticks) > 0 {
				p.xTicks[i].label = wrap(t.label, sizeTick, p.nameRoom(p.frame.Size().X))
			}
		}
		if !p.crowded(false) {
			break
		}
	}
	p.crowded(true)
	if n := len(p.xTicks); n > 0 && !p.noX {
		last := p.xTicks[n-1]
		return p.at(last.at, 0).X + width(last.label, sizeTick)/2 - p.frame.Max.X
	}
	return 0
}

// crowded reports whether labels of the x axis come too close, and empties those that do if told so.
func (p *placed) crowded(empty bool) (found bool) {
	end := vg.Length(-1e9)
	for i, t := range p.xTicks {
		w, at := width(t.label, sizeTick), p.at(t.at, 0).X
		switch {
		case t.label == "":
		case at-w/2 >= end+4:
			end = at + w/2
		default:
			found = true
			if empty {
				p.xTicks[i].label = ""
			}
		}
	}
	return found
}

// point is where a datum lies in the picture.
func (p *placed) point(x, y float64) vg.Point { return p.at(p.x.value(x), p.y.value(y)) }

// at is the place of transformed values.
func (p *placed) at(x, y float64) vg.Point {
	size := p.frame.Size()
	return p.frame.Min.Add(vg.Point{X: p.x.share(x) * size.X, Y: p.y.share(y) * size.Y})
}

func (p *placed) ends(pt Point) (lo, hi vg.Point) {
	if p.Sideways {
		return p.point(pt.Lo, pt.Y), p.point(pt.Hi, pt.Y)
	}
	return p.point(pt.X, pt.Lo), p.point(pt.X, pt.Hi)
}

// limit reports whether a point is drawn as an upper limit.
func (p *placed) limit(pt Point) bool { return pt.Zero && p.Y.Log }

// shows reports whether the middle of a marker at pt is inside the frame.
func (p *placed) shows(pt vg.Point) bool {
	return within(vg.Rectangle{Min: pt, Max: pt}, p.frame, -0.01)
}

// lift makes the picture taller and moves all panels, and a legend below them, up.
func (l *layout) lift(by vg.Length) {
	l.height += by
	l.legend.box = l.legend.box.Add(vg.Point{Y: by})
	for i := range l.panels {
		l.panels[i].frame = l.panels[i].frame.Add(vg.Point{Y: by})
	}
}

// placeLegend finds room for the legend inside a panel, the emptiest corner of all of them, or makes room to the right.
func (l *layout) placeLegend() {
	if len(l.legend.entries) == 0 {
		return
	}
	w, h := l.legend.fit(1, sideRoom)
	for i := range l.panels {
		p := &l.panels[i]
		if box, ok := emptiest(p.frame, w, h, p.clutter()); ok && len(p.Areas) == 0 { // areas leave no corner empty
			l.legend.box = box
			return
		}
	}
	l.legend.box = sized(vg.Point{X: l.width, Y: l.panels[len(l.panels)-1].frame.Max.Y - h}, w, h)
	l.width += w + margin
	if low := l.legend.box.Min.Y - margin; low < 0 { // many series: grow upwards
		l.lift(-low)
		for i := range l.panels {
			l.panels[i].frame.Min.Y += low
		}
	}
}

// placeNotes finds room for the texts of the notes, clear of data and of each other.
func (l *layout) placeNotes(p *placed) {
	taken := p.clutter()
	taken.box(l.legend.box)
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
		taken.lines([]vg.Point{out.at, nearest(out.box, out.at)})
		p.notes = append(p.notes, out)
	}
}

// clutter is all that the panel draws inside its frame. Lines are cut there, as they are when they are drawn.
func (p *placed) clutter() (c clutter) {
	inside := draw.Canvas{Rectangle: p.frame}
	for _, s := range p.Series {
		c.lines(inside.ClipLinesXY(p.lines(s)...)...)
		for i, pt := range s.Points {
			switch {
			case p.limit(pt):
				at := p.point(pt.X, pt.Hi)
				c.lines([]vg.Point{at, at.Sub(vg.Point{Y: arrowLength})})
			case s.Kind.marks():
				c = append(c, p.point(pt.X, pt.Y))
			}
			if p.bar(s, i) {
				lo, hi := p.ends(pt)
				c.lines(inside.ClipLinesXY([]vg.Point{lo, hi})...)
			}
		}
		for _, b := range p.bands(s) {
			c.band(b, inside)
		}
	}
	for _, n := range p.Notes {
		c = append(c, p.point(n.X, n.Y))
	}
	return c
}

// coincident says in words which lines lie on each other: the upper hides the lower.
func (l *layout) coincident() string {
	var found []string
	for i := range l.panels {
		p, used := &l.panels[i], map[string]bool{}
		for a, s := range p.Series {
			group := s.Label
			for _, o := range p.Series[a+1:] {
				if !used[s.Label] && !used[o.Label] && s.Label != o.Label && p.onto(s, o) {
					group, used[o.Label] = group+" = "+o.Label, true
				}
			}
			switch {
			case group == s.Label:
			case len(l.panels) > 1 && p.Title != "":
				found = append(found, p.Title+": "+group)
			default:
				found = append(found, group)
			}
		}
	}
	if found == nil {
		return ""
	}
	return "Lines that coincide: " + strings.Join(found, "; ")
}
