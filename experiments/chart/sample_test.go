package chart

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// rates is a series of false-positive rates that falls by slope decades per bit, with intervals that
// widen towards its end, where no event is seen.
func rates(name string, start, slope float64) Series {
	s := Series{Label: name, Style: StyleFor(name)}
	for x := 5.0; x <= 25; x++ {
		y := math.Pow(10, start-slope*(x-5))
		e := 2 * math.Sqrt(y/1e6)
		pt := Point{X: x, Y: y, Lo: max(0, y-e), Hi: y + e}
		if y < 1e-6 {
			pt = Point{X: x, Hi: 3.7e-6, Zero: true}
		}
		s.Points = append(s.Points, pt)
	}
	return s
}

// sample has everything: two panels, every kind, intervals, limits, powers and a note.
func sample() *Figure {
	rate := Panel{
		Title: "(a) rate", X: Axis{Label: "bits per item"}, Y: Axis{Label: "false-positive rate", Log: true},
		Series: []Series{rates("cuckoo", -0.5, 0.29), rates("bloom", -1, 0.2)},
		Notes:  []Note{{X: 10.5, Y: 0.005, Text: "crossover at 10.5 bits"}},
	}
	rate.Series = append(rate.Series,
		Series{Label: "paper", Kind: Hollow, Style: StyleFor("bloom"), Points: rate.Series[1].Points[:8]},
		Series{Label: "bound", Kind: Thin, Style: StyleFor("bound"), Points: []Point{{X: 5, Y: 0.03}, {X: 15, Y: 3e-5}}})
	load := Panel{
		Title: "(b) load", X: Axis{Label: "slots", Log: true, Base: 2}, Y: Axis{Label: "load factor", Format: Percent},
		Series: []Series{
			{Label: "m = 2^{15}", Style: Numbered(0), Points: []Point{{X: 1 << 10, Y: 0.9}, {X: 1 << 15, Y: 0.95}}},
			{Label: "m = 2^{20}", Style: Numbered(1), Kind: Marks, Points: []Point{{X: 1 << 12, Y: 0.91, Lo: 0.89, Hi: 0.92}}},
			{Label: "drawn", Style: Numbered(2), Kind: Line, Points: []Point{{X: 1 << 10, Y: 0.85}, {X: 1 << 15, Y: 0.87}}},
		},
	}
	return &Figure{Name: "sample", Title: "Rates below 10^{-6} & loads", Caption: "Fälschlich positive",
		Panels: []Panel{rate, load}}
}

// one is a figure of one panel with one series.
func one(y Axis, points ...Point) *Figure {
	return &Figure{Name: "one", Panels: []Panel{{X: Axis{Label: "x"}, Y: y,
		Series: []Series{{Label: "ours", Points: points}}}}}
}

// line is a series of points at 0, 1 and so on.
func line(label string, kind Kind, ys ...float64) Series {
	s := Series{Label: label, Kind: kind}
	for x, y := range ys {
		s.Points = append(s.Points, Point{X: float64(x), Y: y})
	}
	return s
}

// scattered is a figure of random lines, for properties of the layout.
func scattered(r *rand.Rand) *Figure {
	p := Panel{X: Axis{Label: "x"}, Y: Axis{Label: "y", Log: r.IntN(2) == 0}}
	if r.IntN(3) == 0 {
		p.X = Axis{Label: "x", Log: true, Base: []int{2, 10}[r.IntN(2)]}
	}
	width := math.Pow(10, r.Float64()*8-3)
	for i := range 1 + r.IntN(8) {
		s := Series{Label: "series with a name"[:3+r.IntN(15)], Style: Numbered(i), Kind: Kind(r.IntN(5))}
		height, slope := r.NormFloat64(), r.NormFloat64()
		for j := range r.IntN(20) {
			x := (1 + float64(j)/20) * width
			y := math.Exp(height + slope*float64(j)/4)
			s.Points = append(s.Points, Point{X: x, Y: y, Lo: y * 0.8, Hi: y * 1.3, Zero: r.IntN(20) == 0})
		}
		if len(s.Points) > 0 && r.IntN(2) == 0 {
			p.Notes = append(p.Notes, Note{X: s.Points[0].X, Y: s.Points[0].Y, Text: "a note of some words"})
		}
		p.Series = append(p.Series, s)
	}
	return &Figure{Name: "scattered", Title: "Random lines", Panels: []Panel{p}}
}

// rounds is n, or 1 where the race detector makes a picture take a second.
func rounds(n int) int {
	if testing.Short() {
		return 1
	}
	return n
}

// refused checks that an error says all of that.
func refused(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error %v, want %q in it", err, w)
		}
	}
}

// page is the whole picture.
func (l *layout) page() vg.Rectangle { return vg.Rectangle{Max: vg.Point{X: l.width, Y: l.height}} }

var svgPath = regexp.MustCompile(`<path d="M([^"]*?)Z?" style="([^"]*)"`)

// paths are the corners of what an SVG draws in a style that ends so.
func paths(svg []byte, style string) (out [][]vg.Point) {
	for _, m := range svgPath.FindAllStringSubmatch(string(svg), -1) {
		if !strings.HasSuffix(m[2], style) {
			continue
		}
		var path []vg.Point
		for _, pair := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune("MLZ", r) }) {
			var x, y float64
			fmt.Sscanf(pair, "%g,%g", &x, &y)
			path = append(path, vg.Point{X: vg.Length(x), Y: vg.Length(y)})
		}
		out = append(out, path)
	}
	return out
}

func render(t *testing.T, f *Figure, format string) []byte {
	t.Helper()
	data, err := f.Render(format)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var pdfStream = regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\nendstream`)

// pdfContent is the drawing commands of a PDF, unpacked.
func pdfContent(t *testing.T, data []byte) string {
	t.Helper()
	for _, m := range pdfStream.FindAllSubmatch(data, -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(z)
		if err == nil && bytes.Contains(text, []byte(")Tj ET")) {
			return string(text)
		}
	}
	t.Fatal("the PDF has no drawing commands")
	return ""
}
