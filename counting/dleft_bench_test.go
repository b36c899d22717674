package counting_test

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/counting"
)

// benchmarkedDLeft visits filters filled to capacity with digests 0..n-1 (mixed).
func benchmarkedDLeft(b *testing.B, visit func(b *testing.B, f *counting.DLeft, n int)) {
	for _, n := range []int{100_000, 1_000_000} {
		if testing.Short() && n > 100_000 {
			return
		}
		b.Run(fmt.Sprintf("filter=dleft/n=%d/fpr=0.01", n), func(b *testing.B) {
			f := mustDLeft(b, counting.DLeftConfig{Capacity: n, FalsePositiveRate: 0.01})
			fillDLeft(b, f, digests(0, n))
			visit(b, f, n)
			b.ReportMetric(float64(f.SizeBytes())*8/float64(n), "bits/item")
		})
	}
}

func BenchmarkDLeftContains(b *testing.B) {
	benchmarkedDLeft(b, func(b *testing.B, f *counting.DLeft, n int) {
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

func BenchmarkDLeftInsertDelete(b *testing.B) {
	benchmarkedDLeft(b, func(b *testing.B, f *counting.DLeft, n int) {
		hs, i := queries(n, 0), 0
		for b.Loop() {
			if f.InsertHash(hs[i]) == nil {
				f.DeleteHash(hs[i])
			}
			if i++; i == n {
				i = 0
			}
		}
	})
}
