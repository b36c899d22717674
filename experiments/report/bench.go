package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
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

// benchName is what the format's parsers read as one name; cutName is an ending that they take for a
// number of processors and cut off.
var (
	benchName = regexp.MustCompile(`^Benchmark[A-Z0-9_][^\s]*$`)
	cutName   = regexp.MustCompile(`-[0-9]+$`)
)

func (b Bench) check() error {
	switch {
	case !benchName.MatchString(b.Name):
		return fmt.Errorf("report: benchmark %q: want a name like BenchmarkContains/filter=bloom, without spaces", b.Name)
	case cutName.MatchString(b.Name):
		return fmt.Errorf("report: benchmark %q: benchmark parsers cut off the number at its end", b.Name)
	case b.N <= 0 || len(b.Metrics) == 0:
		return fmt.Errorf("report: benchmark %q: %d operations and %d metrics: want at least one of each", b.Name, b.N, len(b.Metrics))
	}
	for _, m := range b.Metrics {
		if m.Unit == "" || strings.ContainsAny(m.Unit, " \t\n") || formatFloat(m.Value) == "" {
			return fmt.Errorf("report: benchmark %q: metric %v %q", b.Name, m.Value, m.Unit)
		}
	}
	return nil
}

// bench is bench.txt, empty without timings.
func (p *page) bench() ([]byte, error) {
	if len(p.Bench) == 0 {
		return nil, nil
	}
	var buf bytes.Buffer
	fmt.Fprintf(&buf, "goos: %s\ngoarch: %s\npkg: %s\n", p.Machine.GOOS, p.Machine.GOARCH, modulePath+"/experiments")
	if p.Machine.CPU != "" {
		fmt.Fprintf(&buf, "cpu: %s\n", p.Machine.CPU)
	}
	for _, b := range p.Bench {
		fmt.Fprintf(&buf, "%s\t%d", b.Name, b.N)
		for _, metric := range b.Metrics {
			fmt.Fprintf(&buf, "\t%s %s", formatFloat(metric.Value), metric.Unit)
		}
		buf.WriteByte('\n')
	}
	return buf.Bytes(), nil
}
