package rivals

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/stat"
)

// A Row is one filter at one size over all rounds.
type Row struct {
	Name   string
	Group  Group
	Module string
	// Version is that of the module, "" where the program does not know it.
	Version string
	// Bytes tells that keys are 16 bytes; Static that the filter is built at once.
	Bytes, Static bool
	Remark        string
	Slots, Keys   int
	// SizeBits are the bits per key, of the largest round.
	SizeBits float64
	Rate     stat.Rate
	Lost     int
	// Refused is the number of keys that it took in the round in which it refused one, 0 if it never did; it then has no times.
	Refused int
	// The times of each round, in nanoseconds per key; without any where the filter has no such verb.
	Add, Last, Remove, RemoveBatch measure.Rounds
	Find                           [5]measure.Rounds
	Batch                          [2]measure.Rounds
	// Kept is where the laps come from, nil for those of the run.
	Kept *Source

	place int // among the contenders
}

// Mean returns the lookup times of the rounds, each the mean over the five mixtures.
func (r *Row) Mean() measure.Rounds {
	mean := make(measure.Rounds, len(r.Find[0]))
	for _, rounds := range r.Find {
		for i, ns := range rounds {
			mean[i] += ns / float64(len(r.Find))
		}
	}
	return mean
}

// Bound is what every filter of the row's rate needs at least, in bits per key: log2(1/rate). It is NaN if no false positive was
// seen.
func (r *Row) Bound() float64 {
	if r.Rate.Events == 0 {
		return math.NaN()
	}
	return -math.Log2(r.Rate.Value())
}

// Overhead is the bits above the bound as a share of it.
func (r *Row) Overhead() float64 { return r.SizeBits/r.Bound() - 1 }

// A Result is a league.
type Result struct {
	Laps     *Laps
	Rows     []*Row // by size, then as order says
	Foreign  []Foreign
	Complete bool
	// Notes are for the reader.
	Notes []string
}

// NewResult makes the rows of laps, of those that are kept and of what another program printed. Versions are those of the modules of this
// program.
func NewResult(l *Laps, kept []*Laps, foreign []Foreign, versions map[string]string) *Result {
	r := &Result{Laps: l, Foreign: foreign}
	known := Contenders()
	for i := range l.All {
		lap := &l.All[i]
		row := r.row(lap, nil)
		if row.Group == "" {
			at := slices.IndexFunc(known, func(c Contender) bool { return c.Name == lap.Filter })
			if at < 0 {
				row.Group, row.Remark, row.place = Peer, "a filter of an earlier version of this program", len(known)
			} else {
				c := &known[at]
				row.Group, row.Module, row.Version, row.place = c.Group, c.Module, versions[c.Module], at
				row.Bytes, row.Static, row.Remark = c.Bytes, c.Static, c.Remark
			}
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
			row, s := r.row(lap, &k.Source), k.Source
			row.Group, row.Module, row.Version, row.Bytes, row.Remark = Peer, s.Module, s.Version, s.Bytes, s.Remark
			row.place = len(known) + i
			row.add(lap)
		}
	}
	slices.SortStableFunc(r.Rows, func(a, b *Row) int {
		if a.Slots != b.Slots {
			return a.Slots - b.Slots
		}
		return order(a, b)
	})
	return r
}

// row returns the row of a lap.
func (r *Result) row(lap *Lap, kept *Source) *Row {
	for _, row := range r.Rows {
		if row.Name == lap.Filter && row.Slots == lap.Slots && row.Kept == kept {
			return row
		}
	}
	row := &Row{Name: lap.Filter, Slots: lap.Slots, Keys: lap.Keys, Kept: kept}
	r.Rows = append(r.Rows, row)
	return row
}

// add adds a round.
func (r *Row) add(lap *Lap) {
	if lap.Refused > 0 {
		r.Refused = lap.Refused
		return
	}
	appendTime := func(to *measure.Rounds, ns float64) {
		if ns > 0 {
			*to = append(*to, ns)
		}
	}
	appendTime(&r.Add, lap.Add)
	appendTime(&r.Last, lap.Last)
	appendTime(&r.Remove, lap.Remove)
	appendTime(&r.RemoveBatch, lap.RemoveBatch)
	for i, ns := range lap.Find {
		appendTime(&r.Find[i], ns)
	}
	if lap.Batch != nil {
		for i, ns := range lap.Batch {
			appendTime(&r.Batch[i], ns)
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

// of returns the row of that name and size, nil without one.
func (r *Result) of(name string, slots int) *Row {
	at := slices.IndexFunc(r.Rows, func(row *Row) bool { return row.Name == name && row.Slots == slots })
	if at < 0 {
		return nil
	}
	return r.Rows[at]
}

// Losers names the filters that lost keys.
func (r *Result) Losers() (all []string) {
	for _, row := range r.Rows {
		if row.Lost > 0 {
			all = append(all, fmt.Sprintf("%s lost %d keys of %d slots", row.Name, row.Lost, row.Slots))
		}
	}
	return all
}
