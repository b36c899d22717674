package price

import (
	"fmt"
	"io"
	"strings"

	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Write prints the advice for people: the recommendation, the reasons, the table and the code. The width is that of the
// terminal, 0 if it is none. The error is w's.
func (a *Advice) Write(w io.Writer, width int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n", a.Source, a.Work)
	if a.HashNs > 0 {
		fmt.Fprintf(&b, "Every lookup includes %s for hashing its key.\n", ns(a.HashNs))
	}
	first := a.Rows[0]
	take := "Take"
	if !a.pays() {
		take = "Take no filter. The cheapest one is"
	}
	fmt.Fprintf(&b, "\n%s %v: %s, %s a lookup.\n\n", take, first.Plan, stat.Bytes(first.Plan.Bytes), ns(first.Price))
	const legend = "Times in ns, medians over interleaved rounds on this machine, through package nest; " +
		"price = q*(absent + rate*miss) + (1-q)*present. Rates marked ~ are predicted, the others measured. " +
		"Insert is the time of building, per key."
	_, err := fmt.Fprintf(w, "%s%s\n%s\n%s\n%s", &b, tabular.List(a.Reasons), a.table().Text(width), tabular.Notes(tabular.TextWidth, legend), a.Code)
	return err
}

// String says what lookups are like.
func (w Workload) String() string {
	text := fmt.Sprintf("a miss costs %s, %s of lookups ask for absent keys", Duration(w.MissCost), stat.Percent(w.Negative, 2))
	if w.Batch {
		text += ", many at a time"
	}
	switch {
	case w.DeleteRate == 0 && w.MustDelete:
		text += ", keys must be deletable"
	case w.DeleteRate > 0:
		text += fmt.Sprintf(", %v deletes per insert", w.DeleteRate)
	}
	return text
}

func (a *Advice) table() *tabular.Table {
	t := &tabular.Table{
		Header: []string{"filter", "parameters", "bits/item", "rate", "1 in", "absent", "present", "in batches", "price", "insert"},
		Left:   2,
		Minor:  []string{"1 in", "in batches", "insert", "present", "delete"},
	}
	deletes := a.Work.deletes()
	if deletes {
		t.Header = append(t.Header, "delete")
	}
	for _, r := range a.Rows {
		rate := stat.Percent(r.Rate, 3)
		if r.Probes == 0 {
			rate = "~" + rate
		}
		row := []string{
			r.Plan.Kind, r.Plan.Parameters(), fmt.Sprintf("%.2f", r.Plan.BitsPerItem), rate, stat.Digits(1/r.Rate, 3),
			fmt.Sprintf("%.2f", r.Absent), fmt.Sprintf("%.2f", r.Present), fmt.Sprintf("%.2f / %.2f", r.AbsentBatch, r.PresentBatch),
			stat.Digits(r.Price, 4), fmt.Sprintf("%.1f", r.Insert),
		}
		if deletes {
			row = append(row, fmt.Sprintf("%.1f", r.Delete))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
