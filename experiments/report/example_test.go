package report_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/report"
)

// A report is described, added to a Writer and committed; before that nothing is to be seen of it.
func ExampleCreate() {
	dir := filepath.Join(os.TempDir(), fmt.Sprint("nest-report-", os.Getpid()))
	defer os.RemoveAll(dir)

	w, err := report.Create(dir, report.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	loads := report.Section{
		ID: "loads", Title: "Load factors", Claim: "Four slots a bucket fill to 95%.",
		Verdicts: []claims.Verdict{{Claim: claims.Claim{Says: "load at b = 4", Paper: "95%"}, Ours: "95.9%",
			Status: claims.Holds}},
		Table:  report.Table{Columns: []string{"b", "load"}},
		Limits: []string{"Tables of more than 2^20 slots."},
	}
	loads.Table.Add(4, 0.9591234)
	fmt.Println(w.Add(&report.Report{Title: "Loads", Seed: 1, Sections: []report.Section{loads}}, []string{"svg"}))
	fmt.Println(w.Commit())

	files, err := os.ReadDir(dir)
	for _, f := range files {
		fmt.Println(f.Name())
	}
	fmt.Println(err)
	// Output:
	// <nil>
	// <nil>
	// loads.csv
	// loads.tex
	// manifest.json
	// report.html
	// report.md
	// verdicts.csv
	// verdicts.tex
	// <nil>
}

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
