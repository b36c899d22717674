package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/must"
)

// fig is a table like those of nest reproduce: what x is measured at follows from f.
func fig() string {
	var b strings.Builder
	b.WriteString("series,b,f,trial,seed,bits_per_item,false_positive_rate\n")
	for _, s := range []int{2, 4} {
		for f := 8; f <= 10; f++ {
			for trial := range 7 {
				fmt.Fprintf(&b, "b = %d,%d,%d,%d,0x%x,%g,%g\n", s, s, f, trial, trial*77, float64(f)*1.1+float64(trial)/100,
					1/float64(int(1)<<(2*f))*(1+float64(trial)/10))
			}
		}
	}
	return b.String()
}

const benches = `pkg: example.com/a
BenchmarkContains/filter=cuckoo/n=1024-8 100 10 ns/op 12 bits/item
BenchmarkContains/filter=cuckoo/n=1024-8 100 12 ns/op 12 bits/item
BenchmarkContains/filter=cuckoo/n=1024-8 100 11 ns/op 12 bits/item
BenchmarkContains/filter=cuckoo/n=1048576-8 100 30 ns/op 12 bits/item
BenchmarkContains/filter=bloom/n=1024-8 100 20 ns/op 10 bits/item
BenchmarkContains/filter=bloom/n=1048576-8 100 60 ns/op 10 bits/item
PASS
`

func data(t *testing.T, text string) *Table {
	t.Helper()
	d := must.Get(ReadAny("t.csv", strings.NewReader(text)))(t)
	return &d
}

// drawn is the figure's panel.
func drawn(t *testing.T, text string, o PlotOptions) (chart.Panel, string) {
	t.Helper()
	f, notes, err := data(t, text).Figure(o)
	must.Do(t, err)
	return f.Panels[0], strings.Join(notes, "\n")
}

func labels(p chart.Panel) string {
	var out []string
	for _, s := range p.Series {
		out = append(out, s.Label)
	}
	return strings.Join(out, "; ")
}

func TestFigure_DrawsATableOfTrials(t *testing.T) {
	p, notes := drawn(t, fig(), PlotOptions{X: "bits_per_item"})
	if p.X.Label != "bits per item" || p.Y.Label != "false positive rate" || labels(p) != "b = 2; b = 4" || p.X.Log ||
		!p.Y.Log {
		t.Errorf("%q by %q, series %q, logs %v %v", p.Y.Label, p.X.Label, labels(p), p.X.Log, p.Y.Log)
	}
	for _, s := range p.Series {
		if len(s.Points) != 3 {
			t.Fatalf("%d points, want one for each f", len(s.Points))
		}
		pt := s.Points[0]
		rate := 1. / (1 << 16)
		if math.Abs(pt.X-8.83) > 1e-9 || math.Abs(pt.Y-1.3*rate) > 1e-12 || math.Abs(pt.Lo-rate) > 1e-12 ||
			math.Abs(pt.Hi-1.6*rate) > 1e-12 {
			t.Errorf("%+v: want the median of 7 trials and, at 7, the range", pt)
		}
	}
	comeInOrder(t, notes, "y is false_positive_rate", "a point for each f", "a series for each series", "median of up to 7 rows")
}

