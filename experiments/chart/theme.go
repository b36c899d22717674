package chart

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
)

// A Theme is the ground that a picture is made for. The zero value is Light too.
type Theme string

// The themes.
const (
	Light Theme = "light" // white paper
	Dark  Theme = "dark"  // screens and slides
)

// ErrTheme is wrapped by the error of ParseTheme.
var ErrTheme = errors.New("unknown theme")

// Themes returns the names of the themes.
func Themes() []string { return []string{string(Light), string(Dark)} }

// ParseTheme returns the theme of that name, or an error that wraps [ErrTheme] and lists the known ones.
func ParseTheme(name string) (Theme, error) {
	if slices.Contains(Themes(), name) {
		return Theme(name), nil
	}
	return Light, fmt.Errorf("chart: %w %q: want %s", ErrTheme, name, strings.Join(Themes(), ", "))
}

// The darkest and the lightest grey of the dark theme: full contrast glares on a screen.
const (
	darkGround = 24
	darkInk    = 232
)

// Ink returns what a colour of the light theme is in this one. Greys swap their lightness, so that white
// paper becomes a dark ground; dark colours are mixed with white, as far as their lightness falls short
// of the palette's light blue, so that they stand out as much as before. Alpha stays.
func (t Theme) Ink(c color.NRGBA) color.NRGBA {
	if t != Dark {
		return c
	}
	if c.R == c.G && c.G == c.B {
		v := uint8(darkGround + (255-int(c.R))*(darkInk-darkGround)/255)
		return color.NRGBA{v, v, v, c.A}
	}
	const wanted = 0.62
	// Rec. 709 weights of the components as they are stored: near enough to lightness for this.
	lightness := (0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)) / 255
	share := max(0, wanted-lightness)
	mix := func(v uint8) uint8 { return uint8(math.Round(float64(v) + float64(share*(255-float64(v))))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), c.A}
}

// A dressed canvas draws in the colours of a theme.
type dressed struct {
	vg.Canvas
	theme Theme
}

// SetColor sets the colour of what is drawn next.
func (d dressed) SetColor(c color.Color) {
	d.Canvas.SetColor(d.theme.Ink(color.NRGBAModel.Convert(c).(color.NRGBA)))
}

// dress returns the canvas as the figure's theme wants it.
func (f *Figure) dress(c vg.Canvas) vg.Canvas {
	if f.Theme != Dark {
		return c
	}
	return dressed{c, f.Theme}
}

// Bounds of a picture, in centimetres: below, labels leave no room for data; above, a PNG takes more than
// a gigabyte.
const (
	minWidth, minHeight = 6, 5
	minSmall            = 4 // of each of many panels
	maxSide             = 100
)

// size returns width and height of the picture without a legend beside or below the panels.
func (f *Figure) size() (width, height vg.Length) {
	columns, rows := f.grid()
	w, h := [...]float64{12, 19, float64(columns) * 6.5}[min(columns, 3)-1], 8.0
	if rows > 1 {
		h = 5.5 * float64(rows)
	}
	if f.Width != 0 {
		w = f.Width
	}
	if f.Height != 0 {
		h = f.Height
	}
	return vg.Length(w) * vg.Centimeter, vg.Length(h) * vg.Centimeter
}

// checkSize refuses what cannot be laid out.
func (f *Figure) checkSize(fail failFunc) {
	check := func(what string, v, least float64) {
		if v != 0 && !(v >= least && v <= maxSide) {
			fail("%s of %v cm: want %v to %d, or 0 for the usual one", what, v, least, maxSide)
		}
	}
	columns, rows := f.grid()
	if f.Columns < 0 {
		fail("%d columns", f.Columns)
	}
	check("width", f.Width, float64(minWidth*min(columns, 2)+minSmall*max(columns-2, 0)))
	check("height", f.Height, float64(minHeight+minSmall*(rows-1)))
	if f.Theme != "" && !slices.Contains(Themes(), string(f.Theme)) {
		fail("unknown theme %q", f.Theme)
	}
}

// hex is a colour as style sheets have it.
func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
