package chart

import (
	"errors"
	"image/color"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestCheck_NotFiniteIsNamed(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for what, pt := range map[string]Point{"x": {X: v}, "y": {Y: v}, "lo": {Lo: v}, "hi": {Hi: v}} {
			f := one(Axis{}, Point{X: 1, Y: 1}, pt)
			err := f.Check()
			want := `figure "one": panel 0: series "ours": point 1: ` + what + " is "
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s %v: error %v, want %q", what, v, err, want)
			}
		}
	}
}

func TestCheck_JoinsAllProblems(t *testing.T) {
	f := &Figure{Name: "../evil", Panels: []Panel{{
		X:      Axis{Log: true, Max: math.Inf(1), Ticks: []Tick{{At: -1}}},
		Series: []Series{{Label: "s", Points: []Point{{X: -1, Y: 1}, {X: 1, Y: 1, Lo: 2, Hi: 1}}}},
		Notes:  []Note{{X: 0, Text: "n"}},
	}}}
	err := f.Check()
	for _, want := range []string{"name", "bounds", "tick 0", "point 0", "point 1: interval",
		"note 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in: %v", want, err)
		}
	}
	if err := (&Figure{Name: "f"}).Check(); err == nil || !strings.Contains(err.Error(), "no panels") {
		t.Errorf("no panels: %v", err)
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
		"no series":     {Name: "none", Panels: []Panel{{}}},
	}
	for name, f := range figures {
		for _, format := range Formats()[:rounds(len(Formats()))] {
			if _, err := f.Render(format); err != nil {
				t.Errorf("%s as %s: %v", name, format, err)
			}
		}
		empty := strings.Contains(string(render(t, f, "svg")), ">no data<")
		if want := strings.HasPrefix(name, "empty") || name == "no series"; empty != want {
			t.Errorf("%s: says no data: %v", name, empty)
		}
	}
}

var svgPath = regexp.MustCompile(`d="(M[^"]*)"`)

func TestRender_DataIsClippedToTheFrame(t *testing.T) {
	f := one(Axis{Min: 1, Max: 2}, Point{X: 0, Y: -50, Lo: -60, Hi: -40}, Point{X: 1, Y: 50, Lo: 40, Hi: 60},
		Point{X: 2, Y: 1.5, Lo: -9, Hi: 9})
	f.Panels[0].X.Min, f.Panels[0].X.Max = 0.5, 1.5
	l := f.layout()
	for _, m := range svgPath.FindAllStringSubmatch(string(render(t, f, "svg")), -1) {
		for _, pair := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune("MLCZ", r) }) {
			for i, field := range strings.Split(pair, ",") {
				v, err := strconv.ParseFloat(field, 64)
				limit := []float64{float64(l.width), float64(l.height)}[i%2]
				if err != nil || v < -0.1 || v > limit+0.1 {
					t.Errorf("path %s leaves the picture", m[1])
				}
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
	_, err = sample().Write(dir, []string{"png", "gif"})
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), `"gif": want png, svg, pdf`) {
		t.Errorf("unknown format: %v", err)
	}
	if files, err := sample().Write(filepath.Join(dir, "missing"), []string{"svg"}); !errors.Is(err, fs.ErrNotExist) ||
		len(files) > 0 {
		t.Errorf("missing folder: %v, %v", files, err)
	}
}

func TestRender_IsSafeForConcurrentUse(t *testing.T) {
	f := sample()
	var wg sync.WaitGroup
	for range 1 + rounds(3) {
		for _, format := range Formats() {
			wg.Go(func() {
				if _, err := f.Render(format); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
}

// In greyscale only dash and marker are left.
func TestStyles_AreDistinctWithoutColour(t *testing.T) {
	all := slices.Clone(foreign)
	for _, k := range Styles() {
		for _, o := range Styles() {
			if k.Name != o.Name && (k.Style.Marker == o.Style.Marker || k.Style.Color == o.Style.Color) {
				t.Errorf("%s and %s share marker or colour", k.Name, o.Name)
			}
		}
		all = append(all, k.Style)
	}
	for _, set := range [][]Style{all, numbered} {
		for i, a := range set {
			if a.Color == (color.NRGBA{240, 228, 66, 255}) {
				t.Error("yellow is too light")
			}
			for _, b := range set[:i] {
				if slices.Equal(a.Dash, b.Dash) && a.Marker == b.Marker {
					t.Errorf("%+v and %+v differ in colour alone", a, b)
				}
			}
		}
	}
	for i, a := range numbered {
		for _, b := range numbered[:i] {
			if slices.Equal(a.Dash, b.Dash) || a.Marker == b.Marker || a.Color == b.Color {
				t.Errorf("%+v and %+v share dash, marker or colour", a, b)
			}
		}
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
		for i, a := range Styles() {
			for _, b := range Styles()[:i] {
				p, q := seen(a.Style.ink()), seen(b.Style.ink())
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 11 {
					t.Errorf("%s: %s and %s differ by %.1f in Lab, want 11", kind, a.Name, b.Name, d)
				}
			}
		}
	}
}

func TestStyles_NamesAreFixed(t *testing.T) {
	same := func(a, b Style) bool {
		return a.Color == b.Color && a.Marker == b.Marker && slices.Equal(a.Dash, b.Dash)
	}
	for _, names := range [][]string{
		{"bloom", "Bloom filter", "BF", "classic Bloom"}, {"semi-sorted cuckoo", "ss-CF", "Semi-sorted"},
		{"blocked bloom", "blocked", "blk-BF"}, {"go map", "map"}, {"counting", "counting Bloom filter"}, {"bound", "theory"},
	} {
		for _, n := range names[1:] {
			if !same(StyleFor(names[0]), StyleFor(n)) {
				t.Errorf("%q and %q look different", names[0], n)
			}
		}
	}
	got := StylesFor("mine", "bloom", "yours", "mine")
	if !same(got[1], StyleFor("bloom")) || same(got[0], got[2]) || !same(got[0], got[3]) || same(got[0], got[1]) {
		t.Errorf("styles of known and unknown names: %+v", got)
	}
	if !same(Numbered(-1), Numbered(0)) || !same(Numbered(Distinct), Numbered(0)) {
		t.Error("Numbered does not wrap around")
	}
}

func TestPlainText(t *testing.T) {
	for in, want := range map[string]string{"m = 2^{15}": "m = 2\u00b9\u2075", "e^{x}": "e^x", "a": "a"} {
		if got := PlainText(in); got != want {
			t.Errorf("PlainText(%q) = %q, want %q", in, got, want)
		}
	}
}
