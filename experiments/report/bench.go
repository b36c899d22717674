package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A Bench is one line of Go's benchmark format (go.dev/design/14313-benchmark-format). Several
// lines of one name are the rounds that benchstat summarizes.
type Bench struct {
	Name    string // "BenchmarkContains/filter=bloom/n=1000000"
	N       int    // operations behind the values
	Metrics []Metric

	// Of a line that was read: what the "pkg:" line above it says, if there is one, and its number.
	Package string
	Line    int
}

// A Metric is one value of a benchmark line with its unit: "ns/op", "bits/item".
type Metric struct {
	Value float64
	Unit  string
}

const benchName = "bench.txt"

// bench is bench.txt, empty without timings. Values have six significant digits.
func (p *page) bench() ([]byte, error) {
	var b bytes.Buffer
	for _, c := range [][2]string{{"goos", p.Machine.GOOS}, {"goarch", p.Machine.GOARCH},
		{"pkg", modulePath + "/experiments"}, {"cpu", p.Machine.CPU}} {
		if c[1] != "" && len(p.Bench) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", c[0], c[1])
		}
	}
	for i, l := range p.Bench {
		fmt.Fprintf(&b, "%s%s %d", "\n"[min(i, 1):], l.Name, l.N)
		for _, m := range l.Metrics {
			fmt.Fprintf(&b, " %s %s", formatFloat(m.Value), m.Unit)
		}
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// ReadBench reads what `go test -bench` prints, and bench.txt, in the order of the file. Lines that are no results
// ("PASS", logs, a name alone) are skipped. A result that is cut short or has a value that is no number is an error
// with the name of the file and the line.
func ReadBench(name string, r io.Reader) (out []Bench, err error) {
	lines := benchfmt.NewReader(r, name)
	for err == nil && lines.Scan() {
		switch rec := lines.Result().(type) {
		// of other lines that begin like a benchmark's it says that the number of iterations is none
		case *benchfmt.SyntaxError:
			if strings.Contains(rec.Msg, "measurement") || strings.Contains(rec.Msg, "units") {
				err = rec
			}
		case *benchfmt.Result:
			var b Bench
			b, err = benchOf(rec)
			out = append(out, b)
		}
	}
	if err = cmp.Or(err, lines.Err()); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return out, nil
}

// benchOf copies a result, in the units of the file.
func benchOf(r *benchfmt.Result) (b Bench, err error) {
	file, line := r.Pos()
	b = Bench{Name: "Benchmark" + r.Name.String(), N: r.Iters, Package: r.GetConfig("pkg"), Line: line}
	if r.Iters < 1 {
		err = fmt.Errorf("%s:%d: %s: %d iterations: want one or more", file, line, b.Name, r.Iters)
	}
	for _, v := range r.Values {
		m := Metric{v.OrigValue, v.OrigUnit}
		if v.OrigUnit == "" {
			m = Metric{v.Value, v.Unit}
		}
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			err = fmt.Errorf("%s:%d: %s: %v before %q is no number", file, line, b.Name, m.Value, m.Unit)
		}
		b.Metrics = append(b.Metrics, m)
	}
	return b, err
}

// maxFile bounds a file: its table takes some ten times as much memory.
const maxFile = 256 << 20

// benchmark is what tells a benchmark file from a CSV; noBenchmark is what go test ends with.
var (
	benchmark   = regexp.MustCompile(`(?m)^Benchmark\S*[ \t]+\d+[ \t]+\S+[ \t]+\S`)
	noBenchmark = regexp.MustCompile(`(?m)^(PASS|FAIL|ok  \t.*|FAIL\t.*)$`)
)

// ReadAny reads a table: in Go's benchmark format if a line of it is a benchmark's result, else as CSV. The
// error names the file and the line.
//
// Of a benchmark file each result is a row. Its columns are "benchmark" (the function's name), the keys of
// its name's parts ("filter=bloom"; "sub1" of the first part if it has no key), "procs" (the number that go test adds
// for GOMAXPROCS), "package" if there are several, "iterations", and a column for each unit ("ns/op").
func ReadAny(name string, r io.Reader) (t Table, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return t, fmt.Errorf("report: %w", err)
	case len(text) > maxFile:
		return t, fmt.Errorf("report: %s: more than %d MiB: draw a part of it", name, maxFile>>20)
	case benchmark.Match(text):
		t, err = benchTable(name, text)
	case noBenchmark.Match(text):
		return t, fmt.Errorf("report: %s: go test printed no benchmark's result: its -bench matches none, or it failed", name)
	default:
		t, err = ReadTable(name, bytes.NewReader(text))
	}
	if err == nil && len(t.Rows) == 0 {
		err = fmt.Errorf("report: %s: a header and no rows", name)
	}
	return t, err
}

func benchTable(name string, text []byte) (t Table, err error) {
	lines, err := ReadBench(name, bytes.NewReader(text))
	if err != nil || len(lines) == 0 {
		return t, err
	}
	several := slices.ContainsFunc(lines, func(l Bench) bool { return l.Package != lines[0].Package })
	var params, metrics Groups[string, struct{}]
	cells := make([]map[string]string, len(lines))
	for i, l := range lines {
		cells[i] = map[string]string{}
		set := func(columns *Groups[string, struct{}], name, value string) {
			columns.Index(name)
			cells[i][name] = value
		}
		base, parts := benchfmt.Name(strings.TrimPrefix(l.Name, "Benchmark")).Parts()
		set(&params, "benchmark", string(base))
		for j, part := range parts {
			key, value, ok := strings.Cut(string(part[1:]), "=")
			switch {
			case part[0] == '-':
				key, value = "procs", string(part[1:])
			case !ok || key == "":
				key, value = "sub"+strconv.Itoa(j+1), string(part[1:])
			}
			set(&params, key, value)
		}
		if several {
			set(&params, "package", l.Package)
		}
		set(&metrics, "iterations", strconv.Itoa(l.N))
		for _, m := range l.Metrics {
			set(&metrics, m.Unit, strconv.FormatFloat(m.Value, 'g', -1, 64))
		}
	}
	t = Table{name: name, Columns: slices.Concat(params.Keys, metrics.Keys), Timed: metrics.Keys[1:]}
	if err := checkHeader(t.Columns); err != nil {
		return t, fmt.Errorf("report: %s: of a benchmark's name and its metrics: %w", name, err)
	}
	for i, l := range lines {
		var row []string
		for _, c := range t.Columns {
			row = append(row, cells[i][c])
		}
		t.AddLine(l.Line, row)
	}
	return t, nil
}
