package measure

import (
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// Rounds are the nanoseconds per key of each round.
type Rounds []float64

// An Interval is a median over rounds and its 95% interval.
type Interval struct{ Median, Lo, Hi float64 }

// Interval returns the median over the rounds and its 95% interval.
func (r Rounds) Interval() Interval {
	lo, hi := claims.MedianInterval(r)
	return Interval{claims.Median(r), lo, hi}
}

// Over returns the times as multiples of those of base: the ratios within each round that both have, in which they were
// timed next to each other. Without such rounds the interval is of NaN.
func (r Rounds) Over(base Rounds) Interval {
	ratios := make(Rounds, min(len(r), len(base)))
	for i := range ratios {
		ratios[i] = r[i] / base[i]
	}
	return ratios.Interval()
}

// Bench returns the rounds as lines of Go's benchmark format, each of n operations; bits per item only if not 0.
func (r Rounds) Bench(name string, n int, bitsPerItem float64) (lines []report.Bench) {
	for _, ns := range r {
		line := report.Bench{Name: name, N: n, Metrics: []report.Metric{{Value: ns, Unit: "ns/op"}}}
		if bitsPerItem > 0 {
			line.Metrics = append(line.Metrics, report.Metric{Value: bitsPerItem, Unit: "bits/item"})
		}
		lines = append(lines, line)
	}
	return lines
}
