package chart

import (
	"errors"
	"fmt"
	"math"
	"regexp"
)

// Check returns everything that keeps the figure from being drawn, joined: a name that is no file stem, no panel, a size
// without room for data, text that is not printable ASCII, a number that is not finite, an interval that is upside down,
// and what a log axis cannot show. Each error names the panel, the series and the point (the first is 0). Render and
// Write call it.
func (f *Figure) Check() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("chart: figure %q: "+format, append([]any{f.Name}, args...)...))
	}
	if !stem.MatchString(f.Name) {
		fail("name: want letters, digits, '.', '_' and '-', not starting with '.'")
	}
	if len(f.Panels) == 0 {
		fail("no panels")
	}
	side := func(what string, v, least float64) {
		if v != 0 && !(v >= least && v <= maxSide) {
			fail("%s of %v cm: want %v to %d, or 0 for the usual one", what, v, least, maxSide)
		}
	}
	columns, rows := f.grid()
	side("width", f.Width, float64(minWidth*min(columns, 2)+minSmall*max(columns-2, 0)))
	side("height", f.Height, float64(minHeight+minSmall*(rows-1)))
	checkText(fail, "title", f.Title)
	for i := range f.Panels {
		f.Panels[i].check(func(format string, args ...any) {
			fail("panel %d: "+format, append([]any{i}, args...)...)
		})
	}
	return errors.Join(errs...)
}

// A failFunc collects one error.
type failFunc func(format string, args ...any)

func (p *Panel) check(fail failFunc) {
	checkText(fail, "title", p.Title)
	p.X.check(fail, "x")
	p.Y.check(fail, "y")
	point := func(pt Point, format string, args ...any) {
		if what := p.checkPoint(pt); what != "" {
			fail(format+": %s", append(args, what)...)
		}
	}
	for i, a := range p.Areas {
		checkText(fail, fmt.Sprintf("area %d: label", i), a.Label)
		point(Point{X: a.X0, Y: a.Y0}, "area %d %q", i, a.Label)
		point(Point{X: a.X1, Y: a.Y1}, "area %d %q", i, a.Label)
	}
	for i, s := range p.Series {
		checkText(fail, fmt.Sprintf("series %d: label", i), s.Label)
		for j, pt := range s.Points {
			point(pt, "series %q: point %d", s.Label, j)
		}
	}
	for i, n := range p.Notes {
		checkText(fail, fmt.Sprintf("note %d", i), n.Text)
		point(Point{X: n.X, Y: n.Y}, "note %d %q", i, n.Text)
	}
}

// largest is the largest number that an axis can show: beyond, sums and products of the layout would
// overflow.
const largest = 1e100

// checkPoint says what is wrong with a point of the panel, or "".
func (p *Panel) checkPoint(pt Point) string {
	for i, v := range []float64{pt.X, pt.Y, pt.Lo, pt.Hi} {
		if !(math.Abs(v) <= largest) {
			return fmt.Sprintf("%s is %v: an axis holds at most %v", []string{"x", "y", "lo", "hi"}[i], v, largest)
		}
	}
	switch {
	case pt.Lo > pt.Hi:
		return fmt.Sprintf("interval from %v down to %v", pt.Lo, pt.Hi)
	case p.X.Log && pt.X <= 0:
		return fmt.Sprintf("x is %v on a log axis", pt.X)
	case p.Y.Log && pt.Zero && pt.Hi <= 0:
		return "zero events without an upper limit on a log axis (want Hi > 0)"
	case p.Y.Log && !pt.Zero && pt.Y <= 0:
		return fmt.Sprintf("y is %v on a log axis (zero events: set Zero and Hi)", pt.Y)
	}
	return ""
}

func (a *Axis) check(fail failFunc, name string) {
	checkText(fail, name+" label", a.Label)
	if math.IsInf(a.Min, 0) || math.IsInf(a.Max, 0) {
		fail("%s axis: bounds %v to %v", name, a.Min, a.Max)
	}
	for i, t := range a.Ticks {
		checkText(fail, fmt.Sprintf("%s tick %d", name, i), t.Label)
		if !(math.Abs(t.At) <= largest) || a.Log && t.At <= 0 {
			fail("%s tick %d: cannot be at %v", name, i, t.At)
		}
	}
}

// checkText refuses what the PDF would garble.
func checkText(fail failFunc, what, s string) {
	for _, r := range s {
		if r < ' ' || r > '~' {
			fail("%s %+q: character %U: charts hold printable ASCII only (write 10^{-6} for powers)", what, s, r)
			return
		}
	}
}

// stem matches what can be the stem of a file name anywhere.
var stem = regexp.MustCompile(`^[\w-][\w.-]{0,99}$`)
