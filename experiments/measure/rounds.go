package measure

import (
	"iter"
	"runtime"
	"time"

	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// A Lap is a time and the number of keys behind it.
type Lap struct {
	Time time.Duration
	Keys int
}

// LapSince is the lap of so many keys that ends now.
func LapSince(start time.Time, keys int) Lap { return Lap{time.Since(start), keys} }

// PerKey returns the nanoseconds of one key.
func (l Lap) PerKey() float64 { return float64(l.Time) / float64(l.Keys) }

// Add adds another lap of the same thing.
func (l *Lap) Add(m Lap) { l.Time, l.Keys = l.Time+m.Time, l.Keys+m.Keys }

// Turns yields the numbers 0 to n-1 of what is timed in a round, beginning with another one in each round, so that whatever
// disturbs the machine disturbs all of them. It collects garbage before each turn: what the last one left behind must
// not be collected on the next one's time.
func Turns(round, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			runtime.GC()
			if !yield((round + i) % n) {
				return
			}
		}
	}
}

// Rounds are the nanoseconds per key of each round.
type Rounds []float64

// An Interval is a median over rounds and its 95% interval.
type Interval struct{ Median, Lo, Hi float64 }

// Interval returns the median over the rounds and its 95% interval.
func (r Rounds) Interval() Interval {
	lo, hi := stat.MedianInterval(r)
	return Interval{stat.Median(r), lo, hi}
}

// Over returns the times as multiples of those of base: the ratios within each round that both have, in which they were timed
// next to each other. Without such rounds the interval is of NaN.
func (r Rounds) Over(base Rounds) Interval {
	ratios := make(Rounds, min(len(r), len(base)))
	for i := range ratios {
		ratios[i] = r[i] / base[i]
	}
	return ratios.Interval()
}

// Bench returns the rounds as lines of Go's benchmark format, each of n operations; bits per item are left out where they are 0.
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
