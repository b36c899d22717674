// Package lab runs experiments: it plans their trials, runs them with seeds of their own, keeps what they count, and
// hands it to the experiment to be drawn and judged. It knows no figure and no filter.
//
// An [Experiment] declares its cells and what is counted of each, and its pictures and claims. A [Registry] is a list
// of experiments and of parts of one's own, and [Registry.Run] runs it. Results of a seed are the same bytes on every
// machine, but for columns that are named as timed.
package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Profile chooses the sizes of every experiment.
type Profile string

// The profiles.
const (
	// Tiny takes a second and shows nothing but that everything works.
	Tiny Profile = "tiny"
	// Quick, the default, takes one and a half to three and a half minutes on two cores.
	Quick Profile = "quick"
	// Paper has the paper's own sizes as far as a workstation allows, and takes four to eight hours on two cores.
	Paper Profile = "paper"
)

// Profiles returns the names of all profiles, smallest first.
func Profiles() []Profile { return []Profile{Tiny, Quick, Paper} }

// index is the profile's place among them; the empty one is [Quick].
func (p Profile) index() int {
	if p == "" {
		p = Quick
	}
	return max(slices.Index(Profiles(), p), 0)
}

// Errors of wrong arguments, for errors.Is. Each is wrapped with what was wrong and what is known.
var (
	ErrProfile    = errors.New("unknown profile")
	ErrExperiment = errors.New("unknown experiment")
	ErrRegistry   = errors.New("registry cannot be run")
)

// ParseProfile returns the profile of that name, or an error that wraps [ErrProfile] and lists the known ones.
func ParseProfile(name string) (Profile, error) {
	if slices.Contains(Profiles(), Profile(name)) {
		return Profile(name), nil
	}
	var known []string
	for _, p := range Profiles() {
		known = append(known, string(p))
	}
	return "", fmt.Errorf("experiments: %w %q: want %s", ErrProfile, name, strings.Join(known, ", "))
}

// Setup is what a plan depends on.
type Setup struct {
	Profile Profile
	Own     Parts
	Runs    int  // trials of the largest tables of figure 2; 0 is the profile's own number
	Huge    bool // the table sizes that need up to 20 GiB too
}

// Data is what the trials of one experiment counted.
type Data struct {
	Experiment *Experiment
	Setup      Setup
	Groups     []Group // one per cell, in the order of the plan

	load load
}

// A Group is the outcome of one cell, or of a step in it.
type Group struct {
	Data   *Data
	Series string
	Cell   Cell
	Rows   []Row
}

// A Row is the outcome of one trial.
type Row struct {
	Series string
	Params []Value
	Trial  int
	Seed   uint64
	Counts []int
	Cell   Cell

	Experiment *Experiment
}

// index is the place of a name among names with spaces between them, -1 if it is none of them.
func index(names, name string) (i int) {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return i
		}
		i++
	}
	return -1
}

// Value returns a parameter by its name, which must be one of Experiment.Params; it panics otherwise.
func (r Row) Value(name string) Value { return r.Params[index(r.Experiment.Params, name)] }

// Param is a parameter that is a whole number; it is 0 where it does not apply.
func (r Row) Param(name string) int { return r.Value(name).Int() }

// Count returns a count by its name, which must be one of Trial.Counts; it panics otherwise.
func (r Row) Count(name string) int { return r.Counts[index(r.Experiment.Trial.Counts, name)] }

// Ratio divides two counts of the row: a correctly rounded operation, so equal on every machine. Of nothing it is NaN.
func (r Row) Ratio(of, by string) float64 { return Quotient(r.Count(of), r.Count(by)) }

// Quotient is NaN for a divisor of 0, which says that nothing was measured: a 0 would be taken for a result.
func Quotient(a, b int) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// Param returns a parameter of the group.
func (g Group) Param(name string) int { return g.Rows[0].Param(name) }

// Sum adds a count over the trials.
func (g Group) Sum(name string) int {
	total := 0
	for _, r := range g.Rows {
		total += r.Count(name)
	}
	return total
}

// Sum adds a count over all trials.
func (d *Data) Sum(name string) (total int) {
	for _, g := range d.Groups {
		total += g.Sum(name)
	}
	return total
}

// Ratios returns the quotient of two counts for each trial in which there is one.
func (g Group) Ratios(of, by string) []float64 {
	return g.values(func(r Row) float64 { return r.Ratio(of, by) })
}

// values returns what a column has for each trial, without the trials of which it has nothing.
func (g Group) values(of func(Row) float64) []float64 {
	out := make([]float64, 0, len(g.Rows))
	for _, r := range g.Rows {
		if v := of(r); !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// Mean is the quotient of two sums, which for an equal denominator is the mean of the trials. Of nothing it is NaN.
func (g Group) Mean(of, by string) float64 { return Quotient(g.Sum(of), g.Sum(by)) }

// Select returns the groups of a series, in the order of the plan.
func (d *Data) Select(series string) []Group {
	var out []Group
	for _, g := range d.Groups {
		if g.Series == series && len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Series returns the names of the series, in the order of the plan.
func (d *Data) Series() []string {
	var out []string
	for _, g := range d.Groups {
		if !slices.Contains(out, g.Series) {
			out = append(out, g.Series)
		}
	}
	return out
}
