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

// BenchmarkContainsHashes asks for digests, half of them present, one by one and in a batch.
func BenchmarkContainsHashes(b *testing.B) {
	for _, format := range formats {
		for _, buckets := range []int{1 << 10, 1 << 22} {
			f := newFilter(b, foreign.Config{Format: format, Buckets: buckets})
			hs := digests(f.Slots()*9/10, 1)
			n, err := f.InsertHashes(hs)
			if err != nil {
				b.Fatal(err)
			}
			for i := 1; i < n; i += 2 {
				hs[i] = ^hs[i]
			}
			hs = hs[:min(n, 1<<17)]
			dst := make([]bool, len(hs))
			for _, batch := range []bool{false, true} {
				b.Run(fmt.Sprintf("filter=%v/n=%d/load=0.9/hit=0.5/batch=%t", format, n, batch), func(b *testing.B) {
					for b.Loop() {
						if batch {
							f.ContainsHashes(hs, dst)
							continue
						}
						for i, h := range hs {
							dst[i] = f.ContainsHash(h)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(hs)), "ns/key")
				})
			}
		}
	}
}
