package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// A scale maps one direction of a panel. A log axis is a linear one of logarithms:
// gonum's own log scale and ticker panic at zero and leave a blank band over the panel.
type scale struct {
	log    bool
	base   float64
	lo, hi float64 // of transformed values
}

// value transforms a datum. What a log axis cannot show lies just below the frame.
func (s scale) value(v float64) float64 {
	switch {
	case !s.log:
		return v
	case v <= 0:
		return s.lo - (s.hi-s.lo)/100
	case s.base == 2:
		return math.Log2(v)
	}
	return math.Log10(v)
}

// share is how much of the frame lies before a transformed value.
func (s scale) share(t float64) vg.Length { return vg.Length((t - s.lo) / (s.hi - s.lo)) }

// values are what automatic axes must show of a panel. An interval's lower end stretches a log axis by no more than a
// decade below the lowest point: beyond, the band is cut.
func (p *Panel) values() (x, y []float64) {
	of, log := &y, p.Y.Log
	if p.Sideways {
		of, log = &x, p.X.Log
	}
	var low []float64
	for _, series := range p.Series {
		for _, pt := range series.Points {
			x = append(x, pt.X)
			if pt.Zero && p.Y.Log {
				y = append(y, pt.Hi, pt.Hi/5) // room for the arrow
				continue
			}
			y = append(y, pt.Y)
			if pt.interval() {
				*of = append(*of, pt.Hi)
			}
			if pt.interval() && (pt.Lo > 0 || !log) {
				low = append(low, pt.Lo)
			}
		}
	}
	if len(low) > 0 {
		least := slices.Min(low)
		if log {
			least = max(least, slices.Min(*of)/10)
		}
		*of = append(*of, least, slices.Max(low))
	}
	return x, y
}

func (a Axis) logBase() float64 {
	if a.Base == 2 {
		return 2
	}
	return 10
}

func (a Axis) scale(values []float64) scale {
	sc := scale{log: a.Log, base: a.logBase()}
	for _, t := range a.Ticks {
		values = append(values, t.At)
	}
	switch {
	case len(values) == 0 && a.Log:
		values = []float64{1 / sc.base, 1}
	case len(values) == 0:
		values = []float64{0, 1}
	}
	lo, hi := slices.Min(values), slices.Max(values)
	switch half := a.halfStep(); {
	case a.Log:
		sc.lo, sc.hi = logRange(sc.value(lo), sc.value(hi))
	case half > 0:
		sc.lo, sc.hi = lo-half, hi+half
	default:
		sc.lo, sc.hi = linearRange(lo, hi)
	}
	if a.Min == 0 && a.Max == 0 {
		return sc
	}
	if !math.IsNaN(a.Min) && (!a.Log || a.Min > 0) {
		sc.lo = sc.value(a.Min)
	}
	if !math.IsNaN(a.Max) && a.Max > a.Min && (!a.Log || a.Max > 0) || math.IsNaN(a.Min) && a.Max > lo {
		sc.hi = sc.value(a.Max)
	}
	if sc.hi <= sc.lo { // a fixed bound beyond all data
		sc.hi = sc.lo + 1
	}
	return sc
}

// halfStep is half the distance of two named ticks, the room that a name takes on either side; 0
// if the ticks are numbers.
func (a Axis) halfStep() float64 {
	step := math.Inf(1)
	for i := 1; i < len(a.Ticks); i++ {
		if a.Ticks[i].Label != "" {
			step = min(step, math.Abs(a.Ticks[i].At-a.Ticks[i-1].At))
		}
	}
	if math.IsInf(step, 1) {
		return 0
	}
	return step / 2
}

// linearRange pads data by 4% on either side, but not across zero. Data that differ by less than a
// billionth get as much: ticks between them would come out as equal numbers.
func linearRange(lo, hi float64) (float64, float64) {
	pad := max((hi-lo)*0.04, max(math.Abs(lo), math.Abs(hi))*1e-9, 1e-300) // a step must not come out as 0
	if hi == lo {
		pad = max(math.Abs(lo)*0.1, 1e-9)
		if lo == 0 {
			pad = 1
		}
	}
	low := lo - pad
	if lo >= 0 && low < 0 {
		low = 0
	}
	return low, hi + pad
}

// logRange rounds data out to whole decades unless that would leave more than half of the axis blank.
func logRange(lo, hi float64) (float64, float64) {
	const slack = 1e-9 // of log10(1e-6) and its like
	l, h := math.Floor(lo+slack), math.Ceil(hi-slack)
	if h <= l {
		h = l + 1
	}
	if h-l <= 2*(hi-lo) {
		edge := (h - l) * 0.025 // a marker on the frame would be half outside
		if lo-l < edge {
			l = lo - edge
		}
		if h-hi < edge {
			h = hi + edge
		}
		return l, h
	}
	pad := max((hi-lo)*0.08, 0.05)
	return lo - pad, hi + pad
}

