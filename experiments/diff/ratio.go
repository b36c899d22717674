package diff

import (
	"math"
	"slices"
	"strconv"
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
	// at once with a confidence of at least 90%, and the ratio is then inside. The intervals are those of
	// two values or more, or those that stand in the table; NaN without.
	Lo, Hi float64
}

// Value is B/A.
func (r Ratio) Value() float64 { return r.B / r.A }

// Certain reports whether the interval leaves out equality.
func (r Ratio) Certain() bool { return r.Lo > 1 || r.Hi < 1 }

// ratio compares two samples of positive values.
func ratio(name, metric string, a, b []float64) Ratio {
	r := Ratio{Name: name, Metric: metric, A: stat.Median(a), B: stat.Median(b), NA: len(a), NB: len(b), Lo: math.NaN(), Hi: math.NaN()}
	if len(a) > 1 && len(b) > 1 {
		loA, hiA := stat.MedianInterval(a)
		loB, hiB := stat.MedianInterval(b)
		r.Lo, r.Hi = loB/hiA, hiB/loA
	}
	return r
}

// A key is what a sample is of.
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

// benchRatios compares two bench.txt.
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

// repeats are columns that tell repetitions apart: the rows that differ in nothing else are one sample.
var repeats = []string{"trial", "seed", "round"}

// tableRatios compares the timed columns of two tables. A row's name is its untimed cells, as far as they
// vary in the table.
func tableRatios(file string, a, b report.Table) []Ratio {
	timed := append(slices.Clone(a.Timed), b.Timed...)
	if len(timed) == 0 {
		return nil
	}
	var labels []int
	for i, c := range a.Columns {
		varies := slices.ContainsFunc(a.Rows, func(r []string) bool { return r[i] != a.Rows[0][i] })
		if varies && !slices.Contains(timed, c) && !slices.Contains(repeats, c) {
			labels = append(labels, i)
		}
	}
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
				if v, ok := number(row[i]); ok && slices.Contains(timed, c) && !strings.HasSuffix(c, "_low") && !strings.HasSuffix(c, "_high") {
					s.add(key{name, c}, v)
					s.bound(key{name, c}, &t, row)
				}
			}
		}
		return s
	}
	return ratios(collect(a), collect(b))
}

// bound notes the interval that the row has of a value.
func (s *samples) bound(k key, t *report.Table, row []string) {
	low, high := t.Interval(k.metric)
	if low < 0 {
		return
	}
	lo, ok := number(row[low])
	hi, ok2 := number(row[high])
	if ok && ok2 {
		s.bounds[k] = [2]float64{lo, hi}
	}
}

func number(cell string) (float64, bool) {
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}
