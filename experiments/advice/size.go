// Package advice answers which filter to take for a number of keys: it has package nest plan every kind of filter,
// without making one, and explains how the plans rank. [For] ranks by size: the smallest table first, unless another
// one that is at most [Slack] larger touches fewer cache lines per lookup. A line is a memory access, and a few per
// cent of memory are not. [Unknown] answers where nobody knows the number of keys.
//
// # Price
//
// [Advise] measures the filters on this machine and ranks them by the price of a lookup: the time that it takes plus
// the work that its false positives waste. With a share q of lookups for absent keys, a false-positive rate eps and a
// cost M of a miss, the time that one false positive wastes,
//
//	price = q*(absent + eps*M) + (1-q)*present
//
// where absent and present are measured times: the measure of Lang, Neumann, Kemper and Boncz, "Performance-Optimal
// Filtering: Bloom Overtakes Cuckoo at High Throughput", VLDB 2019, where q = 1. Having no filter is one more choice,
// at the price q*M. Memory is not priced: each family takes the number of bits per item from [MinBits] to [MaxBits], a
// rung of its ladder, at which its own price is lowest.
package advice

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// Slack is how much larger than the smallest table the recommended one may be if it touches fewer cache lines.
const Slack = 0.05

// A Spec says what the filter is for.
type Spec struct {
	Keys   int     `json:"keys"`   // distinct ones that it must hold, at least 1
	FPR    float64 `json:"fpr"`    // the highest false-positive rate that will do, above 0 and below 1
	Delete bool    `json:"delete"` // tells that keys must be deletable
	// Window asks for a filter that forgets after this time, in nanoseconds; Keys are those of one window.
	Window time.Duration `json:"window,omitempty"`
	// Flags takes the kinds that have these flags in the catalogue, which are smaller and cost something else, into the
	// choice; the others are planned, and not recommended.
	Flags []string `json:"flags,omitempty"`
}

// ErrSpec reports a question that no filter can be made for.
var ErrSpec = errors.New("impossible request")

func impossible(format string, args ...any) error {
	return fmt.Errorf("size: %w: %s", ErrSpec, fmt.Sprintf(format, args...))
}

// check is an [ErrSpec] where no filter can be what s asks for.
func (s Spec) check() error {
	// The digests of two keys are equal with probability 2^-64, whatever filter stores them.
	if lowest := math.Ldexp(float64(s.Keys), -64); s.Keys < 1 || !(s.FPR > 0 && s.FPR >= lowest && s.FPR < 1) {
		return impossible("keys is %d and fpr is %v, want at least 1 key and a rate below 1; the lowest reachable rate is "+
			"%.3g, at which 64-bit digests collide", s.Keys, s.FPR, max(lowest, 0x1p-64))
	}
	return nil
}

// A Result is the answer to a Spec.
type Result struct {
	Spec      Spec    `json:"spec"`
	BoundBits float64 `json:"bound_bits_per_item"` // that every filter of this rate needs at least: log2(1/FPR)
	Plans     []Plan  `json:"plans"`               // the filters that will do, the recommended one first, then by size
	Rejected  reasons `json:"rejected,omitempty"`  // those that will not, and why
	Reasons   reasons `json:"reasons"`             // why the first plan is recommended, with numbers
	Code      string  `json:"code"`                // Go source that makes the recommended filter
}

// For answers s. It takes some milliseconds and allocates no table. The error is [ErrSpec].
func For(s Spec) (*Result, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	r, none := &Result{Spec: s, BoundBits: -math.Log2(s.FPR)}, ""
	all := forms()
	if s.Window != 0 {
		all = windows()
	}
	for _, f := range all {
		p, err := f.plan(nest.Spec{Capacity: s.Keys, FalsePositiveRate: s.FPR, Window: s.Window, MustDelete: s.Delete})
		switch {
		case s.Delete && !deletes(f.Spec.Kind):
			r.Rejected = append(r.Rejected, f.name+": cannot delete")
		case err != nil:
			why := strings.TrimPrefix(err.Error(), impossible("").Error())
			r.Rejected, none = append(r.Rejected, f.name+": "+why), cmp.Or(none, why)
		default:
			r.Plans = append(r.Plans, p)
		}
	}
	slices.SortStableFunc(r.Plans, func(p, q Plan) int { return cmp.Or(p.Bytes-q.Bytes, p.lines()-q.lines()) })
	best := r.best()
	if best < 0 { // the first one that was not rejected for its kind has the least to store
		return nil, impossible("no filter holds %d keys at a rate of %v: %s", s.Keys, s.FPR, none)
	}
	r.Plans = slices.Insert(slices.Delete(slices.Clone(r.Plans), best, best+1), 0, r.Plans[best])
	r.Reasons, r.Code = r.reasons(), r.Plans[0].Code()
	return r, nil
}

// best is the place of the recommended plan among those sorted by size, by the rule of nest.Plans; -1 for none.
func (r *Result) best() int {
	smallest, best := -1, -1
	for i, p := range r.Plans {
		switch {
		case !r.Spec.takes(p):
		case smallest < 0:
			smallest, best = i, i
		case p.lines() < r.Plans[best].lines() && ratio(p, r.Plans[smallest]) <= 1+Slack:
			best = i
		}
	}
	return best
}

// Write prints the result for people: the recommendation, the reasons, all plans, the rejected ones and the code. The
// width is that of the terminal, 0 if it is none. The error is w's.
func (r *Result) Write(w io.Writer, width int) error {
	keys, purpose, rejected := group(r.Spec.Keys)+" keys", "", ""
	if r.Spec.Keys == 1 {
		keys = "1 key"
	}
	if r.Spec.Delete {
		purpose = ", with deletes"
	}
	if r.Spec.Window != 0 {
		keys += fmt.Sprintf(" in each %v, which are then forgotten,", r.Spec.Window)
	}
	if len(r.Rejected) > 0 {
		rejected = "\nNot possible:\n" + report.List(r.Rejected)
	}
	_, err := fmt.Fprintf(w, "%s at a false-positive rate of %s or less%s\n\nTake %v: %s.\n\n%s\n%s%s\n%s", keys,
		claims.RateText(r.Spec.FPR), purpose, r.Plans[0], claims.Bytes(r.Plans[0].Bytes), report.List(r.Reasons),
		r.table().Text(width), rejected, r.Code)
	return err
}

func (r *Result) table() *report.Table {
	t := &report.Table{
		Columns: strings.Split("filter,parameters,size,bits/item,rate,1 in,over bound,lines hit/miss,deletes", ","),
		Left:    2,
		Minor:   []string{"1 in", "lines hit/miss", "over bound", "size"},
	}
	for _, p := range r.Plans {
		t.Rows = append(t.Rows, []string{
			p.Kind, p.Parameters(), claims.Bytes(p.Bytes), fmt.Sprintf("%.2f", p.BitsPerItem), claims.Percent(p.FPR, 3),
			claims.Digits(1/p.FPR, 3), fmt.Sprintf("%+.2f", p.OverBound()), fmt.Sprintf("%d / %d", p.LinesHit, p.LinesMiss),
			p.deletes(),
		})
	}
	return t
}
