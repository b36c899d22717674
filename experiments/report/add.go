package report

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/chart"
)

// guideName is the file of Report.Guide.
const guideName = "REPRODUCING.md"

// Add writes a report: for each section its figure in the given formats and as Vega-Lite, its CSV, and
// its table for LaTeX; then verdicts.csv and verdicts.tex if there is any, bench.txt, report.md and
// report.html. Everything is checked before the first file is written. A Writer takes one report.
func (w *Writer) Add(r *Report, formats []string) error {
	if err := chart.CheckFormats(formats); err != nil {
		return err
	}
	if err := r.Check(); err != nil {
		return err
	}
	if r.Machine != (Machine{}) {
		w.man.Machine = r.Machine
	}
	w.man.Kind, w.man.Profile = r.Kind, r.Profile
	if w.man.Rebuilt == nil {
		w.man.Settings = r.Settings
	}
	w.Seed(r.Seed)
	p := &page{Report: r, Machine: w.man.Machine, Module: w.man.Module}
	for _, pictured := range []bool{true, false} {
		for i := range r.Sections {
			if s := &r.Sections[i]; pictured == (s.Figure != nil) {
				v, err := w.section(s, formats)
				if err != nil {
					return err
				}
				p.Views = append(p.Views, v)
			}
		}
	}
	if err := w.common(p); err != nil {
		return err
	}
	if err := w.WriteFile("report.md", p.markdown()); err != nil {
		return err
	}
	html, err := p.html()
	if err != nil {
		return fmt.Errorf("report: report.html: %w", err)
	}
	return w.WriteFile("report.html", html)
}

// common writes the files that belong to no section: the verdicts, the timings and the guide, where there are any.
func (w *Writer) common(p *page) error {
	files := map[string][]byte{guideName: p.Guide}
	if t := p.verdictTable(); len(t.Rows) > 0 {
		data, err := t.CSV()
		if err != nil {
			return err
		}
		files[verdictsID+".csv"], files[verdictsID+".tex"] = data, p.verdictsLatex()
	}
	if len(p.Bench) > 0 {
		files["bench.txt"] = benchText(w.man.Machine, p.Bench)
	}
	for _, name := range []string{verdictsID + ".csv", verdictsID + ".tex", "bench.txt", guideName} {
		if len(files[name]) == 0 {
			continue
		}
		if err := w.WriteFile(name, files[name]); err != nil {
			return err
		}
		p.Files = append(p.Files, name)
	}
	return nil
}

// section writes the files of one section and returns what the pages show of it.
func (w *Writer) section(s *Section, formats []string) (view, error) {
	v := view{Section: s}
	if s.Figure != nil {
		f := s.figure()
		for _, format := range withVega(formats) {
			data, err := f.Render(format)
			if err != nil {
				return v, err
			}
			if err := w.WriteFile(f.Name+"."+format, data); err != nil {
				return v, err
			}
			v.Files = append(v.Files, f.Name+"."+format)
		}
		for _, shape := range []*chart.Figure{f, f.Narrow()} {
			svg, err := shape.Render("svg")
			if err != nil {
				return v, err
			}
			v.SVG = append(v.SVG, inline(svg, fmt.Sprintf("%s-%d-", s.ID, len(v.SVG)), chart.PlainText(f.Title)))
		}
	}
	if len(s.Table.Columns) > 0 {
		data, err := s.Table.CSV()
		if err != nil {
			return v, err
		}
		v.Files = append(v.Files, s.ID+".csv")
		if err := w.writeFile(s.ID+".csv", data, s.Table.Timed); err != nil {
			return v, err
		}
	}
	if t := s.shown(); len(t.Columns) > 0 && len(t.Rows) <= maxLatexRows {
		name := s.ID + ".tex"
		if err := w.WriteFile(name, s.latex()); err != nil {
			return v, err
		}
		v.Files = append(v.Files, name)
	}
	return v, nil
}

// withVega adds the Vega-Lite format, which every figure gets.
func withVega(formats []string) []string {
	const vega = "vl.json"
	return append(slices.DeleteFunc(slices.Clone(formats), func(f string) bool { return f == vega }), vega)
}

// shown is the table that a reader is shown first.
func (s *Section) shown() *Table {
	if len(s.Summary.Columns) > 0 {
		return &s.Summary
	}
	return &s.Table
}
