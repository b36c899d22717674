package rivals

import (
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/measure"
)

// A Row is one filter at one size over all rounds.
type Row struct {
	Contender // without its constructor
	// Version is that of the module, "" where the program does not know it.
	Version     string
	Slots, Keys int
	// SizeBits are the bits per key, of the largest round.
	SizeBits float64
	Rate     claims.Rate
	Lost     int
	// Refused is the number of keys that it took in the round in which it refused one, 0 if it never did; it then has
	// no times.
	Refused int
	// Times are those of each round, in nanoseconds per key; without any where the filter has no such verb.
	Times [verbs]measure.Rounds
	// Kept is where the laps come from, nil for those of the run.
	Kept *Source

	place int // among the contenders
}

// Mean returns the lookup times of the rounds, each the mean over the five mixtures.
func (r *Row) Mean() measure.Rounds {
	mean := make(measure.Rounds, len(r.Times[find]))
	for _, rounds := range r.Times[find:batch] {
		for i, ns := range rounds {
			mean[i] += ns / float64(len(shares))
		}
	}
	return mean
}

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
	Laps *Laps
	Rows []*Row // by size, then as order says
}

// NewResult makes the rows of laps and of those that are kept. Versions are those of the modules of this program.
func NewResult(l *Laps, kept []*Laps, versions map[string]string) *Result {
	r := &Result{Laps: l}
	known := Contenders()
	for i := range l.All {
		lap := &l.All[i]
		row := r.row(lap, nil)
		if row.Group == "" {
			row.place = slices.IndexFunc(known, func(c Contender) bool { return c.Name == lap.Filter })
			if row.place >= 0 {
				row.Contender = known[row.place]
			} else {
				row.Group, row.Remark, row.place = Peer, "a filter of an earlier version of this program", len(known)
			}
			row.Version = versions[row.Module]
		}
		row.add(lap)
	}
	sizes := r.Sizes()
	for i, k := range kept {
		for j := range k.All {
			lap := &k.All[j]
			if !slices.Contains(sizes, lap.Slots) {
				continue
			}
			row, s := r.row(lap, &k.Source), k.Source.Settings
			row.Group, row.Module, row.Version, row.Remark = Peer, s["module"], s["version"], s["remark"]
			row.Bytes, row.place = s["bytes"] != "", len(known)+i
			row.add(lap)
		}
	}
	slices.SortStableFunc(r.Rows, order)
	return r
}

// row returns the row of a lap.
func (r *Result) row(lap *Lap, kept *Source) *Row {
	for _, row := range r.Rows {
		if row.Name == lap.Filter && row.Slots == lap.Slots && row.Kept == kept {
			return row
		}
	}
	row := &Row{Contender: Contender{Name: lap.Filter}, Slots: lap.Slots, Keys: lap.Keys, Kept: kept}
	r.Rows = append(r.Rows, row)
	return row
}

// add adds a round.
func (r *Row) add(lap *Lap) {
	if lap.Refused > 0 {
		r.Refused = lap.Refused
		return
	}
	for verb, ns := range lap.Times {
		if ns > 0 {
			r.Times[verb] = append(r.Times[verb], lap.ns(verb))
		}
	}
	r.SizeBits = max(r.SizeBits, 8*float64(lap.Bytes)/float64(lap.Keys))
	r.Lost += lap.Lost
	r.Rate.Events, r.Rate.N = r.Rate.Events+lap.False, r.Rate.N+lap.Asked
}

// Sizes returns the numbers of slots, in order.
func (r *Result) Sizes() (sizes []int) {
	for _, row := range r.Rows {
		sizes = append(sizes, row.Slots)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// of returns the rows of a size.
func (r *Result) of(slots int) []*Row {
	return slices.DeleteFunc(slices.Clone(r.Rows), func(row *Row) bool { return row.Slots != slots })
}
