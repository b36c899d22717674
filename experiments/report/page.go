package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"
)

// A page is what report.html and report.md show.
type page struct {
	*Report
	Machine Machine
	Module  Module
	Views   []view
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

// maxRows of a table are shown in report.html; the CSV has them all.
const maxRows = 2000

// Shown are the rows of the table that a page shows.
func (v view) Shown() [][]string { return v.Table.Rows[:min(len(v.Table.Rows), maxRows)] }

// Cut reports whether rows are left out.
func (v view) Cut() bool { return len(v.Table.Rows) > maxRows }

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
func (p *page) Tallies() string { return tallies(p.Tally()) }

// Tallies are the numbers of verdicts of the section.
func (v view) Tallies() string {
	n := map[Status]int{}
	for _, r := range v.Verdicts {
		n[r.Status]++
	}
	return tallies(n)
}

// tallies writes "5 hold, 1 differs, 2 not measured"; it is empty without any.
func tallies(n map[Status]int) string {
	var parts []string
	for _, t := range []struct {
		status    Status
		one, many string
	}{{Holds, "holds", "hold"}, {Differs, "differs", "differ"}, {NotMeasured, "not measured", "not measured"}} {
		switch n[t.status] {
		case 0:
		case 1:
			parts = append(parts, "1 "+t.one)
		default:
			parts = append(parts, strconv.Itoa(n[t.status])+" "+t.many)
		}
	}
	return strings.Join(parts, ", ")
}

// Class is the style class of a status.
func (s Status) Class() string { return strings.ReplaceAll(s.String(), " ", "-") }

// Basis says what decides our number.
func (v Verdict) Basis() string {
	switch {
	case v.Status == NotMeasured:
		return ""
	case v.Deterministic:
		return "the seed"
	}
	return "the seed and the machine"
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

func (p *page) html() ([]byte, error) {
	var buf bytes.Buffer
	err := pageTemplate.Execute(&buf, p)
	return buf.Bytes(), err
}

// Parts of an SVG file that have to change before it stands in a page with others.
var (
	svgIDs    = regexp.MustCompile(`(\sid="|url\(#|href="#)`)
	svgSpaces = regexp.MustCompile(`\s+xmlns(:[a-z]+)?="[^"]*"`)
	svgOpen   = regexp.MustCompile(`<svg[^>]*>`)
	svgTags   = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	svgSize   = regexp.MustCompile(`\swidth="([0-9.]+)pt"\s+height="[0-9.]+pt"`)
)

// onScreen is how much larger than on paper a figure is shown: its text is then as large as the page's.
const onScreen = 1.3

// inline turns an SVG file into an element for a page: without the XML prologue and namespaces, its
// ids and the references to them prefixed so that two figures do not share a clip path, and
// named for those who cannot see it.
func inline(svg []byte, prefix, title string) template.HTML {
	s := string(svg)
	s = s[max(strings.Index(s, "<svg"), 0):]
	s = svgTags.ReplaceAllStringFunc(s, func(tag string) string {
		return svgIDs.ReplaceAllString(tag, "${1}"+prefix)
	})
	open := svgOpen.FindString(s)
	named := svgSpaces.ReplaceAllString(open, "")
	if size := svgSize.FindStringSubmatch(named); size != nil {
		if pt, err := strconv.ParseFloat(size[1], 64); err == nil {
			named = svgSize.ReplaceAllString(named, fmt.Sprintf(` style="width:%.0fpt"`, pt*onScreen))
		}
	}
	named = strings.TrimSuffix(named, ">") + ` role="img" aria-label="` + html.EscapeString(title) + `">`
	return template.HTML(strings.Replace(s, open, named, 1))
}
