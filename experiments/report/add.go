package report

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/chart"
)

// guideName is the file of Report.Guide.
const guideName = "REPRODUCING.md"

// Add writes a report: for each section its figure in the given formats, its CSV, and
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
	w.man.Kind, w.man.Profile, w.man.Seeds = r.Kind, r.Profile, []uint64{r.Seed}
	if w.man.Rebuilt == nil {
		w.man.Settings, w.man.Origins = r.Settings, r.Origins
	}
	p := &page{Report: r, Machine: w.man.Machine, Module: w.man.Module}
	sections := inOrder(r.Sections)
	for i, s := range sections {
		v, err := w.section(s, formats)
		if err != nil {
			return err
		}
		if i == 0 || !s.follows(sections[i-1]) {
			v.Score = s.score()
		}
		p.Views = append(p.Views, v)
	}
	common := []output{{name: benchName, data: p.bench},
		{name: guideName, data: func() ([]byte, error) { return p.Guide, nil }}}
	if t := p.verdictTable(); len(t.Rows) > 0 {
		common = append([]output{{name: verdictsID + ".csv", data: t.CSV},
			{name: verdictsID + ".tex", data: p.verdictsLatex}}, common...)
	}
	var err error
	if p.Files, err = w.outputs(common); err == nil {
		_, err = w.outputs([]output{{name: "report.md", data: p.markdown}, {name: "report.html", data: p.html}})
	}
	return err
}

// An output is a file of a report in the making; without data it is not written.
type output struct {
	name  string
	timed []string // columns
	data  func() ([]byte, error)
}

// outputs writes files and returns their names.
func (w *Writer) outputs(files []output) (names []string, err error) {
	for _, f := range files {
		data, err := f.data()
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", f.name, err)
		}
		if len(data) == 0 {
			continue
		}
		if err := w.writeFile(f.name, data, f.timed); err != nil {
			return nil, err
		}
		names = append(names, f.name)
	}
	return names, nil
}

// section writes the files of one section and returns what the pages show of it.
func (w *Writer) section(s *Section, formats []string) (v view, err error) {
	v.Section = s
	var files []output
	if s.Figure != nil {
		f := s.figure()
		for _, format := range formats {
			files = append(files, output{name: f.Name + "." + format, data: func() ([]byte, error) { return f.Render(format) }})
		}
		for _, shape := range []*chart.Figure{f, f.Narrow()} {
			svg, err := shape.Render("svg")
			if err != nil {
				return v, err
			}
			id := fmt.Sprintf("%s-%d", s.ID, len(v.Pictures))
			v.Pictures = append(v.Pictures, inline(svg, id, chart.PlainText(f.Title)))
		}
	}
	if len(s.Table.Columns) > 0 {
		files = append(files, output{s.ID + ".csv", s.Table.Timed, s.Table.CSV})
	}
	if n := len(s.shown().Rows); n > 0 && n <= maxLatexRows {
		files = append(files, output{name: s.ID + ".tex", data: s.latex})
	}
	v.Files, err = w.outputs(files)
	return v, err
}

// shown is the table that a reader is shown first.
func (s *Section) shown() *Table {
	if len(s.Summary.Columns) > 0 {
		return &s.Summary
	}
	return &s.Table
}
