package chart

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
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

var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// face is the one font there is, in a size: with a bold one vgpdf writes an empty file.
func face(size float64) font.Face {
	return fonts().Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
}

// A run is a piece of a line in one size: ^{...} is drawn raised and smaller. gonum's plain text drops
// superscript digits without a word and its LaTeX handler panics on them.
type run struct {
	text       string
	size, rise float64
}

// split cuts a line into runs. A ^{ that nothing closes is plain text.
func split(line string, size float64) (runs []run) {
	for line != "" {
		before, rest, ok := strings.Cut(line, "^{")
		sup, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return append(runs, run{line, size, 0})
		}
		if before != "" {
			runs = append(runs, run{before, size, 0})
		}
		runs = append(runs, run{sup, superSize * size, superRise * size})
		line = after
	}
	return runs
}

func width(txt string, size float64) (w vg.Length) {
	for line := range strings.SplitSeq(txt, "\n") {
		all := vg.Length(0)
		for _, r := range split(line, size) {
			f := face(r.size)
			all += f.Width(r.text)
		}
		w = max(w, all)
	}
	return w
}

func height(txt string, size float64) vg.Length {
	f := face(size)
	ext := f.Extents()
	return ext.Ascent + ext.Descent + vg.Length(float64(strings.Count(txt, "\n"))*size*leading)
}

func measure(txt string, size float64) (w, h vg.Length) { return width(txt, size), height(txt, size) }

// text draws the lines of txt, aligned to the point. In an SVG a line is one piece, which lineInSVG takes apart.
func (p pen) text(txt string, size float64, at vg.Point, x text.XAlignment, y text.YAlignment) {
	if txt == "" {
		return
	}
	p.SetColor(black)
	_, whole := p.Canvas.Canvas.(*vgsvg.Canvas)
	f := face(size)
	at.Y += height(txt, size)*vg.Length(1+y) - f.Extents().Ascent
	for line := range strings.SplitSeq(txt, "\n") {
		piece := vg.Point{X: at.X + width(line, size)*vg.Length(x), Y: at.Y}
		runs := split(line, size)
		if whole {
			runs = []run{{line, size, 0}}
		}
		for _, r := range runs {
			f := face(r.size)
			p.FillString(f, piece.Add(vg.Point{Y: vg.Length(r.rise)}), r.text)
			piece.X += f.Width(r.text)
		}
		at.Y -= vg.Length(size * leading)
	}
}

// upright draws the lines of txt from below to above, their middle at the point and their last line to its left.
func (p pen) upright(txt string, size float64, at vg.Point) {
	p.Push()
	defer p.Pop()
	p.Translate(at)
	p.Rotate(math.Pi / 2)
	p.text(txt, size, vg.Point{}, text.XCenter, text.YBottom)
}

// Lines of text as vgsvg writes them, and superscripts in them with what follows.
var (
	svgText  = regexp.MustCompile(`(<text [^>]*?)\s+style="[^"]*font-size:([0-9.]+)px[^>]*>([^<]*)`)
	svgSuper = regexp.MustCompile(`\^\{([^{}]*)\}([^^]*)`)
)

// lineInSVG makes a line of text one element with the width that the layout gave it: a reader without our font sees
// superscripts and spaces where they belong.
func lineInSVG(element string) string {
	m := svgText.FindStringSubmatch(element)
	size, _ := strconv.ParseFloat(m[2], 64)
	raised := fmt.Sprintf(`<tspan dy="%.3g" style="font-size:%.3gpx">$1</tspan><tspan dy="%.3g">$2</tspan>`,
		-superRise*size, superSize*size, superRise*size)
	return fmt.Sprintf(`%s textLength="%.5g" lengthAdjust="spacingAndGlyphs" style="font-size:%spx">%s`, m[1],
		float64(width(html.UnescapeString(m[3]), size)), m[2], svgSuper.ReplaceAllString(m[3], raised))
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
var superscripts = strings.NewReplacer("0", "\u2070", "1", "\u00b9", "2", "\u00b2", "3", "\u00b3", "4", "\u2074",
	"5", "\u2075", "6", "\u2076", "7", "\u2077", "8", "\u2078", "9", "\u2079", "-", "\u207b", "+", "\u207a", "n", "\u207f")

// PlainText turns the text of a figure into ordinary text, as for a page or an alt attribute: ^{-6} becomes
// superscript characters, or ^-6 if there is a character without one.
func PlainText(s string) string {
	plain := ""
	for _, r := range split(s, 1) {
		up := superscripts.Replace(r.text)
		switch {
		case r.rise == 0:
			plain += r.text
		case strings.ContainsFunc(up, func(c rune) bool { return c <= '~' }):
			plain += "^" + r.text
		default:
			plain += up
		}
	}
	return plain
}
