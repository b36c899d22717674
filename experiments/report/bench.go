package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
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
}

// A Metric is one value of a benchmark line with its unit: "ns/op", "bits/item".
type Metric struct {
	Value float64
	Unit  string
}

// A BenchLine is a line of a benchmark file with its place.
type BenchLine struct {
	Bench
	Package string // of the "pkg:" line above it; empty without one
	Line    int
}

// bench is bench.txt, empty without timings. Values have six significant digits.
func (p *page) bench() ([]byte, error) {
	var machine []benchfmt.Config
	for _, c := range [][2]string{{"goos", p.Machine.GOOS}, {"goarch", p.Machine.GOARCH},
		{"pkg", modulePath + "/experiments"}, {"cpu", p.Machine.CPU}} {
		if c[1] != "" {
			machine = append(machine, benchfmt.Config{Key: c[0], Value: []byte(c[1]), File: true})
		}
	}
	var buf bytes.Buffer
	w := benchfmt.NewWriter(&buf)
	for _, b := range p.Bench {
		r := &benchfmt.Result{Config: machine, Name: benchfmt.Name(strings.TrimPrefix(b.Name, "Benchmark")), Iters: b.N}
		for _, m := range b.Metrics {
			v, err := strconv.ParseFloat(formatFloat(m.Value), 64)
			if err != nil {
				return nil, err
			}
			r.Values = append(r.Values, benchfmt.Value{Value: v, Unit: m.Unit})
		}
		if err := w.Write(r); err != nil {
			return nil, err
		}
	}
	return buf.Bytes(), nil
}

// ReadBench reads what `go test -bench` prints, and bench.txt, in the order of the file. Lines that are no results
// ("PASS", logs, a name alone) are skipped. A result that is cut short or has a value that is no number is an error
// with the name of the file and the line.
func ReadBench(name string, r io.Reader) (out []BenchLine, err error) {
	lines := benchfmt.NewReader(r, name)
	for lines.Scan() {
		switch rec := lines.Result().(type) {
		// of other lines that begin like a benchmark's it says that the number of iterations is none
		case *benchfmt.SyntaxError:
			if strings.Contains(rec.Msg, "measurement") || strings.Contains(rec.Msg, "units") {
				return nil, fmt.Errorf("report: %w", rec)
			}
		case *benchfmt.Result:
			l, err := benchLine(rec)
			if err != nil {
				return nil, fmt.Errorf("report: %s:%d: %s: %w", name, l.Line, l.Name, err)
			}
			out = append(out, l)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return out, nil
}

// benchLine copies a result, in the units of the file.
func benchLine(r *benchfmt.Result) (l BenchLine, err error) {
	l = BenchLine{Bench: Bench{Name: "Benchmark" + r.Name.String(), N: r.Iters}, Package: r.GetConfig("pkg")}
	_, l.Line = r.Pos()
	if r.Iters < 1 {
		err = fmt.Errorf("%d iterations: want one or more", r.Iters)
	}
	for _, v := range r.Values {
		m := Metric{v.Value, v.Unit}
		if v.OrigUnit != "" {
			m = Metric{v.OrigValue, v.OrigUnit}
		}
		if math.IsNaN(m.Value) || math.IsInf(m.Value, 0) {
			err = fmt.Errorf("%v before %q is no number", m.Value, m.Unit)
		}
		l.Metrics = append(l.Metrics, m)
	}
	return l, err
}

// A Param is one part of a benchmark's name: "filter=bloom" is {"filter", "bloom"}.
type Param struct{ Key, Value string }

// Params takes the name apart as benchmark tools do: the function without "Benchmark" under the key
// "benchmark", then each part between slashes under its own key, parts without "=" under "sub1", "sub2"
// and so on by their place, and last, under "procs", the number behind a hyphen that `go test` adds for
// GOMAXPROCS.
func (b Bench) Params() []Param {
	base, parts := benchfmt.Name(strings.TrimPrefix(b.Name, "Benchmark")).Parts()
	out := []Param{{"benchmark", string(base)}}
	for i, part := range parts {
		key, value, ok := strings.Cut(string(part[1:]), "=")
		switch {
		case part[0] == '-':
			key, value = "procs", string(part[1:])
		case !ok || key == "":
			key, value = "sub"+strconv.Itoa(i+1), string(part[1:])
		}
		out = append(out, Param{key, value})
	}
	return out
}
