package size

import (
	"fmt"
	"io"
	"strings"

	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// textWidth is the width at which reasons are wrapped, in characters.
const textWidth = 100

// Write prints the result for people: the recommendation, the reasons, all plans, the rejected ones
// and the code. On a terminal set framed. The error is w's.
func (r *Result) Write(w io.Writer, framed bool) error {
	var b strings.Builder
	purpose := ""
	if r.Spec.Delete {
		purpose = ", with deletes"
	}
	keys := group(r.Spec.Keys, ',') + " keys"
	if r.Spec.Keys == 1 {
		keys = "1 key"
	}
	fmt.Fprintf(&b, "%s at a false-positive rate of %s or less%s\n\n", keys, stat.RateText(r.Spec.FPR), purpose)
	fmt.Fprintf(&b, "Take %v: %s.\n\n", r.Plans[0], Size(r.Plans[0].Bytes))
	for _, reason := range r.Reasons {
		b.WriteString(Wrap("- ", reason))
	}
	b.WriteString("\n")
	if err := r.table().Write(&b, framed); err != nil {
		return err
	}
	if len(r.Rejected) > 0 {
		b.WriteString("\nNot possible:\n")
	}
	for _, no := range r.Rejected {
		b.WriteString(Wrap("- ", no.Filter+": "+no.Why))
	}
	fmt.Fprintf(&b, "\n%s", r.Code)
	_, err := io.WriteString(w, b.String())
	return err
}

// table has a row for each plan.
func (r *Result) table() *tabular.Table {
	t := &tabular.Table{
		Header: []string{"filter", "parameters", "size", "bits/item", "rate", "over bound", "lines hit/miss", "deletes"},
		Left:   2,
	}
	for _, p := range r.Plans {
		deletes := "no"
		if p.Deletes {
			deletes = "yes"
		}
		t.Rows = append(t.Rows, []string{
			p.Kind, p.Parameters(), Size(p.Bytes), fmt.Sprintf("%.2f", p.BitsPerItem), stat.RateText(p.FPR),
			fmt.Sprintf("%+.2f", p.OverBound()), fmt.Sprintf("%d / %d", p.LinesHit, p.LinesMiss), deletes,
		})
	}
	return t
}

// Wrap breaks text into lines of at most textWidth after the mark, indented to it.
func Wrap(mark, text string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
			b.WriteString(mark)
			column = len(mark)
		case column+1+len(word) > textWidth:
			b.WriteString("\n" + strings.Repeat(" ", len(mark)))
			column = len(mark)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String() + "\n"
}
