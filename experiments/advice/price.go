package advice

import (
	"cmp"
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

// check is an [ErrSpec] where no lookups are like w.
func (w Workload) check() error {
	if !(w.MissCost >= 0 && w.Negative >= 0 && w.Negative <= 1) || math.IsInf(w.MissCost, 1) {
		return impossible("the cost of a miss is %v ns and the share of absent keys is %v, want at least 0, and 0 to 1",
			w.MissCost, w.Negative)
	}
	return nil
}

// String says what lookups are like.
func (w Workload) String() string {
	text := "a miss costs " + Duration(w.MissCost) + ", " + claims.Percent(w.Negative, 2)
	text += " of lookups ask for absent keys"
	if w.Batch {
		text += ", many at a time"
	}
	if w.MustDelete {
		text += ", keys must be deletable"
	}
	return text
}

// A Cost is what was measured of one filter, and its price. Times are medians over rounds, in nanoseconds.
type Cost struct {
	Family       string  `json:"family"`         // a kind of filters that differ in size alone
	Rung         int     `json:"rung,omitempty"` // the bits per item that it was given; 0 where a rate was
	Plan         Plan    `json:"plan"`
	Absent       float64 `json:"absent_ns"` // a lookup of such a key, one at a time
	Present      float64 `json:"present_ns"`
	AbsentBatch  float64 `json:"absent_batch_ns"` // one among many
	PresentBatch float64 `json:"present_batch_ns"`
	Insert       float64 `json:"insert_ns"`           // per key of making the filter and inserting all keys
	Delete       float64 `json:"delete_ns,omitempty"` // 0 where it was not measured
	Rate         float64 `json:"rate"`                // as predicted

	// Of the workload that is advised on: Price is Lookup and Wasted.
	Lookup float64 `json:"lookup_ns"`
	Wasted float64 `json:"wasted_ns"`
	Price  float64 `json:"price_ns"`

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

// A Stretch is a range of costs of a miss in which one kind wins: from a number of nanoseconds up to the next stretch.
type Stretch struct {
	Kind string  `json:"kind"`
	From float64 `json:"from_ns"`
}

// Winners returns which kind has the lowest price at which cost of a miss, each kind at the rung that is best for it
// there, having no filter included. w's own cost does not matter.
func (w Workload) Winners(costs []Cost) (won []Stretch) {
	type line struct { // a price as a function of the cost of a miss
		kind      string
		at0, rise float64
	}
	lines, borders := []line{{NoFilter, 0, w.Negative}}, []float64{0}
	for _, c := range costs {
		l := line{c.Plan.Kind, w.Lookup(c), w.Negative * c.Rate}
		for _, o := range lines {
			if x := (o.at0 - l.at0) / (l.rise - o.rise); x > 0 && !math.IsInf(x, 1) {
				borders = append(borders, x)
			}
		}
		lines = append(lines, l)
	}
	slices.Sort(borders)
	for i, from := range borders {
		x := 2*from + 1 // behind the last border
		if i+1 < len(borders) {
			x = (from + borders[i+1]) / 2
		}
		best := slices.MinFunc(lines, func(l, o line) int {
			return cmp.Compare(l.at0+float64(l.rise*x), o.at0+float64(o.rise*x))
		})
		if won == nil || won[len(won)-1].Kind != best.kind {
			won = append(won, Stretch{best.kind, from})
		}
	}
	return won
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
