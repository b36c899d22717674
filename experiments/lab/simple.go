package lab

import (
	"strconv"
	"strings"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
)

// Points are a point of a chart for each of some things: groups, rates, points of the paper.
func Points[T any](all []T, at func(T) chart.Point) []chart.Point {
	out := make([]chart.Point, len(all))
	for i, one := range all {
		out[i] = at(one)
	}
	return out
}

// A tester is what tests of experiments use of testing.TB.
type tester interface {
	Helper()
	Fatal(args ...any)
	Skip(args ...any)
}

// MadeUp returns the data of an experiment in which each row has the counts that a function says, in place of trials:
// for tests of pictures and claims. The seed of the run is 1. Missing counts are 0.
func MadeUp(t tester, e *Experiment, s Setup, counts func(r Row) []int) *Data {
	t.Helper()
	g := Registry{Experiments: []*Experiment{e}, Parts: s.Own}
	findings, tasks, err := g.plan(Options{Profile: s.Profile, Seed: 1, Runs: s.Runs, Huge: s.Huge})
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		for _, row := range task.rows {
			row.Counts = make([]int, len(strings.Fields(e.Trial.Counts)))
			copy(row.Counts, counts(*row))
		}
	}
	return findings[0].Data
}

// PaperNeeds64 skips a test of the paper's sizes where an int has 32 bits: 2^27 keys that take more than 16 ns each, or
// eight times the bytes of two tables of 192 MiB, are beyond 2^31. Registry.Run refuses the profile there.
func PaperNeeds64(t tester) {
	t.Helper()
	if strconv.IntSize < 64 {
		t.Skip("profile paper needs a 64-bit build")
	}
}

// Judged returns the verdicts, or those on the same claims as not measured in a profile whose tables are too small for
// them.
func (d *Data) Judged(all []claims.Verdict) []claims.Verdict {
	if d.Setup.Profile != Tiny {
		return all
	}
	for i, v := range all {
		all[i] = claims.Verdict{Claim: v.Claim, Ours: "-", Why: claims.SmallTables}
	}
	return all
}
