package chart

import (
	"bytes"
	"errors"
	"image/color"
	"math"
	"regexp"
	"strings"
	"testing"
)

// luminance is the relative luminance of WCAG 2.2.
func luminance(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

// WCAG asks for 3 between graphics and their ground, and 4.5 for text.
func TestDark_EverythingStandsOut(t *testing.T) {
	ground := Dark.Ink(white)
	for _, p := range Styles() {
		if c := contrast(Dark.Ink(p.Style.ink()), ground); c < 4 {
			t.Errorf("%s: contrast %.1f with the dark ground", p.Name, c)
		}
	}
	if c := contrast(Dark.Ink(black), ground); c < 10 {
		t.Errorf("text: contrast %.1f", c)
	}
	if c := contrast(Dark.Ink(paleGrey), ground); c > 2 {
		t.Errorf("the grid shouts: contrast %.1f", c)
	}
	translucent := color.NRGBA{1, 2, 3, 44}
	if Dark.Ink(translucent).A != 44 || Light.Ink(translucent) != translucent {
		t.Error("alpha changes, or the light theme does")
	}
}

var fills = regexp.MustCompile(`#[0-9A-F]{6}`)

func TestDark_EveryFormat(t *testing.T) {
	f := sample()
	f.Theme = Dark
	svg := render(t, f, "svg")
	for _, c := range fills.FindAllString(string(svg), -1) {
		if c == "#FFFFFF" || c == "#000000" || c == "#0072B2" {
			t.Errorf("the dark SVG has a colour of the light theme: %s", c)
		}
	}
	// vgsvg leaves out the colour of what is black, so nothing may be drawn without one.
	for _, tag := range regexp.MustCompile(`<(path|text)[^>]*>`).FindAllString(string(svg), -1) {
		if !strings.Contains(tag, "#") {
			t.Errorf("drawn in black: %s", tag)
		}
	}
	for _, format := range []string{"png", "pdf"} {
		light := sample()
		if bytes.Equal(render(t, light, format), render(t, f, format)) {
			t.Errorf("%s: dark is light", format)
		}
	}
}

func TestTheme_Names(t *testing.T) {
	for _, name := range Themes() {
		if theme, err := ParseTheme(name); err != nil || string(theme) != name {
			t.Errorf("%s is %v, %v", name, theme, err)
		}
	}
	if _, err := ParseTheme("sepia"); !errors.Is(err, ErrTheme) || !strings.Contains(err.Error(), "light, dark") {
		t.Error(err)
	}
}

func TestFigure_Size(t *testing.T) {
	f := one(Axis{}, Point{X: 1, Y: 1}, Point{X: 2, Y: 2})
	f.Width, f.Height = 16, 9
	if svg := render(t, f, "svg"); !bytes.Contains(svg, []byte(`width="453.54pt" height="255.12pt"`)) {
		t.Errorf("16 x 9 cm: %s", svg[:120])
	}
	for _, c := range []struct{ w, h float64 }{{5, 8}, {12, 4}, {101, 8}, {-1, 8}, {math.NaN(), 8}, {math.Inf(1), 0}} {
		f.Width, f.Height = c.w, c.h
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), " cm: want ") {
			t.Errorf("%v x %v: %v", c.w, c.h, err)
		}
	}
	two := sample()
	two.Width = 11
	if err := two.Check(); err == nil {
		t.Error("two panels fit 11 cm")
	}
}

// The smallest picture has room for its frame, with a title, labels and a legend.
func TestFigure_SmallestSizeHasAFrame(t *testing.T) {
	f := sample()
	f.Width, f.Height = 2*minWidth, minHeight
	for _, p := range f.layout().panels {
		if s := p.frame.Size(); s.X < 40 || s.Y < 30 {
			t.Errorf("frame %.0f x %.0f pt", s.X, s.Y)
		}
	}
}
