package chart

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legend is the entries with their place: in rows, from left to right.
type legend struct {
	entries []entry
	columns int
	keys    []vg.Length  // of the columns: the width of their samples
	texts   []string     // the labels, wrapped
	heights []vg.Length  // of the rows
	widths  []vg.Length  // of the columns
	box     vg.Rectangle // empty without a legend
}

// An entry is a line of the legend: a label and what it looks like. Series of all panels that share a label,
// such as "paper", are one entry that shows each of their markers.
type entry struct {
	label  string
	series []Series // without points
	limit  bool     // the line that explains the arrows
	area   bool     // a region without room for its name, in the style of its one series
}

// limitLabel explains the arrows of points without events.
const limitLabel = "no event: upper limit"

// entries lists what the legend must explain: our series in the order in which their lines end at
// the right, then marks without a line, theory, the paper's points, and the arrows.
func (f *Figure) entries() []entry {
	var out []entry
	limits := false
	for i := range f.Panels {
		p := &f.Panels[i]
		for _, s := range p.ordered() {
			limits = limits || p.Y.Log && slices.ContainsFunc(s.Points, func(pt Point) bool { return pt.Zero })
			if s.NoLegend || s.Label == "" || len(s.Points) == 0 {
				continue
			}
			s.Points = nil
			at := slices.IndexFunc(out, func(e entry) bool { return e.label == s.Label })
			if at < 0 {
				at, out = len(out), append(out, entry{label: s.Label})
			}
			if !slices.ContainsFunc(out[at].series, func(o Series) bool { return Alike(o.Style, s.Style) && o.Kind == s.Kind }) {
				out[at].series = append(out[at].series, s)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return cmp.Compare(a.rank(), b.rank()) })
	if limits {
		out = append(out, entry{label: limitLabel, limit: true})
	}
	return out
}

// rank groups the kinds in the legend: lines, marks, theory, the paper.
func (k Kind) rank() int {
	return max(slices.Index([]Kind{Line, Marks, Thin, Hollow}, k), 0)
}

// rank of an entry is that of its most prominent series.
func (e entry) rank() int {
	return slices.MinFunc(e.series, func(a, b Series) int { return cmp.Compare(a.Kind.rank(), b.Kind.rank()) }).Kind.rank()
}

// ordered returns the panel's series from the highest to the lowest, judged at the rightmost x that
// all lines of a kind reach. Lines that end within 2% of each other, and marks, keep their order.
func (p *Panel) ordered() []Series {
	x, y := p.spans()
	pl := placed{Panel: p, x: p.X.scale(x), y: p.Y.scale(y)}
	pl.x.to, pl.y.to = 1e4, 50
	lines, right, out := make([][]vg.Point, len(p.Series)), map[int]vg.Length{}, []Series{}
	for i, s := range p.Series {
		if lines[i] = slices.Concat(pl.lines(s)...); len(lines[i]) > 0 {
			end := lines[i][len(lines[i])-1].X
			if r, ok := right[s.Kind.rank()]; ok {
				end = min(end, r)
			}
			right[s.Kind.rank()] = end
		}
	}
	height := func(i int) float64 {
		if len(lines[i]) == 0 {
			return 0
		}
		return math.Round(float64(along(lines[i], right[p.Series[i].Kind.rank()])))
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(height(j), height(i)) })
	for _, i := range order {
		out = append(out, p.Series[i])
	}
	return out
}

// rowHeight is the distance of the legend's lines.
const rowHeight = sizeLegend * 1.32

// marked are the looks of an entry that have different markers.
func (e entry) marked() (out []Series) {
	for _, s := range e.series {
		if s.Kind.marks() && !slices.ContainsFunc(out, func(o Series) bool {
			return o.Style.Marker == s.Style.Marker && o.Kind == s.Kind && (o.Style.ink() == s.Style.ink() || s.Kind == Hollow)
		}) {
			out = append(out, s)
		}
	}
	return out
}

// key is the width of an entry's sample.
func (e entry) key() vg.Length {
	marks := vg.Length(len(e.marked())) * markWidth
	if e.area || slices.ContainsFunc(e.series, func(s Series) bool { return s.Kind.lines() }) {
		return max(marks, keyWidth)
	}
	return max(marks, markWidth)
}

