package chart

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	stdfont "golang.org/x/image/font"
)

// gonum's log axis with a centred label leaves 85 of 300 pt blank.
func TestLayout_LogAxisLeavesNoBlankBand(t *testing.T) {
	f := one(Axis{Label: "false-positive rate", Log: true}, Point{X: 1, Y: 1e-6}, Point{X: 2, Y: 0.5})
	l := f.layout()
	frame := l.panels[0].frame
	if blank := l.height - frame.Max.Y; blank > 12 {
		t.Errorf("%v pt over the frame without a title, want at most 12", blank)
	}
	if high := frame.Size().Y / l.height; high < 0.75 {
		t.Errorf("the frame is %.2f of the height, want 0.75", float64(high))
	}
}

// gonum's LogTicks prints 9.999999999999999e-05.
func TestTicks_Decades(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		lo, hi float64
		most   int
		want   string
	}{
		{Axis{Log: true}, 1e-6, 1e-2, 9, "10^{-6} 10^{-5} 10^{-4} 10^{-3} 10^{-2}"},
		{Axis{Log: true, Format: Percent}, 1e-5, 1, 9, "0.001% 0.01% 0.1% 1% 10% 100%"},
		{Axis{Log: true}, 1e-12, 1, 5, "10^{-12} 10^{-9} 10^{-6} 10^{-3} 10^{0}"},
		{Axis{Log: true, Base: 2}, 1 << 15, 1 << 18, 9, "2^{15} 2^{16} 2^{17} 2^{18}"},
		{Axis{Log: true}, 4, 20, 9, "5 10 20"},
		{Axis{Log: true, Format: Percent}, 0.02, 0.05, 9, "2% 3% 4% 5%"},
		{Axis{}, 0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{Axis{Format: Percent}, 0.9, 0.98, 5, "90% 92% 94% 96% 98%"},
		{Axis{}, -2, 2, 5, "-2 -1 0 1 2"},
		{Axis{}, 0, 3e6, 4, "0 1M 2M 3M"},
		{Axis{}, 0, 30000, 4, "0 10k 20k 30k"},
	} {
		sc := scale{log: c.axis.Log, base: c.axis.logBase()}
		sc.lo, sc.hi = sc.value(c.lo), sc.value(c.hi)
		var labels []string
		for _, tk := range c.axis.ticks(sc, c.most) {
			if tk.label != "" {
				labels = append(labels, tk.label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%+v from %v to %v: %q, want %q", c.axis, c.lo, c.hi, got, c.want)
		}
	}
}

func TestTicks_MinorsAre2To9(t *testing.T) {
	sc := scale{log: true, base: 10, lo: -2, hi: 0}
	minors := 0
	for _, tk := range (Axis{Log: true}).ticks(sc, 9) {
		if tk.label == "" {
			minors++
		}
	}
	if minors != 16 {
		t.Errorf("%d minor ticks in two decades, want 16", minors)
	}
}

// LogScale panics at y <= 0: zero events are arrows at their upper limit, other zeros errors.
func TestRender_ZerosOnLogAxis(t *testing.T) {
	y := Axis{Label: "rate", Log: true}
	plain := render(t, one(y, Point{X: 1, Y: 0.1}, Point{X: 2, Y: 0.01}), "svg")
	limit := render(t, one(y, Point{X: 1, Y: 0.1}, Point{X: 2, Zero: true, Hi: 0.01}), "svg")
	if bytes.Contains(plain, []byte(limitLabel)) || !bytes.Contains(limit, []byte(limitLabel)) {
		t.Errorf("the legend must explain arrows if and only if there are some")
	}
	f := one(y, Point{X: 1, Y: 0.1}, Point{X: 2, Zero: true, Hi: 0.01})
	if got := len(f.layout().panels[0].lines(f.Panels[0].Series[0])[0]); got != 1 {
		t.Errorf("the line runs through %d points, want it to end before the limit", got)
	}
	for _, bad := range []Point{{X: 1}, {X: 1, Y: -1}, {X: 1, Zero: true}} {
		if _, err := one(y, bad).Render("svg"); err == nil || !strings.Contains(err.Error(), `series "ours": point 0`) {
			t.Errorf("%+v: error %v, want one that names the point", bad, err)
		}
	}
	if _, err := one(Axis{}, Point{X: 1, Zero: true, Hi: 0.1}).Render("svg"); err != nil {
		t.Errorf("zero on a linear axis: %v", err)
	}
}

func TestRender_CoincidingLimitsAreBothVisible(t *testing.T) {
	d := dodge{}
	seen := map[vg.Length]bool{}
	for range 5 {
		seen[d.shift(vg.Point{X: 10, Y: 20})] = true
	}
	if len(seen) != 5 || !seen[0] || d.shift(vg.Point{X: 90, Y: 20}) != 0 {
		t.Errorf("arrows at one place step aside by %v", seen)
	}
}

// Superscript digits and the minus vanish in gonum's plain text. In an SVG a line is one element, in which the reader's
// own font decides where an exponent stands, as wide as the layout wants it: pieces of their own collide, and lose
// their spaces, where Liberation Sans is missing.
func TestText_PowersAreInTheirLine(t *testing.T) {
	svg := string(render(t, sample(), "svg"))
	if !strings.Contains(svg, `>Rates below 10<tspan dy="-3.8" style="font-size:6.8px">-6</tspan><tspan dy="3.8"> &amp; loads</tspan></text>`) {
		t.Error("the title's exponent is not inside of its line")
	}
	for _, text := range regexp.MustCompile(`<text[^>]*>`).FindAllString(svg, -1) {
		if !strings.Contains(text, " textLength=") || !strings.Contains(text, " text-anchor=") {
			t.Errorf("no width or alignment: %s", text)
		}
	}
	if content := pdfContent(t, render(t, sample(), "pdf")); !strings.Contains(content, "(-6)") {
		t.Error("the PDF does not show the exponent -6")
	}
}

func TestText_Split(t *testing.T) {
	for in, want := range map[string]string{
		"10^{-6}": "[{10 false} {-6 true}]", "a": "[{a false}]", "": "[]", "^{2}": "[{2 true}]",
		"2^{x": "[{2^{x false}]", "a^{1}b^{2}": "[{a false} {1 true} {b false} {2 true}]", "^{}": "[]",
	} {
		if got := fmt.Sprint(split(in)); got != want {
			t.Errorf("split(%q) = %v, want %v", in, got, want)
		}
	}
}

// PDF text is cp1252: other characters come out as garbage.
func TestCheck_NonASCIIIsNamed(t *testing.T) {
	for what, spoil := range map[string]func(*Figure){
		"title":        func(f *Figure) { f.Title = "\u03b5" },
		"panel 1: tit": func(f *Figure) { f.Panels[1].Title = "\u03b5" },
		"x label":      func(f *Figure) { f.Panels[0].X.Label = "10\u207b\u2076 \u03b5" },
		"series 1":     func(f *Figure) { f.Panels[0].Series[1].Label = "\u03b5" },
		"note 0":       func(f *Figure) { f.Panels[0].Notes[0].Text = "a\n\u03b5" },
		"y tick 0":     func(f *Figure) { f.Panels[0].Y.Ticks = []Tick{{1, "\u03b5"}} },
	} {
		f := sample()
		spoil(f)
		_, err := f.Render("png")
		if err == nil || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), `\u03b5`) {
			t.Errorf("%s: error %v, want one that names place and text", what, err)
		}
	}
}

