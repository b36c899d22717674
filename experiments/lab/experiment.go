// Package lab runs experiments: it plans their trials, runs them with seeds of their own, keeps what they count, and hands it to the
// experiment to be drawn and judged. It knows no figure and no filter.
//
// An [Experiment] says what it counts (About), which trials a profile has (Plan), and makes pictures (Draw) and verdicts (Judge) of
// what was counted. A [Registry] is a list of experiments and of parts of one's own, and [Registry.Run] runs it. Results of a
// seed are the same bytes on every machine, but for columns that are named as timed.
package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// Old is an experiment that is not declared yet as an [Experiment]. Its methods are called from one goroutine, the Run of its
// jobs from several.
type Old interface {
	// About states the claim and the method, and names the columns of the results.
	About() About
	// Plan returns the jobs of a profile. It must be a pure function of the setup.
	Plan(Setup) ([]Job, error)
	// Draw returns the pictures of the results, the paper's points included. The first one is named
	// as the experiment; the others show a part of it in another way.
	Draw(*Data) []*chart.Figure
	// Judge compares the results with the claims. The data may be of any profile.
	Judge(*Data) []claims.Verdict
}

// A Tabulator is an Experiment with a table of its own for readers, in place of the means and standard
// deviations of its derived columns.
type Tabulator interface {
	// Shown returns that table. The data may be of any profile.
	Shown(*Data) report.Table
}

// About describes an experiment.
type About struct {
	Name     string    // a file stem: "fig2"
	Title    string    // of the section in the report
	Claim    string    // what the paper says
	Method   string    // what is done here, in words
	NotShown []string  // what must not be concluded from it
	Params   []string  // names of Job.Params
	Counts   []string  // names of what a trial counts
	Derived  []Derived // columns computed from the counts
	Timed    []string  // those of Counts and Derived that the machine decides besides the seed
	Revision int       // raise it when trials of equal parameters count otherwise: kept trials of the earlier one are refused
}

// Derived is a column of the CSV that follows from the counts by one division. Of nothing it is NaN: its cell is empty
// then, and no mean has it.
type Derived struct {
	Name string
	Of   func(Row) float64
}

// A Profile chooses the sizes of every experiment.
type Profile string

// The profiles.
const (
	// Tiny takes a second and shows nothing but that everything works.
	Tiny Profile = "tiny"
	// Quick, the default, takes one and a half to two and a half minutes on two cores.
	Quick Profile = "quick"
	// Paper has the paper's own sizes as far as a workstation allows, and takes about two and a half hours on two cores.
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

// ParseProfile returns the profile of that name, or an error that wraps [ErrProfile] and lists the
// known ones.
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

// A Job is one choice of parameters.
type Job struct {
	Series string  // the line of the chart that it belongs to
	Params []Value // in the order of About.Params
	Trials int     // how often to run it, each time with another seed
	Cost   float64 // roughly the seconds of one trial on a 2.5 GHz core, for progress and estimates
	Bytes  int64   // about the most memory that one trial holds at a time; 0 where it is a few MiB

	// Exclusive trials have the machine for themselves. Those of an experiment with timed columns have
	// it in any case.
	Exclusive bool

	// Steps are the parameters of further rows, for a trial that measures several things on its way: a
	// filter that is filled step by step. Each step is a group of its own.
	Steps [][]Value

	// Run is one trial. It returns the counts in the order of About.Counts, those of the steps one
	// behind the other, depends on nothing but the seed, and returns early when the context is cancelled.
	Run func(ctx context.Context, seed uint64) (counts []int, err error)

	key string // the text that seeds follow from, in place of name, series and parameters
	bed *bed   // what Run uses, made before

	// Cells are those of Params and of each of Steps, for an experiment that is declared by its cells.
	Cells []Cell

	// Joint, if set, is in the place of Run, for trials that other experiments share.
	Joint *Joint
}

// A Joint runs trials for several experiments at a time that would repeat the same work otherwise: a filter is
// filled once and measured in several ways. Trials of equal number of all jobs whose joints have one name have the same
// seed, and one call serves them. An experiment has at most one job with a joint of that name.
type Joint struct {
	Name string
	// Cost is roughly the seconds of a trial besides the Cost of each job that it serves.
	Cost float64
	// Run is one trial for those of the experiments that a run includes and does not have from an earlier
	// sitting. It returns the counts of each as Job.Run does, in the order of the names; those of one must not
	// depend on which others there are.
	Run func(ctx context.Context, seed uint64, experiments []string) (counts [][]int, err error)
}

// alone is the cost of a trial that serves no other experiment.
func (j Job) alone() float64 {
	if j.Joint == nil {
		return j.Cost
	}
	return j.Cost + j.Joint.Cost
}

// Data is what the trials of one experiment counted.
type Data struct {
	About  About
	Setup  Setup
	Groups []Group // one per job, in the order of the plan

	Load load
}

// A Group is the outcome of one job.
type Group struct {
	Data   *Data
	Series string
	Cell   Cell // of an experiment that is declared by its cells
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

	About *About
}

// Value returns a parameter by its name, which must be one of About.Params; it panics otherwise, as
// an index out of range does.
func (r Row) Value(name string) Value { return r.Params[slices.Index(r.About.Params, name)] }

// Param is a parameter that is a whole number; it is 0 where it does not apply.
func (r Row) Param(name string) int { return r.Value(name).Int() }

// Count returns a count by its name, which must be one of About.Counts; it panics otherwise.
func (r Row) Count(name string) int { return r.Counts[slices.Index(r.About.Counts, name)] }

// Ratio divides two counts of the row: a correctly rounded operation, so equal on every machine. Of
// nothing it is NaN.
func (r Row) Ratio(of, by string) float64 { return Quotient(r.Count(of), r.Count(by)) }

// Quotient is NaN for a divisor of 0, which says that nothing was measured: a 0 would be taken for a result.
func Quotient(a, b int) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// Param returns a parameter of the group's job.
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
