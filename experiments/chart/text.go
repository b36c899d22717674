package chart

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Sizes of text in points.
const (
	sizeTitle  = 10
	sizeLabel  = 9.5
	sizeTick   = 8.5
	sizeLegend = 8.5
	sizeNote   = 8
)

const (
	superSize = 0.68 // of the font size
	superRise = 0.38 // of the font size, above the baseline
	leading   = 1.18 // distance of baselines, of the font size
)

// fontCache holds Liberation Sans in its regular weight and nothing else: a bold face makes
// vgpdf write an empty file, so a bold face is not to be had.
var fontCache = sync.OnceValue(func() *font.Cache {
	for _, face := range liberation.Collection() {
		if face.Font == (font.Font{Typeface: "Liberation", Variant: "Sans"}) {
			return font.NewCache(font.Collection{face})
		}
	}
	panic("chart: gonum/plot has no Liberation Sans")
})

// face is the one font there is, in a size.
func face(size float64) font.Face {
	return fontCache().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
}

// A run is a piece of a line in one size: ^{...} is drawn raised and smaller. gonum's plain text drops
// superscript digits without a word and its LaTeX handler panics on them.
type run struct {
	text  string
	super bool
}

// face is the font of the run in text of a size.
func (r run) face(size float64) font.Face {
	if r.super {
		size *= superSize
	}
	return face(size)
}

// split cuts a line into runs. A ^{ that nothing closes is plain text.
func split(line string) []run {
	var runs []run
	for line != "" {
		before, rest, ok := strings.Cut(line, "^{")
		sup, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return append(runs, run{text: line})
		}
		if before != "" {
			runs = append(runs, run{text: before})
		}
		if sup != "" {
			runs = append(runs, run{text: sup, super: true})
		}
		line = after
	}
	return runs
}

// width is that of the widest line of a text.
func width(txt string, size float64) (w vg.Length) {
	for line := range strings.SplitSeq(txt, "\n") {
		all := vg.Length(0)
		for _, r := range split(line) {
			f := r.face(size)
			all += f.Width(r.text)
		}
		w = max(w, all)
	}
	return w
}

// height is that of the lines of a text.
func height(txt string, size float64) vg.Length {
	f := face(size)
	ext := f.Extents()
	return ext.Ascent + ext.Descent + vg.Length(float64(strings.Count(txt, "\n"))*size*leading)
}

// measure returns the size of a text.
func measure(txt string, size float64) (w, h vg.Length) { return width(txt, size), height(txt, size) }

// text draws the lines of txt, aligned to the point.
func (p pen) text(txt string, size float64, at vg.Point, x text.XAlignment, y text.YAlignment) {
	p.lines(txt, size, at, x, y, false)
}

// upright draws the lines of txt from below to above, their middle at the point and their last line to
// its left.
func (p pen) upright(txt string, size float64, at vg.Point) {
	if _, ok := p.Canvas.Canvas.(*svgWriter); ok {
		p.lines(txt, size, at, text.XCenter, text.YBottom, true)
		return
	}
	p.Push()
	defer p.Pop()
	p.Translate(at)
	p.Rotate(math.Pi / 2)
	p.lines(txt, size, vg.Point{}, text.XCenter, text.YBottom, false)
}

func (p pen) lines(txt string, size float64, at vg.Point, x text.XAlignment, y text.YAlignment, upright bool) {
	if txt == "" {
		return
	}
	p.SetColor(black)
	f := face(size)
	down := height(txt, size)*vg.Length(1+y) - f.Extents().Ascent // of the first baseline above the point
	for _, line := range strings.Split(txt, "\n") {
		w := width(line, size)
		if c, ok := p.Canvas.Canvas.(*svgWriter); ok {
			base := vg.Point{X: at.X, Y: at.Y + down}
			if upright {
				base = vg.Point{X: at.X - down, Y: at.Y}
			}
			c.write(line, size, base, w, x, upright)
		} else {
			p.runs(line, size, vg.Point{X: at.X + w*vg.Length(x), Y: at.Y + down})
		}
		down -= vg.Length(size * leading)
	}
}

