package size

import (
	"fmt"
	"io"
	"strings"

	"github.com/nestfilter/nest/experiments/stat"
	"github.com/nestfilter/nest/experiments/tabular"
)

// Write prints the result for people: the recommendation, the reasons, all plans, the rejected ones
// and the code. The width is that of the terminal, 0 if it is none. The error is w's.
func (r *Result) Write(w io.Writer, width int) error {
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
		b.WriteString(tabular.Wrap("- ", reason, tabular.TextWidth))
	}
	b.WriteString("\n")
	if err := r.table().Write(&b, width); err != nil {
		return err
	}
	if len(r.Rejected) > 0 {
		b.WriteString("\nNot possible:\n")
	}
	for _, no := range r.Rejected {
		b.WriteString(tabular.Wrap("- ", no.Filter+": "+no.Why, tabular.TextWidth))
	}
	fmt.Fprintf(&b, "\n%s", r.Code)
	_, err := io.WriteString(w, b.String())
	return err
}

// table has a row for each plan.
func (r *Result) table() *tabular.Table {
	t := &tabular.Table{
		Header: []string{"filter", "parameters", "size", "bits/item", "rate", "1 in", "over bound", "lines hit/miss", "deletes"},
		Left:   2,
		Minor:  []string{"1 in", "lines hit/miss", "over bound", "size"},
	}
	for _, p := range r.Plans {
		deletes := "no"
		if p.Deletes {
			deletes = "yes"
		}
		t.Rows = append(t.Rows, []string{
			p.Kind, p.Parameters(), Size(p.Bytes), fmt.Sprintf("%.2f", p.BitsPerItem), stat.Digits(100*p.FPR, 3) + "%", stat.Digits(1/p.FPR, 3),
			fmt.Sprintf("%+.2f", p.OverBound()), fmt.Sprintf("%d / %d", p.LinesHit, p.LinesMiss), deletes,
		})
	}
	return t
}
