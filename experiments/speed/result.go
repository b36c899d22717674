package speed

import (
	"fmt"
	"strconv"

	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
)

// The verbs that are timed, as names of benchmarks have them.
const (
	Contains = "Contains"
	Insert   = "Insert"
	Delete   = "Delete"
	Build    = "Build"
)

// A Point says what is timed. Points can be compared.
type Point struct {
	// Filter is the name of the subject, or that of the gather limit.
	Filter string
	// N is the number of slots.
	N int
	// Verb is Contains, Insert, Delete or Build.
	Verb string
	// From and Load are the loads before and after an insert; of other verbs, From is 0 and the filter
	// has Load.
	From, Load float64
	// Hit is the share of lookups that are of keys, and Batch how many are done at a time, 0 for one
	// by one; 0 for other verbs.
	Hit   float64
	Batch int
}

// A Series is a point with the nanoseconds per key of each round.
type Series struct {
	Point
	// Of is the filter, or the gather limit.
	Of *catalogue.Entry
	// SizeBytes is the size of the table.
	SizeBytes int
	// Rounds are nanoseconds per key, in the order of the rounds; Keys is how many a round has.
	Rounds measure.Rounds
	Keys   int
}

// limit stands for the gather limit beside filters.
var limit = catalogue.Entry{Name: "gather", Label: "gather limit", Params: "filter=gather"}

// Name is the name of the benchmark.
func (s *Series) Name() string {
	name := "Benchmark" + s.Verb + "/" + s.Of.Params + "/n=" + strconv.Itoa(s.N)
	if s.Of.Slots {
		name += fmt.Sprintf("/load=%v", s.Load)
	}
	if s.Verb == Insert && s.From > 0 {
		name += fmt.Sprintf("/from=%v", s.From)
	}
	if s.Verb == Contains {
		name += fmt.Sprintf("/hit=%v", s.Hit)
		if s.Batch > 0 {
			name += fmt.Sprintf("/batch=%d", s.Batch)
		}
	}
	return name
}

// BitsPerItem is the size of the table for each key of it at FullLoad, 0 of the gather limit.
func (s *Series) BitsPerItem() float64 {
	if s.Of == &limit {
		return 0
	}
	return 8 * float64(s.SizeBytes) / float64(catalogue.KeysAt(s.N, catalogue.FullLoad))
}

// over is the time as a multiple of that of base, NaN where there is nothing to compare with.
func (s *Series) over(base *Series) measure.Interval {
	if s == nil || base == nil {
		return measure.Rounds(nil).Interval()
	}
	return s.Rounds.Over(base.Rounds)
}

// A Result holds what was measured, in the order in which it was first measured.
type Result struct {
	// Options are the options with defaults filled in.
	Options Options
	// Series are the measurements.
	Series []*Series
	// Notes say what was left out and why.
	Notes []string

	at map[Point]*Series
}

// add appends a round of a point of a filter.
func (r *Result) add(p Point, of *catalogue.Entry, sizeBytes int, lap measure.Lap) {
	p.Filter = of.Name
	s := r.at[p]
	if s == nil {
		s = &Series{Point: p, Of: of, SizeBytes: sizeBytes, Keys: lap.Keys}
		r.at[p], r.Series = s, append(r.Series, s)
	}
	s.Rounds = append(s.Rounds, lap.PerKey())
}

// of returns the series of another filter at the point of s.
func (r *Result) of(filter string, s *Series) *Series {
	p := s.Point
	p.Filter = filter
	return r.at[p]
}

// limitAt returns the gather limit at a size.
func (r *Result) limitAt(n int) *Series {
	return r.at[Point{Filter: limit.Name, N: n, Verb: Contains, Load: catalogue.FullLoad, Batch: DefaultBatch}]
}
