package chart

import (
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

// raised is the text.Handler of this package: plain text in which ^{...} is drawn raised and smaller.
// gonum's plain handler drops superscript digits without a word and its LaTeX handler panics on them.
type raised struct{}

var _ text.Handler = raised{}

// Cache returns the one font there is.
func (raised) Cache() *font.Cache { return fontCache() }

// Extents returns the metrics of the font.
func (raised) Extents(f font.Font) font.Extents {
	face := fontCache().Lookup(f, f.Size)
	return face.Extents()
}

// Lines splits at line feeds.
func (raised) Lines(txt string) []string { return strings.Split(txt, "\n") }

// Box returns the size of one line: its width, height above and depth below the baseline.
func (raised) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	ext := raised{}.Extents(f)
	for _, r := range split(txt) {
		face := r.face(f)
		width += face.Width(r.text)
	}
	return width, ext.Ascent, ext.Descent
}

// Draw draws the lines of txt, aligned to pt as sty says.
func (raised) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(sty.Rotation)
		sin, cos := math.Sincos(sty.Rotation)
		s, k := vg.Length(sin), vg.Length(cos)
		pt.X, pt.Y = pt.Y*s+pt.X*k, pt.Y*k-pt.X*s
	}
	lines := raised{}.Lines(txt)
	ext := raised{}.Extents(sty.Font)
	step := sty.Font.Size * leading
	height := ext.Ascent + ext.Descent + vg.Length(len(lines)-1)*step
	baseline := pt.Y + height*vg.Length(1+sty.YAlign) - ext.Ascent
	for i, line := range lines {
		width, _, _ := raised{}.Box(line, sty.Font)
		at := vg.Point{X: pt.X + width*vg.Length(sty.XAlign), Y: baseline - vg.Length(i)*step}
		for _, r := range split(line) {
			face := r.face(sty.Font)
			up := vg.Length(0)
			if r.super {
				up = sty.Font.Size * superRise
			}
			c.FillString(face, vg.Point{X: at.X, Y: at.Y + up}, r.text)
			at.X += face.Width(r.text)
		}
	}
}

// A run is a piece of text in one size.
type run struct {
	text  string
	super bool
}

// face is the font of the run in text of font f.
func (r run) face(f font.Font) font.Face {
	if r.super {
		f.Size *= superSize
	}
	return fontCache().Lookup(f, f.Size)
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

// style is a text style of this package.
func style(size float64, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: black, Handler: raised{}, XAlign: x, YAlign: y,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
	}
}

// measure returns the size of a text of one or more lines.
func measure(txt string, size float64) (w, h vg.Length) {
	sty := style(size, 0, 0)
	lines := raised{}.Lines(txt)
	for _, line := range lines {
		lw, _, _ := raised{}.Box(line, sty.Font)
		w = max(w, lw)
	}
	ext := raised{}.Extents(sty.Font)
	return w, ext.Ascent + ext.Descent + vg.Length(float64(len(lines)-1)*size*leading)
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
		if w, _ := measure(longer, size); w > room && line != "" {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return strings.Join(append(lines, line), "\n")
}
