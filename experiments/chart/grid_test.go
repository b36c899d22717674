package chart

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// multiples is a panel for each of n filters, three in a row, each with the paper's points in the filter's mark.
func multiples(n int) *Figure {
	f := &Figure{Name: "multiples", Title: "One panel for each filter", Columns: 3}
	for i, k := range known[:n] {
		y := float64(i + 1)
		name, _, _ := strings.Cut(k.names, ",")
		f.Panels = append(f.Panels, Panel{
			Title: name, X: Axis{Label: "occupancy (%)", Min: 0, Max: 100}, Y: Axis{Label: "lookups (million per second)"},
			Series: []Series{
				{Label: "absent keys", Style: Numbered(0), Points: []Point{{X: 5, Y: y, Lo: y / 2, Hi: 2 * y},
					{X: 95, Y: y + 1, Lo: y, Hi: 2 * y}}},
				{Label: "paper, scaled", Kind: Hollow, Style: k.Style, Points: []Point{{X: 5, Y: y}, {X: 95, Y: y}}},
			},
		})
	}
	return f
}

func TestGrid_LabelsAtTheLeftAndBelowOnly(t *testing.T) {
	for n, below := range map[int]int{6: 3, 5: 3, 4: 3, 3: 3} { // the last panel of each column has the labels
		svg := string(render(t, multiples(n), "svg"))
		rows := (n + 2) / 3
		if x, y := strings.Count(svg, ">occupancy (%)<"),
			strings.Count(svg, ">lookups (million per second)<"); x != below || y != rows {
			t.Errorf("%d panels: %d labels below, want %d; %d at the left, want %d", n, x, below, y, rows)
		}
	}
	f := multiples(6)
	f.Panels[1].X.Max = 50 // another axis of the same name
	if x := strings.Count(string(render(t, f, "svg")), ">occupancy (%)<"); x != 4 {
		t.Errorf("%d labels below where the ranges of one column differ, want 4", x)
	}
}

func TestGrid_FramesAreEqualAndApart(t *testing.T) {
	for _, f := range []*Figure{multiples(6), multiples(7), multiples(6).Narrow(), sample(), sample().Narrow()} {
		l := f.layout()
		for i := range l.panels {
			p := &l.panels[i]
			if a, b := p.frame.Size(), l.panels[0].frame.Size(); math.Abs(float64(a.X-b.X)) > 0.01 ||
				math.Abs(float64(a.Y-b.Y)) > 0.01 {
				t.Errorf("frames of %v and %v", a, b)
			}
			for j := range l.panels[:i] {
				if overlap(p.frame, l.panels[j].frame) {
					t.Errorf("frames %d and %d overlap", j, i)
				}
			}
			if !within(p.frame, l.page(), 0) {
				t.Errorf("frame %v leaves the picture of %v x %v", p.frame, l.width, l.height)
			}
		}
	}
	f := multiples(6)
	f.Panels[0].Height = 3
	l := f.layout()
	if a, b := l.panels[2].frame.Size().Y, l.panels[3].frame.Size().Y; math.Abs(float64(a-3*b)) > 0.01 {
		t.Errorf("a row of height 3 is %v high, one of 1 is %v", a, b)
	}
}

// A telephone of 400 pixels shows 300 points: a narrow picture has all panels under each other, and its legend, in
// less than that.
func TestNarrow_FitsATelephone(t *testing.T) {
	for _, f := range []*Figure{multiples(6), sample(), regions()} {
		wide, narrow := f.layout(), f.Narrow().layout()
		if narrow.width > 300 || narrow.rows != len(f.Panels) {
			t.Errorf("%s: %v pt wide, %d rows", f.Name, narrow.width, narrow.rows)
		}
		free := narrow.page()
		free.Max.Y = narrow.panels[len(f.Panels)-1].frame.Min.Y
		if !within(narrow.legend.box, free, 0) {
			t.Errorf("%s: legend %v is not below the panels", f.Name, narrow.legend.box)
		}
		if len(wide.legend.entries) > len(narrow.legend.entries) || f.Columns == 1 {
			t.Errorf("%s: the narrow picture leaves entries out, or changes the wide one", f.Name)
		}
	}
}

