package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/experiments/integerhash"
	"github.com/nestfilter/nest/experiments/must"
	"github.com/nestfilter/nest/hashing"
)

// view returns a view of a filter's file.
func view(t testing.TB, f nest.Filter) nest.View {
	t.Helper()
	v := must.Get(nest.OpenView(stored(t, f)))(t)
	return v
}

// ask runs a query over a text and returns what it printed.
func ask(t testing.TB, a Asker, o QueryOptions, text string) (string, *Query) {
	t.Helper()
	var out bytes.Buffer
	o.Out = &out
	q := must.Get(NewQuery(a, o))(t)
	must.Do(t, q.Read(strings.NewReader(text), "text"))
	return out.String(), q
}

// TestQuery_SelectsWhatTheFilterSays compares with one question after the other, and counts the false positives.
func TestQuery_SelectsWhatTheFilterSays(t *testing.T) {
	const n, rate = 20_000, 0.01
	in, out := numbered(0, n), numbered(n, 3*n)
	var mixed []string
	for i, line := range out {
		mixed = append(mixed, line)
		if i%2 == 0 {
			mixed = append(mixed, in[i/2])
		}
	}
	for _, kind := range everyKind {
		f, _ := build(t, rated(kind, rate, 0), join(in))
		var may, not []string
		for _, line := range mixed {
			if f.ContainsString(line) {
				may = append(may, line)
			} else {
				not = append(not, line)
			}
		}
		for _, a := range []Asker{f, view(t, f)} {
			got, q := ask(t, a, QueryOptions{}, join(mixed))
			if got != join(may) || q.Selected != len(may) {
				t.Errorf("%s: %d lines selected, want %d", kind, q.Selected, len(may))
			}
			if got, q := ask(t, a, QueryOptions{Invert: true}, strings.TrimSuffix(join(mixed), "\n")); got != join(not) ||
				q.Selected != len(not) {
				t.Errorf("%s inverted: %d lines selected, want %d", kind, q.Selected, len(not))
			}
		}
		// One false alarm in 10^6 at 4.9 standard deviations; 1.05, as block filters keep the rate on average.
		if most := 1.05*rate*2*n + 4.9*math.Sqrt(rate*2*n); float64(len(may)-n) > most || len(may) < n {
			t.Errorf("%s: %d lines selected of %d that are in it, want at most %.0f more", kind, len(may), n, most)
		}
	}
}

// TestQuery_Prefix gives each of two streams its name, the second in the middle of a run of lines.
func TestQuery_Prefix(t *testing.T) {
	f, _ := build(t, rated(nest.Best, 0.000001, 0), "a\nb\n\n")
	var out bytes.Buffer
	q := must.Get(NewQuery(f, QueryOptions{Out: &out}))(t)
	for _, prefix := range []string{"one:", "two:", ""} {
		q.Prefix = prefix
		must.Do(t, q.Read(strings.NewReader("a\n\nx\nb"), "text"))
	}
	if want := "one:a\none:\none:b\ntwo:a\ntwo:\ntwo:b\na\n\nb\n"; out.String() != want || q.Selected != 9 {
		t.Errorf("%q, %d selected, want %q", out.String(), q.Selected, want)
	}
}

func TestQuery_First(t *testing.T) {
	f, _ := build(t, rated(nest.Best, 0.000001, 0), "b\n")
	q := must.Get(NewQuery(f, QueryOptions{First: true}))(t)
	if err := q.Read(strings.NewReader("a\nc\n"), "text"); err != nil || q.Done() || q.Selected != 0 {
		t.Errorf("%v, done %v, %d selected", err, q.Done(), q.Selected)
	}
	if err := q.Read(io.MultiReader(strings.NewReader("a\nb\nb\n"), iotest.ErrReader(errors.New("read on"))), "text"); err != nil || !q.Done() || q.Selected != 1 {
		t.Errorf("%v, done %v, %d selected", err, q.Done(), q.Selected)
	}
}

func TestQuery_RefusesOtherKeys(t *testing.T) {
	for _, hash := range []hashing.Hasher{hashing.DigestsOnly, integerhash.SimpleTabulation(1)} {
		f := must.Get(nest.New(nest.Spec{Kind: nest.Cuckoo, Capacity: 10, FalsePositiveRate: 0.01}, hash))(t)
		if _, err := NewQuery(f, QueryOptions{}); !errors.Is(err, errKeys) {
			t.Errorf("%s: %v", hash.Name(), err)
		}
	}
}

// BenchmarkQuery asks filters of a million keys for short lines, and writes those selected.
func BenchmarkQuery(b *testing.B) {
	const n = 1_000_000
	for _, kind := range everyKind[1:] {
		f, _ := build(b, rated(kind, 0.001, 0), join(numbered(0, n)))
		for hit, from := range []int{n, 0} {
			text := join(numbered(from, from+n/5))
			b.Run(fmt.Sprintf("filter=%s/n=%d/hit=%d", kind, n, hit), func(b *testing.B) {
				for b.Loop() {
					ask(b, view(b, f), QueryOptions{}, text)
				}
				b.ReportMetric(n/5*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
			})
		}
	}
}
