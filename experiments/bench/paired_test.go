package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// BenchmarkPairedQueue fills tables with paired slots to the first refusal, with searches that may queue so many slots,
// and reports what the choice of the default rests on: the load reached, the cost of an insert in the last tenth of
// that fill, the longest single insert of the fill in microseconds, and that of an insert that is refused. A refused
// insert looks at every slot that may be queued, so none that is stored costs more, but for its kicks: it is the least
// of several that is reported, as the longest of a fill has whatever else the machine does.
func BenchmarkPairedQueue(b *testing.B) {
	for _, n := range pairedSizes() {
		for _, size := range []int{4, 8} {
			for _, queue := range []int{700, 2800, 6000, 20_000} {
				b.Run(fmt.Sprintf("f=11/b=%d/n=%d/queue=%d", size, n, queue), func(b *testing.B) {
					f, err := cuckoo.New[fingerprint.Bits11](cuckoo.Config{Buckets: n / size, BucketSize: size, Layout: cuckoo.PairedSlots, MaxKicks: queue})
					if err != nil {
						b.Fatal(err)
					}
					pairedQueue(b, f)
				})
			}
		}
	}
}

// pairedSizes are a million slots and, where those of [sizes] go so far, eight.
func pairedSizes() []int {
	return slices.DeleteFunc(sizes(), func(n int) bool { return n < 1<<20 || n > 1<<23 })
}

// pairedQueue is the benchmark of one filter: it fills it once to see where it refuses, and times the fills that
// follow.
func pairedQueue(b *testing.B, f *cuckoo.Filter[fingerprint.Bits11]) {
	key := func(k int) uint64 { return hashing.Mix64(uint64(k)) }
	full := 0
	for f.InsertHash(key(full)) == nil {
		full++
	}
	tenth, longest, refusal := time.Duration(0), time.Duration(0), time.Hour
	for b.Loop() {
		f.Reset()
		for k := range full - full/10 {
			_ = f.InsertHash(key(k))
		}
		start := time.Now()
		for k := full - full/10; k < full; k++ {
			_ = f.InsertHash(key(k))
		}
		tenth += time.Since(start)
		for range 20 {
			start = time.Now()
			if f.InsertHash(key(full)) == nil {
				b.Fatal("a refused key is stored")
			}
			refusal = min(refusal, time.Since(start))
		}
		f.Reset()
		for k := range full {
			start := time.Now()
			_ = f.InsertHash(key(k))
			longest = max(longest, time.Since(start))
		}
	}
	b.ReportMetric(float64(full)/float64(f.Slots()), "load")
	b.ReportMetric(float64(tenth.Nanoseconds())/float64(b.N*(full/10)), "ns/last-tenth")
	b.ReportMetric(float64(longest.Nanoseconds())/1e3, "us/longest")
	b.ReportMetric(float64(refusal.Nanoseconds())/1e3, "us/refusal")
}
