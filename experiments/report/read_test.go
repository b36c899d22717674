package report

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadTable_ReadsWhatCSVWrites(t *testing.T) {
	made := Table{Columns: []string{"a", "b"}, Rows: [][]string{{"1", "x\ny"}, {"", `"q", w`}, {"3", "z"}}}
	data := must(made.CSV())(t)
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

func TestReadTable_ErrorsSayWhere(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.csv:1: empty"},
		{"a,b\n1,2\n1,2,3\n", "t.csv:3: 3 values for 2 columns"},
		{"a,b\n1\n", "t.csv:2: 1 values for 2 columns"},
		{"a,,b\n", "t.csv:1: column 2 has no name"},
		{"a,b,a\n", `t.csv:1: column "a" comes twice`},
		{"a,b\n1,\"2\n", "t.csv:"},
		{"a,b\n1,2\"3\n", "t.csv:2: "},
	} {
		if _, err := ReadTable("t.csv", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadTable("t.csv", iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Error(err)
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

func TestReadBench_ReadsGoTest(t *testing.T) {
	lines, err := ReadBench("b.txt", strings.NewReader(goTest))
	if err != nil || len(lines) != 4 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, want := range []struct {
		name, pkg, params string
		line, n, metrics  int
		first             float64
	}{
		{"BenchmarkPlain-8", "example.com/a", "benchmark=Plain procs=8", 5, 1000000, 3, 1052},
		{"BenchmarkContains/filter=bloom/n=1000/hit=0.5-8", "example.com/a",
			"benchmark=Contains filter=bloom n=1000 hit=0.5 procs=8", 6, 500, 2, 12.5},
		{"Benchmark", "example.com/b", "benchmark=", 11, 1, 1, 2},
		{"BenchmarkSub/small/k=v", "example.com/b", "benchmark=Sub sub1=small k=v", 12, 7, 1, 1000},
	} {
		l := lines[i]
		var params []string
		for _, p := range l.Params() {
			params = append(params, p.Key+"="+p.Value)
		}
		if l.Name != want.name || l.Package != want.pkg || l.Line != want.line || l.N != want.n ||
			len(l.Metrics) != want.metrics ||
			l.Metrics[0].Value != want.first || strings.Join(params, " ") != want.params {
			t.Errorf("line %d: %+v %q, want %+v", i, l, params, want)
		}
	}
}

func TestReadBench_ReadsBenchText(t *testing.T) {
	r := sample()
	text := must((&page{Report: r, Machine: r.Machine}).bench())(t)
	lines, err := ReadBench("bench.txt", bytes.NewReader(text))
	if err != nil || len(lines) != len(r.Bench) {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for i, l := range lines {
		if l.Name != r.Bench[i].Name || l.N != r.Bench[i].N || !slices.Equal(l.Metrics, r.Bench[i].Metrics) {
			t.Errorf("%+v, want %+v", l.Bench, r.Bench[i])
		}
	}
}

func TestReadBench_ErrorsSayWhere(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\nBenchmarkA 10 12.5\n", "b.txt:2: missing units"},
		{"BenchmarkA 10 12.5 ns/op 3\n", "b.txt:1: missing units"},
		{"BenchmarkA 10 fast ns/op\n", "b.txt:1: parsing measurement"},
		{"BenchmarkA 10 NaN ns/op\n", `b.txt:1: BenchmarkA: NaN before "ns/op"`},
		{"BenchmarkA 0 1 ns/op\n", "0 iterations"},
		{"x\n" + strings.Repeat("y", 1<<20), "token too long"},
	} {
		if _, err := ReadBench("b.txt", strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %q", c.text, err, c.want)
		}
	}
}
