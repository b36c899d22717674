package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
)

// Digest is a report for a page that quotes it, from its manifest and its verdicts.csv: first a screen that says what
// ran, how many claims of each list have which outcome, and what does not hold, with the reason; then all claims.
func Digest(m *Manifest, verdicts Table) (screen, all string) {
	v := verdictRows{verdicts}
	return v.screen(m), v.tables()
}

// verdictRows are those of verdicts.csv.
type verdictRows struct{ Table }

func (v verdictRows) cell(row []string, name string) string {
	return row[slices.Index(v.Columns, name)]
}

// lists are the lists of claims, and their rows.
func (v verdictRows) lists(do func(title string, t claims.Tally, rows [][]string)) {
	for _, list := range claims.Lists() {
		t, in := claims.Tally{}, [][]string(nil)
		for _, row := range v.Rows {
			if v.cell(row, "list") == list.String() {
				in = append(in, row)
				for _, status := range claims.Statuses() {
					if v.cell(row, "verdict") == status.String() {
						t[status]++
					}
				}
			}
		}
		if len(in) > 0 {
			do(list.Of(len(in)), t, in)
		}
	}
}

func (v verdictRows) screen(m *Manifest) string {
	var b strings.Builder
	const minute = "2006-01-02 15:04"
	fmt.Fprintf(&b, "\n%s to %s, %s. %s. Seed %d.\n\n", m.Start.Format(minute), m.End.Format(minute), m.Machine, m.Module,
		m.Seeds[0])
	v.lists(func(title string, t claims.Tally, _ [][]string) { fmt.Fprintf(&b, "- Of %s: %s.\n", title, t) })
	for _, status := range []claims.Status{claims.Unexplained, claims.Differs} {
		fmt.Fprintf(&b, "\n**%s.**\n\n", map[claims.Status]string{
			claims.Unexplained: "Not reproduced, and no cause is shown", claims.Differs: "Not reproduced, and why"}[status])
		for _, row := range v.Rows {
			if v.cell(row, "verdict") == status.String() {
				ours, _, _ := strings.Cut(v.cell(row, "ours"), "; ")
				fmt.Fprintf(&b, "- %s, %s (ours %s). %s\n", v.cell(row, "section"), Markdown(v.cell(row, "id")), Markdown(ours),
					Markdown(shortened(v.cell(row, "why"))))
			}
		}
	}
	for _, status := range []claims.Status{claims.Undecided, claims.NotMeasured} {
		var ids []string
		for _, row := range v.Rows {
			if v.cell(row, "verdict") == status.String() {
				ids = append(ids, " "+v.cell(row, "section")+": "+v.cell(row, "id"))
			}
		}
		fmt.Fprintf(&b, "\n%d %v.%s\n", len(ids), status, Markdown(strings.Join(ids, ";")))
	}
	return b.String() + "\n"
}

// shortened is a text up to the end of the sentence that begins within 200 characters.
func shortened(text string) string {
	if len(text) > 200 {
		if end := strings.Index(text[200:], ". "); end >= 0 {
			return text[:200+end+1]
		}
	}
	return text
}

// tables has one for each list of claims, headed by how many are of each outcome.
func (v verdictRows) tables() string {
	columns := []string{"section", "claim", "source", "paper", "ours", "interval", "tolerance", "verdict"}
	var b strings.Builder
	v.lists(func(title string, t claims.Tally, in [][]string) {
		fmt.Fprintf(&b, "\nOf %s: %s.\n\n| %s |\n|%s\n", title, t, strings.Join(columns, " | "),
			strings.Repeat("---|", len(columns)))
		for _, row := range in {
			for _, name := range columns {
				fmt.Fprintf(&b, "| %s ", Markdown(v.cell(row, name)))
			}
			b.WriteString("|\n")
		}
	})
	return b.String() + "\n"
}
