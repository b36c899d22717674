package foreign_test

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/cuckoo/foreign"
	"github.com/nestfilter/nest/hashing"
)

// BenchmarkContains asks for keys of 8 bytes, half of them present, in a filter at load 0.9.
func BenchmarkContains(b *testing.B) {
	for _, format := range formats {
		for _, buckets := range []int{1 << 10, 1 << 18} {
			b.Run(fmt.Sprintf("filter=%v/n=%d/load=0.9/hit=0.5", format, buckets*4*9/10), func(b *testing.B) {
				f := newFilter(b, foreign.Config{Format: format, Buckets: buckets})
				for n := uint64(0); f.LoadFactor() < .9; n++ {
					if err := f.InsertHash(hashing.Mix64(n)); err != nil {
						b.Fatal(err)
					}
				}
				n := uint64(f.Len())
				i := uint64(0)
				for b.Loop() {
					i++
					f.ContainsHash(hashing.Mix64(i * 0x9e3779b97f4a7c15 % (2 * n)))
				}
				b.ReportMetric(8*float64(f.SizeBytes())/float64(n), "bits/item")
			})
		}
	}
}
