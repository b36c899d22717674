package bench

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/catalogue"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/experiments/speed"
)

// sizes are the numbers of slots: a table in the first-level cache, in the second, and beyond it. Tables of 8 and 64
// million slots take seconds to fill; they are measured where NEST_BENCH_LARGE is set.
func sizes() []int {
	n := []int{1 << 10, 1 << 17, 1 << 20}
	if os.Getenv("NEST_BENCH_LARGE") != "" {
		n = append(n, 1<<23, 1<<26)
	}
	return n
}

// A lookup is one way to ask a table.
type lookup struct {
	load, hit float64
	batch     int
}

// lookups are those of BenchmarkContains.
func lookups() (out []lookup) {
	for _, load := range []float64{0.5, 0.9, catalogue.FullLoad} {
		for _, hit := range []float64{0, 0.5, 1} {
			for _, batch := range []int{0, 64, 256} {
				if load == catalogue.FullLoad || hit == 0 && batch != 64 {
					out = append(out, lookup{load, hit, batch})
				}
			}
		}
	}
	return out
}

// name is what follows the subject in a benchmark's name, its keys in the order that all benchmarks of the module use.
func (l lookup) name(n int) string {
	name := fmt.Sprintf("/n=%d/load=%v/hit=%v", n, l.load, l.hit)
	if l.batch > 0 {
		name += fmt.Sprintf("/batch=%d", l.batch)
	}
	return name
}

// filters are the cuckoo filters under every placement and in every layout.
func filters() []catalogue.Entry {
	return slices.DeleteFunc(catalogue.Bench(), func(e catalogue.Entry) bool { return !e.Slots })
}

// policies are the cuckoo filters of all placements, those of XOR under every kick policy, and the layouts.
func policies() (out []catalogue.Entry) {
	for _, p := range catalogue.Placements() {
		for _, k := range catalogue.Policies() {
			if p == cuckoo.XOR || k.Recipe() == cuckoo.BreadthFirst.Recipe() {
				out = append(out, catalogue.Cuckoo(p, k))
			}
		}
	}
	return append(out, catalogue.Layouts()...)
}

// open begins a turn of a filter of n slots, filled to a load. It skips a filter that does not come in the size, and
// one that refuses a key before.
func open(b *testing.B, e catalogue.Entry, n int, load float64) *measure.Turn {
	b.Helper()
	loops, err := e.Open(catalogue.Size{Slots: n})
	if err != nil {
		b.Skip(err)
	}
	t := measure.NewTurn(b.Context(), loops, nil)
	if _, err := t.Fill(catalogue.KeysAt(n, load)); err != nil {
		b.Skip(err)
	}
	return t
}

// refill fills the filter of n slots anew, and returns the laps of the stretches.
func refill(t *measure.Turn, n int) ([]measure.Lap, error) {
	var stops []int
	for _, load := range speed.Loads() {
		stops = append(stops, catalogue.KeysAt(n, load))
	}
	laps, _, err := t.Fills(func() (*measure.Loops, error) { t.Reset(); return t.Loops, nil }, 0, stops...)
	return laps, err
}

// each runs a benchmark for every filter and size, each with a table filled to load 0.95.
func each(b *testing.B, entries []catalogue.Entry, run func(b *testing.B, t *measure.Turn, n int)) {
	for _, e := range entries {
		for _, n := range sizes() {
			b.Run(fmt.Sprintf("%s/n=%d/load=%v", e.Params, n, catalogue.FullLoad), func(b *testing.B) {
				t := open(b, e, n, catalogue.FullLoad)
				bits := bitsPerItem(t)
				run(b, t, n)
				b.ReportMetric(bits, "bits/item")
			})
		}
	}
}

// timed runs a benchmark of laps and reports the nanoseconds per key as ns/op, in place of those of one lap. What the
// lap does outside its own time is not counted.
func timed(b *testing.B, lap func() (measure.Lap, error)) {
	b.Helper()
	var total measure.Lap
	for b.Loop() {
		l, err := lap()
		if err != nil {
			b.Fatal(err)
		}
		total.Add(l)
	}
	b.ReportMetric(total.PerKey(), "ns/op")
}

// bitsPerItem is the size of the table for each key that it holds.
func bitsPerItem(t *measure.Turn) float64 { return 8 * float64(t.SizeBytes()) / float64(t.Stored) }

// BenchmarkContains looks up integer keys, hash included, one a time or in batches, hits and misses in random order.
func BenchmarkContains(b *testing.B) {
	for _, e := range filters() {
		for _, n := range sizes() {
			for _, l := range lookups() {
				b.Run(e.Params+l.name(n), func(b *testing.B) { contains(b, open(b, e, n, l.load), l) })
			}
		}
	}
}

func contains(b *testing.B, t *measure.Turn, l lookup) {
	probes := speed.Probes(t, l.hit, 1)
	timed(b, func() (measure.Lap, error) { return t.Ask(probes, l.batch) })
	b.ReportMetric(bitsPerItem(t), "bits/item")
}

// BenchmarkInsert fills a table one key a time; ns/op is the mean over the whole fill, ns/key@0.3 that of the stretch
// that ends at load 0.3.
func BenchmarkInsert(b *testing.B) {
	each(b, policies(), func(b *testing.B, t *measure.Turn, n int) {
		stretches := make([]measure.Lap, len(speed.Loads()))
		timed(b, func() (whole measure.Lap, err error) {
			laps, err := refill(t, n)
			for i, lap := range laps {
				stretches[i].Add(lap)
				whole.Add(lap)
			}
			return whole, err
		})
		for i, load := range speed.Loads() {
			b.ReportMetric(stretches[i].PerKey(), fmt.Sprintf("ns/key@%v", load))
		}
	})
}

// BenchmarkDelete deletes a table's keys in the order of their insertion. The fill before each round is not counted.
func BenchmarkDelete(b *testing.B) {
	each(b, filters(), func(b *testing.B, t *measure.Turn, n int) {
		timed(b, func() (measure.Lap, error) {
			if _, err := refill(t, n); err != nil {
				return measure.Lap{}, err
			}
			return t.Delete(t.Stored, nil)
		})
	})
}