// TestFigure_ChoosesAxes: y is the last that was measured, or what tells most of benchmarks and sweeps, and x the
// parameter of most values, numbers before names.
func TestFigure_ChoosesAxes(t *testing.T) {
	for _, c := range []struct{ text, x, y string }{
		{"series,slots,step,trial,found,ns,million_per_second\na,9,1,0,8,3,1\nb,9,2,0,8,2,3\na,9,3,1,5,9,7\n", "step",
			"million per second"},
		{"series,b,f,trial,load\na,2,1,0,3\na,4,2,0,4\na,2,3,0,5\n", "f", "load"},
		{"f,load,trial,measured_rate,rate_low,rate_high,insert_ns\n8,1,0,3,2,4,9\n9,1,0,5,4,6,1\n", "f", "measured rate"},
		{"filter,n,ns\na,1,2\nb,1,3\nc,2,3\n", "n", "ns"},
		{"filter,n,ns\na,1,2\nb,1,3\n", "filter", "ns"},
		{"a,b\n1,x\n2,y\n3,z\n", "", ""},
		{benches, "n", "ns/op"},
	} {
		f, _, err := data(t, c.text).Figure(PlotOptions{})
		if c.x == "" && err == nil || c.x != "" && (err != nil || f.Panels[0].X.Label != c.x || f.Panels[0].Y.Label != c.y) {
			t.Errorf("%.40q: %+v, %v, want %s by %s", c.text, f, err, c.y, c.x)
		}
	}
}

