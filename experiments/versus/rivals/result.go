package rivals

import (
	"cmp"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/report"
)

// A Row is one filter at one size over all rounds.
type Row struct {
	Contender
	Slots, Keys int
	SizeBits    float64 // per key, of the largest round
	Rate        claims.Rate
	Lost        int
	Refused     int                   // the keys that it took when it refused one, 0 if it never did; it then has no times
	Times       [verbs]measure.Rounds // nanoseconds per key; without any where the filter has no such verb
}

// Mean returns the lookup times of the rounds, each the mean over the five mixtures.
func (r *Row) Mean() measure.Rounds { return meanOf(r.Times[find:batch]) }

func meanOf(verbs []measure.Rounds) measure.Rounds {
	mean := make(measure.Rounds, len(verbs[0]))
	for _, rounds := range verbs {
		for i, ns := range rounds {
			mean[i] += ns / float64(len(verbs))
		}
	}
	return mean
}

// Within is how far the mean lookup time of a turn moved when all mixtures were asked once more, by other keys, as a
// share of it: the median over the rounds. Between is half of the interval of the mean over the rounds, each a process
// of its own, as a share of the median.
func (r *Row) Within() float64 {
	moved := make([]float64, min(len(r.Times[again]), len(r.Times[find])))
	for i, mean := range r.Mean()[:len(moved)] {
		moved[i] = math.Abs(r.Times[again][i]/mean - 1)
	}
	return claims.Median(moved)
}

// Between: see [Row.Within].
func (r *Row) Between() float64 {
	mean := r.Mean().Interval()
	return (mean.Hi - mean.Lo) / 2 / mean.Median
}

// Batched is the mean over batches of absent and of present keys.
func (r *Row) Batched() measure.Rounds { return meanOf(r.Times[batch : batch+2]) }

// Overhead is the bits above what every filter of the row's rate needs at least, log2(1/rate), as a share of it. It is
// NaN if no false positive was seen.
func (r *Row) Overhead() float64 {
	if r.Rate.Events == 0 {
		return math.NaN()
	}
	return -r.SizeBits/math.Log2(r.Rate.Value()) - 1
}

// A Result is a league.
type Result struct {
	Source report.Manifest
	Laps   report.Table // of the run
	Rows   []*Row       // by size and group, kept ones last
	Note   string       // for the reader, or ""
}

// fill makes the rows of laps of contenders, and of those that are kept.
func (r *Result) fill(laps report.Table, of []Contender) error {
	r.Laps = laps
	err := eachLap(journal, laps, func(filter string, l lap) {
		i := slices.IndexFunc(of, func(c Contender) bool { return c.Name == filter })
		r.row(of[i], l).add(l)
	})
	if err == nil {
		err = r.keep(keptFiles)
	}
	r.sort()
	return err
}

// sort puts the rows in the order of the tables.
func (r *Result) sort() {
	slices.SortStableFunc(r.Rows, func(a, b *Row) int { return cmp.Or(a.Slots-b.Slots, int(a.Group)-int(b.Group)) })
}

// row returns the row of a lap.
func (r *Result) row(c Contender, l lap) *Row {
	if row := r.named(c.Name, l["slots"]); row != nil {
		return row
	}
	r.Rows = append(r.Rows, &Row{Contender: c, Slots: l["slots"], Keys: l["keys"]})
	return r.Rows[len(r.Rows)-1]
}

// named returns the row of that name and size, nil without one.
func (r *Result) named(name string, slots int) *Row {
	i := slices.IndexFunc(r.Rows, func(row *Row) bool { return row.Name == name && row.Slots == slots })
	if i < 0 {
		return nil
	}
	return r.Rows[i]
}

// add adds a round.
func (r *Row) add(l lap) {
	if r.Refused = max(r.Refused, l["refused"]); l["refused"] > 0 {
		return
	}
	for verb, t := range timed {
		if l[t.column] > 0 {
			r.Times[verb] = append(r.Times[verb], l.ns(verb))
		}
	}
	r.SizeBits = max(r.SizeBits, 8*float64(l["bytes"])/float64(l["keys"]))
	r.Lost += l["lost"]
	r.Rate.Events, r.Rate.N = r.Rate.Events+l["false"], r.Rate.N+l["asked"]
}

// Sizes returns the numbers of slots, in order.
func (r *Result) Sizes() (sizes []int) {
	for _, row := range r.Rows {
		sizes = append(sizes, row.Slots)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}
