package page

import (
	"cmp"
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

// A curve is a line of a plot over the load, with what was measured of it.
type curve struct {
	name, ink, dashes string
	line              []point
	marks             []mark
}

type point struct{ load, value float64 }

type mark struct {
	load float64
	claims.Rate
}

// plot draws curves over the load, from 0 to 1, their names and a note. Values are percentages, or plain numbers.
func plot(p trace.Canvas, title, across, note string, percents bool, curves ...curve) []byte {
	const middle = ` text-anchor="middle"`
	most := 0.0
	for _, c := range curves {
		for _, at := range c.line {
			most = max(most, 1.15*at.value)
		}
	}
	most = cmp.Or(most, 1)
	x := func(load float64) int { return plotLeft + int(math.Round(load*(plotRight-plotLeft))) }
	y := func(value float64) int { return plotBottom - int(math.Round(min(value/most, 1)*(plotBottom-plotTop))) }
	p.Start(plotWidth, plotHeight, title)
	p.Text(14, 24, trace.Bold(15), title)
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for step > most/3 {
		step /= 2
	}
	for value := 0.0; value <= most; value += step {
		text := fmt.Sprintf("%.3g", value)
		if percents {
			text = fmt.Sprintf("%.3g%%", 100*value)
		}
		p.Add(`<path d="M%d %dH%d" stroke="%s" opacity="0.35"/>`, plotLeft, y(value), plotRight, p.Edge)
		p.Text(plotLeft-7, y(value)+4, trace.ToTheLeft, text)
	}
	for i := 0; i <= 100; i += 20 {
		p.Text(x(float64(i)/100), plotBottom+20, middle, fmt.Sprintf("%d%%", i))
	}
	p.Text((plotLeft+plotRight)/2, plotBottom+42, middle, across)
	p.Add(`<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`, plotLeft, plotTop, plotBottom, plotRight, p.Edge)
	left := plotLeft
	for _, c := range curves {
		var path strings.Builder
		for i, at := range c.line {
			fmt.Fprintf(&path, "%c%d %d", "ML"[min(i, 1)], x(at.load), y(at.value))
		}
		if c.name != "" {
			fmt.Fprintf(&path, "M%d 46h28", left)
			p.Text(left+34, 50, "", c.name)
			left += 90
		}
		p.Add(`<path d="%s" fill="none" stroke="%s" stroke-width="2"%s/>`, path.String(), c.ink, c.dashes)
		for _, m := range c.marks {
			lo, hi := m.Interval()
			p.Add(`<path d="M%d %dV%d" stroke="%s" opacity="0.6"/>`, x(m.load), y(lo), y(hi), c.ink)
			p.Add(`<circle cx="%d" cy="%d" r="3" fill="%s"/>`, x(m.load), y(m.Value()), c.ink)
		}
	}
	p.Text(left, 50, ` font-size="12"`, note)
	return p.End()
}

// kicksPlot draws the kicks of an insert by load.
func (c *crowd) kicksPlot(v voice, look trace.Look) []byte {
	kicks := curve{ink: look.Arrow}
	for _, s := range c.samples {
		kicks.line = append(kicks.line, point{c.load(s.keys), s.kicks})
	}
	return plot(trace.Canvas{Look: look, ID: "kicks-"}, v.say("kicks-title"), v.say("load"), v.say("kicks-legend",
		c.Kick.Recipe(), c.BucketSize, fmt.Sprintf("%d%% of load", 100/windows), 100/windows), false, kicks)
}

// ratePlot draws what was measured of both rates beside what the formulas say.
func (c *crowd) ratePlot(v voice, look trace.Look) []byte {
	both := [2]curve{{name: v.say("cuckoo"), ink: look.Arrow},
		{name: v.say("bloom"), ink: look.Moved, dashes: ` stroke-dasharray="6 4"`}}
	for i := range windows + 1 {
		n := i * c.filter.Slots() / windows
		for k, rate := range c.predict(n) {
			both[k].line = append(both[k].line, point{c.load(n), rate})
		}
	}
	for _, s := range c.samples {
		for k, rate := range s.rates {
			both[k].marks = append(both[k].marks, mark{c.load(s.keys), rate})
		}
	}
	return plot(trace.Canvas{Look: look, ID: "rate-"}, v.say("rates-title"), v.say("rates-load"), v.say("rates-legend"),
		true, both[:]...)
}
