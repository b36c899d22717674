// Package size answers which filter to take for a number of keys and a false-positive rate: it has
// package nest plan every kind of filter, without making one, and explains how the plans rank.
//
// nest.Plans ranks the smallest table first, unless another one that is at most [Slack] larger touches
// fewer cache lines per lookup: a line is a memory access, and a few per cent of memory are not.
// Package price, below this one, ranks by measured time instead.
package size

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
)

// Slack is how much larger than the smallest table the recommended one may be if it touches fewer
// cache lines per lookup.
const Slack = 0.05

// A Spec says what the filter is for.
type Spec struct {
	// Keys is the number of distinct keys that it must hold, at least 1.
	Keys int `json:"keys"`
	// FPR is the highest false-positive rate that will do, above 0 and below 1.
	FPR float64 `json:"fpr"`
	// Delete tells that keys must be deletable.
	Delete bool `json:"delete"`
	// Layouts takes cuckoo filters of these layouts, which are smaller and slower, into the choice; the others are
	// planned, and not recommended.
	Layouts []cuckoo.Layout `json:"layouts,omitempty"`
}

// ErrSpec reports a Spec that no filter can be made for.
var ErrSpec = errors.New("impossible request")

// Validate reports all that is wrong with s as one [ErrSpec], or nil.
func (s Spec) Validate() error {
	if s.Keys < 1 {
		return fmt.Errorf("size: %w: keys is %d, want at least 1", ErrSpec, s.Keys)
	}
	if !(s.FPR > 0 && s.FPR < 1) {
		return fmt.Errorf("size: %w: fpr is %v, want a rate above 0 and below 1", ErrSpec, s.FPR)
	}
	// The digests of two keys are equal with probability 2^-64, whatever filter stores them.
	if lowest := math.Ldexp(float64(s.Keys), -64); s.FPR < lowest {
		return fmt.Errorf("size: %w: fpr is %v, but with %d keys the lowest reachable rate is %.3g, at which 64-bit digests collide",
			ErrSpec, s.FPR, s.Keys, lowest)
	}
	return nil
}

// Bound is the bits per item that every filter of this rate needs at least: log2(1/FPR).
func (s Spec) Bound() float64 { return -math.Log2(s.FPR) }

// A Rejection is a filter that cannot be taken.
type Rejection struct {
	// Filter names it.
	Filter string `json:"filter"`
	// Why is the reason.
	Why string `json:"why"`
}

// A Result is the answer to a Spec.
type Result struct {
	// Spec is the question.
	Spec Spec `json:"spec"`
	// BoundBits is Spec.Bound.
	BoundBits float64 `json:"bound_bits_per_item"`
	// Plans are the filters that will do, the recommended one first, then by size. There is at least one.
	Plans []Plan `json:"plans"`
	// Rejected are those that will not.
	Rejected []Rejection `json:"rejected,omitempty"`
	// Reasons say why the first plan is recommended, with numbers.
	Reasons []string `json:"reasons"`
	// Code is Go source that makes the recommended filter.
	Code string `json:"code"`
}

const cannotDelete = "cannot delete"

// For answers s. It takes some milliseconds and allocates no table. The error is [ErrSpec].
func For(s Spec) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	r := &Result{Spec: s, BoundBits: s.Bound()}
	for _, c := range candidates() {
		c.Spec.Capacity, c.Spec.FalsePositiveRate = s.Keys, s.FPR
		_, err := Plans(c.Spec)
		switch {
		case s.Delete && !Deletes(c.Spec.Kind):
			r.Rejected = append(r.Rejected, Rejection{c.Name, cannotDelete})
		case err != nil:
			r.Rejected = append(r.Rejected, Rejection{c.Name, why(c.Spec, err)})
		}
	}
	asked := nest.Spec{Capacity: s.Keys, FalsePositiveRate: s.FPR, MustDelete: s.Delete}
	best, err := AllPlans(asked, s.Layouts...)
	if err != nil {
		// The first one that was not rejected for its kind has the least to store.
		i := slices.IndexFunc(r.Rejected, func(no Rejection) bool { return no.Why != cannotDelete })
		return nil, fmt.Errorf("size: %w: no filter holds %d keys at a rate of %v: %s", ErrSpec, s.Keys, s.FPR, r.Rejected[i].Why)
	}
	var layouts []cuckoo.Layout
	for _, l := range Layouts() {
		layouts = append(layouts, l.Spec.Layout)
	}
	all, err := AllPlans(asked, slices.Compact(layouts)...)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(p, q Plan) int { return cmp.Compare(p.Bytes, q.Bytes) })
	r.Plans = append(best[:1:1], slices.DeleteFunc(all, func(p Plan) bool { return p == best[0] })...)
	r.Reasons = r.reasons()
	r.Code = Code(r.Plans[0], s)
	return r, nil
}

// candidates are every kind, and the cuckoo filters by bucket size, layout and placement: the filters among which
// nest.Plans chooses.
func candidates() []Form {
	var cuckoos []Form
	for _, placement := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, b := range []int{2, 4, 8} {
			cuckoos = append(cuckoos, Form{
				Name: fmt.Sprintf("%s b=%d %v", Cuckoo, b, placement), Spec: nest.Spec{Kind: nest.Cuckoo, BucketSize: b, Placement: placement},
			})
		}
		for _, l := range Layouts() {
			l.Name, l.Spec.Placement = fmt.Sprintf("%s %v", l.Name, placement), placement
			cuckoos = append(cuckoos, l)
		}
	}
	return Forms(cuckoos...)
}

// why says why there is no such filter: the lowest rate that its widest fingerprints reach, or that its tables end
// before, where that is it, or what planning it said.
func why(s nest.Spec, err error) string {
	widest := s
	widest.FalsePositiveRate, widest.FingerprintBits = 0, fingerprint.MaxWidth
	if plans, err := Plans(widest); err == nil && plans[0].FPR > s.FalsePositiveRate {
		return fmt.Sprintf("the lowest reachable rate of %d keys is %.3g, with the widest fingerprints", s.Capacity, plans[0].FPR)
	}
	unlimited := s
	unlimited.MaxBytes = math.MaxInt
	if _, err := nest.Plans(unlimited); errors.Is(err, nest.ErrTooLarge) { // which is about some table on the way
		return fmt.Sprintf("its largest table is too small for %s keys at a rate of %v", group(s.Capacity, ','), s.FalsePositiveRate)
	}
	return strings.TrimPrefix(err.Error(), "size: "+ErrSpec.Error()+": ")
}
