package speed

import (
	"fmt"
	"strconv"

	"github.com/nestfilter/nest/experiments/stat"
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
	Rounds []float64
	Keys   int
}

// Name is the name of the benchmark.
func (s *Series) Name() string {
	return "Benchmark" + s.Verb + "/" + s.Params + s.suffix(s.Slots)
}

// Median returns the median over the rounds.
func (s *Series) Median() float64 { return stat.Median(s.Rounds) }

// Interval returns the 95% interval of the median.
func (s *Series) Interval() (lo, hi float64) { return stat.MedianInterval(s.Rounds) }

// A Ratio is a time as a multiple of another one.
type Ratio struct {
	// Median is that of the ratios of the rounds, and Lo and Hi its 95% interval.
	Median, Lo, Hi float64
}

// Over returns the time of s as a multiple of that of base: the median over the rounds of the ratio within
// the round, in which both were timed next to each other. ok is false where there are no common rounds.
func (s *Series) Over(base *Series) (r Ratio, ok bool) {
	n := min(len(s.Rounds), len(base.Rounds))
	if n == 0 {
		return Ratio{}, false
	}
	ratios := make([]float64, n)
	for i := range ratios {
		ratios[i] = s.Rounds[i] / base.Rounds[i]
	}
	r.Median = stat.Median(ratios)
	r.Lo, r.Hi = stat.MedianInterval(ratios)
	return r, true
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

// Find returns the measurements of a point, or nil.
func (r *Result) Find(p Point) *Series { return r.at[p] }

// add appends a round of a point of a bed.
func (r *Result) add(p Point, b *Bed, lap Lap) {
	s := r.at[p]
	if s == nil {
		s = &Series{Point: p, Params: b.Params, Label: b.Label, Slots: b.Slots, SizeBytes: b.SizeBytes(), Keys: lap.Keys}
		s.BitsPerItem = 8 * float64(s.SizeBytes) / float64(keysAt(b.N, FullLoad))
		r.put(s)
	}
	s.Rounds = append(s.Rounds, lap.PerKey())
}

func (r *Result) put(s *Series) {
	if r.at == nil {
		r.at = map[Point]*Series{}
	}
	r.at[s.Point] = s
	r.Series = append(r.Series, s)
}

// addGather appends a round of the gather limit.
func (r *Result) addGather(n int, g *Gather, lap Lap) {
	p := Point{Filter: GatherName, N: n, Verb: Contains, Load: FullLoad, Batch: DefaultBatch}
	s := r.at[p]
	if s == nil {
		s = &Series{Point: p, Params: "filter=" + GatherName, Label: "gather limit", SizeBytes: g.SizeBytes(), Keys: lap.Keys}
		r.put(s)
	}
	s.Rounds = append(s.Rounds, lap.PerKey())
}
