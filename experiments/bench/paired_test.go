package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/measure"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// BenchmarkPairedQueue fills tables with paired slots to the first refusal, with searches that may queue so many slots,
// and reports what the choice of the default rests on: the load reached, the cost of an insert in the last tenth of
// that fill, the longest single insert of the fill in microseconds, and that of an insert that is refused. A refused
// insert looks at every slot that may be queued, so none that is stored costs more, but for its kicks: it is the least
// of several that is reported, as the longest of a fill has whatever else the machine does.
func BenchmarkPairedQueue(b *testing.B) {
	for _, n := range sizes() {
		if n < 1<<20 || n > 1<<23 {
			continue
		}
		for _, size := range []int{4, 8} {
			for _, queue := range []int{700, 2800, 6000, 20_000} {
				b.Run(fmt.Sprintf("f=11/b=%d/n=%d/queue=%d", size, n, queue), func(b *testing.B) {
					c := cuckoo.Config{Buckets: n / size, BucketSize: size, Layout: cuckoo.PairedSlots, MaxKicks: queue}
					f, err := cuckoo.New[fingerprint.Bits11](c)
					if err != nil {
						b.Fatal(err)
					}
					pairedQueue(b, f)
				})
			}
		}
	}
}

// pairedQueue is the benchmark of one filter: it fills it once to see where it refuses, and times the fills that
// follow.
func pairedQueue(b *testing.B, f *cuckoo.Filter[fingerprint.Bits11]) {
	fill := func(from, to int) { // up to the first key that is refused
		for k := from; k < to && f.InsertHash(hashing.Mix64(uint64(k))) == nil; k++ {
		}
	}
	fill(0, f.Slots()+1)
	full, tenth := f.Len(), measure.Lap{}
	longest, refusal := time.Duration(0), time.Hour
	for b.Loop() {
		f.Reset()
		fill(0, full-full/10)
		tenth.Add(measure.Timed(full/10, func() { fill(full-full/10, full) }))
		for range 20 {
			refusal = min(refusal, measure.Timed(1, func() { fill(full, full+1) }).Time)
		}
		if f.Len() != full {
			b.Fatal("a refused key is stored")
		}
		f.Reset()
		for k := range full {
			longest = max(longest, measure.Timed(1, func() { fill(k, k+1) }).Time)
		}
	}
	b.ReportMetric(float64(full)/float64(f.Slots()), "load")
	b.ReportMetric(tenth.PerKey(), "ns/last-tenth")
	b.ReportMetric(float64(longest.Nanoseconds())/1e3, "us/longest")
	b.ReportMetric(float64(refusal.Nanoseconds())/1e3, "us/refusal")
}
