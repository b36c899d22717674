package chart

import (
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func TestCheck_NamesEveryProblem(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e101, -1e300} {
		for what, pt := range map[string]Point{"x": {X: v}, "y": {Y: v}, "lo": {Lo: v}, "hi": {Hi: v}} {
			refused(t, one(Axis{}, Point{X: 1, Y: 1}, pt).Check(), `figure "one": panel 0: series "ours": point 1: `+what+" is ",
				"an axis holds")
		}
	}
	refused(t, (&Figure{Name: "../evil", Panels: []Panel{{
		X:      Axis{Log: true, Max: math.Inf(1), Ticks: []Tick{{At: -1}}},
		Areas:  []Area{{Label: "x", X1: 1e4, Y0: 1, Y1: 2}},
		Series: []Series{{Label: "s", Points: []Point{{X: -1, Y: 1}, {X: 1, Y: 1, Lo: 2, Hi: 1}}}},
		Notes:  []Note{{X: 0, Text: "n"}},
	}}}).Check(), "name", "bounds", "tick 0", "point 0", "point 1: interval", "note 0", `area 0 "x": x is 0 on a log axis`)
	refused(t, (&Figure{Name: "f"}).Check(), "no panels")
	for _, bad := range []Point{{X: 1}, {X: 1, Y: -1}, {X: 1, Zero: true}} {
		refused(t, one(Axis{Log: true}, bad).Check(), `series "ours": point 0`)
	}
	for _, c := range []struct{ w, h float64 }{{5, 8}, {12, 4}, {101, 8}, {-1, 8}, {math.NaN(), 8}, {math.Inf(1), 0}} {
		f := one(Axis{}, Point{X: 1, Y: 1})
		f.Width, f.Height = c.w, c.h
		refused(t, f.Check(), " cm: want ")
	}
	two := sample()
	two.Width = 11
	refused(t, two.Check(), "width of 11 cm")
}

// PDF text is cp1252: other characters come out as garbage.
func TestCheck_NonASCIIIsNamed(t *testing.T) {
	for what, spoil := range map[string]func(*Figure){
		"title":          func(f *Figure) { f.Title = "\u03b5" },
		"panel 1: title": func(f *Figure) { f.Panels[1].Title = "\u03b5" },
		"x axis: label":  func(f *Figure) { f.Panels[0].X.Label = "10\u207b\u2076 \u03b5" },
		"series ":        func(f *Figure) { f.Panels[0].Series[1].Label = "\u03b5" },
		"note 0":         func(f *Figure) { f.Panels[0].Notes[0].Text = "a\n\u03b5" },
		"y axis: tick 0": func(f *Figure) { f.Panels[0].Y.Ticks = []Tick{{1, "\u03b5"}} },
		"area 0":         func(f *Figure) { f.Panels[0].Areas = []Area{{Label: "\u03b5", X0: 1, X1: 2, Y0: 1, Y1: 2}} },
	} {
		f := sample()
		spoil(f)
		_, err := f.Render("png")
		refused(t, err, what, `\u03b5`, "printable ASCII")
	}
}

func TestRender_EmptyAndSingle(t *testing.T) {
	figures := map[string]*Figure{
		"empty linear":  one(Axis{}),
		"empty log":     one(Axis{Log: true}),
		"single linear": one(Axis{}, Point{X: 3, Y: 0.5, Lo: 0.4, Hi: 0.6}),
		"single log":    one(Axis{Log: true}, Point{X: 3, Y: 0.5, Lo: 0, Hi: 0.6}),
		"single limit":  one(Axis{Log: true}, Point{X: 3, Zero: true, Hi: 1e-6}),
		"single zero":   one(Axis{}, Point{}),
		"linear limit":  one(Axis{}, Point{X: 1, Zero: true, Hi: 0.1}),
		"no series":     {Name: "none", Panels: []Panel{{}}},
	}
	for name, f := range figures {
		for _, format := range Formats()[:rounds(len(Formats()))] {
			render(t, f, format)
		}
		empty := strings.Contains(string(render(t, f, "svg")), ">no data<")
		if want := strings.HasPrefix(name, "empty") || name == "no series"; empty != want {
			t.Errorf("%s: says no data: %v", name, empty)
		}
	}
}

func TestRender_DataIsClippedToTheFrame(t *testing.T) {
	f := one(Axis{Min: 1, Max: 2}, Point{X: 0, Y: -50, Lo: -60, Hi: -40}, Point{X: 1, Y: 50, Lo: 40, Hi: 60},
		Point{X: 2, Y: 1.5, Lo: -9, Hi: 9})
	f.Panels[0].X.Min, f.Panels[0].X.Max = 0.5, 1.5
	page := f.layout().page()
	for _, path := range paths(render(t, f, "svg"), "") {
		for _, at := range path {
			if !within(vg.Rectangle{Min: at, Max: at}, page, -0.1) {
				t.Errorf("path %v leaves the picture", path)
			}
		}
	}
}

