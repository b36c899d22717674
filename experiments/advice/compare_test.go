package advice

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/files"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// set returns the keys of a text.
func set(t *testing.T, name, text string) *files.KeySet {
	t.Helper()
	s, err := files.ParseKeys(strings.NewReader(text), name, files.MaxLine)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// numbered returns n keys, "key-from" and on.
func numbered(t *testing.T, name string, from, n int) *files.KeySet {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key-%d\n", from+i)
	}
	return set(t, name, b.String())
}

func compare(t *testing.T, o CompareOptions) *Comparison {
	t.Helper()
	o.Rounds = max(o.Rounds, 1)
	if o.Hash == nil {
		o.Hash = hashing.XXH64(0)
	}
	return must.Get(Compare(t.Context(), o))(t)
}

// shown is how many forms a comparison has at each rate.
var shown = 10 + len(catalogue.Layouts())

// 52 rates of 5000 fixed keys are measured with 100 probes per expected event or more. A filter's own
// rate varies from the mean of its kind by less than the probes do, so a deviation of 5.5 standard
// deviations of the probes, doubled in variance for that, has a chance below 1e-6. Seed 1.
func TestCompare_RatesArePredicted(t *testing.T) {
	for _, hash := range []hashing.Hasher{hashing.XXH64(0), hashing.Metro64(0)} {
		r := compare(t, CompareOptions{Keys: numbered(t, "keys", 0, 5000), FPRs: []float64{0.01, 0.002}, Seed: 1, Hash: hash})
		if got := len(r.Rows); got != 2*shown+1 {
			t.Fatalf("%d rows", got)
		}
		for _, row := range r.Rows[:len(r.Rows)-1] {
			n, p := float64(row.Measured.N), row.Plan.FPR
			if n*p < 99 {
				t.Errorf("%s at %v: %v probes expect %.1f events", row.Filter, row.Asked, n, n*p)
			}
			if d := float64(row.Measured.Events) - n*p; math.Abs(d) > 5.5*math.Sqrt(2*n*p) {
				t.Errorf("%s at %v, %s: %d events of %v, predicted %.1f (seed 1)", row.Filter, row.Asked, hash.Recipe(),
					row.Measured.Events, n, n*p)
			}
			if row.Plan.FPR > row.Asked {
				t.Errorf("%s at %v: planned %v", row.Filter, row.Asked, row.Plan.FPR)
			}
			if row.Plan.BitsPerItem < -math.Log2(row.Asked) {
				t.Errorf("%s at %v: %v bits per item", row.Filter, row.Asked, row.Plan.BitsPerItem)
			}
		}
		if lead := r.Report().Summary; strings.Count(lead, "nest size takes") != 2 || !strings.Contains(lead, "are slower") {
			t.Errorf("the lead is %q", lead)
		}
		last := r.Rows[len(r.Rows)-1]
		// A map holds a 16-byte string header for each key, and the text.
		if !last.Exact() || last.Plan.BitsPerItem < 8*(16+8) || last.Measured.Events != 0 {
			t.Errorf("the last row is %+v", last)
		}
	}
}

// Queries that are keys do not count as probes.
func TestCompare_TruePositivesApart(t *testing.T) {
	r := compare(t, CompareOptions{
		Keys: numbered(t, "keys", 0, 1000), Queries: numbered(t, "queries", 900, 5000), FPRs: []float64{0.01},
	})
	if r.TruePositives != 100 || r.Probes != 4900 {
		t.Errorf("%d true positives and %d probes, want 100 and 4900", r.TruePositives, r.Probes)
	}
	for _, row := range r.Rows {
		// 4900 probes at 1% give 49 events; 100 more would be the keys. Poisson(49) exceeds 100 at 1e-10.
		if row.Measured.N != 4900 || row.Measured.Events > 100 {
			t.Errorf("%s: %v", row.Filter, row.Measured)
		}
	}
	if !slices.ContainsFunc(r.Notes, func(s string) bool { return strings.HasPrefix(s, "4900 probes are fewer than") }) {
		t.Errorf("no note on few probes: %q", r.Notes)
	}
}

// The counts and compare.csv depend on the options alone.
func TestCompare_IsDeterministic(t *testing.T) {
	var first []byte
	for range 2 {
		r := compare(t, CompareOptions{Keys: numbered(t, "keys", 0, 700), FPRs: []float64{0.01, 0.01, 0.2}, Seed: 7})
		sections := r.Report().Sections // one for each rate, and the times
		if len(sections) != 3 || sections[0].Summary.Rows[0][0] != "0.01" || sections[1].Summary.Rows[0][0] != "0.2" {
			t.Errorf("%d sections", len(sections))
		}
		if cell := sections[1].Summary.Rows[0][11]; !strings.Contains(cell, " to ") {
			t.Errorf("a time is %q", cell)
		}
		r.Rows[0].timed.Times[measure.StepBuild] = measure.Rounds{1, 1, 9}
		if !r.busy() || !strings.Contains(strings.Join(r.Report().Sections[0].Limits, " "), "Do not rank") {
			t.Error("an interval from 1 to 9 ns is not wide")
		}
		table := sections[0].Table
		table = table.Only(table.Columns[:len(table.Columns)-len(table.Timed)]...)
		data := must.Get(table.CSV())(t)
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Errorf("two runs differ:\n%s\n%s", first, data)
		}
	}
	rows := must.Get(csv.NewReader(bytes.NewReader(first)).ReadAll())(t)
	if len(rows) != 2+2*shown { // 0.01 came twice
		t.Errorf("%d rows", len(rows))
	}
}

