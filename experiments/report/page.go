package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	plain "text/template"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
)

// A page is what report.html and report.md show: a scoreboard, then the sections in the paper's order.
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
	Pictures []picture // the wide form and the narrow one
	Files    []string
	// Score is the section's line of the scoreboard; a section of further pictures has none.
	Score *score
}

// paperOrder are the paper's tables and figures in the order of its pages.
var paperOrder = [...]string{"Table 1", "Figure 2", "Figure 3", "Table 2", "Figure 4", "Table 3", "Figure 5",
	"Figure 6", "Figure 7", "Figure 8"}

// number is the beginning of a title that names a table or figure of the paper.
var number = regexp.MustCompile(`^(Table|Figure) \d+\b`)

// inOrder sorts the sections: what shows a table or figure of the paper, in its order, and what has none behind.
// Further pictures of a section stay with it.
func inOrder(sections []Section) []*Section {
	var of [len(paperOrder) + 1][]*Section
	rank := 0
	for i := range sections {
		s := &sections[i]
		if i == 0 || !s.follows(&sections[i-1]) {
			if rank = slices.Index(paperOrder[:], number.FindString(s.Title)); rank < 0 {
				rank = len(paperOrder)
			}
		}
		of[rank] = append(of[rank], s)
	}
	return slices.Concat(of[:]...)
}

// follows tells whether a section is a further picture of what the one before shows.
func (s *Section) follows(before *Section) bool {
	stem, _, _ := strings.Cut(before.ID, "-")
	return s.Figure != nil && s.Claim == "" && len(s.Verdicts) == 0 &&
		(strings.HasPrefix(s.ID, before.ID+"-") || strings.HasPrefix(s.ID, stem+"-"))
}

// numbered takes a title apart: "Figure 3" and the rest; the number is empty where the paper has no such.
func numbered(title string) (of, what string) {
	of = number.FindString(title)
	return of, strings.TrimLeft(title[len(of):], ":, ")
}

// A score is what the scoreboard says of a section.
type score struct {
	Number, What string // of the title: "Figure 3", and the rest
	Sentence     string
	Claims       claims.Tally // of the paper
	Checks       claims.Tally // of our own
}

func (s *Section) score() *score {
	out := &score{Sentence: s.Claim}
	out.Number, out.What = numbered(s.Title)
	if _, ours, ok := strings.Cut(s.Claim, "Ours: "); ok && out.Number == "" {
		out.Sentence = strings.ToUpper(ours[:1]) + ours[1:]
	}
	if i := strings.Index(out.Sentence, ". "); i > 0 {
		out.Sentence = out.Sentence[:i+1]
	}
	out.Claims = claims.TallyOf(s.Verdicts, claims.Sentences, claims.Readings)
	out.Checks = claims.TallyOf(s.Verdicts, claims.Own)
	return out
}

// Board are the lines of the scoreboard: of the paper's tables and figures, or of all else.
func (p *page) Board(paper bool) (out []view) {
	for _, v := range p.Views {
		if v.Score != nil && (v.Score.Number != "") == paper {
			out = append(out, v)
		}
	}
	return out
}

// Circumstances are the conditions as a sentence, "" without any.
func (v view) Circumstances() string {
	if v.Conditions == "" {
		return ""
	}
	return strings.TrimRight(v.Conditions, ". ") + "."
}

// busy tells whether a verdict is undecided because of the machine: a run on an idle one, or of more rounds, would
// decide.
func busy(v claims.Verdict) bool { return v.Status == claims.Undecided && v.Machine }

