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
	"strconv"
	"strings"
	"sync"
	"testing"
)

// gonum's log axis with a centred label leaves 85 of 300 pt blank.
func TestLayout_LogAxisLeavesNoBlankBand(t *testing.T) {
	f := one(Axis{Label: "false-positive rate", Log: true}, Point{X: 1, Y: 1e-6}, Point{X: 2, Y: 0.5})
	l := f.layout()
	frame := l.panels[0].frame
	if blank, high := l.height-frame.Max.Y, frame.Size().Y/l.height; blank > 12 || high < 0.75 {
		t.Errorf("%v pt over the frame without a title, want at most 12; it is %.2f of the height, want 0.75", blank, high)
	}
}

// gonum's LogTicks prints 9.999999999999999e-05.
func TestTicks_Labels(t *testing.T) {
	for _, c := range []struct {
		axis   Axis
		lo, hi float64
		most   int
		want   string
		minors int
	}{
		{Axis{Log: true}, 1e-6, 1e-2, 9, "10^{-6} 10^{-5} 10^{-4} 10^{-3} 10^{-2}", 4 * 8},
		{Axis{Log: true, Format: Percent}, 1e-5, 1, 9, "0.001% 0.01% 0.1% 1% 10% 100%", 5 * 8},
		{Axis{Log: true}, 1e-12, 1, 5, "10^{-12} 10^{-9} 10^{-6} 10^{-3} 10^{0}", 8},
		{Axis{Log: true, Base: 2}, 1 << 15, 1 << 18, 9, "2^{15} 2^{16} 2^{17} 2^{18}", 0},
		{Axis{Log: true}, 4, 20, 9, "5 10 20", 5},
		{Axis{Log: true, Format: Percent}, 0.02, 0.05, 9, "2% 3% 4% 5%", 0},
		{Axis{}, 0, 1, 6, "0.0 0.2 0.4 0.6 0.8 1.0", 0},
		{Axis{Format: Percent}, 0.9, 0.98, 5, "90% 92% 94% 96% 98%", 0},
		{Axis{}, -2, 2, 5, "-2 -1 0 1 2", 0},
		{Axis{}, 0, 3e6, 4, "0 1M 2M 3M", 0},
		{Axis{}, 0, 30000, 4, "0 10k 20k 30k", 0},
		{Axis{}, 3e-12, 9e-12, 4, "4x10^{-12} 6x10^{-12} 8x10^{-12}", 0},
		{Axis{}, 8, 10, 8, "8.0 8.5 9.0 9.5 10.0", 0},
		{Axis{Whole: true}, 8, 10, 8, "8 9 10", 0},
		{Axis{Whole: true}, 0, 1, 8, "0 1", 0},
		{Axis{Whole: true}, 8, 32, 8, "10 15 20 25 30", 0},
	} {
		sc := scale{log: c.axis.Log, base: c.axis.logBase()}
		sc.lo, sc.hi = sc.value(c.lo), sc.value(c.hi)
		var labels []string
		minors := 0
		for _, tk := range c.axis.ticks(sc, c.most) {
			if tk.label != "" {
				labels = append(labels, tk.label)
			} else {
				minors++
			}
		}
		if got := strings.Join(labels, " "); got != c.want || minors != c.minors {
			t.Errorf("%+v from %v to %v: %q and %d between, want %q and %d", c.axis, c.lo, c.hi, got, minors, c.want, c.minors)
		}
	}
}

// Numbers at the edge of what a float64 holds are drawn in no time, or refused.
func TestAxis_ExtremeNumbers(t *testing.T) {
	for _, ys := range [][2]float64{
		{1e20, 1e20 + 16384}, {5e17, 5e17 + 64}, {-1e100, 1e100}, {1e-100, 2e-100}, {0, 1e-100}, {0, 5e-324},
		{5e-324, 1e-320}, {1e-170, 1}, {1, 1 + 1e-15}, {3e-12, 9e-12},
	} {
		for _, log := range []bool{false, true} {
			if log && ys[0] <= 0 {
				continue
			}
			f := one(Axis{Log: log}, Point{X: 1, Y: ys[0]}, Point{X: 2, Y: ys[1]})
			render(t, f, "svg")
			for _, tick := range f.layout().panels[0].yTicks {
				if len(tick.label) > 24 {
					t.Errorf("%v: a label of %d characters", ys, len(tick.label))
				}
			}
		}
	}
}

