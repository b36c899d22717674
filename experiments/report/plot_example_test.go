package report_test

import (
	"fmt"
	"strings"

	"github.com/nestfilter/nest/experiments/report"
)

// Benchmarks need no names of columns; the notes say what is drawn.
func ExampleReadAny() {
	const benchmarks = `
BenchmarkContains/filter=bloom/n=1024-8   100  20 ns/op
BenchmarkContains/filter=bloom/n=2048-8   100  25 ns/op
BenchmarkContains/filter=cuckoo/n=1024-8  100   8 ns/op
BenchmarkContains/filter=cuckoo/n=2048-8  100   9 ns/op
`
	data, err := report.ReadAny("bench.txt", strings.NewReader(benchmarks))
	if err != nil {
		fmt.Println(err)
		return
	}
	figure, notes, err := data.Figure(report.PlotOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Title)
	fmt.Println(strings.Join(notes, "\n"))
	// Output:
	// ns/op by n
	// y is ns/op
	// x is n
	// a series for each filter
	// A point is one row
}
