package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/stat"
)

// A page is what report.html and report.md show. Views with a picture come first.
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
	SVG   []template.HTML // inline, the wide form and the narrow one; trusted, since package chart made them
	Files []string
}

// Circumstances are the conditions as a sentence, "" without any.
func (v view) Circumstances() string {
	if v.Conditions == "" {
		return ""
	}
	return strings.TrimRight(v.Conditions, ". ") + "."
}

// Tallies are the numbers of verdicts of the section.
func (v view) Tallies() string { return tally(v.Verdicts).String() }

func tally(vs []claims.Verdict) claims.Tally {
	n := claims.Tally{}
	for _, v := range vs {
		n[v.Status]++
	}
	return n
}

// A claimList is a part of the verdicts.
type claimList struct {
	Name, Title string
	Rows        []claimRow
}

// A claimRow is a verdict and the ID of its section.
type claimRow struct {
	claims.Verdict
	In string
}

// String is the title and the numbers of verdicts.
func (l claimList) String() string {
	n := claims.Tally{}
	for _, r := range l.Rows {
		n[r.Status]++
	}
	return l.Title + ": " + n.String()
}

// lists are the verdicts of the statuses, in their order: those on claims of the paper, and those of checks of our own.
func (p *page) lists(statuses ...claims.Status) []claimList {
	paper, own := claimList{Name: "paper", Title: "Claims of the paper"}, claimList{Name: "own", Title: "Checks of our own"}
	for _, status := range statuses {
		for _, s := range p.Sections {
			for _, v := range s.Verdicts {
				to := &own
				if v.OfPaper() {
					to = &paper
				}
				if v.Status == status {
					to.Rows = append(to.Rows, claimRow{v, s.ID})
				}
			}
		}
	}
	return slices.DeleteFunc([]claimList{paper, own}, func(l claimList) bool { return len(l.Rows) == 0 })
}

// Refuted are the claims that do not hold.
func (p *page) Refuted() []claimList { return p.lists(claims.Unexplained, claims.Differs) }

// Undecided are those that nothing was found for or against.
func (p *page) Undecided() []claimList { return p.lists(claims.Undecided) }

// Rest are all others.
func (p *page) Rest() []claimList { return p.lists(claims.Holds, claims.NotMeasured) }

// Open tells whether there is a claim that does not hold, is undecided or was not measured.
func (p *page) Open() bool {
	return len(p.Refuted()) > 0 || len(p.Undecided()) > 0 || p.Missing() != ""
}

// Verdicts says how many there are of each outcome, and what the outcomes mean whose names do not tell; it is empty without any.
func (p *page) Verdicts() string {
	all := p.verdicts()
	text := []string{claims.Summary(all)}
	for _, l := range []struct {
		of   claims.Status
		text string
	}{
		{claims.Differs, "A claim differs if a measurement in this report shows the cause, and is unexplained if none does."},
		{claims.Undecided, "It is undecided if what was measured is evidence neither for it nor against it."},
	} {
		if n := tally(all); n[l.of] > 0 {
			text = append(text, l.text)
		}
	}
	return strings.Join(text, " ")
}

// Missing says in a sentence how many claims were not measured.
func (p *page) Missing() string {
	var parts []string
	for _, l := range p.lists(claims.NotMeasured) {
		what, of, _ := strings.Cut(strings.ToLower(l.Title), "s ")
		parts = append(parts, stat.Count(len(l.Rows), what)+" "+of)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not measured in this profile: " + strings.Join(parts, ", ") + "."
}

// Origin is what all numbers depend on: profile, seed and machine.
func (p *page) Origin() string {
	text := fmt.Sprintf("Seed %d; %v", p.Seed, p.Machine)
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		text += fmt.Sprintf("; %s: %s", name, p.Settings[name])
	}
	text += "."
	if p.Profile != "" {
		text = fmt.Sprintf("Profile %s, s%s", p.Profile, text[1:])
	}
	return text
}

// maxRows of a table are shown in report.html; the CSV has them all. The first table of a section is open from the start
// if it has at most openRows.
const (
	maxRows  = 2000
	openRows = 24
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
func (v view) Tables() (out []tableView) {
	for i, t := range []*Table{&v.Summary, &v.Table} {
		if len(t.Columns) == 0 {
			continue
		}
		shown := tableView{Name: []string{"Summary", "Table"}[i], Of: v.Title, Total: len(t.Rows), Rows: t.Rows[:min(len(t.Rows), maxRows)]}
		shown.Open = len(out) == 0 && shown.Total <= openRows
		for i, c := range t.Columns {
			shown.Heads = append(shown.Heads, head{c, t.numeric(i)})
		}
		out = append(out, shown)
	}
	return out
}

// class is the style class of a status.
func class(s claims.Status) string { return strings.ReplaceAll(s.String(), " ", "-") }

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"class": class,
	"split": func(name string) []string { return strings.Split(name, "_") },
}).Parse(pageText))

// html is report.html.
func (p *page) html() ([]byte, error) {
	var buf bytes.Buffer
	err := pageTemplate.Execute(&buf, p)
	return raised(buf.String()), err
}

// superscript is a power as package chart writes it: 10^{-6}.
var superscript = regexp.MustCompile(`\^\{[^{}<>&]{1,16}\}`)

// raised is a page whose powers are written with raised digits.
func raised(text string) []byte {
	return []byte(superscript.ReplaceAllStringFunc(text, chart.PlainText))
}
