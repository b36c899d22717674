package counting_test

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/counting"
)

// benchmarked visits filters filled to capacity with digests 0..n-1 (mixed).
func benchmarked(b *testing.B, visit func(b *testing.B, f *counting.Filter, n int)) {
	for _, n := range []int{100_000, 1_000_000} {
		if testing.Short() && n > 100_000 {
			return
		}
		b.Run(fmt.Sprintf("filter=counting/n=%d/fpr=0.01", n), func(b *testing.B) {
			f := must(b, counting.Config{Capacity: n, FalsePositiveRate: 0.01})
			f.InsertHashes(digests(0, n))
			visit(b, f, n)
			b.ReportMetric(float64(f.SizeBytes())*8/float64(n), "bits/item")
		})
	}
}

// queries returns n digests of which the share hits is among 0..n-1, in random order.
func queries(n int, hits float64) []uint64 {
	present := int(hits * float64(n))
	hs := append(digests(0, present), digests(1<<40, n-present)...)
	for i := range hs {
		j := int(hs[i] % uint64(n))
		hs[i], hs[j] = hs[j], hs[i]
	}
	return hs
}

func BenchmarkContains(b *testing.B) {
	benchmarked(b, func(b *testing.B, f *counting.Filter, n int) {
		for _, hit := range []float64{0, 0.5, 1} {
			b.Run(fmt.Sprintf("hit=%v", hit), func(b *testing.B) {
				hs, i := queries(n, hit), 0
				for b.Loop() {
					f.ContainsHash(hs[i])
					if i++; i == n {
						i = 0
					}
				}
			})
		}
	})
}

func BenchmarkInsertDelete(b *testing.B) {
	benchmarked(b, func(b *testing.B, f *counting.Filter, n int) {
		hs, i := queries(n, 0), 0
		for b.Loop() {
			f.InsertHash(hs[i])
			f.DeleteHash(hs[i])
			if i++; i == n {
				i = 0
			}
		}
	})
}

func BenchmarkDeleteAbsent(b *testing.B) {
	benchmarked(b, func(b *testing.B, f *counting.Filter, n int) {
		hs, i := queries(n, 0), 0
		for b.Loop() {
			f.DeleteHash(hs[i])
			if i++; i == n {
				i = 0
			}
		}
	})
}
