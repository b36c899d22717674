package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/trace"
)

// Lengths of a plot, in pixels.
const (
	plotWidth, plotHeight = 460, 320
	plotLeft, plotRight   = 72, 444
	plotTop, plotBottom   = 66, 268
)

// A plot has the load on its x axis, from 0 to 1, and something on its y axis, from 0 to most.
type plot struct {
	trace.Canvas
	most float64
}

// start draws the frame with ticks, and what the axes show. The legend has a line for each series.
func (p *plot) start(title, across string, percents bool) {
	p.Start(plotWidth, plotHeight, title)
	p.Text(14, 24, trace.Bold(15), title)
	step := niceStep(p.most)
	for i := 0; float64(i)*step <= p.most; i++ {
		value := float64(i) * step
		text := fmt.Sprintf("%.3g", value) // no two ticks are the same: a step has one digit, and there are few
		if percents {
			text = fmt.Sprintf("%.3g%%", 100*value)
		}
		p.rule(plotLeft, p.y(value), plotRight, p.y(value), ` opacity="0.35"`)
		p.Text(plotLeft-7, p.y(value)+4, trace.ToTheLeft, text)
	}
	for i := 0; i <= 100; i += 20 {
		x := p.x(float64(i) / 100)
		p.rule(x, plotBottom, x, plotBottom+5, "")
		p.Text(x, plotBottom+20, ` text-anchor="middle"`, fmt.Sprintf("%d%%", i))
	}
	p.Text((plotLeft+plotRight)/2, plotBottom+42, ` text-anchor="middle"`, across)
	p.Add(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="%s"/>`, plotLeft, plotTop, plotRight-plotLeft,
		plotBottom-plotTop, p.Edge)
}

func (p *plot) x(load float64) int { return plotLeft + int(math.Round(load*(plotRight-plotLeft))) }

func (p *plot) y(value float64) int {
	return plotBottom - int(math.Round(min(value/p.most, 1)*(plotBottom-plotTop)))
}

func (p *plot) rule(x1, y1, x2, y2 int, more string) {
	p.Add(`<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s"%s/>`, x1, y1, x2, y2, p.Edge, more)
}

// curve draws a line through points.
func (p *plot) curve(ink, dashes string, xs, ys []float64) {
	var path strings.Builder
	for i, x := range xs {
		fmt.Fprintf(&path, "%c%d %d", "ML"[min(i, 1)], p.x(x), p.y(ys[i]))
	}
	if path.Len() > 0 {
		p.Add(`<path d="%s" fill="none" stroke="%s" stroke-width="2"%s/>`, path.String(), ink, dashes)
	}
}

// dot draws a measured value with its interval.
func (p *plot) dot(ink string, square bool, load float64, rate claims.Rate) {
	lo, hi := rate.Interval()
	p.Add(`<path d="M%d %dV%d" stroke="%s" opacity="0.6"/>`, p.x(load), p.y(lo), p.y(hi), ink)
	p.mark(ink, square, p.x(load), p.y(rate.Value()))
}

// mark draws a disc or a square.
func (p *plot) mark(ink string, square bool, x, y int) {
	if square {
		p.Add(`<rect x="%d" y="%d" width="6" height="6" fill="%s"/>`, x-3, y-3, ink)
	} else {
		p.Add(`<circle cx="%d" cy="%d" r="3" fill="%s"/>`, x, y, ink)
	}
}

// niceStep returns a step of 1, 2 or 5 times a power of ten that leads to most in at most six steps.
func niceStep(most float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(most)))
	for _, factor := range []float64{0.2, 0.5, 1, 2} {
		if most <= 6*factor*power {
			return factor * power
		}
	}
	return 5 * power
}

// kicksPlot draws the kicks of an insert by load.
func (c *crowd) kicksPlot(v voice, look trace.Look) []byte {
	p := plot{Canvas: trace.Canvas{Look: look, ID: "kicks-"}, most: 1}
	var xs, ys []float64
	for _, s := range c.samples {
		xs, ys = append(xs, c.load(s.keys)), append(ys, s.kicks)
		p.most = max(p.most, 1.1*s.kicks)
	}
	p.start(v.say("Kicks per insert"), v.say("load"), false)
	p.Text(plotLeft, 50, "", v.say("%[1]s, bucket size %[2]d: mean of %[3]s",
		c.Kick.Recipe(), c.BucketSize, fmt.Sprintf("%d%% of load", 100/windows), 100/windows))
	p.curve(look.Arrow, "", xs, ys)
	return p.End()
}

// ratePlot draws what was measured of both rates beside what the formulas say.
func (c *crowd) ratePlot(v voice, look trace.Look) []byte {
	p := plot{Canvas: trace.Canvas{Look: look, ID: "rate-"}}
	var xs []float64
	var ys [2][]float64
	for i := range windows + 1 {
		n := i * c.filter.Slots() / windows
		cuckooRate, bloomRate := c.predict(n)
		xs, ys[0], ys[1] = append(xs, c.load(n)), append(ys[0], cuckooRate), append(ys[1], bloomRate)
		p.most = max(p.most, 1.15*cuckooRate, 1.15*bloomRate)
	}
	p.start(v.say("False-positive rate"), v.say("load (keys / slots)"), true)
	p.key(plotLeft, look.Arrow, "", false, v.say("cuckoo"))
	p.key(plotLeft+100, look.Moved, dashed, true, v.say("Bloom"))
	p.Text(plotLeft+190, 50, ` font-size="12"`, v.say("line: predicted, mark: measured"))
	p.curve(look.Moved, dashed, xs, ys[1])
	p.curve(look.Arrow, "", xs, ys[0])
	for _, s := range c.samples {
		p.dot(look.Moved, true, c.load(s.keys), s.bloom)
		p.dot(look.Arrow, false, c.load(s.keys), s.cuckoo)
	}
	return p.End()
}

const dashed = ` stroke-dasharray="6 4"`

// key draws an entry of the legend.
func (p *plot) key(x int, ink, dashes string, square bool, text string) {
	p.Add(`<path d="M%d 46h28" stroke="%s" stroke-width="2"%s/>`, x, ink, dashes)
	p.mark(ink, square, x+14, 46)
	p.Text(x+34, 50, "", text)
}

func (c *crowd) load(keys int) float64 { return float64(keys) / float64(c.filter.Slots()) }
