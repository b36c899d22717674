package advice

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/claims"
)

// NoFilter is the name, among the kinds, of asking what lies behind every time.
const NoFilter = "no filter"

// A Workload says what lookups are like and what a false positive costs.
type Workload struct {
	MissCost   float64 `json:"miss_cost_ns"` // nanoseconds that one false positive wastes, at least 0
	Negative   float64 `json:"negative"`     // the share of lookups whose key is absent, 0 to 1
	MustDelete bool    `json:"must_delete"`  // says that keys must be deletable
	Batch      bool    `json:"batch"`        // prices lookups that are asked many at a time
}

// Validate reports the first thing that is wrong with w as an [ErrSpec], or nil.
func (w Workload) Validate() error {
	switch {
	case !(w.MissCost >= 0) || math.IsInf(w.MissCost, 1):
		return impossible("the cost of a miss is %v ns, want at least 0", w.MissCost)
	case !(w.Negative >= 0 && w.Negative <= 1):
		return impossible("the share of absent keys is %v, want 0 to 1", w.Negative)
	}
	return nil
}

// String says what lookups are like.
func (w Workload) String() string {
	text := "a miss costs " + Duration(w.MissCost) + ", " + claims.Percent(w.Negative, 2) + " of lookups ask for absent keys"
	if w.Batch {
		text += ", many at a time"
	}
	if w.MustDelete {
		text += ", keys must be deletable"
	}
	return text
}

// A Cost is what was measured of one filter. Times are medians over rounds, in nanoseconds.
type Cost struct {
	Family       string  `json:"family"`         // a kind of filters that differ in size alone
	Rung         int     `json:"rung,omitempty"` // the bits per item that it was given; 0 where a rate was
	Plan         Plan    `json:"plan"`
	Absent       float64 `json:"absent_ns"` // a lookup of such a key, one at a time
	Present      float64 `json:"present_ns"`
	AbsentBatch  float64 `json:"absent_batch_ns"` // one among many
	PresentBatch float64 `json:"present_batch_ns"`
	Noise        float64 `json:"noise_ns"`            // half the 95% interval of the median Absent
	Insert       float64 `json:"insert_ns"`           // per key of making the filter and inserting all keys
	Delete       float64 `json:"delete_ns,omitempty"` // 0 where it was not measured
	Rate         float64 `json:"rate"`                // Events of Probes, or predicted where Probes is 0
	Events       int     `json:"events,omitempty"`
	Probes       int     `json:"probes,omitempty"`

	form form
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

// A Stretch is a range of costs of a miss, in nanoseconds, in which one kind wins. The last To is +Inf.
type Stretch struct {
	Kind     string
	From, To float64
}

// MarshalJSON writes the stretch with null for no upper bound.
func (s Stretch) MarshalJSON() ([]byte, error) {
	to := "null"
	if !math.IsInf(s.To, 1) {
		to = fmt.Sprintf("%g", s.To)
	}
	return fmt.Appendf(nil, `{"kind":%q,"from_ns":%g,"to_ns":%s}`, s.Kind, s.From, to), nil
}

// stretch returns the stretch of the winners in which a cost of a miss lies, the later one on a border.
func stretch(winners []Stretch, missCost float64) (at int) {
	for i, s := range winners {
		if s.From <= missCost {
			at = i
		}
	}
	return at
}

// envelope returns the winners from a miss that costs nothing to one that costs everything: each kind's pieces of the
// lower envelope, joined. Of lines that are equal at 0, the one that rises least wins.
func envelope(lines []line) (won []Stretch) {
	if len(lines) == 0 {
		return nil
	}
	now := slices.MinFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.at0, b.at0), cmp.Compare(a.rise, b.rise))
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

// Winners returns which kind has the lowest price at which cost of a miss, each kind at the rung that is best for it
// there, having no filter included. w's own cost does not matter.
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
