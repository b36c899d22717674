package advice

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/report"
)

// MaxMeasured is the largest number of keys that filters are measured with; more are taken to need as long.
const MaxMeasured = 10_000_000

// Options say what to advise on.
type Options struct {
	Keys int           // distinct ones, at least 1. With a Set it is the Set's
	Set  *files.KeySet // keys to measure with; nil for random integers
	// FPR holds every filter to a rate, Bits to a number of bits per item. Where both are 0, each family takes the rung
	// that is best for it. Both set are [ErrSpec].
	FPR, Bits float64
	Work      Workload          // what the lookups are like
	Flags     []string          // takes the kinds of these flags into the choice, as in a Spec
	Seed      uint64            // decides random keys and the order of lookups
	Say       func(what string) // is told what is done next, if it is not nil
}

// resolve fills in what follows from other fields and checks the rest.
func (o *Options) resolve() error {
	if o.Set != nil {
		o.Keys = len(o.Set.Keys)
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Keys < 1 {
		return impossible("%d keys, want at least 1", o.Keys)
	}
	return o.Work.check()
}

// An Advice is the filters for a workload, the cheapest to ask first.
type Advice struct {
	Keys     int       `json:"keys"`           // that the filter is for
	Measured int       `json:"measured_keys"`  // with so many it was measured
	Source   string    `json:"source"`         // says which keys these were
	HashNs   float64   `json:"hash_ns"`        // the part of every lookup that is hashing the key
	Work     Workload  `json:"workload"`       //
	FPR      float64   `json:"fpr,omitempty"`  // what filters were held to, 0 if they were not
	Bits     float64   `json:"bits,omitempty"` //
	Rows     []Cost    `json:"rows"`           // the filters by price, the best one first; there is at least one
	Winners  []Stretch `json:"winners"`        // which kind wins at which cost of a miss, having no filter included
	Reasons  reasons   `json:"reasons"`        // why the first one wins and when it would not
	Code     string    `json:"code"`           // Go source that makes the first one
}

// Advise measures the filters that will do and ranks them by price. For a million keys it takes about 5 seconds and 150
// MB, in proportion for more. The error is [ErrSpec] or that of ctx.
func Advise(ctx context.Context, o Options) (*Advice, error) {
	if err := o.resolve(); err != nil {
		return nil, err
	}
	a := &Advice{Keys: o.Keys, Measured: min(o.Keys, MaxMeasured), Work: o.Work, FPR: o.FPR, Bits: o.Bits}
	ownKeys := o.Set != nil && a.Measured == o.Keys
	var s *subject
	if ownKeys {
		s, a.Source = fileKeys(o.Set, o.Seed), o.Set.String()
	} else {
		s, a.Source = integers(a.Measured, o.Seed), fmt.Sprintf("%d random 64-bit integers", a.Measured)
	}
	ladder, finals, err := a.contenders(ctx, o, s)
	if err != nil {
		return nil, err
	}
	o.Say(fmt.Sprintf("measuring %d filters of %d keys", len(finals), a.Measured))
	s.contest.Deletes = o.Work.MustDelete
	if finals, err = s.measure(ctx, finals, 9, 3); err != nil {
		return nil, err
	}
	if len(finals) == 0 {
		return nil, impossible("no filter took the %d keys", a.Measured)
	}
	if ownKeys {
		a.HashNs = s.contest.HashTimes.Interval().Median
	}
	a.judge(ladder, finals)
	return a, nil
}

// contenders returns the filters to measure: those of the rate or the bits that were asked for, or the best rung of
// each ladder, and then the ladders too.
func (a *Advice) contenders(ctx context.Context, o Options, s *subject) (ladder, finals []Cost, err error) {
	if a.fixed() {
		asked := nest.Spec{Capacity: a.Measured, FalsePositiveRate: o.FPR, BitsPerItem: o.Bits}
		for _, f := range wanted(forms(), o.Work.MustDelete, o.Flags) {
			p, failed := f.plan(asked)
			if err = cmp.Or(err, failed); failed == nil {
				finals = append(finals, Cost{Family: f.name, form: f, Plan: p, Rate: p.FPR})
			}
		}
		if finals != nil {
			err = nil
		}
		return nil, finals, err
	}
	if ladder, err = s.scout(ctx, families(o, false), 1, o.Say); err != nil {
		return nil, nil, err
	}
	if finals = o.Work.Best(ladder); len(finals) == 0 {
		return nil, nil, impossible("no filter holds %d keys in %d bits each", a.Measured, MaxBits)
	}
	return ladder, finals, nil
}

// fixed tells whether all filters were held to one rate or size.
func (a *Advice) fixed() bool { return a.FPR != 0 || a.Bits != 0 }

// judge ranks the measured finals and says why. It is a function of the costs alone.
func (a *Advice) judge(ladder, finals []Cost) {
	w := a.Work
	for _, c := range finals { // measured longer than its rung, which it replaces
		ladder = slices.DeleteFunc(ladder, func(r Cost) bool { return r.Family == c.Family && r.Rung == c.Rung })
	}
	a.Winners = w.Winners(append(ladder, finals...))
	for _, c := range finals {
		c.Plan, c.Lookup, c.Wasted, c.Price = a.plan(c), w.Lookup(c), w.Wasted(c), w.Price(c)
		a.Rows = append(a.Rows, c)
	}
	slices.SortStableFunc(a.Rows, func(r, s Cost) int {
		return cmp.Or(cmp.Compare(r.Price, s.Price), r.Plan.Bytes-s.Plan.Bytes)
	})
	first := a.Rows[0].Plan
	first.Asked.MustDelete = w.MustDelete
	a.Reasons, a.Code = a.reasons(), first.Code()
}

// plan returns the plan of a measured filter for all the keys, where it was measured with fewer.
func (a *Advice) plan(c Cost) Plan {
	s := c.Plan.Asked
	if s.Capacity = a.Keys; a.Keys != a.Measured {
		if p, err := c.form.plan(s); err == nil {
			return p
		}
	}
	return c.Plan
}

// Write prints the advice for people: the recommendation, the reasons, the table and the code. The width is that of the
// terminal, 0 if it is none. The error is w's.
func (a *Advice) Write(w io.Writer, width int) error {
	const legend = "Times in ns, medians over interleaved rounds on this machine, through package nest; price = " +
		"q*(absent + rate*miss) + (1-q)*present. Rates are predicted. Insert is the time of building, per key."
	first, hash, take := a.Rows[0], "", "Take"
	if a.HashNs > 0 {
		hash = fmt.Sprintf("Every lookup includes %s for hashing its key.\n", Duration(a.HashNs))
	}
	if first.Price >= a.without() {
		take = "Take no filter. The cheapest one is"
	}
	_, err := fmt.Fprintf(w, "%s, %s\n%s\n%s %v: %s, %s a lookup.\n\n%s\n%s\n%s\n%s", a.Source, a.Work, hash, take,
		first.Plan, claims.Bytes(first.Plan.Bytes), Duration(first.Price), report.List(a.Reasons), a.table().Text(width),
		report.Notes(report.TextWidth, legend), a.Code)
	return err
}

func (a *Advice) table() *report.Table {
	t := &report.Table{
		Columns: strings.Split("filter,parameters,bits/item,rate,1 in,absent,present,in batches,price,insert", ","),
		Left:    2,
		Minor:   []string{"1 in", "in batches", "insert", "present", "delete"},
	}
	if a.Work.MustDelete {
		t.Columns = append(t.Columns, "delete")
	}
	for _, r := range a.Rows {
		row := []string{
			r.Plan.Kind, r.Plan.Parameters(), fmt.Sprintf("%.2f", r.Plan.BitsPerItem), claims.Percent(r.Rate, 3),
			claims.Digits(1/r.Rate, 3),
			fmt.Sprintf("%.2f", r.Absent), fmt.Sprintf("%.2f", r.Present),
			fmt.Sprintf("%.2f / %.2f", r.AbsentBatch, r.PresentBatch), claims.Digits(r.Price, 4),
			fmt.Sprintf("%.1f", r.Insert), fmt.Sprintf("%.1f", r.Delete),
		}
		t.Rows = append(t.Rows, row[:len(t.Columns)])
	}
	return t
}
