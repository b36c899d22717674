package report

import (
	"errors"
	"fmt"

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
	var views []view
	for i := range r.Sections {
		v, err := w.section(&r.Sections[i], formats)
		if err != nil {
			return err
		}
		views = append(views, v)
	}
	p := newPage(r, w.man.Machine, w.man.Module, views)
	if err := w.verdicts(r, p); err != nil {
		return err
	}
	if len(r.Bench) > 0 {
		if err := w.WriteFile("bench.txt", benchText(w.man.Machine, r.Bench)); err != nil {
			return err
		}
		p.Files = append(p.Files, "bench.txt")
	}
	if len(r.Guide) > 0 {
		if err := w.WriteFile(guideName, r.Guide); err != nil {
			return err
		}
		p.Files = append(p.Files, guideName)
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

// verdicts writes the files that list all verdicts.
func (w *Writer) verdicts(r *Report, p *page) error {
	t := r.verdicts()
	if len(t.Rows) == 0 {
		return nil
	}
	data, err := t.CSV()
	if err != nil {
		return err
	}
	p.Files = append(p.Files, verdictsID+".csv", verdictsID+".tex")
	return errors.Join(w.WriteFile(verdictsID+".csv", data), w.WriteFile(verdictsID+".tex", verdictsLatex(r)))
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
		svg, err := f.Render("svg")
		if err != nil {
			return v, err
		}
		v.SVG = inline(svg, s.ID+"-", chart.PlainText(f.Title))
	}
	if len(s.Table.Columns) > 0 {
		data, err := s.Table.CSV()
		if err != nil {
			return v, err
		}
		v.CSV = s.ID + ".csv"
		v.Files = append(v.Files, v.CSV)
		if err := w.writeFile(v.CSV, data, s.Table.Timed); err != nil {
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
	var out []string
	for _, f := range formats {
		if f != "vl.json" {
			out = append(out, f)
		}
	}
	return append(out, "vl.json")
}

// shown is the table that a reader is shown first.
func (s *Section) shown() *Table {
	if len(s.Summary.Columns) > 0 {
		return &s.Summary
	}
	return &s.Table
}
