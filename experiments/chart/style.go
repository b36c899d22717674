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

// The colours of Okabe and Ito (jfly.uni-koeln.de/color, 2008), without the yellow that is too light on
// white paper, and three of Paul Tol's muted ones. Any two differ by 11 units of CIE Lab at least for
// readers who are blind to red, to green or to blue too.
var (
	black      = color.NRGBA{A: 255}
	orange     = color.NRGBA{230, 159, 0, 255}
	skyBlue    = color.NRGBA{86, 180, 233, 255}
	green      = color.NRGBA{0, 158, 115, 255}
	blue       = color.NRGBA{0, 114, 178, 255}
	vermillion = color.NRGBA{213, 94, 0, 255}
	purple     = color.NRGBA{204, 121, 167, 255}
	wine       = color.NRGBA{136, 34, 85, 255}
	indigo     = color.NRGBA{51, 34, 136, 255}
	olive      = color.NRGBA{153, 153, 51, 255}
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
	dashUneven  = []float64{8, 2, 3, 2}
)

// known are the fixed styles of the filters, one of each colour and of each marker, by their names. A list of
// filters that names its entries like these needs no colours of its own.
var known = []struct {
	names string
	Style
}{
	{"bloom, BF, classic Bloom", Style{blue, nil, Circle}},
	{"cuckoo, CF", Style{vermillion, dashLong, Triangle}},
	{"semi-sorted cuckoo, ss-CF, semi-sorted", Style{green, dashDot, Square}},
	{"paired cuckoo, paired slots, paired", Style{indigo, dashShort, Sideways}},
	{"blocked bloom, blk-BF, blocked", Style{purple, dashMixed, Diamond}},
	{"split-block bloom, split-block", Style{wine, dashUneven, Hourglass}},
	{"counting bloom, CBF, counting", Style{skyBlue, dashShort, Inverted}},
	{"d-left counting bloom, dl-CBF, d-left, d-left counting", Style{olive, nil, Star}},
	{"quotient, QF", Style{orange, dashTwoDots, Pentagon}},
	{"go map, map", Style{black, dashWide, Cross}},
	{"bound, theory, lower bound, information-theoretic bound, no filter", Style{grey, nil, Plus}},
}

// foreign styles are for filters without a fixed one.
var foreign = []Style{
	{orange, nil, Diamond}, {green, dashLong, Circle}, {vermillion, nil, Square}, {blue, dashShort, Triangle},
	{black, dashDot, Inverted}, {indigo, dashLong, Pentagon}, {skyBlue, dashShort, Circle},
}

// numbered is the order of Numbered: dark and light, and every dash and marker different.
var numbered = []Style{
	{blue, nil, Circle}, {vermillion, dashLong, Triangle}, {green, dashDot, Square}, {purple, dashMixed, Diamond},
	{black, dashShort, Inverted}, {orange, dashTwoDots, Pentagon}, {skyBlue, dashWide, Cross},
}

// StyleFor returns the style that a filter has in every figure. It knows the names of the catalogue and of the paper,
// in any case and with or without spaces, hyphens and "filter" behind them. Another name
// gets a style that no known filter has; where there may be several of them, use [StylesFor].
func StyleFor(name string) Style { return StylesFor(name)[0] }

// StylesFor returns a style for each name: the fixed one for the filters that [StyleFor] knows, the next unused one, in
// the order given, for the others. From the eighth unknown name on styles repeat.
func StylesFor(names ...string) (styles []Style) {
	given := map[string]Style{} // one name asked for twice is one filter
	for _, k := range known {
		for name := range strings.SplitSeq(k.names, ",") {
			given[fold(name)] = k.Style
		}
	}
	fixed := len(given)
	for _, name := range names {
		key := fold(name)
		if _, ok := given[key]; !ok {
			given[key] = foreign[(len(given)-fixed)%len(foreign)]
		}
		styles = append(styles, given[key])
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

// fold reduces a filter's name to lower case letters and digits.
func fold(name string) string {
	s := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
	return strings.TrimSuffix(s, "filter")
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