// fit arranges the entries in columns that are at most room wide, and returns the size of the whole.
func (g *legend) fit(columns int, room vg.Length) (w, h vg.Length) {
	g.columns, g.texts = columns, nil
	rows := (len(g.entries) + columns - 1) / columns
	g.heights, g.widths, g.keys = make([]vg.Length, rows), make([]vg.Length, columns), make([]vg.Length, columns)
	for i, e := range g.entries {
		g.keys[i%columns] = max(g.keys[i%columns], e.key())
	}
	for i, e := range g.entries {
		key := g.keys[i%columns]
		txt := wrap(e.label, sizeLegend, room-key-keyGap)
		g.texts = append(g.texts, txt)
		g.widths[i%columns] = max(g.widths[i%columns], width(txt, sizeLegend)+key+keyGap+3*gap)
		g.heights[i/columns] = max(g.heights[i/columns], vg.Length(1+strings.Count(txt, "\n"))*rowHeight)
	}
	return sum(g.widths) - 3*gap, sum(g.heights)
}

func sum(lengths []vg.Length) (all vg.Length) {
	for _, l := range lengths {
		all += l
	}
	return all
}

// legendBelow places the legend at the foot of the picture, in as many columns as fit, and returns its height.
func (l *layout) legendBelow() vg.Length {
	if len(l.legend.entries) == 0 {
		return 0
	}
	room := l.width - 2*margin
	for columns := len(l.legend.entries); ; columns-- {
		w, h := l.legend.fit(columns, room)
		if w <= room || columns == 1 {
			x := max((l.width-w)/2, margin)
			l.legend.box = sized(vg.Point{X: x, Y: margin}, w, h)
			l.height += h + gap
			return h + gap
		}
	}
}

// legend draws the entries.
func (p pen) legend(g *legend) {
	if len(g.entries) == 0 {
		return
	}
	p.box(g.box, white)
	at := vg.Point{X: g.box.Min.X, Y: g.box.Max.Y}
	for i, e := range g.entries {
		if column := i % g.columns; column > 0 {
			at.X += g.widths[column-1]
		} else if i > 0 {
			at = vg.Point{X: g.box.Min.X, Y: at.Y - g.heights[i/g.columns-1]}
		}
		key := g.keys[i%g.columns]
		p.key(e, at.X, at.Y-rowHeight/2, key)
		p.text(g.texts[i], sizeLegend, vg.Point{X: at.X + key + keyGap, Y: at.Y - (rowHeight-height("X", sizeLegend))/2},
			text.XLeft, text.YTop)
	}
}

// key draws the sample of an entry, from left to right around y.
func (p pen) key(e entry, left, y, wide vg.Length) {
	if e.area {
		p.areaKey(e.series[0].Style, left, y)
		return
	}
	if e.limit {
		p.arrow(vg.Point{X: left + wide/2, Y: y + arrowLength/2 - 1}, grey)
		return
	}
	if own := max(e.key(), keyWidth); own < wide { // beside the label, as a short sample
		left, wide = left+wide-own, own
	}
	lines := slices.DeleteFunc(slices.Clone(e.series), func(s Series) bool { return !s.Kind.lines() })
	for i, s := range lines { // styles of several lines share the width
		part := wide / vg.Length(len(lines))
		p.StrokeLines(s.stroke(), []vg.Point{{X: left + part*vg.Length(i), Y: y}, {X: left + part*vg.Length(i+1), Y: y}})
	}
	marked := e.marked()
	for i, s := range marked {
		p.mark(s, vg.Point{X: left + wide*vg.Length(float64(2*i+1)/float64(2*len(marked))), Y: y})
	}
}

// areaKey draws the sample of a region.
func (p pen) areaKey(s Style, left, y vg.Length) {
	r := vg.Rectangle{Min: vg.Point{X: left, Y: y - 4}, Max: vg.Point{X: left + keyWidth, Y: y + 4}}
	p.box(r, s.tint())
	p.border(r, draw.LineStyle{Color: black, Width: hairWidth})
}
