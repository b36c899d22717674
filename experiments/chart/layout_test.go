package chart

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// cases are figures of every sort for properties of the layout.
func cases() []*Figure {
	r := rand.New(rand.NewPCG(1, 0))
	figures := []*Figure{sample()}
	for range 20 * rounds(15) {
		figures = append(figures, scattered(r))
	}
	return figures
}

// No legend lies over data, no note over either, no label over the next, and nothing is cut.
func TestLayout_NothingCollidesOrIsCut(t *testing.T) {
	inside := 0
	for i, f := range cases() {
		l := f.layout()
		box := l.legend.box
		if l.legend.entries != nil && !within(box, l.page(), 2) {
			t.Errorf("figure %d: legend %v outside of the picture %v", i, box, l.page())
		}
		for j := range l.panels {
			p := &l.panels[j]
			if l.legend.entries != nil && within(box, p.frame, 0) {
				inside++
			}
			if d := p.clutter().clearance(box); l.legend.entries != nil && d < legendClearance {
				t.Errorf("figure %d: legend %.1f pt from data, want %d", i, d, legendClearance)
			}
			for _, n := range p.notes {
				if overlap(n.box, box) || !within(n.box, p.frame, 0) {
					t.Errorf("figure %d: note %v over the legend %v or outside of the frame %v", i, n.box, box, p.frame)
				}
			}
			for _, tk := range p.xTicks {
				w, _ := measure(tk.label, sizeTick)
				if at := p.at(tk.at, 0).X; at+w/2 > l.width || at-w/2 < 0 {
					t.Errorf("figure %d: x label %q is cut", i, tk.label)
				}
			}
			if p.crowded(false) || labels(p.xTicks) < 2 || p.frame.Size().X < 100 || p.frame.Size().Y < 80 {
				t.Errorf("figure %d: x labels too close or too few: %v, or frame %v too small", i, p.xTicks, p.frame)
			}
		}
	}
	if inside == 0 {
		t.Error("no legend is ever inside a frame")
	}
}

// A line, a band and an interval that lead far beyond the axes are cut off, and cost no more memory than others.
func TestLayout_FarDataIsBounded(t *testing.T) {
	const far = 1e15
	f := sample()
	p := &f.Panels[0]
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1, 10, 1, 10
	p.X.Log, p.Y.Log = false, false
	for _, kind := range []Kind{LineMarks, Marks} {
		p.Series = append(p.Series, Series{Label: "far", Kind: kind, Points: []Point{
			{X: 1, Y: 2, Lo: 1, Hi: far}, {X: far, Y: far, Lo: 1, Hi: far}, {X: 3, Y: -far, Lo: -far, Hi: far},
		}})
	}
	l := f.layout()
	if n := len(l.panels[0].clutter()); n > 1<<20 {
		t.Errorf("%d points keep text away, want some thousands", n)
	}
}

func overlap(a, b vg.Rectangle) bool { return size(common(a, b)) > 0 }

func TestLegend_LongListGoesRightAndFits(t *testing.T) {
	f := one(Axis{Label: "y"}, Point{X: 0, Y: 0}, Point{X: 1, Y: 30})
	for i := range 30 {
		f.Panels[0].Series = append(f.Panels[0].Series, Series{
			Label: strings.Repeat("x", i+1), Style: Numbered(i),
			Points: []Point{{X: 0, Y: float64(i)}, {X: 1, Y: float64(30 - i)}},
		})
	}
	l := f.layout()
	if l.legend.box.Min.X < l.panels[0].frame.Max.X || l.legend.box.Min.Y < 0 || l.legend.box.Max.X > l.width {
		t.Errorf("legend %v beside frame %v in %v x %v", l.legend.box, l.panels[0].frame, l.width, l.height)
	}
}

func TestLegend_OrderIsThatOfTheLineEnds(t *testing.T) {
	f := &Figure{Name: "order", Panels: []Panel{{Series: []Series{
		line("paper", Hollow, 9, 9, 9), line("falls", LineMarks, 9, 5, 1), line("theory", Thin, 9, 9, 9),
		line("rises", LineMarks, 1, 5, 9), line("ends early", LineMarks, 3, 6), line("paper", Hollow, 1, 1),
		line("falls", Marks, 9, 5, 1), line("never measured", LineMarks), // what is not drawn is not explained
	}}}}
	var got []string
	for _, e := range f.layout().legend.entries {
		got = append(got, e.label)
	}
	if want := []string{"rises", "ends early", "falls", "theory", "paper"}; !slices.Equal(got, want) {
		t.Errorf("legend %q, want %q", got, want)
	}
}

