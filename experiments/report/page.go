package report

import (
	"bytes"
	_ "embed"
	"html/template"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
)

// A page is what report.html and report.md show.
type page struct {
	*Report
	Machine Machine
	Module  Module
	Views   []view
	Files   []string // that belong to no section
}

// A view is a section with its files.
type view struct {
	*Section
	SVG   template.HTML // inline; trusted, since package chart made it
	CSV   string
	Files []string
}

func newPage(r *Report, m Machine, mod Module, views []view) *page {
	return &page{Report: r, Machine: m, Module: mod, Views: views}
}

// maxRows of a table are shown in report.html; the CSV has them all. A table of at most openRows is open
// from the start.
const (
	maxRows  = 2000
	openRows = 40
)

// A tableView is a table of a section as a page shows it.
type tableView struct {
	Name, Of string
	Heads    []head
	Rows     [][]string
	Total    int
	Open     bool
}

// A head is the name of a column; those of numbers stand to the right.
type head struct {
	Text  string
	Right bool
}

// Cut reports whether rows are left out.
func (v tableView) Cut() bool { return v.Total > len(v.Rows) }

// Tables are the summary, if there is one, and the table of everything.
func (v view) Tables() []tableView {
	var out []tableView
	add := func(name string, t *Table, open bool) {
		if len(t.Columns) == 0 {
			return
		}
		shown := tableView{Name: name, Of: v.Title, Total: len(t.Rows), Rows: t.Rows[:min(len(t.Rows), maxRows)]}
		shown.Open = open && shown.Total <= openRows
		for i, c := range t.Columns {
			shown.Heads = append(shown.Heads, head{c, t.numeric(i)})
		}
		out = append(out, shown)
	}
	summarized := len(v.Summary.Columns) > 0
	add("Summary", &v.Summary, true)
	add("Table", &v.Table, !summarized)
	return out
}

// Circumstances is the line under a figure: the section's conditions, the seed and the machine.
func (p *page) Circumstances(v view) string {
	parts := []string{}
	if v.Conditions != "" {
		parts = append(parts, strings.TrimRight(v.Conditions, ". "))
	}
	if p.Profile != "" {
		parts = append(parts, "profile "+p.Profile)
	}
	parts = append(parts, "seed "+strconv.FormatUint(p.Seed, 10), p.Machine.String())
	return strings.Join(parts, "; ") + "."
}

// Tallies are the numbers of verdicts of all sections.
func (p *page) Tallies() string { return p.Tally().String() }

// Legend says what an outcome means that its name does not tell; it is empty if no verdict has it.
func (p *page) Legend() string {
	if p.Tally()[claims.Undecided] == 0 {
		return ""
	}
	return "Undecided: what was measured is evidence neither for the claim nor against it."
}

// Tallies are the numbers of verdicts of the section.
func (v view) Tallies() string {
	n := claims.Tally{}
	for _, r := range v.Verdicts {
		n[r.Status]++
	}
	return n.String()
}

// class is the style class of a status.
func class(s claims.Status) string { return strings.ReplaceAll(s.String(), " ", "-") }

// measured reports whether there is a number of ours.
func measured(v claims.Verdict) bool { return v.Status != claims.NotMeasured }

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"class": class, "measured": measured}).Parse(pageText))

func (p *page) html() ([]byte, error) {
	var buf bytes.Buffer
	err := pageTemplate.Execute(&buf, p)
	return buf.Bytes(), err
}
