// Package size answers which filter to take for a number of keys and a false-positive rate: it plans
// every kind of filter with the filters' own sizing rules, without making one, and ranks the plans.
//
// The smallest table is ranked first, unless another one that is at most [Slack] larger touches
// fewer cache lines per lookup: a line is a memory access, and a few per cent of memory are not.
package size

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
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
	for _, kind := range []string{Bloom, Blocked, Counting} {
		if s.Delete && kind != Counting {
			r.reject(kind, errors.New(cannotDelete))
			continue
		}
		p, err := PlanBloom(kind, s.Keys, s.FPR)
		r.add(kind, p, err)
	}
	for _, placement := range []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR} {
		for _, b := range []int{2, 4, 8} {
			p, err := PlanCuckoo(s.Keys, s.FPR, b, placement)
			r.add(fmt.Sprintf("cuckoo b=%d %v", b, placement), p, err)
		}
	}
	if len(r.Plans) == 0 {
		// The first one that was not rejected for its kind has the least to store.
		i := slices.IndexFunc(r.Rejected, func(no Rejection) bool { return no.Why != cannotDelete })
		return nil, fmt.Errorf("size: %w: no filter holds %d keys at a rate of %v: %s", ErrSpec, s.Keys, s.FPR, r.Rejected[i].Why)
	}
	r.rank()
	r.Reasons = r.reasons()
	r.Code = Code(r.Plans[0], s)
	return r, nil
}

func (r *Result) add(name string, p Plan, err error) {
	if err != nil {
		r.reject(name, err)
		return
	}
	r.Plans = append(r.Plans, p)
}

func (r *Result) reject(name string, why error) {
	text := strings.TrimPrefix(why.Error(), "size: "+ErrSpec.Error()+": ")
	r.Rejected = append(r.Rejected, Rejection{name, text})
}

// rank sorts the plans by size and moves the recommended one to the front.
func (r *Result) rank() {
	slices.SortStableFunc(r.Plans, func(a, b Plan) int {
		if a.Bytes != b.Bytes {
			return a.Bytes - b.Bytes
		}
		return a.lines() - b.lines()
	})
	best := 0
	for i, p := range r.Plans {
		if float64(p.Bytes) <= (1+Slack)*float64(r.Plans[0].Bytes) && p.lines() < r.Plans[best].lines() {
			best = i
		}
	}
	p := r.Plans[best]
	r.Plans = slices.Insert(slices.Delete(r.Plans, best, best+1), 0, p)
}

// lines is the cache lines of a hit and a miss together.
func (p Plan) lines() int { return p.LinesHit + p.LinesMiss }