func TestFigure_ObeysThePlotOptions(t *testing.T) {
	yes, no := true, false
	p, _ := drawn(t, fig(), PlotOptions{X: "f", Y: "bits_per_item", Series: []string{"b"},
		Filters: []string{"f=8", "f=9.0", "b=4"}, LogX: &yes, LogY: &no})
	if labels(p) != "b=4" || len(p.Series[0].Points) != 2 || !p.X.Log || p.Y.Log || p.Series[0].Points[1].X != 9 ||
		!p.X.Whole || p.Y.Whole {
		t.Errorf("%+v", p)
	}
	p, _ = drawn(t, fig(), PlotOptions{X: "f", Series: []string{}, Title: "2^15 \u00fc"})
	if len(p.Series) != 1 || !p.Series[0].NoLegend || len(p.Series[0].Points) != 3 {
		t.Errorf("one series of all: %+v", p.Series)
	}
	f, _, err := data(t, fig()).Figure(PlotOptions{Title: "2^15 \u00fc", Width: 16, Height: 9})
	if err != nil || f.Title != "2^{15} ?" || f.Width != 16 || f.Height != 9 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestFigure_Benchmarks(t *testing.T) {
	d := data(t, benches)
	if got := strings.Join(d.Columns, " "); got != "benchmark filter n procs iterations ns/op bits/item" {
		t.Errorf("columns %s", got)
	}
	p, _ := drawn(t, benches, PlotOptions{})
	if p.X.Label != "n" || p.Y.Label != "ns/op" || labels(p) != "cuckoo; bloom" || !p.X.Log || p.X.Base != 2 ||
		p.Y.Log || p.Y.Min != 0 || !math.IsNaN(p.Y.Max) {
		t.Errorf("%+v", p)
	}
	if pt := p.Series[0].Points[0]; pt.Y != 11 || pt.Lo != 10 || pt.Hi != 12 {
		t.Errorf("%+v", pt)
	}
	if p.Series[1].Style.Color != chart.StyleFor("bloom").Color {
		t.Error("a filter without its colour")
	}
	p, _ = drawn(t, benches, PlotOptions{X: "filter", Y: "bits/item", Filters: []string{"n=1024"}})
	if len(p.X.Ticks) != 2 || p.X.Ticks[1].Label != "bloom" || p.Series[0].Kind != chart.Marks ||
		p.Series[0].Points[1].X != 1 {
		t.Errorf("names on the x axis: %+v", p)
	}
}

func TestFigure_IntervalsOfTheTable(t *testing.T) {
	yes := true // 0 is not positive, so the scale would not be guessed
	p, notes := drawn(t, "filter,bits_per_item,measured_rate,rate_low,rate_high\nbloom,10,0.01,0.008,0.012\nbloom,20,0,0,0.0001\n", PlotOptions{X: "bits_per_item", Y: "measured_rate", LogY: &yes})
	pts := p.Series[0].Points
	if pts[0].Lo != 0.008 || pts[0].Hi != 0.012 || !pts[1].Zero || pts[1].Hi != 0.0001 ||
		!strings.Contains(notes, "rate_low and rate_high") {
		t.Errorf("%+v, %s", pts, notes)
	}
}

func TestFigure_SaysWhatItLeavesOut(t *testing.T) {
	yes := true
	_, notes := drawn(t, "n,ns\n1,5\n2,\n0,6\n4,7\n", PlotOptions{X: "n", Y: "ns", LogX: &yes})
	comeInOrder(t, notes, "1 rows without a value", "1 points are not above 0")
}

// Of series that are too many to be told apart the error says how to make them fewer.
func TestFigure_NoTwoSeriesLookAlike(t *testing.T) {
	for _, column := range []string{"who", "filter"} {
		text := column + ",n,ns\n"
		for n := 1; n <= 27; n++ {
			text += fmt.Sprintf("s%d,1,%d\ns%d,2,%d\n", n, n, n, n+1)
			f, _, err := data(t, text).Figure(PlotOptions{X: "n", Y: "ns"})
			if most := map[string]int{"who": chart.Distinct, "filter": 7}[column]; n > most {
				refused(t, err, fmt.Sprintf("--series: t.csv: %d series, and %d of them would look like another", n, n-most),
					"--where", "they differ in "+column+" (s1, s2, ")
				continue
			}
			must.Do(t, err)
			for i, a := range f.Panels[0].Series {
				for _, b := range f.Panels[0].Series[:i] {
					if chart.Alike(a.Style, b.Style) {
						t.Errorf("%d series: %s and %s look the same", n, a.Label, b.Label)
					}
				}
			}
		}
		if p, _ := drawn(t, text, PlotOptions{X: "n", Y: "ns", Filters: []string{column + "=s1"}}); len(p.Series) != 1 {
			t.Errorf("filtered: %d series", len(p.Series))
		}
	}
}

func TestFigure_ErrorsNameFlagAndPlace(t *testing.T) {
	for _, c := range []struct {
		text string
		o    PlotOptions
		want string
	}{
		{fig(), PlotOptions{X: "nope"}, `--x: t.csv has no column "nope": it has series, b, f, trial`},
		{fig(), PlotOptions{Y: "nope"}, "--y: "},
		{fig(), PlotOptions{Series: []string{"nope"}}, "--series: "},
		{fig(), PlotOptions{Filters: []string{"nope=1"}}, "--where: "},
		{fig(), PlotOptions{Filters: []string{"b"}}, `"b": want column=value`},
		{fig(), PlotOptions{Filters: []string{"b=3"}}, "no row has b=3: there are 2, 4"},
		{fig(), PlotOptions{Filters: []string{"b=2", "series=b = 4"}}, "no row passes all of"},
		{fig(), PlotOptions{Y: "series"}, `--y: t.csv:2: series is "b = 2", want a number`},
		{fig(), PlotOptions{Width: 1}, "width of 1 cm"},
		{"a\nx\ny\n", PlotOptions{}, "--y: name the column to draw of t.csv: it has a"},
		{"a\n1\n2\n", PlotOptions{}, "--x: name the column to draw a against: t.csv has a"},
		{"a,b\nx,y\n", PlotOptions{Y: "b"}, "--x: name the column to draw b against: t.csv has a, b"},
		{"a,b\n1,\n,2\n", PlotOptions{X: "a", Y: "b"}, "no row has both a and b"},
	} {
		_, _, err := data(t, c.text).Figure(c.o)
		refused(t, err, c.want)
	}
}

// Whatever a file holds, it is drawn or refused with an error.
func FuzzFigure(f *testing.F) {
	for _, text := range []string{fig(), benches, "a,b\n1,2\n3,4\n", "a,b\n1e308,-1e308\n-1e308,1e308\n",
		"x,y\n\u00fc,1\nz,2\n"} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, log bool) {
		d, err := ReadAny("t.csv", strings.NewReader(text))
		if err != nil {
			return
		}
		figure, _, err := d.Figure(PlotOptions{LogX: &log, LogY: &log})
		if err != nil {
			return
		}
		if _, err := figure.Render("svg"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
