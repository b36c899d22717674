package lab

import (
	"fmt"
	"slices"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// A Simple is an [Experiment] in one literal: what it is about, the trials, and functions of what they counted. A function that is
// missing makes nothing, but for Trials, without which a run ends with an error.
type Simple struct {
	Declare About
	Trials  func(Setup) ([]Job, error)   // as Experiment.Plan
	Figures func(*Data) []*chart.Figure  // as Experiment.Draw
	Claims  func(*Data) []claims.Verdict // as Experiment.Judge
	Table   func(*Data) report.Table     // as Tabulator.Shown
}

// About returns Declare.
func (s Simple) About() About { return s.Declare }

// Plan calls Trials. Without it the error wraps [ErrRegistry].
func (s Simple) Plan(setup Setup) ([]Job, error) {
	if s.Trials == nil {
		return nil, fmt.Errorf("%w: %q has no Trials", ErrRegistry, s.Declare.Name)
	}
	return s.Trials(setup)
}

// Draw calls Figures.
func (s Simple) Draw(d *Data) []*chart.Figure {
	if s.Figures == nil {
		return nil
	}
	return s.Figures(d)
}

// Judge calls Claims.
func (s Simple) Judge(d *Data) []claims.Verdict {
	if s.Claims == nil {
		return nil
	}
	return s.Claims(d)
}

// Shown calls Table. Without it the report shows means, as of an experiment that is no [Tabulator].
func (s Simple) Shown(d *Data) report.Table {
	if s.Table == nil {
		return report.Table{}
	}
	return s.Table(d)
}

// Points are a point of a chart for each of some things: groups, rates, points of the paper.
func Points[T any](all []T, at func(T) chart.Point) []chart.Point {
	out := make([]chart.Point, len(all))
	for i, one := range all {
		out[i] = at(one)
	}
	return out
}

// Lines returns a line of a chart for each series: a point of each group, in the order of the plan. Points with NaN are left out, and
// lines without points. Styles are those of [chart.StylesFor].
func (d *Data) Lines(kind chart.Kind, point func(Group) chart.Point) []chart.Series {
	names := d.Series()
	styles := chart.StylesFor(names...)
	var lines []chart.Series
	for i, name := range names {
		line := chart.Series{Label: name, Style: styles[i], Kind: kind, Points: Points(d.Select(name), point)}
		line.Points = slices.DeleteFunc(line.Points, isNowhere)
		if len(line.Points) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// MadeUp returns the data of an experiment in which each row has the counts that a function says, in place of trials: for tests of
// Draw and Judge. The seed of the run is 1. Missing counts are 0.
func MadeUp(e Old, own Parts, p Profile, counts func(r Row) []int) (*Data, error) {
	findings, tasks, err := Registry{Experiments: []Old{e}, Parts: own}.Plan(Options{Profile: p, Seed: 1})
	if err != nil {
		return nil, err
	}
	for _, task := range tasks {
		for _, row := range task.rows {
			row.Counts = make([]int, len(row.About.Counts))
			copy(row.Counts, counts(*row))
		}
	}
	return findings[0].Data, nil
}

// Judged returns the verdicts, or those on the same claims as not measured in a profile whose tables are too small for them.
func (d *Data) Judged(all []claims.Verdict) []claims.Verdict {
	if d.Setup.Profile != Tiny {
		return all
	}
	for i, v := range all {
		all[i] = claims.Verdict{Claim: v.Claim, Ours: "-", Why: claims.SmallTables}
	}
	return all
}
