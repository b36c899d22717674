package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A legend is the entries with the place for them, which is empty without any.
type legend struct {
	entries []entry
	box     vg.Rectangle
}

// An entry is a line of the legend: a label and what it looks like. Series of all panels that share a label,
// such as "paper", are one entry that shows each of their markers.
type entry struct {
	label  string
	series []Series // without points
	rank   int      // of its most prominent series

	at   vg.Point // of the upper left corner, from that of the legend
	wide vg.Length
	text string // the label, wrapped
}

// Kinds that a legend alone has: the arrows of points without events, and regions without room for their name.
const (
	arrows Kind = Thin + 1 + iota
	region
)

const limitLabel = "no event: upper limit"

// rank groups the kinds in the legend: lines, marks, theory, the paper, and what only a legend has.
func (k Kind) rank() int {
	return max(slices.Index([]Kind{Line, Marks, Thin, Hollow, arrows, region}, k), 0)
}

// explain lists what the legend must explain, in each rank our series in the order in which their lines end.
func (l *layout) explain(regions []Series) {
	var out []entry
	add := func(s Series) {
		s.Points = nil
		at := slices.IndexFunc(out, func(e entry) bool { return e.label == s.Label })
		if at < 0 {
			at, out = len(out), append(out, entry{label: s.Label, rank: s.Kind.rank()})
		}
		e := &out[at]
		if !slices.ContainsFunc(e.series, func(o Series) bool { return Alike(o.Style, s.Style) && o.Kind == s.Kind }) {
			e.series, e.rank = append(e.series, s), min(e.rank, s.Kind.rank())
		}
	}
	for i := range l.panels {
		p := &l.panels[i]
		for _, s := range p.ordered() {
			if !s.NoLegend && s.Label != "" && len(s.Points) > 0 {
				add(s)
			}
			if slices.ContainsFunc(s.Points, p.limit) {
				add(Series{Label: limitLabel, Kind: arrows})
			}
		}
	}
	for _, s := range regions {
		add(s)
	}
	slices.SortStableFunc(out, func(a, b entry) int { return cmp.Compare(a.rank, b.rank) })
	l.legend.entries = out
}

// ordered returns the panel's series from that whose line ends highest to the lowest, unless they are listed. Lines
// that end within 2% of each other, and marks, keep their order.
func (p *placed) ordered() []Series {
	if p.Listed {
		return p.Series
	}
	end := func(s Series) float64 {
		for _, pt := range slices.Backward(s.Points) {
			if s.Kind.lines() && !p.limit(pt) {
				return math.Round(50 * (p.y.value(pt.Y) - p.y.lo) / (p.y.hi - p.y.lo))
			}
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(p.Series), func(a, b Series) int { return cmp.Compare(end(b), end(a)) })
}

// marked are the looks of an entry that have different markers.
func (e entry) marked() (out []Series) {
	for _, s := range e.series {
		if s.Kind.marks() && !slices.ContainsFunc(out, func(o Series) bool {
			return o.Style.Marker == s.Style.Marker && o.Kind == s.Kind && o.markInk() == s.markInk()
		}) {
			out = append(out, s)
		}
	}
	return out
}

// key is the width of an entry's sample.
func (e entry) key() vg.Length {
	least := vg.Length(markWidth)
	if slices.ContainsFunc(e.series, func(s Series) bool { return s.Kind.lines() || s.Kind == region }) {
		least = keyWidth
	}
	return max(least, vg.Length(len(e.marked()))*markWidth)
}

// fit arranges the entries in columns that are at most room wide, and returns the size of the whole.
func (g *legend) fit(columns int, room vg.Length) (w, h vg.Length) {
	const rowHeight = sizeLegend * 1.32
	keys, widths := make([]vg.Length, columns), make([]vg.Length, columns)
	for i, e := range g.entries {
		keys[i%columns] = max(keys[i%columns], e.key())
	}
	for i := range g.entries {
		e, c := &g.entries[i], i%columns
		e.wide, e.text = keys[c], wrap(e.label, sizeLegend, room-keys[c]-keyGap)
		widths[c] = max(widths[c], width(e.text, sizeLegend)+keys[c]+keyGap+3*gap)
	}
	for row := range slices.Chunk(g.entries, columns) {
		x, tall := vg.Length(0), 0
		for c := range row {
			row[c].at = vg.Point{X: x, Y: -h - rowHeight/2}
			x, tall = x+widths[c], max(tall, 1+strings.Count(row[c].text, "\n"))
		}
		h += vg.Length(tall) * rowHeight
	}
	return sum(widths) - 3*gap, h
}

func sum(lengths []vg.Length) (all vg.Length) {
	for _, l := range lengths {
		all += l
	}
	return all
}

// legendBelow places the legend at the foot of the picture, in as many columns as fit, and returns its height.
func (l *layout) legendBelow() vg.Length {
	room := l.width - 2*margin
	for columns := len(l.legend.entries); columns > 0; columns-- {
		w, h := l.legend.fit(columns, room)
		if w <= room || columns == 1 {
			l.legend.box = sized(vg.Point{X: max((l.width-w)/2, margin), Y: margin}, w, h)
			l.height += h + gap
			return h + gap
		}
	}
	return 0
}

func (p pen) legend(g *legend) {
	p.box(g.box, white)
	for _, e := range g.entries {
		at := vg.Point{X: g.box.Min.X, Y: g.box.Max.Y}.Add(e.at)
		p.key(e, at)
		at = at.Add(vg.Point{X: e.wide + keyGap, Y: height("X", sizeLegend) / 2})
		p.text(e.text, sizeLegend, at, text.XLeft, text.YTop)
	}
}

func (p pen) key(e entry, at vg.Point) {
	wide := min(max(e.key(), keyWidth), e.wide)
	at.X += e.wide - wide // beside the label, as a short sample
	along := func(share int, of []Series) vg.Point {
		return at.Add(vg.Point{X: wide * vg.Length(share) / vg.Length(2*len(of))})
	}
	switch first := e.series[0]; first.Kind {
	case region:
		r := sized(at.Sub(vg.Point{Y: 4}), keyWidth, 8)
		p.box(r, first.Style.tint())
		p.border(r, hairWidth)
	case arrows:
		p.arrow(along(1, e.series).Add(vg.Point{Y: arrowLength/2 - 1}), grey)
	}
	lines := slices.DeleteFunc(slices.Clone(e.series), func(s Series) bool { return !s.Kind.lines() })
	for i, s := range lines { // styles of several lines share the width
		p.StrokeLines(s.stroke(), []vg.Point{along(2*i, lines), along(2*i+2, lines)})
	}
	marked := e.marked()
	for i, s := range marked {
		p.mark(s, along(2*i+1, marked))
	}
}