// A tick is a mark of a laid out axis: at a transformed value, minor if it has no label.
type tick struct {
	at    float64
	label string
}

// ticks are the marks of the axis on scale sc, with about most labels at the most.
func (a Axis) ticks(sc scale, most int) []tick {
	switch {
	case len(a.Ticks) > 0:
		return a.fixedTicks(sc)
	case !a.Log:
		return a.linearTicks(sc, most)
	}
	return a.logTicks(sc, most)
}

// logTicks marks the powers in sight and, of ten, the multiples 2 to 9 between them, and labels every power, or every
// second or third of them. Where fewer than two powers are in sight it labels multiples, or where these are too few,
// too, the ticks of a linear axis at their logarithms.
func (a Axis) logTicks(sc scale, most int) (out []tick) {
	first, last := int(math.Ceil(sc.lo-1e-9)), int(math.Floor(sc.hi+1e-9))
	few, labelled := last <= first, "123456789"
	if sc.hi-sc.lo > 0.6 {
		labelled = "125"
	}
	stride := 1
	for (last-first)/stride+1 > most {
		stride++
	}
	for e := first - 1; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			t, slack := tick{at: float64(e) + math.Log10(float64(m))}, 1e-9
			if m > 1 && !few {
				slack = 0
			}
			switch {
			case t.at < sc.lo-slack || t.at > sc.hi+slack || m > 1 && (stride > 1 || sc.base == 2):
				continue
			case few && sc.base == 10 && strings.Contains(labelled, strconv.Itoa(m)):
				t.label = a.format(float64(m)*math.Pow10(e), max(0, -e))
			case !few && m == 1 && e%stride == 0:
				t.label = a.power(e)
			}
			out = append(out, t)
		}
	}
	if few && labels(out) < 2 {
		out = a.linearTicks(scale{lo: math.Pow(sc.base, sc.lo), hi: math.Pow(sc.base, sc.hi)}, most)
		for i := range out {
			out[i].at = sc.value(out[i].at)
		}
	}
	return out
}

func (a Axis) power(e int) string {
	if a.Format == Percent && a.Base != 2 {
		return number(math.Pow10(e+2), max(0, -e-2)) + "%"
	}
	return fmt.Sprintf("%v^{%d}", a.logBase(), e)
}

func labels(ticks []tick) int {
	n := 0
	for _, t := range ticks {
		if t.label != "" {
			n++
		}
	}
	return n
}

func (a Axis) fixedTicks(sc scale) (out []tick) {
	for _, t := range a.Ticks {
		if at := sc.value(t.At); at >= sc.lo-1e-9 && at <= sc.hi+1e-9 {
			out = append(out, tick{at, cmp.Or(t.Label, a.format(t.At, -1))})
		}
	}
	return out
}

// linearTicks are multiples of 1, 2 or 5 times a power of ten.
func (a Axis) linearTicks(sc scale, most int) (out []tick) {
	raw := (sc.hi - sc.lo) / float64(max(most-1, 1))
	exp := int(math.Floor(math.Log10(raw)))
	step := math.Pow10(exp)
	for _, m := range []float64{2, 5, 10} {
		if step < raw*(1-1e-9) {
			step = m * math.Pow10(exp)
		}
	}
	if a.Whole {
		step = max(step, 1)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for i := math.Ceil(sc.lo/step - 1e-9); i*step <= sc.hi+step*1e-9; i++ {
		out = append(out, tick{i * step, a.format(i*step, decimals)})
	}
	return out
}

// format writes a tick's number with the given decimals, or as few as it takes if they are -1. What would have many
// digits is written with a power of ten, as 2x10^{-12}.
func (a Axis) format(v float64, decimals int) string {
	const manyDecimals, largeNumber = 9, 1e15
	if a.Format == Percent {
		return number(v*100, max(decimals-2, min(decimals, 0))) + "%"
	}
	switch size := math.Abs(v); {
	case v == 0 && decimals > manyDecimals:
		return "0"
	case decimals > manyDecimals, size >= largeNumber:
		mantissa, exp, _ := strings.Cut(strconv.FormatFloat(v, 'g', 6, 64), "e")
		power, _ := strconv.Atoi(exp) // FormatFloat's own
		return fmt.Sprintf("%sx10^{%d}", mantissa, power)
	case size >= 1e9:
		return number(v/1e9, -1) + "G"
	case size >= 1e6:
		return number(v/1e6, -1) + "M"
	case size >= 1e4:
		return number(v/1e3, -1) + "k"
	}
	return number(v, decimals)
}

// number writes v with the given decimals, or -1; never in exponent form, never as -0.
func number(v float64, decimals int) string {
	if v == 0 {
		v = 0 // -0
	}
	if decimals < 0 { // hide the last bits of 0.1+0.2
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
