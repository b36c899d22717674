package chart

import (
	"errors"
	"fmt"
	"math"
	"regexp"
)

// Check returns everything that keeps the figure from being drawn, joined: a name that is no
// file stem, no panel, text that is not printable ASCII, a number that is not finite, an interval
// that is upside down, and what a log axis cannot show. Each error names the panel, the series and
// the point (the first is 0). Render and Write call it.
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
	checkText(fail, "title", f.Title)
	f.checkSize(fail)
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
	if p.Sideways && p.Y.Log {
		fail("sideways with a log y axis")
	}
	if p.Height < 0 || math.IsNaN(p.Height) || p.Height > maxSide {
		fail("height %v", p.Height)
	}
	for i, a := range p.Areas {
		a.check(fail, i, p)
	}
	for i := range p.Series {
		s := &p.Series[i]
		checkText(fail, fmt.Sprintf("series %d: label", i), s.Label)
		if s.Kind < LineMarks || s.Kind > Thin {
			fail("series %q: unknown kind %d", s.Label, s.Kind)
		}
		for j, pt := range s.Points {
			if what := p.checkPoint(pt); what != "" {
				fail("series %q: point %d: %s", s.Label, j, what)
			}
		}
	}
	for i, n := range p.Notes {
		checkText(fail, fmt.Sprintf("note %d", i), n.Text)
		if what := p.checkPoint(Point{X: n.X, Y: n.Y}); what != "" {
			fail("note %d %q: %s", i, n.Text, what)
		}
	}
}

// largest is the largest number that an axis can show: beyond, sums and products of the layout would
// overflow.
const largest = 1e100

// checkPoint says what is wrong with a point of the panel, or "".
func (p *Panel) checkPoint(pt Point) string {
	for _, v := range []struct {
		name  string
		value float64
	}{{"x", pt.X}, {"y", pt.Y}, {"lo", pt.Lo}, {"hi", pt.Hi}} {
		if math.IsNaN(v.value) || math.IsInf(v.value, 0) {
			return fmt.Sprintf("%s is %v", v.name, v.value)
		}
		if math.Abs(v.value) > largest {
			return fmt.Sprintf("%s is %v: an axis holds at most %v", v.name, v.value, largest)
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
	if a.Base != 0 && a.Base != 2 && a.Base != 10 {
		fail("%s axis: base %d: want 2 or 10", name, a.Base)
	}
	if math.IsInf(a.Min, 0) || math.IsInf(a.Max, 0) {
		fail("%s axis: bounds %v to %v", name, a.Min, a.Max)
	}
	for i, t := range a.Ticks {
		checkText(fail, fmt.Sprintf("%s tick %d", name, i), t.Label)
		if math.IsNaN(t.At) || math.IsInf(t.At, 0) || a.Log && t.At <= 0 {
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