// Keys that come in hostile shapes, and rates at both ends, still give a report and a chart.
func TestCompare_OddInputs(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	odd := set(t, "odd", "\x00\n\xff\xfe\r\n\n"+long+"\n"+long+"y\na\na\n last")
	for _, o := range []CompareOptions{
		{Keys: odd, FPRs: []float64{0.01}},
		{Keys: odd, Queries: numbered(t, "queries", 0, 3), FPRs: []float64{0.9, 1e-12}},
		{Keys: set(t, "one", "k"), FPRs: []float64{0.5}},
		{Keys: numbered(t, "keys", 0, 50), FPRs: []float64{0.3}, Hash: hashing.MapHash()},
		{Keys: numbered(t, "keys", 0, 30_000), FPRs: []float64{0.3}},
	} {
		r := compare(t, o)
		if err := r.Report().Check(); err != nil {
			t.Errorf("%v at %v: %v", o.Keys, o.FPRs, err)
		}
		last := r.Report().Sections[0].Summary.Rows
		if size := last[len(last)-1]; size[2] != "yes" || size[3] == "" || size[4] == "" {
			t.Errorf("the row of the Go map is %q", size)
		}
		for _, y := range []string{"rate", "miss_ns"} {
			if _, err := r.Figure("compare", y, y).Render("svg"); err != nil {
				t.Errorf("%v at %v: %v", o.Keys, o.FPRs, err)
			}
		}
		for _, width := range []int{200, 80, 0} {
			if out := r.Text(width); strings.Contains(out, "NaN") || strings.Contains(out, "Inf") {
				t.Errorf("%v at %v:\n%s", o.Keys, o.FPRs, out)
			}
		}
	}
}

func TestCompare_Errors(t *testing.T) {
	keys := numbered(t, "keys", 0, 10)
	rate := []float64{0.1}
	for name, c := range map[string]struct {
		o    CompareOptions
		is   error
		want string
	}{
		"rate 1":     {CompareOptions{Keys: keys, FPRs: []float64{1}}, ErrSpec, "fpr is 1"},
		"rate NaN":   {CompareOptions{Keys: keys, FPRs: []float64{math.NaN()}}, ErrSpec, "fpr is NaN"},
		"rate 1e-30": {CompareOptions{Keys: keys, FPRs: []float64{1e-30}}, ErrSpec, "at which 64-bit digests collide"},
		"digests":    {CompareOptions{Keys: keys, FPRs: rate, Hash: hashing.DigestsOnly}, ErrSpec, "digests will not do"},
		"integers": {CompareOptions{Keys: keys, FPRs: rate, Hash: integerhash.SimpleTabulation(1)}, ErrSpec,
			"tabulation will not do"},
		"keys as query": {CompareOptions{Keys: keys, Queries: keys, FPRs: rate, Hash: hashing.XXH64(0)}, ErrNoProbes,
			"keys: every query is a key"},
	} {
		r, err := Compare(t.Context(), c.o)
		if !errors.Is(err, c.is) || r != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	o := CompareOptions{Keys: keys, FPRs: rate, Hash: hashing.XXH64(0), Rounds: 1}
	if _, err := Compare(stopped, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// empty is a filter without keys.
type empty struct{ nest.Filter }

func (empty) ContainsHashes(hs []uint64, dst []bool) { clear(dst[:len(hs)]) }

func TestCompare_FailsWhereKeysAreLost(t *testing.T) {
	r := compare(t, CompareOptions{Keys: numbered(t, "keys", 0, 60), FPRs: []float64{0.01}})
	r.Rows[2].timed.Held.Filter = empty{}
	if err := r.measureRates(); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "split-block bloom: ") {
		t.Errorf("%v, want the keys lost", err)
	}
}

// colliding is a hash that gives many keys one digest, so that a cuckoo filter must refuse them.
type colliding struct{ hashing.Hasher }

func (c colliding) Sum64String(key string) uint64 { return 1 }
func (c colliding) Sum64(key []byte) uint64       { return 1 }
func (c colliding) Recipe() string                { return "colliding" }

// More equal digests than a bucket pair has slots fit no cuckoo filter of any size, which is left out then.
func TestCompare_LeavesOutWhatRefusesTheKeys(t *testing.T) {
	o := CompareOptions{Keys: numbered(t, "keys", 0, 40), FPRs: []float64{0.01}, Hash: colliding{hashing.XXH64(0)}}
	r := compare(t, o)
	note := "cuckoo b=2 at 0.01: the table refused these keys."
	if len(r.Rows) >= shown || !slices.Contains(r.Notes, note) {
		t.Errorf("%d rows, %q", len(r.Rows), r.Notes)
	}
	if err := r.Report().Check(); err != nil {
		t.Error(err)
	}
}