func TestAxis_Bounds(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		axis   Axis
		lo, hi float64 // of the data
		from   float64
		to     float64
	}{
		{"automatic", Axis{}, 10, 20, 9.6, 20.4},
		{"automatic keeps zero", Axis{}, 0.1, 20, 0, 20.796},
		{"both fixed", Axis{Min: 0, Max: 25}, 10, 20, 0, 25},
		{"maximum automatic", Axis{Min: 5}, 10, 20, 5, 20.4},
		{"minimum automatic", Axis{Min: nan, Max: 30}, 10, 20, 9.6, 30},
		{"one value", Axis{}, 3, 3, 2.7, 3.3},
		{"only zeros", Axis{}, 0, 0, 0, 1},
		{"beyond all data", Axis{Min: 100, Max: nan}, 10, 20, 100, 101},
		{"names", Axis{Ticks: []Tick{{0, "a"}, {1, "b"}}}, 0, 1, -0.5, 1.5},
		{"decades", Axis{Log: true}, 2e-5, 0.5, -5, 0},
		{"a decade's edge", Axis{Log: true}, 1e-4, 1e-2, -4.05, -1.95},
		{"log fixed", Axis{Log: true, Max: 0.1}, 2e-5, 0.5, -5, -1},
	} {
		sc := c.axis.scale([]float64{c.lo, c.hi})
		if math.Abs(sc.lo-c.from) > 1e-9 || math.Abs(sc.hi-c.to) > 1e-9 {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, sc.lo, sc.hi, c.from, c.to)
		}
	}
}

func TestPanels_OneLabelOneRange(t *testing.T) {
	f := one(Axis{Label: "load"}, Point{X: 1, Y: 0.2})
	other := one(Axis{Label: "load"}, Point{X: 9, Y: 0.9}).Panels[0]
	f.Panels = append(f.Panels, other)
	l := f.layout()
	a, b := l.panels[0], l.panels[1]
	if a.y.lo != b.y.lo || a.y.hi != b.y.hi || a.x.lo != b.x.lo {
		t.Errorf("panels of one label range from %v to %v and from %v to %v", a.y.lo, a.y.hi, b.y.lo, b.y.hi)
	}
	f.Panels[1].Y.Label = "other"
	if l = f.layout(); l.panels[0].y.hi == l.panels[1].y.hi {
		t.Error("panels of different labels share a range")
	}
}

func TestLayout_LongTitleIsWrappedNotCut(t *testing.T) {
	f := one(Axis{}, Point{X: 1, Y: 1})
	f.Title = strings.Repeat("a title that does not fit ", 6)
	l := f.layout()
	w, _ := measure(l.title, sizeTitle)
	if w > l.width-2*margin+1 || strings.Count(l.title, "\n") < 1 {
		t.Errorf("title %q is %v wide in %v", l.title, w, l.width)
	}
	f.Title = ""
	if got := f.layout().panels[0].frame.Size().Y; got < l.panels[0].frame.Size().Y {
		t.Error("the second line of a title is taken from the panel")
	}
}

func TestNotes_StayOffData(t *testing.T) {
	f := sample()
	p := &f.layout().panels[0]
	if len(p.notes) != 1 {
		t.Fatalf("%d notes", len(p.notes))
	}
	if d := p.clutter().clearance(p.notes[0].box); d < noteClearance {
		t.Errorf("note %.1f pt from data where there is room", d)
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

// Of a long line what shows is left, column by column, and its pieces have every corner inside of one.
func TestThin_KeepsWhatShows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var line []vg.Point
	for i := range 5 * fewPoints {
		line = append(line, vg.Point{X: vg.Length(i) / 100, Y: vg.Length(rng.Float64())})
	}
	columns := func(line []vg.Point) map[int][4]vg.Length { // the first, the lowest, the highest, the last
		out := map[int][4]vg.Length{}
		for _, p := range line {
			at := int(p.X / column)
			s, ok := out[at]
			if !ok {
				s = [4]vg.Length{p.Y, p.Y, p.Y, p.Y}
			}
			out[at] = [4]vg.Length{s[0], min(s[1], p.Y), max(s[2], p.Y), p.Y}
		}
		return out
	}
	kept := thin(line)
	if !maps.Equal(columns(line), columns(kept)) || len(kept) > len(line)/4 || len(thin(line[:fewPoints])) != fewPoints {
		t.Errorf("%d of %d points", len(kept), len(line))
	}
	cut, corners := pieces([][]vg.Point{kept, line[:10], nil}), map[vg.Point]bool{}
	long, last := cut[:len(cut)-2], cut[len(cut)-3]
	for _, piece := range long {
		for _, p := range piece[1 : len(piece)-1] {
			corners[p] = true
		}
	}
	if len(corners) != len(kept)-2 || long[0][0] != kept[0] || last[len(last)-1] != kept[len(kept)-1] ||
		!slices.Equal(cut[len(cut)-2], line[:10]) {
		t.Errorf("the pieces of %d points have %d corners inside", len(kept), len(corners))
	}
}
