package bench

import (
	"fmt"
	"os"
	"testing"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// filter is the shape that all benchmarks of this file measure: the paper's, 12 bits and b = 4.
type filter = cuckoo.Filter[fingerprint.Bits12]

const load = 0.95

// sizes are the numbers of slots: a table in the first-level cache, in the second, and beyond it.
// Tables of 8 and 64 million slots take seconds to fill; they are measured where NEST_BENCH_LARGE
// is set.
func sizes() []int {
	n := []int{1 << 10, 1 << 17, 1 << 20}
	if os.Getenv("NEST_BENCH_LARGE") != "" {
		n = append(n, 1<<23, 1<<26)
	}
	return n
}

// name is a benchmark's name, its keys in the order that all benchmarks of the module use.
func name(p cuckoo.Placement, n int, rest string) string {
	return fmt.Sprintf("filter=cuckoo/f=12/b=4/placement=%v/n=%d/load=%v%s", p, n, load, rest)
}

// each runs a benchmark for both placements and every size.
func each(b *testing.B, rest string, run func(b *testing.B, p cuckoo.Placement, n int)) {
	for _, p := range []cuckoo.Placement{cuckoo.XOR, cuckoo.Additive} {
		for _, n := range sizes() {
			b.Run(name(p, n, rest), func(b *testing.B) { run(b, p, n) })
		}
	}
}

// fill inserts keys 0, 1, 2, ... until the filter has the given share of its slots in use.
func fill(tb testing.TB, f *filter, share float64) (keys uint64) {
	keys = uint64(float64(f.Slots()) * share)
	for k := uint64(f.Len()); k < keys; k++ {
		if err := f.InsertHash(hashing.Mix64(k)); err != nil {
			tb.Fatal(err)
		}
	}
	return keys
}

// filled returns a filter of n slots with its keys.
func filled(tb testing.TB, p cuckoo.Placement, n int) (f *filter, keys uint64) {
	f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Buckets: n / 4, Placement: p})
	if err != nil {
		tb.Fatal(err)
	}
	return f, fill(tb, f, load)
}

// BenchmarkContains looks up one integer key a time, hash included.
func BenchmarkContains(b *testing.B) {
	for _, hit := range []int{0, 1} {
		each(b, fmt.Sprintf("/hit=%d", hit), func(b *testing.B, p cuckoo.Placement, n int) {
			f, keys := filled(b, p, n)
			base := keys * uint64(1-hit)
			found, looked, k := 0, 0, uint64(0)
			for b.Loop() {
				if f.ContainsHash(hashing.Mix64(base + k)) {
					found++
				}
				looked++
				if k++; k == keys {
					k = 0
				}
			}
			if hit == 1 && found != looked {
				b.Fatalf("%d keys of %d are lost", looked-found, looked)
			}
		})
	}
}

// BenchmarkContainsHashes looks up batches of 256 digests; ns/key is the time of one.
func BenchmarkContainsHashes(b *testing.B) {
	each(b, "/hit=0/batch=256", func(b *testing.B, p cuckoo.Placement, n int) {
		f, keys := filled(b, p, n)
		var hs [256]uint64
		var dst [256]bool
		next, batches := keys, 0
		for b.Loop() {
			for i := range hs {
				hs[i] = hashing.Mix64(next)
				next++
			}
			f.ContainsHashes(hs[:], dst[:])
			batches++
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(batches)/256, "ns/key")
	})
}

// BenchmarkInsert fills a table one key a time; ns/key is the mean over the whole fill.
func BenchmarkInsert(b *testing.B) {
	each(b, "", func(b *testing.B, p cuckoo.Placement, n int) {
		f, keys := filled(b, p, n)
		fills := 0
		for b.Loop() {
			f.Reset()
			fill(b, f, load)
			fills++
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(fills)/float64(keys), "ns/key")
		b.ReportMetric(float64(f.Stats().Kicks)/float64(keys), "kicks/key")
	})
}

// BenchmarkBuild makes filters of ready digests.
func BenchmarkBuild(b *testing.B) {
	each(b, "", func(b *testing.B, p cuckoo.Placement, n int) {
		hs := make([]uint64, int(float64(n)*load))
		for k := range hs {
			hs[k] = hashing.Mix64(uint64(k))
		}
		builds := 0
		for b.Loop() {
			if _, err := cuckoo.Build[fingerprint.Bits12](cuckoo.Config{Buckets: n / 4, Placement: p}, hs); err != nil {
				b.Fatal(err)
			}
			builds++
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(builds)/float64(len(hs)), "ns/key")
	})
}

// BenchmarkDelete deletes a table's keys in the order of their insertion; ns/key is the time of one
// delete. The fill before each round is not counted.
func BenchmarkDelete(b *testing.B) {
	each(b, "", func(b *testing.B, p cuckoo.Placement, n int) {
		f, keys := filled(b, p, n)
		rounds := 0
		for b.Loop() {
			for k := range keys {
				if !f.DeleteHash(hashing.Mix64(k)) {
					b.Fatalf("key %d is lost", k)
				}
			}
			rounds++
			b.StopTimer()
			fill(b, f, load)
			b.StartTimer()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds)/float64(keys), "ns/key")
	})
}
