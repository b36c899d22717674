package price

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/size"
)

// ErrOptions reports options that cannot be answered.
var ErrOptions = errors.New("invalid options")

// NoFilter is the name, among the kinds, of asking what lies behind every time.
const NoFilter = "no filter"

// A Workload says what lookups are like and what a false positive costs.
type Workload struct {
	// MissCost is the nanoseconds that one false positive wastes, at least 0.
	MissCost float64 `json:"miss_cost_ns"`
	// Negative is the share of lookups whose key is absent, 0 to 1.
	Negative float64 `json:"negative"`
	// MustDelete says that keys must be deletable, DeleteRate how many deletes there are per insert;
	// above 0 it says so too.
	MustDelete bool    `json:"must_delete"`
	DeleteRate float64 `json:"delete_rate"`
	// Batch prices lookups that are asked many at a time.
	Batch bool `json:"batch"`
}

// Validate reports the first thing that is wrong with w as an [ErrOptions], or nil.
func (w Workload) Validate() error {
	switch {
	case !(w.MissCost >= 0) || math.IsInf(w.MissCost, 1):
		return fmt.Errorf("price: %w: the cost of a miss is %v ns, want at least 0", ErrOptions, w.MissCost)
	case !(w.Negative >= 0 && w.Negative <= 1):
		return fmt.Errorf("price: %w: the share of absent keys is %v, want 0 to 1", ErrOptions, w.Negative)
	case !(w.DeleteRate >= 0) || math.IsInf(w.DeleteRate, 1):
		return fmt.Errorf("price: %w: %v deletes per insert, want at least 0", ErrOptions, w.DeleteRate)
	}
	return nil
}

// deletes tells whether keys must be deletable.
func (w Workload) deletes() bool { return w.MustDelete || w.DeleteRate > 0 }

// A Cost is what was measured of one filter. Times are medians over rounds, in nanoseconds.
type Cost struct {
	// Family is the name of the family, Rung the bits per item that it was given; 0 where a rate was.
	Family string `json:"family"`
	Rung   int    `json:"rung,omitempty"`
	// Plan is the filter.
	Plan size.Plan `json:"plan"`
	// Absent and Present are the times of a lookup of such a key, one at a time; AbsentBatch and
	// PresentBatch those of one among many.
	Absent       float64 `json:"absent_ns"`
	Present      float64 `json:"present_ns"`
	AbsentBatch  float64 `json:"absent_batch_ns"`
	PresentBatch float64 `json:"present_batch_ns"`
	// Noise is half the 95% interval of the median Absent.
	Noise float64 `json:"noise_ns"`
	// Insert is the time per key of making the filter and inserting all keys, Delete that of a delete,
	// 0 where it was not measured.
	Insert float64 `json:"insert_ns"`
	Delete float64 `json:"delete_ns,omitempty"`
	// Rate is the false-positive rate: Events of Probes, or the predicted one where Probes is 0.
	Rate   float64 `json:"rate"`
	Events int     `json:"events,omitempty"`
	Probes int     `json:"probes,omitempty"`
	// Interpolated says that the times are those between two rungs that were measured.
	Interpolated bool `json:"interpolated,omitempty"`
}

// Lookup returns the nanoseconds of a lookup itself.
func (w Workload) Lookup(c Cost) float64 {
	absent, present := c.Absent, c.Present
	if w.Batch {
		absent, present = c.AbsentBatch, c.PresentBatch
	}
	return float64(w.Negative*absent) + float64((1-w.Negative)*present)
}

// Wasted returns the nanoseconds that a lookup wastes on false positives, on average.
func (w Workload) Wasted(c Cost) float64 { return w.Negative * c.Rate * w.MissCost }

// Price returns the nanoseconds of a lookup and of the work that its false positives waste.
func (w Workload) Price(c Cost) float64 { return w.Lookup(c) + w.Wasted(c) }

// Upkeep returns the nanoseconds of an insert and of the deletes that go with it.
func (w Workload) Upkeep(c Cost) float64 { return c.Insert + float64(w.DeleteRate*c.Delete) }

// BreakEven returns the cost of a miss at which two filters have the same price, whatever w's own is:
// (lookup a - lookup b) / (q * (rate b - rate a)). There is none, and ok is false, where one of them is
// cheaper at every cost.
func (w Workload) BreakEven(a, b Cost) (missCost float64, ok bool) {
	return w.line(a).crosses(w.line(b))
}

// A line is a price as a function of the cost of a miss.
type line struct {
	kind      string
	at0, rise float64
}

func (w Workload) line(c Cost) line { return line{c.Plan.Kind, w.Lookup(c), w.Negative * c.Rate} }

func (w Workload) noFilter() line { return line{NoFilter, 0, w.Negative} }

func (l line) at(missCost float64) float64 { return l.at0 + float64(l.rise*missCost) }

// crosses returns where two lines meet, at 0 or above.
func (l line) crosses(o line) (missCost float64, ok bool) {
	if l.rise == o.rise {
		return 0, false
	}
	x := (o.at0 - l.at0) / (l.rise - o.rise)
	return x, x >= 0
}

// A Stretch is a range of costs of a miss in which one kind wins.
type Stretch struct {
	// Kind is the name of the winner.
	Kind string
	// From and To bound the costs in nanoseconds; the last To is +Inf.
	From, To float64
}

// envelope returns the winners from a miss that costs nothing to one that costs everything: each kind's
// pieces of the lower envelope, joined. Of lines that are equal at 0, the one that rises least wins.
func envelope(lines []line) (won []Stretch) {
	if len(lines) == 0 {
		return nil
	}
	now := slices.MinFunc(lines, func(a, b line) int {
		if a.at0 != b.at0 {
			return cmp.Compare(a.at0, b.at0)
		}
		return cmp.Compare(a.rise, b.rise)
	})
	won = []Stretch{{Kind: now.kind, To: math.Inf(1)}}
	for from := 0.; ; {
		next, at := now, math.Inf(1)
		for _, l := range lines {
			if l.rise >= now.rise {
				continue
			}
			x, _ := now.crosses(l)
			if x = max(x, from); x < at || x == at && l.rise < next.rise {
				next, at = l, x
			}
		}
		if math.IsInf(at, 1) {
			return won
		}
		if next.kind != now.kind {
			won[len(won)-1].To = at
			won = append(won, Stretch{Kind: next.kind, From: at, To: math.Inf(1)})
		}
		now, from = next, at
	}
}

// Winners returns which kind has the lowest price at which cost of a miss, each kind at the rung that is
// best for it there, having no filter included. w's own cost does not matter.
func (w Workload) Winners(costs []Cost) []Stretch {
	lines := []line{w.noFilter()}
	for _, c := range costs {
		lines = append(lines, w.line(c))
	}
	return envelope(lines)
}

// Best returns the cost of lowest price of each family, families in the order of their first costs.
func (w Workload) Best(costs []Cost) (best []Cost) {
	for _, c := range costs {
		at := slices.IndexFunc(best, func(b Cost) bool { return b.Family == c.Family })
		switch {
		case at < 0:
			best = append(best, c)
		case w.Price(c) < w.Price(best[at]):
			best[at] = c
		}
	}
	return best
}

func (w Workload) rank(costs []Cost) {
	slices.SortStableFunc(costs, func(a, b Cost) int {
		if c := cmp.Compare(w.Price(a), w.Price(b)); c != 0 {
			return c
		}
		return a.Plan.Bytes - b.Plan.Bytes
	})
}
