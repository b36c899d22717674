package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"slices"
	"strings"

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
	SVG   []template.HTML // inline, the wide form and the narrow one; trusted, since package chart made them
	Files []string
	// Score tells of the section's line of the scoreboard, where it has one: a section of further pictures has none.
	Score *score
}

// paperOrder are the paper's tables and figures in the order of its pages.
var paperOrder = []string{"Table 1", "Figure 2", "Figure 3", "Table 2", "Figure 4", "Table 3", "Figure 5", "Figure 6",
	"Figure 7", "Figure 8"}

// number is the beginning of a title that names a table or figure of the paper.
var number = regexp.MustCompile(`^(Table|Figure) \d+\b`)

// inOrder sorts the sections: what shows a table or figure of the paper, in its order, and what has none behind.
// Further pictures of a section stay with it.
func inOrder(sections []Section) []*Section {
	ranks := map[*Section]int{}
	var out []*Section
	for i := range sections {
		s := &sections[i]
		rank := slices.Index(paperOrder, number.FindString(s.Title))
		switch {
		case i > 0 && s.follows(&sections[i-1]):
			rank = ranks[&sections[i-1]]
		case rank < 0:
			rank = len(paperOrder)
		}
		ranks[s] = rank
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b *Section) int { return cmp.Compare(ranks[a], ranks[b]) })
	return out
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
	Claims       tally // of the paper
	Checks       tally // of our own
	Thumb        thumb
}

// score sums the section up.
func (s *Section) score() *score {
	out := &score{Sentence: s.Claim}
	out.Number, out.What = numbered(s.Title)
	if _, ours, ok := strings.Cut(s.Claim, "Ours: "); ok && out.Number == "" {
		out.Sentence = strings.ToUpper(ours[:1]) + ours[1:]
	}
	if i := strings.Index(out.Sentence, ". "); i > 0 {
		out.Sentence = out.Sentence[:i+1]
	}
	paper, own := claims.Tallies(s.Verdicts)
	out.Claims, out.Checks = tally{paper}, tally{own}
	return out
}

// All counts both.
func (s *score) All() tally {
	sum := claims.Tally{}
	for _, t := range []tally{s.Claims, s.Checks} {
		for status, n := range t.Tally {
			sum[status] += n
		}
	}
	return tally{sum}
}

// A tally says how many verdicts hold.
type tally struct{ claims.Tally }

// Holding is "3 of 5 hold", or "" of none.
func (t tally) Holding() string {
	switch n := t.Total(); {
	case n == 0:
		return ""
	case n == t.Tally[claims.NotMeasured]:
		return "not measured"
	default:
		return fmt.Sprintf("%d of %d hold", t.Tally[claims.Holds], n)
	}
}

// Others are the numbers of the other outcomes, unless all are one.
func (t tally) Others() (out []outcomeCount) {
	for _, s := range claims.Statuses() {
		if n := t.Tally[s]; s != claims.Holds && n > 0 && n < t.Total() {
			out = append(out, outcomeCount{s, claims.Tally{s: n}.String()})
		}
	}
	return out
}

// String is "3 of 5 hold; 1 differs, 1 undecided".
func (t tally) String() string {
	text := t.Holding()
	for i, o := range t.Others() {
		text += []string{"; ", ", "}[min(i, 1)] + o.Text
	}
	return text
}

// An outcomeCount is one of several outcomes.
type outcomeCount struct {
	Status claims.Status
	Text   string
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

// manyRows is from where on the claims that hold are folded.
const manyRows = 20

// Judged are the verdicts that a reader is shown: what does not hold first, and behind it what holds, folded if there
// is much.
func (v view) Judged() (shown, folded []claims.Verdict) {
	for _, status := range []claims.Status{claims.Unexplained, claims.Differs, claims.Undecided, claims.Holds,
		claims.NotMeasured} {
		for _, c := range v.Verdicts {
			switch {
			case c.Status != status || busy(c):
			case len(v.Verdicts) > manyRows && (status == claims.Holds || status == claims.NotMeasured):
				folded = append(folded, c)
			default:
				shown = append(shown, c)
			}
		}
	}
	return shown, folded
}

// Shown are the verdicts to show, Folded the others, Busy says how many are left to the CSV.
func (v view) Shown() []claims.Verdict  { shown, _ := v.Judged(); return shown }
func (v view) Folded() []claims.Verdict { _, folded := v.Judged(); return folded }
func (v view) Busy() string             { return busyLine(v.Verdicts) }

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

// Verdicts says how many there are of each outcome, and what the outcomes mean whose names do not tell; it is empty
// without any.
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
		if n, m := claims.Tallies(all); n[l.of]+m[l.of] > 0 {
			text = append(text, l.text)
		}
	}
	return strings.Join(text, " ")
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

// maxRows of a table are shown in report.html; the CSV has them all. The first table of a section is open from the
// start if it has at most openRows.
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
		shown := tableView{Name: []string{"Summary", "Table"}[i], Of: v.Title, Total: len(t.Rows),
			Rows: t.Rows[:min(len(t.Rows), maxRows)]}
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
	"counts": func(vs []claims.Verdict) string {
		paper, own := claims.Tallies(vs)
		return (&score{Claims: tally{paper}, Checks: tally{own}}).All().Tally.String()
	},
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
