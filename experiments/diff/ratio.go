package diff

import (
	"math"
	"slices"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
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

func ratio(name, metric string, a, b []float64) Ratio {
	r := Ratio{Name: name, Metric: metric, A: stat.Median(a), B: stat.Median(b), NA: len(a), NB: len(b), Lo: math.NaN(), Hi: math.NaN()}
	if len(a) > 1 && len(b) > 1 {
		loA, hiA := stat.MedianInterval(a)
		loB, hiB := stat.MedianInterval(b)
		r.Lo, r.Hi = loB/hiA, hiB/loA
	}
	return r
}

type key struct{ name, metric string }

// samples are values by key, in order. Bounds are the interval that a file has of a single value.
type samples struct {
	order  []key
	values map[key][]float64
	bounds map[key][2]float64
}

func newSamples() *samples {
	return &samples{values: map[key][]float64{}, bounds: map[key][2]float64{}}
}

func (s *samples) add(k key, v float64) {
	if s.values[k] == nil {
		s.order = append(s.order, k)
	}
	s.values[k] = append(s.values[k], v)
}

// ratios compares what both have. Metrics that are the same single value on both sides, as bits per item
// are, are not timed.
func ratios(a, b *samples) []Ratio {
	var out []Ratio
	for _, k := range a.order {
		x, y := a.values[k], b.values[k]
		if y == nil || slices.Min(x) <= 0 || slices.Min(y) <= 0 {
			continue
		}
		same := slices.Min(x) == slices.Max(x) && slices.Min(y) == slices.Max(y) && x[0] == y[0]
		if same && !strings.Contains(k.metric, "ns") {
			continue
		}
		r := ratio(k.name, k.metric, x, y)
		i, ok := a.bounds[k]
		j, ok2 := b.bounds[k]
		if ok && ok2 && len(x) == 1 && len(y) == 1 && i[0] > 0 && j[0] > 0 {
			r.Lo, r.Hi = j[0]/i[1], j[1]/i[0]
		}
		out = append(out, r)
	}
	return out
}

func benchRatios(a, b []report.BenchLine) []Ratio {
	collect := func(lines []report.BenchLine) *samples {
		s := newSamples()
		for _, l := range lines {
			for _, m := range l.Metrics {
				s.add(key{l.Name, m.Unit}, m.Value)
			}
		}
		return s
	}
	return ratios(collect(a), collect(b))
}

// parameters are the columns that tell apart what was measured, as far as they vary in one of the tables: those before the
// first that tells repetitions apart or, in tables without, those from the left that tell rows apart which those before do
// not. What is counted comes behind the parameters, and may differ between two reports.
func parameters(a, b report.Table, timed []string) []int {
	var columns []int
	for i, c := range a.Columns {
		if report.IsRepeat(c) {
			break
		}
		if !slices.Contains(timed, c) {
			columns = append(columns, i)
		}
	}
	names := slices.Concat(slices.Repeat([]string{"first"}, len(a.Rows)), slices.Repeat([]string{"second"}, len(b.Rows)))
	return report.Split(names, slices.Concat(a.Rows, b.Rows), columns)
}

// metricsOf are the timed columns that ratios are taken of. In a table of trials the total times, in nanoseconds, are what
// the columns behind them are made of, which do not depend on how many keys there were: those stand for both.
func metricsOf(columns, timed []string) []string {
	isTotal := func(c string) bool { return c == "ns" || strings.HasSuffix(c, "_ns") }
	ofTrials := slices.ContainsFunc(columns, report.IsRepeat)
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
func tableRatios(file string, a, b report.Table) []Ratio {
	timed := append(slices.Clone(a.Timed), b.Timed...)
	if len(timed) == 0 {
		return nil
	}
	metrics := metricsOf(a.Columns, timed)
	labels := parameters(a, b, timed)
	collect := func(t report.Table) *samples {
		s := newSamples()
		for _, row := range t.Rows {
			name := file
			for _, i := range labels {
				if row[i] != "" {
					name += " " + t.Columns[i] + "=" + row[i]
				}
			}
			for i, c := range t.Columns {
				if v, ok := report.Number(row[i]); ok && slices.Contains(metrics, c) {
					s.add(key{name, c}, v)
					s.bound(key{name, c}, &t, row)
				}
			}
		}
		return s
	}
	return ratios(collect(a), collect(b))
}

func (s *samples) bound(k key, t *report.Table, row []string) {
	low, high := t.Interval(k.metric)
	if low < 0 {
		return
	}
	lo, ok := report.Number(row[low])
	hi, ok2 := report.Number(row[high])
	if ok && ok2 {
		s.bounds[k] = [2]float64{lo, hi}
	}
}
