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
	fmt.Fprintf(&b, "Take %v: %s.\n\n%s\n%s", r.Plans[0], stat.Bytes(r.Plans[0].Bytes), tabular.List(r.Reasons), r.table().Text(width))
	if len(r.Rejected) > 0 {
		b.WriteString("\nNot possible:\n")
	}
	for _, no := range r.Rejected {
		b.WriteString(tabular.List([]string{no.Filter + ": " + no.Why}))
	}
	_, err := fmt.Fprintf(w, "%s\n%s", &b, r.Code)
	return err
}

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
			p.Kind, p.Parameters(), stat.Bytes(p.Bytes), fmt.Sprintf("%.2f", p.BitsPerItem), stat.Percent(p.FPR, 3), stat.Digits(1/p.FPR, 3),
			fmt.Sprintf("%+.2f", p.OverBound()), fmt.Sprintf("%d / %d", p.LinesHit, p.LinesMiss), deletes,
		})
	}
	return t
}