// Any bold font makes the PDF an empty file.
func TestFonts_NoneIsBold(t *testing.T) {
	bold := font.Font{Typeface: "Liberation", Variant: "Sans", Weight: stdfont.WeightBold}
	if fontCache().Lookup(bold, 10).Face != face(10).Face {
		t.Error("there is a bold face")
	}
	for _, format := range Formats() {
		data := render(t, sample(), format)
		if len(data) < 3000 || bytes.Contains(data, []byte("Bold")) || bytes.Contains(data, []byte("weight:bold")) {
			t.Errorf("%s: %d bytes, or bold", format, len(data))
		}
	}
}

func TestSVG_FontFamilyHasFallbacks(t *testing.T) {
	svg := string(render(t, sample(), "svg"))
	if _, texts, ok := strings.Cut(svg, `font-family:'Liberation Sans',Arial,Helvetica,sans-serif"`); !ok ||
		strings.Count(texts, "<text") != strings.Count(svg, "<text") {
		t.Error("a text is outside of the group that has the family with fallbacks")
	}
	if !strings.Contains(svg, "<title>Rates below 10\u207b\u2076 &amp; loads</title>") ||
		!strings.Contains(svg, "<desc>F\u00e4lschlich positive</desc>") {
		t.Error("title or description is missing")
	}
}

var pdfDate = regexp.MustCompile(`\(D:([0-9]+)\)`)