// The paper's points have the marks of all filters in one entry.
func TestLegend_ShowsEveryMarker(t *testing.T) {
	f := multiples(8)
	l := f.layout()
	at := slices.IndexFunc(l.legend.entries, func(e entry) bool { return e.label == "paper, scaled" })
	if at < 0 || len(l.legend.entries) != 2 {
		t.Fatalf("entries %v", l.legend.entries)
	}
	e := l.legend.entries[at]
	if marks := e.marked(); len(marks) != 8 || e.wide < 8*markWidth {
		t.Errorf("%d of 8 marks in %v pt", len(marks), e.wide)
	}
	grey := regexp.MustCompile(`stroke:#6E6E6E`)
	drawn := len(grey.FindAll(render(t, f, "svg"), -1))
	for i := range f.Panels {
		f.Panels[i].Series[1].NoLegend = true
	}
	// A star has three strokes, the other seven one outline each.
	if key := drawn - len(grey.FindAll(render(t, f, "svg"), -1)); key != 7+3 {
		t.Errorf("%d outlines in the legend, want 10", key)
	}
}

func TestSeries_Step(t *testing.T) {
	f := one(Axis{}, Point{X: 1, Y: 1}, Point{X: 2, Y: 5}, Point{X: 3, Y: 2})
	f.Panels[0].Series[0].Step = true
	p := &f.layout().panels[0]
	line := p.lines(f.Panels[0].Series[0])[0]
	want := []vg.Point{p.point(1, 1), p.point(2, 1), p.point(2, 5), p.point(3, 5), p.point(3, 2)}
	if !slices.Equal(line, want) {
		t.Errorf("%v, want %v", line, want)
	}
}

func TestPanel_SidewaysIntervalsAreAcross(t *testing.T) {
	f := &Figure{Name: "names", Panels: []Panel{{Sideways: true, X: Axis{Label: "ns"},
		Y: Axis{Ticks: Down("first", "second")},
		Series: []Series{{Label: "8 bytes", Kind: Marks, Points: []Point{{X: 5, Y: 0 + Dodge(0, 2), Lo: 2, Hi: 9},
			{X: 6, Y: -1, Lo: 5, Hi: 7}}}}}}}
	p := &f.layout().panels[0]
	lo, hi := p.ends(f.Panels[0].Series[0].Points[0])
	if lo.Y != hi.Y || hi.X <= lo.X || !p.shows(lo) || !p.shows(hi) {
		t.Errorf("interval from %v to %v in %v", lo, hi, p.frame)
	}
	if len(p.yTicks) != 2 || p.yTicks[0].label != "first" || p.yTicks[0].at <= p.yTicks[1].at {
		t.Errorf("ticks %v", p.yTicks)
	}
}

func TestLayout_CoincidentLinesAreSaid(t *testing.T) {
	rising := func(label string, kind Kind, add float64) Series {
		return line(label, kind, add, 1+add, 4+add, 9+add, 16+add, 25+add, 36+add, 49+add, 64+add, 81+add)
	}
	f := &Figure{Name: "same", Panels: []Panel{{Title: "(a)", Series: []Series{
		rising("A", LineMarks, 0), rising("B", LineMarks, 0.1), rising("C", LineMarks, 20), rising("law", Thin, 0),
		rising("paper", Hollow, 0)}}}}
	f.Panels[0].Series[1].Points = f.Panels[0].Series[1].Points[:6] // it ends early
	said := func(want string) {
		t.Helper()
		if got := f.layout().coincident(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	said("Lines that coincide: A = B")
	f.Panels = append(f.Panels, Panel{Title: "(b)", Series: []Series{rising("A", LineMarks, 0),
		rising("D", Line, 20), rising("C", LineMarks, 20)}})
	said("Lines that coincide: (a): A = B; (b): D = C")
	if svg := string(render(t, f, "svg")); !strings.Contains(svg, ">Lines that coincide: (a): A = B; (b): D = C</text>") {
		t.Error("the picture does not say it")
	}
	f.Panels = f.Panels[:1]
	f.Panels[0].Series[1].Points[5].Y += 5 // they part
	said("")
	f.Panels[0].Series[1].Points = f.Panels[0].Series[1].Points[:4] // less than half
	said("")
}
