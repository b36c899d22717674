package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A BenchLine is a line of Go's benchmark format with its place.
type BenchLine struct {
	Bench
	Package string // of the "pkg:" line above it; empty without one
	Line    int
}

// maxBenchLine bounds a line of a benchmark file, in bytes.
const maxBenchLine = 1 << 20

// benchStart is what begins a result: a name as package testing makes them, and a number of iterations.
var benchStart = regexp.MustCompile(`^Benchmark([A-Z0-9_]\S*)?\s+\d+\s`)

// ReadBench reads what `go test -bench` prints, and bench.txt, in the order of the file: the format of
// go.dev/design/14313-benchmark-format. Lines that are no results ("PASS", logs, a name alone) are
// skipped. A result that is cut short or has a value that is no number is an error with the name of
// the file and the line.
func ReadBench(name string, r io.Reader) ([]BenchLine, error) {
	var out []BenchLine
	pkg := ""
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxBenchLine)
	n := 0
	for lines.Scan() {
		n++
		text := lines.Bytes()
		if p, ok := bytes.CutPrefix(text, []byte("pkg:")); ok {
			pkg = string(bytes.TrimSpace(p))
			continue
		}
		if !benchStart.Match(text) {
			continue
		}
		b, err := parseBench(string(text))
		if err != nil {
			return nil, fmt.Errorf("report: %s:%d: %w", name, n, err)
		}
		out = append(out, BenchLine{Bench: b, Package: pkg, Line: n})
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, fmt.Errorf("report: %s:%d: a line of more than %d bytes", name, n+1, maxBenchLine)
		}
		return nil, fmt.Errorf("report: %s: %w", name, err)
	}
	return out, nil
}

// parseBench reads one result: a name, a number of iterations, then pairs of value and unit.
func parseBench(text string) (Bench, error) {
	fields := strings.Fields(text)
	n, err := strconv.Atoi(fields[1])
	if err != nil || n < 1 {
		return Bench{}, fmt.Errorf("%s: %q iterations: want an integer above 0", fields[0], fields[1])
	}
	b := Bench{Name: fields[0], N: n}
	values := fields[2:]
	if len(values) == 0 || len(values)%2 != 0 {
		return Bench{}, fmt.Errorf("%s: want pairs of a value and its unit behind the iterations: %q", b.Name, strings.Join(values, " "))
	}
	for i := 0; i < len(values); i += 2 {
		v, err := strconv.ParseFloat(values[i], 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return Bench{}, fmt.Errorf("%s: %q before %q is no number", b.Name, values[i], values[i+1])
		}
		b.Metrics = append(b.Metrics, Metric{Value: v, Unit: values[i+1]})
	}
	return b, nil
}

// A Param is one part of a benchmark's name: "filter=bloom" is {"filter", "bloom"}.
type Param struct{ Key, Value string }

// Params takes the name apart as benchmark tools do: the function without "Benchmark" under the key
// "benchmark", then each part between slashes under its own key, parts without "=" under "sub1", "sub2"
// and so on by their place, and last, under "procs", the number behind a hyphen that `go test` adds for
// GOMAXPROCS.
func (b Bench) Params() []Param {
	name := strings.TrimPrefix(b.Name, "Benchmark")
	procs := cutName.FindString(name)
	parts := strings.Split(strings.TrimSuffix(name, procs), "/")
	out := []Param{{"benchmark", parts[0]}}
	for i, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "=")
		if !ok || key == "" {
			key, value = "sub"+strconv.Itoa(i+1), part
		}
		out = append(out, Param{key, value})
	}
	if procs != "" {
		out = append(out, Param{"procs", procs[1:]})
	}
	return out
}
