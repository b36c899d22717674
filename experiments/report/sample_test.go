package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/must"
)

// hostile is text that would be markup if something forgot to escape it.
const hostile = `</title><script>alert("1")</script> & 'x' | *y* [z](http://evil.example/)`

// verdict is one on a claim, with the same text as its ID and its quotation.
func verdict(v claims.Verdict, says, paper, source string, machine bool) claims.Verdict {
	v.Claim = claims.Claim{ID: says + "-id", Says: says, Paper: paper, Source: source, Machine: machine}
	if source != "" {
		v.Quote = "As the paper says: " + says
	}
	return v
}

// sample has two sections with figures, one with hostile text everywhere, and timings.
func sample() *Report {
	figure := func(name string) *chart.Figure {
		return &chart.Figure{Name: name, Title: "Rates below 10^{-6} <script>", Panels: []chart.Panel{{
			X: chart.Axis{Label: "x"}, Y: chart.Axis{Label: "y </svg>"},
			Series: []chart.Series{{Label: "a & b", Points: []chart.Point{{X: 1, Y: 1}, {X: 2, Y: 3}}}},
		}}}
	}
	first := Section{
		ID: "fig3", Title: "Figure 3: 2^{18} slots", Claim: "The claim.", Figure: figure(""), Caption: "What is shown.",
		Conditions: "n = 1000000, 10 trials", Method: "How.", Limits: []string{"The first limit."},
		Verdicts: []claims.Verdict{
			verdict(claims.Verdict{Ours: "0.186%", Interval: "0.18% to 0.19%", Tolerance: "3%", Status: claims.Holds}, "rate",
				"0.19%", "figure 3, b = 4", false),
			verdict(claims.Verdict{Ours: "0.36%", Status: claims.Differs, Why: "The drawn lines cross there."}, "crossover",
				"3%", "section 1", true),
			verdict(claims.Verdict{Ours: "-", Why: "Profile quick."}, "speed", "5.00", "", true),
		},
		Table: Table{Columns: []string{"f", "rate"}},
	}
	first.Table.Add(8, 0.123456789)
	first.Table.Add(16, 1e-6)
	second := Section{
		ID: "fig4", Title: hostile, Claim: hostile, Figure: figure("fig4"), Caption: hostile, Conditions: hostile,
		Method: hostile, Limits: []string{hostile}, Verdicts: []claims.Verdict{verdict(claims.Verdict{Ours: hostile,
			Why: hostile}, hostile, hostile, hostile, false)},
		Table: Table{Columns: []string{hostile, "quoted"}, Rows: [][]string{{hostile, "a,\"b\"\nc"}}},
	}
	return &Report{
		Title: hostile, Summary: hostile, Profile: "quick", Seed: 7,
		Machine: Machine{CPU: "A <CPU> @ 2.50GHz", Cores: 2, MemoryBytes: 3 << 30, GOOS: "linux", GOARCH: "amd64",
			Go: "go1.26"},
		Sections: []Section{first, second},
		Bench: []Bench{
			{Name: "BenchmarkContains/filter=bloom/fpr=0.001", N: 1000, Metrics: []Metric{{12.5, "ns/op"}, {9.6, "bits/item"}}},
			{Name: "BenchmarkContains/filter=bloom/fpr=0.001", N: 2000, Metrics: []Metric{{12.25, "ns/op"}, {9.6, "bits/item"}}},
		},
	}
}

// written makes the sample report in a new folder and returns it.
func written(t *testing.T) string {
	t.Helper()
	return writtenOf(t, sample())
}

func writtenOf(t *testing.T, r *Report) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "report")
	w := must.Get(Create(dir, Options{Argv: []string{"nest", "reproduce"}}))(t)
	defer w.Close()
	must.Do(t, w.Add(r, []string{"svg"}))
	must.Do(t, w.Commit())
	return dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
	return string(data)
}

// names lists a folder, hidden files too.
func names(t *testing.T, dir string) []string {
	t.Helper()
	content := must.Get(os.ReadDir(dir))(t)
	out := []string{}
	for _, e := range content {
		out = append(out, e.Name())
	}
	return out
}

// refused checks that an error says all of that.
func refused(t testing.TB, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error %v, want %q in it", err, w)
		}
	}
}
