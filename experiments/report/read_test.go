package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest/experiments/must"
)

func TestReadTable_ReadsWhatCSVWrites(t *testing.T) {
	made := Table{Columns: []string{"a", "b"}, Rows: [][]string{{"1", "x\ny"}, {"", `"q", w`}, {"3", "z"}}}
	data := must.Get(made.CSV())(t)
	got, err := ReadTable("t.csv", strings.NewReader("\ufeff"+string(data)))
	if err != nil || !slices.Equal(got.Columns, made.Columns) || !slices.EqualFunc(got.Rows, made.Rows, slices.Equal) {
		t.Errorf("%+v, %v", got, err)
	}
	for row, line := range []int{2, 4, 5} { // the first row takes two lines
		if got.Line(row) != line {
			t.Errorf("row %d is in line %d, want %d", row, got.Line(row), line)
		}
	}
	if made.Line(1) != 3 {
		t.Errorf("the second row of a table that was made: line %d", made.Line(1))
	}
}

// Errors name the file and the line.
func TestRead_ErrorsSayWhere(t *testing.T) {
	table := func(name string, r io.Reader) error { _, err := ReadTable(name, r); return err }
	bench := func(name string, r io.Reader) error { _, err := ReadBench(name, r); return err }
	either := func(name string, r io.Reader) error { _, err := ReadAny(name, r); return err }
	for _, c := range []struct {
		read       func(name string, r io.Reader) error
		text, want string
	}{
		{table, "", "t.csv:1: empty"},
		{table, "a,b\n1,2\n1,2,3\n", "t.csv:3: 3 values for 2 columns"},
		{table, "a,b\n1\n", "t.csv:2: 1 values for 2 columns"},
		{table, "a,,b\n", "t.csv:1: column 2 has no name"},
		{table, "a,b,a\n", `t.csv:1: column "a" comes twice`},
		{table, "a,b\n1,\"2\n", "t.csv:"},
		{table, "a,b\n1,2\"3\n", "t.csv:2: "},
		{bench, "\nBenchmarkA 10 12.5\n", "t.csv:2: missing units"},
		{bench, "BenchmarkA 10 12.5 ns/op 3\n", "t.csv:1: missing units"},
		{bench, "BenchmarkA 10 fast ns/op\n", "t.csv:1: parsing measurement"},
		{bench, "BenchmarkA 10 NaN ns/op\n", `t.csv:1: BenchmarkA: NaN before "ns/op"`},
		{bench, "BenchmarkA 0 1 ns/op\n", "0 iterations"},
		{bench, "x\n" + strings.Repeat("y", 1<<20), "token too long"},
		{either, "", "t.csv:1: empty"},
		{either, "a,b\n", "no rows"},
		{either, "PASS\nok  \texample.com/a\t0.06s\n", "no benchmark's result"},
		{either, "FAIL\texample.com/a [build failed]\nFAIL\n", "no benchmark's result"},
		{either, "a,b\n1,2,3\n", "t.csv:2: "},
		{either, "BenchmarkA 10 1 ns/op\nBenchmarkA 10 x ns/op\n", "t.csv:2: "},
		{either, "BenchmarkA/iterations=3 10 1 ns/op\n", `its metrics: column "iterations" comes twice`},
	} {
		refused(t, c.read("t.csv", strings.NewReader(c.text)), c.want)
	}
	broken := errors.New("broken")
	for _, read := range []func(string, io.Reader) error{table, bench, either} {
		if err := read("t.csv", iotest.ErrReader(broken)); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}

// goTest is what go test -bench prints: two packages, a log, a name alone, results of all sorts.
const goTest = `goos: linux
pkg: example.com/a
cpu: Some CPU @ 2.50GHz
BenchmarkPlain
BenchmarkPlain-8   	 1000000	      1052 ns/op	     0 B/op	       0 allocs/op
BenchmarkContains/filter=bloom/n=1000/hit=0.5-8 	500	 12.5 ns/op	 9.6 bits/item
    x_test.go:12: BenchmarkPlain says hello
PASS
ok  	example.com/a	1.2s
pkg: example.com/b
Benchmark 1 2 ns/op
BenchmarkSub/small/k=v 7 1e+03 MB/s
Benchmarking is fun
`

func TestReadAny_ReadsGoTest(t *testing.T) {
	table := data(t, goTest)
	const columns = "benchmark procs package filter n hit sub1 k iterations ns/op B/op allocs/op bits/item MB/s"
	if got := strings.Join(table.Columns, " "); got != columns || len(table.Rows) != 4 {
		t.Fatalf("%d rows, columns %s", len(table.Rows), got)
	}
	for i, want := range []string{"5: Plain,8,example.com/a,,,,,,1000000,1052,0,0,,",
		"6: Contains,8,example.com/a,bloom,1000,0.5,,,500,12.5,,,9.6,", "11: ,,example.com/b,,,,,,1,2,,,,",
		"12: Sub,,example.com/b,,,,small,v,7,,,,,1000"} {
		if got := fmt.Sprintf("%d: %s", table.Line(i), strings.Join(table.Rows[i], ",")); got != want {
			t.Errorf("row %d: %s, want %s", i, got, want)
		}
	}
}
