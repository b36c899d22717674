package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// obj is a JSON object; encoding/json writes its keys in order, so the bytes are stable.
type obj map[string]any

// vega returns the figure as a Vega-Lite version 5 specification (vega.github.io/vega-lite) with its
// data inline, numbers of six significant digits, one row per point.
func (f *Figure) vega() ([]byte, error) {
	l := f.layout()
	var panels []obj
	var rows []obj
	for i := range l.panels {
		rows = append(rows, l.panels[i].rows(i)...)
		panels = append(panels, f.vegaPanel(&l.panels[i], i))
	}
	spec := obj{
		"$schema":     "https://vega.github.io/schema/vega-lite/v5.json",
		"title":       PlainText(f.Title),
		"description": f.Caption,
		"data":        obj{"values": rows},
		"concat":      panels,
		"columns":     l.columns,
		"config":      f.vegaConfig(),
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(spec)
	return buf.Bytes(), err
}

// six is a JSON number of at most six significant digits.
func six(v float64) json.Number {
	return json.Number(strconv.FormatFloat(v, 'g', 6, 64))
}

// rows are the points of a panel. A row's line is its series and piece, since a limit or another
// series of the same label must not be connected.
func (p *placed) rows(panel int) []obj {
	var out []obj
	for i, s := range p.Series {
		piece := 0
		for j, pt := range s.Points {
			row := obj{
				"panel": panel, "series": PlainText(s.Label), "kind": s.Kind.String(), "step": s.Step,
				"line": fmt.Sprintf("%d.%d.%d", panel, i, piece), "x": six(pt.X),
			}
			if s.Kind == Hollow { // the paper's series share a label, and so the scale of shapes
				row["marker"] = s.Style.Marker.vega()
			}
			if p.limit(pt) {
				row["limit"] = six(pt.Hi)
				piece++
			} else {
				row["y"] = six(pt.Y)
				if pt.interval() {
					row["lo"], row["hi"] = six(pt.Lo), six(pt.Hi)
					row["bar"] = p.bar(s, j)
				}
			}
			out = append(out, row)
		}
	}
	return out
}

// vegaPanel is one view: bands under lines under error bars under marks, as in the picture.
func (f *Figure) vegaPanel(p *placed, panel int) obj {
	x := obj{"field": "x", "type": "quantitative", "title": PlainText(p.X.Label), "scale": p.x.vega(), "axis": p.X.vega(p.xTicks, p.x)}
	y := func(field string) obj {
		return obj{"field": field, "type": "quantitative", "title": PlainText(p.Y.Label), "scale": p.y.vega(), "axis": p.Y.vega(p.yTicks, p.y)}
	}
	colour, dash, shape := f.vegaScales()
	layer := func(mark obj, filter string, enc obj) obj {
		mark["clip"] = true
		if _, ok := enc["x"]; !ok {
			enc["x"] = x
		}
		enc["detail"] = obj{"field": "line"}
		return obj{"mark": mark, "transform": []obj{{"filter": fmt.Sprintf("datum.panel == %d && (%s)", panel, filter)}}, "encoding": enc}
	}
	low := strconv.FormatFloat(-math.MaxFloat64, 'g', 6, 64)
	if p.Y.Log {
		low = strconv.FormatFloat(p.y.inverse(p.y.lo), 'g', 6, 64)
	}
	band := layer(obj{"type": "area", "opacity": 0.17}, "isValid(datum.lo) && !datum.bar", obj{"y": y("low"), "y2": obj{"field": "hi"}, "color": colour})
	interval := obj{"y": y("low"), "y2": obj{"field": "hi"}, "color": colour}
	if p.Sideways {
		low := maps.Clone(x)
		low["field"] = "low"
		interval = obj{"y": y("y"), "x": low, "x2": obj{"field": "hi"}, "color": colour}
	}
	bars := layer(obj{"type": "rule"}, "datum.bar", interval)
	for _, l := range []obj{band, bars} { // a log axis has no place for 0
		l["transform"] = append(l["transform"].([]obj), obj{"calculate": "max(datum.lo, " + low + ")", "as": "low"})
	}
	notes := []obj{}
	for _, n := range p.Notes {
		notes = append(notes, obj{"x": six(n.X), "y": six(n.Y), "text": strings.Split(PlainText(wrap(n.Text, sizeNote, 120)), "\n")})
	}
	line := func(width int, interpolate, filter string) obj {
		return layer(obj{"type": "line", "strokeWidth": width, "interpolate": interpolate}, filter, obj{"y": y("y"), "color": colour, "strokeDash": dash})
	}
	const ours = "indexof(['linemarks', 'line'], datum.kind) >= 0 && isValid(datum.y) && "
	note := obj{
		"mark": obj{"type": "text", "align": "left", "dx": 7, "dy": -7}, "data": obj{"values": notes},
		"encoding": obj{"x": x, "y": y("y"), "text": obj{"field": "text"}},
	}
	width, height := f.vegaSize()
	return obj{
		"title": PlainText(p.Title), "width": width, "height": height,
		"layer": append(p.vegaAreas(x, y("y")), []obj{
			band,
			line(1, "linear", "datum.kind == 'thin' && !datum.step"), line(1, "step-after", "datum.kind == 'thin' && datum.step"),
			layer(obj{"type": "point", "filled": false, "opacity": 1, "size": 90, "tooltip": true}, "datum.kind == 'hollow' && isValid(datum.y)",
				obj{"y": y("y"), "color": colour, "shape": obj{"field": "marker", "type": "nominal", "scale": nil}}),
			line(2, "linear", ours+"!datum.step"), line(2, "step-after", ours+"datum.step"),
			bars,
			layer(obj{"type": "point", "filled": true, "opacity": 1, "size": 45, "tooltip": true}, "indexof(['linemarks', 'marks'], datum.kind) >= 0 && isValid(datum.y)", obj{"y": y("y"), "color": colour, "shape": shape}),
			layer(obj{"type": "text", "text": "\u21a7", "fontSize": 14, "baseline": "top", "tooltip": true}, "isValid(datum.limit)", obj{"y": y("limit"), "color": colour}),
			note,
		}...),
	}
}

// inverse undoes value.
func (s scale) inverse(t float64) float64 {
	if !s.log {
		return t
	}
	return math.Pow(s.base, t)
}

func (s scale) vega() obj {
	out := obj{"domain": []json.Number{six(s.inverse(s.lo)), six(s.inverse(s.hi))}, "nice": false, "zero": false}
	if s.log {
		out["type"], out["base"] = "log", s.base
		delete(out, "zero")
	}
	return out
}

// vega is the axis with the labelled ticks of the picture.
func (a Axis) vega(ticks []tick, sc scale) obj {
	var values []json.Number
	var cases strings.Builder
	for _, t := range ticks {
		if t.label != "" {
			v := six(sc.inverse(t.at))
			values = append(values, v)
			name, _ := json.Marshal(strings.Split(PlainText(t.label), "\n")) // strings always marshal
			fmt.Fprintf(&cases, "abs(datum.value - %s) <= 1e-6 * abs(%s) ? %s : ", v, v, name)
		}
	}
	return obj{"values": values, "labelExpr": cases.String() + "datum.label"}
}

// vegaScales give each label its colour, dash and marker. The legend lists its labels in its order.
func (f *Figure) vegaScales() (colour, dash, shape obj) {
	var all []Series
	legend := []string{}
	for _, e := range f.entries() {
		if !e.limit {
			all, legend = append(all, e.series[0]), append(legend, PlainText(e.label))
		}
	}
	for _, p := range f.Panels { // what the legend leaves out needs a style too
		all = append(all, p.Series...)
	}
	names, colours, shapes, dashes := []string{}, []string{}, []string{}, [][]float64{}
	for _, s := range all {
		if name := PlainText(s.Label); !slices.Contains(names, name) {
			names, colours = append(names, name), append(colours, hex(f.Theme.Ink(s.markInk())))
			shapes, dashes = append(shapes, s.Style.Marker.vega()), append(dashes, append([]float64{}, s.Style.Dash...))
		}
	}
	var shown any // null is no legend; an empty one has no size
	if len(legend) > 0 {
		shown = obj{"title": nil, "values": legend, "symbolOpacity": 1, "labelLimit": 0}
	}
	enc := func(values any) obj {
		return obj{"field": "series", "type": "nominal", "scale": obj{"domain": names, "range": values}, "legend": shown}
	}
	return enc(colours), enc(dashes), enc(shapes)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// String names the kind as in the Vega-Lite data.
func (k Kind) String() string {
	if k < LineMarks || k > Thin {
		return "Kind(" + strconv.Itoa(int(k)) + ")"
	}
	return [...]string{"linemarks", "line", "marks", "hollow", "thin"}[k]
}

// superscripts are what ^{...} becomes where text may be Unicode.
var superscripts = strings.NewReplacer("0", "\u2070", "1", "\u00b9", "2", "\u00b2", "3", "\u00b3", "4", "\u2074", "5", "\u2075",
	"6", "\u2076", "7", "\u2077", "8", "\u2078", "9", "\u2079", "-", "\u207b", "+", "\u207a", "n", "\u207f")

// PlainText turns the text of a figure into ordinary text, as for a page or an alt attribute: ^{-6}
// becomes superscript characters, or ^-6 if there
// is a character without one.
func PlainText(s string) string {
	var b strings.Builder
	for _, r := range split(s) {
		if r.super {
			up := superscripts.Replace(r.text)
			if strings.ContainsFunc(up, func(c rune) bool { return c <= '~' }) {
				up = "^" + r.text
			}
			r.text = up
		}
		b.WriteString(r.text)
	}
	return b.String()
}
