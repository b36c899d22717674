package report

import (
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/stat"
)

// A Ratio compares a timed value of the second report with the first one's.
type Ratio struct {
	Name   string // the benchmark, or file and parameters
	Metric string // unit or column
	A, B   float64
	// NA and NB are how many values the medians A and B are of.
	NA, NB int
	// Lo and Hi bound B/A: the extremes that the two intervals of the medians permit. Both intervals hold
	// at once with a confidence of at least 90%, and the ratio is then inside; of fewer than six values they are the
	// ranges, with less confidence. The intervals are those of two values or more, or those that stand in the
	// table; NaN without.
	Lo, Hi float64
}

// Value is B/A.
func (r Ratio) Value() float64 { return r.B / r.A }

// Certain reports whether the interval leaves out equality.
func (r Ratio) Certain() bool { return r.Lo > 1 || r.Hi < 1 }

// A key names what is timed.
type key struct{ name, metric string }

// A timing is what a report has of it. Bound is the interval that a table has of a single value.
type timing struct {
	values []float64
	bound  []float64
}

type timings = Groups[key, timing]

// interval is that of the median, nil without.
func (s *timing) interval() []float64 {
	if len(s.values) == 1 {
		return s.bound
	}
	lo, hi := stat.MedianInterval(s.values)
	return []float64{lo, hi}
}

// ratios compares what both have. Metrics that are the same single value on both sides, as bits per item
// are, are not timed.
func ratios(a, b *timings) []Ratio {
	var out []Ratio
	for i, k := range a.Keys {
		x, y := &a.Values[i], b.Of(k)
		if len(y.values) == 0 || slices.Min(x.values) <= 0 || slices.Min(y.values) <= 0 {
			continue
		}
		both := slices.Concat(x.values, y.values)
		if slices.Min(both) == slices.Max(both) && !strings.Contains(k.metric, "ns") {
			continue
		}
		r := Ratio{Name: k.name, Metric: k.metric, A: stat.Median(x.values), B: stat.Median(y.values),
			NA: len(x.values), NB: len(y.values), Lo: math.NaN(), Hi: math.NaN()}
		if i, j := x.interval(), y.interval(); i != nil && j != nil && (r.NA == 1) == (r.NB == 1) {
			r.Lo, r.Hi = j[0]/i[1], j[1]/i[0]
		}
		out = append(out, r)
	}
	return out
}

func ofBench(lines []BenchLine) *timings {
	s := new(timings)
	for _, l := range lines {
		for _, m := range l.Metrics {
			at := s.Of(key{l.Name, m.Unit})
			at.values = append(at.values, m.Value)
		}
	}
	return s
}

// parameters are the columns that tell apart what was measured, as far as they vary in one of the tables: those
// before the first that tells repetitions apart or, in tables without, those from the left that tell rows apart which
// those before do not. What is counted comes behind the parameters, and may differ between two reports.
func parameters(a, b Table, timed []string) []int {
	var columns []int
	for i, c := range a.Columns {
		if IsRepeat(c) {
			break
		}
		if !slices.Contains(timed, c) {
			columns = append(columns, i)
		}
	}
	names := slices.Concat(slices.Repeat([]string{"first"}, len(a.Rows)), slices.Repeat([]string{"second"}, len(b.Rows)))
	return Split(names, slices.Concat(a.Rows, b.Rows), columns)
}

// metricsOf are the timed columns that ratios are taken of. In a table of trials the total times, in nanoseconds, are
// what the columns behind them are made of, which do not depend on how many keys there were: those stand for both.
func metricsOf(columns, timed []string) []string {
	isTotal := func(c string) bool { return c == "ns" || strings.HasSuffix(c, "_ns") }
	ofTrials := slices.ContainsFunc(columns, IsRepeat)
	isDerived := func(c string) bool { return !isTotal(c) }
	if !ofTrials || !slices.ContainsFunc(timed, isDerived) {
		isDerived = func(string) bool { return true }
	}
	var out []string
	for _, c := range timed {
		isBound := strings.HasSuffix(c, "_low") || strings.HasSuffix(c, "_high")
		if isDerived(c) && !isBound {
			out = append(out, c)
		}
	}
	return out
}

// tableRatios compares the timed columns of two tables. The rows of equal parameters are one sample: what a trial
// counted does not make it another one.
func tableRatios(file string, a, b Table) []Ratio {
	timed := append(slices.Clone(a.Timed), b.Timed...)
	if len(timed) == 0 {
		return nil
	}
	metrics := metricsOf(a.Columns, timed)
	labels := parameters(a, b, timed)
	collect := func(t Table) *timings {
		s := new(timings)
		for _, row := range t.Rows {
			name := file
			for _, i := range labels {
				if row[i] != "" {
					name += " " + t.Columns[i] + "=" + row[i]
				}
			}
			for i, c := range t.Columns {
				if v, ok := Number(row[i]); ok && slices.Contains(metrics, c) {
					at := s.Of(key{name, c})
					at.values, at.bound = append(at.values, v), bound(&t, c, row)
				}
			}
		}
		return s
	}
	return ratios(collect(a), collect(b))
}

// bound is the interval above 0 that a row has of a column, nil without.
func bound(t *Table, column string, row []string) []float64 {
	if low, high := t.Interval(column); low >= 0 {
		lo, ok := Number(row[low])
		if hi, ok2 := Number(row[high]); ok && ok2 && lo > 0 {
			return []float64{lo, hi}
		}
	}
	return nil
}
