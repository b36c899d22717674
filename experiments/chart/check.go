package chart

import (
	"errors"
	"fmt"
	"math"
	"regexp"
)

// Check returns everything that keeps the figure from being drawn, joined: a name that is no file stem, no panel, a
// size without room for data, text that is not printable ASCII, a number that is not finite, an interval that is upside
// down, and what a log axis cannot show. Each error names the panel, the series and the point (the first is 0). Render
// and Write call it.
func (f *Figure) Check() error {
	var errs []error
	c := checker{"chart: ", &errs}.in("figure %q", f.Name)
	if !stem.MatchString(f.Name) {
		c.fail("name: want letters, digits, '.', '_' and '-', not starting with '.'")
	}
	if len(f.Panels) == 0 {
		c.fail("no panels")
	}
	side := func(what string, v float64, least int) {
		if v != 0 && !(v >= float64(least) && v <= maxSide) {
			c.fail("%s of %v cm: want %v to %d, or 0 for the usual one", what, v, least, maxSide)
		}
	}
	columns, rows := f.grid()
	side("width", f.Width, minWidth*min(columns, 2)+minSmall*max(columns-2, 0))
	side("height", f.Height, minHeight+minSmall*(rows-1))
	c.in("title").text(f.Title)
	for i := range f.Panels {
		f.Panels[i].check(c.in("panel %d", i))
	}
	return errors.Join(errs...)
}

// stem matches what can be the stem of a file name anywhere.
var stem = regexp.MustCompile(`^[\w-][\w.-]{0,99}$`)

// A checker collects what is wrong, with its place in front.
type checker struct {
	place string
	errs  *[]error
}

func (c checker) in(format string, args ...any) checker {
	c.place += fmt.Sprintf(format, args...) + ": "
	return c
}

func (c checker) fail(format string, args ...any) {
	*c.errs = append(*c.errs, errors.New(c.place+fmt.Sprintf(format, args...)))
}

// text refuses what the PDF would garble.
func (c checker) text(s string) {
	for _, r := range s {
		if r < ' ' || r > '~' {
			c.fail("%+q: character %U: charts hold printable ASCII only (write 10^{-6} for powers)", s, r)
			return
		}
	}
}

func (p *Panel) check(c checker) {
	c.in("title").text(p.Title)
	p.X.check(c.in("x axis"))
	p.Y.check(c.in("y axis"))
	for i, a := range p.Areas {
		at := c.in("area %d %+q", i, a.Label)
		at.text(a.Label)
		p.checkPoint(at, Point{X: a.X0, Y: a.Y0})
		p.checkPoint(at, Point{X: a.X1, Y: a.Y1})
	}
	for _, s := range p.Series {
		at := c.in("series %+q", s.Label)
		at.text(s.Label)
		for j, pt := range s.Points {
			p.checkPoint(at.in("point %d", j), pt)
		}
	}
	for i, n := range p.Notes {
		at := c.in("note %d %+q", i, n.Text)
		at.text(n.Text)
		p.checkPoint(at, Point{X: n.X, Y: n.Y})
	}
}

// largest is the largest number that an axis can show: beyond, sums and products of the layout would overflow.
const largest = 1e100

func (p *Panel) checkPoint(c checker, pt Point) {
	for i, v := range []float64{pt.X, pt.Y, pt.Lo, pt.Hi} {
		if !(math.Abs(v) <= largest) {
			c.fail("%s is %v: an axis holds at most %v", []string{"x", "y", "lo", "hi"}[i], v, largest)
			return
		}
	}
	switch {
	case pt.Lo > pt.Hi:
		c.fail("interval from %v down to %v", pt.Lo, pt.Hi)
	case p.X.Log && pt.X <= 0:
		c.fail("x is %v on a log axis", pt.X)
	case p.Y.Log && pt.Zero && pt.Hi <= 0:
		c.fail("zero events without an upper limit on a log axis (want Hi > 0)")
	case p.Y.Log && !pt.Zero && pt.Y <= 0:
		c.fail("y is %v on a log axis (zero events: set Zero and Hi)", pt.Y)
	}
}

func (a *Axis) check(c checker) {
	c.in("label").text(a.Label)
	if math.IsInf(a.Min, 0) || math.IsInf(a.Max, 0) {
		c.fail("bounds %v to %v", a.Min, a.Max)
	}
	for i, t := range a.Ticks {
		c.in("tick %d", i).text(t.Label)
		if !(math.Abs(t.At) <= largest) || a.Log && t.At <= 0 {
			c.fail("tick %d: cannot be at %v", i, t.At)
		}
	}
}