// judged are the verdicts of those outcomes, in their order, without those that a busy machine has left undecided.
func judged(vs []claims.Verdict, outcomes ...claims.Status) (out []claims.Verdict) {
	for _, status := range outcomes {
		for _, v := range vs {
			if v.Status == status && !busy(v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// What does not hold is shown first, and behind it what holds.
var (
	open    = []claims.Status{claims.Unexplained, claims.Differs, claims.Undecided}
	settled = []claims.Status{claims.Holds, claims.NotMeasured}
)

// manyRows is from where on the claims that hold are folded.
const manyRows = 20

// Judged are the verdicts of a page, Shown those at once, Folded the others. Busy says how many are left to the CSV.
func (v view) Judged() []claims.Verdict { return judged(v.Verdicts, slices.Concat(open, settled)...) }
func (v view) Busy() string             { return busyLine(v.Verdicts) }

func (v view) Shown() []claims.Verdict {
	if len(v.Verdicts) > manyRows {
		return judged(v.Verdicts, open...)
	}
	return v.Judged()
}

func (v view) Folded() []claims.Verdict { return v.Judged()[len(v.Shown()):] }

// busyLine says how many claims are undecided because of the machine; it is empty without any.
func busyLine(vs []claims.Verdict) string {
	n := 0
	for _, v := range vs {
		if busy(v) {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return claims.Count(n, "claim") + " about times undecided: the machine was too busy, or the run too short, to tell. " +
		"They are in " + verdictsID + ".csv."
}

// Texts are the paragraphs before the claims: the summary, how many verdicts there are of each outcome, and what the
// outcomes mean whose names do not tell, and what all numbers depend on.
func (p *page) Texts() []string {
	counts := claims.Summary(p.verdicts())
	if all := tally(p.verdicts()); all[claims.Differs] > 0 {
		counts += " A claim differs if a measurement in this report shows the cause, and is unexplained if none does."
	}
	if strings.Contains(counts, claims.Undecided.String()) {
		counts += " It is undecided if what was measured is evidence neither for it nor against it."
	}
	origin := fmt.Sprintf("seed %d; %v", p.Seed, p.Machine)
	if p.Profile != "" {
		origin = fmt.Sprintf("profile %s, %s", p.Profile, origin)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Settings)) {
		origin += fmt.Sprintf("; %s: %s", name, p.Settings[name])
	}
	origin = strings.ToUpper(origin[:1]) + origin[1:] + "."
	said := []string{p.Summary, strings.TrimSpace(counts), origin}
	return slices.DeleteFunc(said, func(s string) bool { return s == "" })
}

func tally(vs []claims.Verdict) claims.Tally { return claims.TallyOf(vs, claims.Lists()...) }

// Of a table so many rows are shown in report.html and in report.md; the CSV has them all. The first table of a section
// is open from the start if it has at most openRows.
const (
	maxRows         = 2000
	maxMarkdownRows = 60
	openRows        = 24
)

// A tableView is a table of a section as a page shows it.
type tableView struct {
	*Table
	Name  string
	Open  bool
	Right []bool // of the columns: numbers stand there
}

// Shown are the rows to show.
func (v tableView) Shown() [][]string { return v.Rows[:min(len(v.Rows), maxRows)] }

// Tables are the summary, if there is one, and the table of everything.
func (v view) Tables() (out []tableView) {
	for i, t := range []*Table{&v.Summary, &v.Table} {
		if len(t.Columns) == 0 {
			continue
		}
		shown := tableView{Table: t, Name: []string{"Summary", "Table"}[i], Open: out == nil && len(t.Rows) <= openRows}
		for c := range t.Columns {
			shown.Right = append(shown.Right, numeric(t.Rows, c))
		}
		out = append(out, shown)
	}
	return out
}

// A picture is a figure in a page with others, named for those who cannot see it.
type picture struct {
	ID, Title string
	Width     int    // in points: larger than on paper, so that its text is as large as the page's
	Box       string // what it shows, in its units
	Body      template.HTML
}

// svgFile is a file as package chart writes it.
var svgFile = regexp.MustCompile(`(?s)<svg width="([0-9.]+)pt"[^>]* viewBox="([^"]*)"[^>]*>(.*)</svg>`)

// inline makes a picture of an SVG file of package chart, which has no IDs of its own.
func inline(svg []byte, id, title string) (p picture) {
	if m := svgFile.FindSubmatch(svg); m != nil {
		width, _ := strconv.ParseFloat(string(m[1]), 64)
		p = picture{id, title, int(width*1.3 + 0.5), string(m[2]), template.HTML(m[3])}
	}
	return p
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"class":    func(s claims.Status) string { return strings.ReplaceAll(s.String(), " ", "-") },
	"statuses": claims.Statuses,
	"count":    func(s claims.Status, of claims.Tally) string { return claims.Tally{s: of[s]}.String() },
	"tally":    tally,
	"split":    func(name string) []string { return strings.Split(name, "_") },
}).Parse(pageText))

func (p *page) html() ([]byte, error) {
	var buf bytes.Buffer
	err := pageTemplate.Execute(&buf, p)
	return raised(buf.String()), err
}

//go:embed page.md
var markdownText string

var markdownTemplate = plain.Must(plain.New("report.md").Funcs(plain.FuncMap{
	"md":   Markdown,
	"join": func(names []string) string { return strings.Join(names, ", ") },
}).Parse(markdownText))

// markdown is report.md: the same as report.html, in the same order.
func (p *page) markdown() ([]byte, error) {
	var buf bytes.Buffer
	err := markdownTemplate.Execute(&buf, p)
	return raised(buf.String()), err
}

// superscript is a power as package chart writes it: 10^{-6}.
var superscript = regexp.MustCompile(`\^\{[^{}<>&]{1,16}\}`)

// raised is a page whose powers are written with raised digits.
func raised(text string) []byte {
	return []byte(superscript.ReplaceAllStringFunc(text, chart.PlainText))
}

// Scores is the scoreboard in Markdown, of the paper's tables and figures or of all else.
func (p *page) Scores(paper bool) string {
	t := Table{Columns: []string{"table or figure", "claims of the paper", "checks of our own", "picture"}}
	for _, v := range p.Board(paper) {
		s := v.Score
		title, image := "**"+Markdown(strings.TrimPrefix(s.Number+": "+s.What, ": "))+"**", ""
		if s.Sentence != "" {
			title += "<br>" + mdCell.Replace(s.Sentence)
		}
		if name := v.file(); name != "" && paper {
			image = `<img src="` + name + `" width="160" alt="">`
		}
		t.Add(title, s.Claims, s.Checks, image)
	}
	return t.Marked()
}

// Judgements are the verdicts in Markdown.
func (v view) Judgements() string {
	t := Table{Columns: []string{"claim", "paper", "ours", "verdict", "why"}}
	for _, c := range v.Judged() {
		t.Add(c.Says, c.Paper, ours(c), c.Status, c.Why)
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.Markdown()
}

func ours(v claims.Verdict) string {
	if v.Interval == "" {
		return v.Ours
	}
	return v.Ours + " (" + v.Interval + ")"
}

// file is the name of the figure's file that a reader of Markdown shows, "" without any.
func (v view) file() string {
	for _, ending := range []string{".svg", ".png"} {
		if name := v.figure().Name + ending; slices.Contains(v.Files, name) {
			return name
		}
	}
	return ""
}

// Picture is the figure in Markdown, if there is such a file.
func (v view) Picture() string {
	if name := v.file(); name != "" {
		return "![" + Markdown(chart.PlainText(v.figure().Title)) + "](" + name + ")"
	}
	return ""
}

// Numbers is the first table in Markdown, unless it is empty or long.
func (v view) Numbers() string {
	if t := v.shown(); len(t.Rows) > 0 && len(t.Rows) <= maxMarkdownRows {
		return t.Markdown()
	}
	return ""
}