// runs draws one line, piece by piece.
func (p pen) runs(line string, size float64, at vg.Point) {
	for _, r := range split(line) {
		f, up := r.face(size), vg.Length(0)
		if r.super {
			up = vg.Length(size * superRise)
		}
		p.FillString(f, vg.Point{X: at.X, Y: at.Y + up}, r.text)
		at.X += f.Width(r.text)
	}
}

// An svgWriter collects the text of an SVG. A line is one element, so that a reader without our font sees
// its superscripts and spaces where they belong, and has the width that the layout gave it.
type svgWriter struct {
	vg.Canvas
	height vg.Length
	out    bytes.Buffer
}

// write adds a line, from at by width times align to the right.
func (c *svgWriter) write(line string, size float64, at vg.Point, width vg.Length, align text.XAlignment,
	upright bool) {
	anchor := map[text.XAlignment]string{text.XLeft: "start", text.XCenter: "middle", text.XRight: "end"}[align]
	x, y := float64(at.X), float64(c.height-at.Y)
	turn := ""
	if upright {
		turn = fmt.Sprintf(` transform="rotate(-90 %.5g %.5g)"`, x, y)
	}
	fmt.Fprintf(&c.out, `<text x="%.5g" y="%.5g"%s text-anchor="%s" textLength="%.5g" lengthAdjust="spacingAndGlyphs" `+
		`style="font-size:%.3gpx;fill:#000000">`,
		x, y, turn, anchor, float64(width), size)
	dropped := 0.0
	for _, r := range split(line) {
		rise := 0.0
		if r.super {
			rise = superRise * size
		}
		switch {
		case r.super:
			fmt.Fprintf(&c.out, `<tspan dy="%.3g" style="font-size:%.3gpx">%s</tspan>`, dropped-rise, superSize*size,
				html.EscapeString(r.text))
		case dropped != 0:
			fmt.Fprintf(&c.out, `<tspan dy="%.3g">%s</tspan>`, dropped, html.EscapeString(r.text))
		default:
			c.out.WriteString(html.EscapeString(r.text))
		}
		dropped = rise
	}
	c.out.WriteString("</text>\n")
}

// wrap breaks txt at spaces into as few lines as fit the room, of about equal width. A word that is
// wider than the room stays whole.
func wrap(txt string, size float64, room vg.Length) string {
	out := fill(txt, size, room)
	n := strings.Count(out, "\n")
	for n > 0 {
		room -= 2
		narrower := fill(txt, size, room)
		if room <= 0 || strings.Count(narrower, "\n") > n {
			break
		}
		out = narrower
	}
	return out
}

// fill breaks txt at spaces and makes each line as long as the room allows.
func fill(txt string, size float64, room vg.Length) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(txt) {
		longer := strings.TrimSpace(line + " " + word)
		if width(longer, size) > room && line != "" {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return strings.Join(append(lines, line), "\n")
}

// superscripts are what ^{...} becomes where text may be Unicode.
var superscripts = strings.NewReplacer("0", "\u2070", "1", "\u00b9", "2", "\u00b2", "3", "\u00b3", "4", "\u2074", "5",
	"\u2075",
	"6", "\u2076", "7", "\u2077", "8", "\u2078", "9", "\u2079", "-", "\u207b", "+", "\u207a", "n", "\u207f")

// PlainText turns the text of a figure into ordinary text, as for a page or an alt attribute: ^{-6}
// becomes superscript characters, or ^-6 if there
// is a character without one.
func PlainText(s string) string {
	var b strings.Builder
	for _, r := range split(s) {
		if r.super {
			up := superscripts.Replace(r.text)
			if strings.ContainsFunc(up, func(c rune) bool { return c <= '~' }) {
				up = "^" + r.text
			}
			r.text = up
		}
		b.WriteString(r.text)
	}
	return b.String()
}
