package lab

import (
	"cmp"
	"math"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
)

// Draw makes the pictures.
func (e *Experiment) Draw(d *Data) (all []*chart.Figure) {
	for _, p := range e.Plots {
		f := &chart.Figure{Name: cmp.Or(p.Name, e.Name), Title: p.Title, Caption: p.Caption, Columns: p.Columns}
		if len(d.Groups) > 0 {
			f.Title, f.Caption = d.Groups[0].Cell.Fill(f.Title), d.Groups[0].Cell.Fill(f.Caption)
		}
		for _, panel := range p.Panels {
			if panel.Each == "" {
				f.Panels = append(f.Panels, panel.draw(d, d.Groups))
				continue
			}
			_, parts := Split(panel.Each, panel.chosen(d.Groups))
			for _, groups := range parts {
				one := panel
				one.Title = groups[0].Cell.Fill(panel.Title)
				f.Panels = append(f.Panels, one.draw(d, groups))
			}
		}
		if p.Edit != nil {
			p.Edit(d, f)
		}
		all = append(all, f)
	}
	return all
}

// chosen are the groups that are drawn.
func (p Panel) chosen(groups []Group) (out []Group) {
	for _, g := range groups {
		if len(g.Rows) > 0 && (p.Only == nil || p.Only(g)) {
			out = append(out, g)
		}
	}
	return out
}

// draw makes the panel of some groups.
func (p Panel) draw(d *Data, groups []Group) chart.Panel {
	out := chart.Panel{Title: p.Title, X: p.X, Y: p.Y}
	groups = p.chosen(groups)
	names, parts := Split(cmp.Or(p.By, "series"), groups)
	styles := chart.StylesFor(names...)
	for i, name := range names {
		line := chart.Series{Label: name, Style: styles[i], Kind: p.Kind}
		if p.Label != nil {
			line.Label = p.Label(name)
		}
		if p.Style != nil {
			line.Style = p.Style(parts[i][0], i, styles[i])
		}
		for _, g := range parts[i] {
			e := p.Of(g)
			if x := p.At(g); !math.IsNaN(x) && !math.IsNaN(e.Value) {
				line.Points = append(line.Points, point(x, e))
			}
		}
		if len(line.Points) > 0 {
			out.Series = append(out.Series, line)
		}
	}
	for _, more := range p.More {
		out.Series = append(out.Series, more(d, groups)...)
	}
	return out
}

// point is an estimate in a chart.
func point(x float64, e claims.Estimate) chart.Point {
	if e.Low == e.High {
		return chart.Point{X: x, Y: e.Value}
	}
	return chart.Point{X: x, Y: e.Value, Lo: e.Low, Hi: e.High, Zero: e.Value == 0 && e.High > 0}
}

// Numbered gives lines the styles of the values of a parameter.
func Numbered(_ Group, i int, _ chart.Style) chart.Style { return chart.Numbered(i) }

// Judge holds all claims against the data.
func (e *Experiment) Judge(d *Data) (out []claims.Verdict) {
	for _, rule := range e.Claims {
		out = append(out, rule(d)...)
	}
	return out
}