func TestRender_BytesAreStable(t *testing.T) {
	for _, format := range Formats() {
		first := render(t, sample(), format)
		for range rounds(4) {
			if !bytes.Equal(first, render(t, sample(), format)) {
				t.Errorf("%s: differs from one rendering to the next", format)
			}
		}
	}
	data := render(t, sample(), "pdf")
	dates := pdfDate.FindAllSubmatch(data, -1)
	for _, d := range dates {
		if string(d[1]) != "20000101000000" {
			t.Errorf("date %s in the PDF", d[1])
		}
	}
	_, tail, _ := strings.Cut(string(data), "startxref\n")
	at, err := strconv.Atoi(strings.Fields(tail)[0])
	if len(dates) != 2 || err != nil || !bytes.HasPrefix(data[at:], []byte("xref")) {
		t.Errorf("%d dates; cross-reference table at %d: %v", len(dates), at, err)
	}
}

// vgpdf multiplies translucent colours by their alpha and so draws bands nearly black.
func TestPDF_BandsKeepTheirColour(t *testing.T) {
	c := StyleFor("bloom").Color
	want := fmt.Sprintf("%.3f %.3f %.3f rg", float64(c.R)/255, float64(c.G)/255, float64(c.B)/255)
	r, g, b, _ := StyleFor("bloom").light().RGBA()
	dark := fmt.Sprintf("%.3f %.3f %.3f rg", float64(r>>8)/255, float64(g>>8)/255, float64(b>>8)/255)
	f := one(Axis{}, Point{X: 1, Y: 1, Lo: 0.5, Hi: 2}, Point{X: 2, Y: 1, Lo: 0.5, Hi: 2})
	f.Panels[0].Series[0].Style = StyleFor("bloom")
	content := pdfContent(t, render(t, f, "pdf"))
	if !strings.Contains(content, want) || strings.Contains(content, dark) {
		t.Errorf("areas are not filled with %q, or with %q", want, dark)
	}
}

func TestPNG_SizeAndResolution(t *testing.T) {
	data := render(t, one(Axis{}, Point{X: 1, Y: 1}), "png")
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 945 || b.Dy() != 630 {
		t.Errorf("%v pixels, want 945 x 630: 12 x 8 cm at 200 per inch", b)
	}
	at := bytes.Index(data, []byte("pHYs"))
	if at < 0 || math.Abs(float64(binary.BigEndian.Uint32(data[at+4:]))-200/0.0254) > 1 {
		t.Error("the resolution is not in the file")
	}
}

// vgpdf panics when it cannot make a temporary directory for its first font.
func TestPDF_NoTempDirIsAnError(t *testing.T) {
	if os.Getenv("CHART_TEST_NO_TEMP") != "" { // a process of its own: this one has the font already
		t.Setenv("TMPDIR", t.TempDir()+"/missing")
		_, err := sample().Render("pdf")
		fmt.Printf("error: %v\n", err)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPDF_NoTempDirIsAnError$")
	cmd.Env = append(os.Environ(), "CHART_TEST_NO_TEMP=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `error: chart: figure "sample": pdf:`) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestAxis_WholeHasNoTicksBetween draws short and long axes of whole numbers.
func TestAxis_WholeHasNoTicksBetween(t *testing.T) {
	for _, s := range []span{{8, 10}, {8, 8}, {1, 3}, {0, 1}, {8, 32}, {1, 1e6}, {-2, 2}} {
		a := Axis{Whole: true}
		seen := 0
		for _, tick := range a.ticks(a.scale(s), 8) {
			seen++
			if tick.at != math.Trunc(tick.at) || strings.Contains(tick.label, ".") {
				t.Errorf("%v: a tick %q at %v", s, tick.label, tick.at)
			}
		}
		if seen == 0 {
			t.Errorf("%v: no tick", s)
		}
	}
	between := false
	var a Axis
	for _, tick := range a.ticks(a.scale(span{8, 10}), 8) {
		between = between || tick.at != math.Trunc(tick.at)
	}
	if !between {
		t.Error("an axis that is not Whole has no ticks between: this test shows nothing")
	}
}

// TestNumbered_StylesDiffer: any two differ in two of colour, dash and marker.
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
			if same > 1 || Alike(a, b) {
				t.Errorf("%d and %d: %v, %v", j, i, b, a)
			}
		}
	}
	if !Alike(Numbered(0), Numbered(Distinct)) {
		t.Error("styles do not repeat after Distinct")
	}
}