// LogScale panics at y <= 0: zero events are arrows at their upper limit, which end the line and step aside where
// several are at one place.
func TestRender_ZerosOnLogAxis(t *testing.T) {
	y := Axis{Label: "rate", Log: true}
	plain := render(t, one(y, Point{X: 1, Y: 0.1}, Point{X: 2, Y: 0.01}), "svg")
	f := one(y, Point{X: 1, Y: 0.1}, Point{X: 2, Zero: true, Hi: 0.01})
	if limit := render(t, f, "svg"); bytes.Contains(plain, []byte(limitLabel)) || !bytes.Contains(limit, []byte(limitLabel)) {
		t.Errorf("the legend must explain arrows if and only if there are some")
	}
	if got := len(f.layout().panels[0].lines(f.Panels[0].Series[0])[0]); got != 1 {
		t.Errorf("the line runs through %d points, want it to end before the limit", got)
	}
	p := &f.Panels[0]
	p.Series = append(p.Series, p.Series[0], p.Series[0], p.Series[0], p.Series[0])
	seen := map[string]bool{}
	for _, path := range paths(render(t, f, "svg"), "stroke:#000000") {
		seen[fmt.Sprint(path)] = true
	}
	if len(seen) != 5*2 { // a bar and a stem each
		t.Errorf("5 arrows at one place are %d strokes: %v", len(seen), seen)
	}
}

// Superscript digits and the minus vanish in gonum's plain text. In an SVG a line is one element, in which the reader's
// own font decides where an exponent stands, as wide as the layout wants it: pieces of their own collide, and lose
// their spaces, where Liberation Sans is missing.
func TestText_PowersAreInTheirLine(t *testing.T) {
	svg := string(render(t, sample(), "svg"))
	for _, want := range []string{
		`>Rates below 10<tspan dy="-3.8" style="font-size:6.8px">-6</tspan><tspan dy="3.8"> &amp; loads</tspan></text>`,
		`font-family="'Liberation Sans',Arial,Helvetica,sans-serif">`,
		"<title>Rates below 10\u207b\u2076 &amp; loads</title>", "<desc>F\u00e4lschlich positive</desc>",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, text := range regexp.MustCompile(`<text[^>]*>`).FindAllString(svg, -1) {
		if !strings.Contains(text, " textLength=") || strings.Contains(text, "font-family") {
			t.Errorf("no width, or a font without fallbacks: %s", text)
		}
	}
	if content := pdfContent(t, render(t, sample(), "pdf")); !strings.Contains(content, "(-6)") {
		t.Error("the PDF does not show the exponent -6")
	}
}

func TestText_Split(t *testing.T) {
	for in, want := range map[string]string{
		"10^{-6}": "[{10 1 0} {-6 0.68 0.38}]", "a": "[{a 1 0}]", "": "[]", "^{2}": "[{2 0.68 0.38}]",
		"2^{x": "[{2^{x 1 0}]", "a^{1}b^{2}": "[{a 1 0} {1 0.68 0.38} {b 1 0} {2 0.68 0.38}]", "^{}": "[{ 0.68 0.38}]",
	} {
		if got := fmt.Sprint(split(in, 1)); got != want {
			t.Errorf("split(%q) = %v, want %v", in, got, want)
		}
	}
	for in, want := range map[string]string{"m = 2^{15}": "m = 2\u00b9\u2075", "e^{x}": "e^x", "a": "a"} {
		if got := PlainText(in); got != want {
			t.Errorf("PlainText(%q) = %q, want %q", in, got, want)
		}
	}
}

var pdfDate = regexp.MustCompile(`\(D:([0-9]+)\)`)

// The same figure gives the same bytes, to several goroutines at once too. Any bold font makes the PDF an empty file.
func TestRender_BytesAreStable(t *testing.T) {
	for _, f := range []*Figure{sample(), regions()} {
		var wg sync.WaitGroup
		for _, format := range Formats() {
			first := render(t, f, format)
			if len(first) < 3000 || bytes.Contains(first, []byte("Bold")) || bytes.Contains(first, []byte("weight:bold")) {
				t.Errorf("%s: %d bytes, or bold", format, len(first))
			}
			for range rounds(3) {
				wg.Go(func() {
					if data, err := f.Render(format); err != nil || !bytes.Equal(first, data) {
						t.Errorf("%s: differs from one rendering to the next, or %v", format, err)
					}
				})
			}
		}
		wg.Wait()
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

func TestRender_SizeAndResolution(t *testing.T) {
	f := one(Axis{}, Point{X: 1, Y: 1})
	data := render(t, f, "png")
	img, err := png.Decode(bytes.NewReader(data)) // which holds checksums against their chunks
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 945 || b.Dy() != 630 {
		t.Errorf("%v pixels, want 945 x 630: 12 x 8 cm at 200 per inch", b)
	}
	at := bytes.Index(data, []byte("pHYs"))
	if at < 0 || math.Abs(float64(binary.BigEndian.Uint32(data[at+4:]))-dotsPerInch/0.0254) > 1 {
		t.Error("the resolution is not in the file")
	}
	f.Width, f.Height = 16, 9
	if svg := render(t, f, "svg"); !bytes.Contains(svg, []byte(`width="453.54pt" height="255.12pt"`)) {
		t.Errorf("16 x 9 cm: %s", svg[:120])
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
