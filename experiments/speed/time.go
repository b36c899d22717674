package speed

import "github.com/nestfilter/nest/experiments/measure"

// A Benchmark is a *testing.B, whose package a command should not link.
type Benchmark interface {
	Helper()                             // marks the caller as a helper
	Loop() bool                          // reports whether to go on
	Fatal(args ...any)                   // ends the benchmark
	ReportMetric(n float64, unit string) // adds a value to its line
}

// Time runs a benchmark of laps and reports the nanoseconds per key as ns/op, in place of those of one lap.
// What the lap does outside its own time is not counted.
func Time(b Benchmark, lap func() (measure.Lap, error)) {
	b.Helper()
	var total measure.Lap
	for b.Loop() {
		l, err := lap()
		if err != nil {
			b.Fatal(err)
		}
		total.Add(l)
	}
	b.ReportMetric(total.PerKey(), "ns/op")
}
