package speed

import (
	"fmt"
	"strconv"

	"github.com/nestfilter/nest/experiments/measure"
)

// The verbs that are timed, as names of benchmarks have them.
const (
	Contains = "Contains"
	Insert   = "Insert"
	Delete   = "Delete"
	Build    = "Build"
)

// GatherName is the name of the gather limit where it stands beside filters.
const GatherName = "gather"

// A Point says what is timed. Points can be compared.
type Point struct {
	// Filter is the name of the subject, or GatherName.
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

// suffix is the end of the name of a benchmark.
func (p Point) suffix(slots bool) string {
	name := "/n=" + strconv.Itoa(p.N)
	if slots {
		name += fmt.Sprintf("/load=%v", p.Load)
	}
	if p.Verb == Insert && p.From > 0 {
		name += fmt.Sprintf("/from=%v", p.From)
	}
	if p.Verb == Contains {
		name += fmt.Sprintf("/hit=%v", p.Hit)
		if p.Batch > 0 {
			name += fmt.Sprintf("/batch=%d", p.Batch)
		}
	}
	return name
}

// A Series is a point with the nanoseconds per key of each round.
type Series struct {
	Point
	// Params begins the name of the benchmark.
	Params string
	// Label names the filter in charts.
	Label string
	// Slots says that the filter has slots, so that its load means something.
	Slots bool
	// SizeBytes is the size of the table, and BitsPerItem that for each key of it at FullLoad.
	SizeBytes   int
	BitsPerItem float64
	// Rounds are nanoseconds per key, in the order of the rounds; Keys is how many a round has.
	Rounds measure.Rounds
	Keys   int
}

// Name is the name of the benchmark.
func (s *Series) Name() string {
	return "Benchmark" + s.Verb + "/" + s.Params + s.suffix(s.Slots)
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

// add appends a round of a point of a bed.
func (r *Result) add(p Point, b *Bed, lap measure.Lap) {
	s := r.series(p, lap)
	if s.Params == "" {
		s.Params, s.Label, s.Slots, s.SizeBytes = b.Params, b.Label, b.Slots, b.SizeBytes()
		s.BitsPerItem = 8 * float64(s.SizeBytes) / float64(keysAt(b.N, FullLoad))
	}
}

// series returns the series of a point with the lap added.
func (r *Result) series(p Point, lap measure.Lap) *Series {
	s := r.at[p]
	if s == nil {
		s = &Series{Point: p, Keys: lap.Keys}
		r.at[p], r.Series = s, append(r.Series, s)
	}
	s.Rounds = append(s.Rounds, lap.PerKey())
	return s
}

// gatherPoint is the point of the gather limit at a size.
func gatherPoint(n int) Point {
	return Point{Filter: GatherName, N: n, Verb: Contains, Load: FullLoad, Batch: DefaultBatch}
}

// addGather appends a round of the gather limit.
func (r *Result) addGather(n int, g *Gather, lap measure.Lap) {
	s := r.series(gatherPoint(n), lap)
	s.Params, s.Label, s.SizeBytes = "filter="+GatherName, "gather limit", g.SizeBytes()
}