func TestRender_PaperIsUnderOurs(t *testing.T) {
	f := one(Axis{}, Point{X: 1, Y: 1})
	f.Panels[0].Series = append(f.Panels[0].Series, Series{Label: "paper", Kind: Hollow, Points: []Point{{X: 1, Y: 1}}})
	f.Panels[0].Series[0].Style = StyleFor("bloom")
	svg := string(render(t, f, "svg"))
	ours, paper := strings.Index(svg, "fill:#0072B2"), strings.Index(svg, "stroke:#6E6E6E")
	if ours < 0 || paper < 0 || paper > ours {
		t.Errorf("the paper's marker is at %d, ours at %d", paper, ours)
	}
}

func TestWrite_FilesAndErrors(t *testing.T) {
	dir := t.TempDir()
	files, err := sample().Write(dir, Formats())
	if err != nil || !slices.Equal(files, []string{"sample.png", "sample.svg", "sample.pdf"}) {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		if info, err := os.Stat(filepath.Join(dir, f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
	files, err = sample().Write(dir, []string{"svg", "gif"})
	refused(t, err, `"gif": want png, svg, pdf`)
	if len(files) != 1 {
		t.Errorf("before an unknown format: %v", files)
	}
	files, err = sample().Write(filepath.Join(dir, "missing"), []string{"svg"})
	refused(t, err, "missing")
	if len(files) > 0 {
		t.Errorf("missing folder: %v", files)
	}
}

// In greyscale only dash and marker are left.
func TestStyles_AreDistinctWithoutColour(t *testing.T) {
	all := slices.Clone(foreign)
	for i, k := range known {
		for _, o := range known[:i] {
			if k.Marker == o.Marker || k.Color == o.Color {
				t.Errorf("%s and %s share marker or colour", k.names, o.names)
			}
		}
		all = append(all, k.Style)
	}
	for i, a := range all {
		if a.Color == (color.NRGBA{240, 228, 66, 255}) {
			t.Error("yellow is too light")
		}
		for _, b := range all[:i] {
			if a.Marker == b.Marker && (slices.Equal(a.Dash, b.Dash) || a.Color == b.Color) {
				t.Errorf("%+v and %+v differ in colour alone, or in dashes alone", a, b)
			}
		}
	}
}

// Any two numbered styles differ in two of colour, dash and marker, and the first seven in all.
func TestNumbered_StylesDiffer(t *testing.T) {
	for i := range Distinct {
		for j := range i {
			a, b := Numbered(i), Numbered(j)
			same := 0
			for _, equal := range []bool{a.Color == b.Color, slices.Equal(a.Dash, b.Dash), a.Marker == b.Marker} {
				if equal {
					same++
				}
			}
			if same > 1 || same > 0 && i < len(numbered) || Alike(a, b) {
				t.Errorf("%d and %d: %v, %v", j, i, b, a)
			}
		}
	}
	if !Alike(Numbered(0), Numbered(Distinct)) || !Alike(Numbered(-1), Numbered(0)) {
		t.Error("styles do not repeat after Distinct, or before 0")
	}
}

// Colours as readers see them who lack one sort of cones: the matrices of Machado, Oliveira and Fernandes (2009) for
// full deficiency, on linear components; differences are distances in CIE Lab.
func TestStyles_AreDistinctForColourBlindReaders(t *testing.T) {
	for kind, m := range map[string][9]float64{
		"all cones": {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"no red":    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"no green":  {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"no blue":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	} {
		seen := func(c color.NRGBA) (lab [3]float64) {
			var in, out [3]float64
			for i, v := range []uint8{c.R, c.G, c.B} {
				in[i] = math.Pow((float64(v)/255+0.055)/1.055, 2.4)
				if v <= 10 {
					in[i] = float64(v) / 255 / 12.92
				}
			}
			for i := range out {
				out[i] = min(max(m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2], 0), 1)
			}
			f := func(v float64) float64 { return max(math.Cbrt(v), min(7.787*v+16./116, 0.2069)) }
			x := f((0.4124*out[0] + 0.3576*out[1] + 0.1805*out[2]) / 0.9505)
			y := f(0.2126*out[0] + 0.7152*out[1] + 0.0722*out[2])
			z := f((0.0193*out[0] + 0.1192*out[1] + 0.9505*out[2]) / 1.089)
			return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
		}
		for i, a := range known {
			for _, b := range known[:i] {
				p, q := seen(a.ink()), seen(b.ink())
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 11 {
					t.Errorf("%s: %s and %s differ by %.1f in Lab, want 11", kind, a.names, b.names, d)
				}
			}
		}
	}
}

func TestStyles_NamesAreFixed(t *testing.T) {
	for _, names := range [][]string{
		{"bloom", "Bloom filter", "BF", "classic Bloom"}, {"semi-sorted cuckoo", "ss-CF", "Semi-sorted"},
		{"blocked bloom", "blocked", "blk-BF"}, {"go map", "map"}, {"counting", "counting Bloom filter"}, {"bound", "theory"},
	} {
		for _, n := range names[1:] {
			if !Alike(StyleFor(names[0]), StyleFor(n)) {
				t.Errorf("%q and %q look different", names[0], n)
			}
		}
	}
	got := StylesFor("mine", "bloom", "yours", "mine")
	if !Alike(got[1], StyleFor("bloom")) || Alike(got[0], got[2]) || !Alike(got[0], got[3]) || Alike(got[0], got[1]) {
		t.Errorf("styles of known and unknown names: %+v", got)
	}
}
