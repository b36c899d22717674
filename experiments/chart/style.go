package chart

import (
	"image/color"
	"slices"
	"strings"
)

// A Style is what a series looks like. The zero value is a solid black line with filled circles.
type Style struct {
	Color  color.NRGBA // alpha 0 in the zero value stands for opaque black
	Dash   []float64   // lengths on and off, in points; nil is solid
	Marker Marker
}

// A Marker is the shape of a point.
type Marker int

// The shapes. All are filled with the series's colour, except Hollow series's, which are outlines;
// Cross, Plus and Star are strokes.
const (
	Circle Marker = iota
	Triangle
	Square
	Diamond
	Inverted // a triangle on its tip
	Cross
	Plus
	Pentagon
	Star // three crossing strokes
)

// The colours of Okabe and Ito (jfly.uni-koeln.de/color, 2008), without the yellow that is
// too light on white paper.
var (
	black      = color.NRGBA{A: 255}
	orange     = color.NRGBA{230, 159, 0, 255}
	skyBlue    = color.NRGBA{86, 180, 233, 255}
	green      = color.NRGBA{0, 158, 115, 255}
	blue       = color.NRGBA{0, 114, 178, 255}
	vermillion = color.NRGBA{213, 94, 0, 255}
	purple     = color.NRGBA{204, 121, 167, 255}
	grey       = color.NRGBA{110, 110, 110, 255}
	paleGrey   = color.NRGBA{228, 228, 228, 255}
	white      = color.NRGBA{255, 255, 255, 255}
)

// Dashes, in points. Their differences must survive a 1.4 pt line.
var (
	dashLong    = []float64{7, 2.5}
	dashDot     = []float64{1.5, 2}
	dashMixed   = []float64{7, 2, 1.5, 2}
	dashShort   = []float64{3.5, 2}
	dashTwoDots = []float64{7, 2, 1.5, 2, 1.5, 2}
	dashWide    = []float64{4, 5}
)

// palette is the fixed order in which styles are given out. The names are those of package nest's
// filters and of the paper's, folded by fold; "" is for numbered and foreign series only.
var palette = []struct {
	name string
	Style
}{
	{"bloom", Style{blue, nil, Circle}},
	{"cuckoo", Style{vermillion, dashLong, Triangle}},
	{"semisortedcuckoo", Style{green, dashDot, Square}},
	{"blockedbloom", Style{skyBlue, dashMixed, Diamond}},
	{"countingbloom", Style{purple, dashShort, Inverted}},
	{"quotient", Style{orange, dashTwoDots, Pentagon}},
	{"gomap", Style{black, dashWide, Cross}},
	{"dleftcountingbloom", Style{purple, nil, Star}},
	{"splitblockbloom", Style{skyBlue, nil, Cross}},
	{"bound", Style{grey, nil, Plus}},
	{"", Style{orange, nil, Diamond}},
	{"", Style{green, dashLong, Circle}},
	{"", Style{vermillion, nil, Square}},
	{"", Style{blue, dashShort, Triangle}},
	{"", Style{black, dashDot, Inverted}},
	{"", Style{purple, dashLong, Diamond}},
	{"", Style{skyBlue, dashShort, Circle}},
}

// numbered is the order of Numbered: dark and light, and every dash and marker different.
var numbered = []Style{
	{blue, nil, Circle},
	{vermillion, dashLong, Triangle},
	{green, dashDot, Square},
	{purple, dashMixed, Diamond},
	{black, dashShort, Inverted},
	{orange, dashTwoDots, Pentagon},
	{skyBlue, dashWide, Cross},
}

// aliases are other spellings of the names in palette, folded.
var aliases = map[string]string{
	"blocked": "blockedbloom", "counting": "countingbloom", "semisorted": "semisortedcuckoo",
	"map": "gomap", "dleft": "dleftcountingbloom", "splitblock": "splitblockbloom",
	"cf": "cuckoo", "sscf": "semisortedcuckoo", "bf": "bloom", "blkbf": "blockedbloom",
	"qf": "quotient", "dlcbf": "dleftcountingbloom", "classicbloom": "bloom",
	"theory": "bound", "lowerbound": "bound", "informationtheoreticbound": "bound",
}

// StyleFor returns the style that a filter has in every figure. It knows, in any case and with or
// without spaces and hyphens: bloom, blocked bloom, split-block bloom, counting bloom, d-left
// counting bloom, cuckoo, semi-sorted cuckoo, quotient, go map and bound, the paper's
// abbreviations (CF, ss-CF, BF, blk-BF, QF, dl-CBF), and each with "filter" behind it. Another name
// gets a style that no known filter has; where there may be several of them, use [StylesFor].
func StyleFor(name string) Style { return StylesFor(name)[0] }

// StylesFor returns a style for each name: the fixed one for the filters that [StyleFor] knows,
// the next unused one, in the order given, for the others. From the eighth unknown name on
// styles repeat.
func StylesFor(names ...string) []Style {
	var foreign []Style
	known := map[string]Style{}
	for _, p := range palette {
		if p.name == "" {
			foreign = append(foreign, p.Style)
		} else {
			known[p.name] = p.Style
		}
	}
	styles := make([]Style, len(names))
	given := map[string]Style{} // one name asked for twice is one filter
	for i, name := range names {
		key := fold(name)
		s, ok := known[key]
		if !ok {
			s, ok = given[key]
		}
		if !ok {
			s = foreign[len(given)%len(foreign)]
			given[key] = s
		}
		styles[i] = s
	}
	return styles
}

// Distinct is how many styles [Numbered] has that can be told apart.
const Distinct = 21

// Numbered returns the style of the i-th value of a parameter (b = 2, 4, 8; m = 2^15, ...). The
// first seven differ in colour, dash and marker, and up to [Distinct] any two in at least two of these; then they
// repeat. A negative i counts as 0.
func Numbered(i int) Style {
	i = max(i, 0) % Distinct
	n := len(numbered)
	// Each time the dashes come again they have other colours and markers, by distances that give no pair twice.
	shift := [Distinct / 7]struct{ color, marker int }{{0, 0}, {3, 2}, {1, 4}}[i/n]
	return Style{numbered[(i+shift.color)%n].Color, numbered[i%n].Dash, numbered[(i+shift.marker)%n].Marker}
}

// Alike tells whether lines, or marks, of two styles look the same in a picture.
func Alike(a, b Style) bool {
	return a.ink() == b.ink() && a.Marker == b.Marker && slices.Equal(a.Dash, b.Dash)
}

// fold reduces a filter's name to the form used in palette.
func fold(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
		}
	}
	s := strings.TrimSuffix(b.String(), "filter")
	if full, ok := aliases[s]; ok {
		return full
	}
	return s
}

// ink is the colour to draw with.
func (s Style) ink() color.NRGBA {
	if s.Color.A == 0 {
		return black
	}
	return s.Color
}

// light is the ink as a band: strong enough to see in print, weak enough to lie over another.
func (s Style) light() color.NRGBA {
	c := s.ink()
	c.A = 44
	return c
}
