package quotient_test

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/hashing"
)

// benchmarked visits filters of 2^q slots with remainders of 9 bits, those of the paper's Table 3,
// filled with the digests of integers 0, 1, 2 and so on.
func benchmarked(b *testing.B, visit func(b *testing.B, f *quotient.Filter)) {
	for _, q := range []int{16, 20} {
		if testing.Short() && q > 16 {
			return
		}
		for _, load := range []float64{0.5, 0.75, 0.9, 0.95} {
			f, err := quotient.New(quotient.Config{QuotientBits: q, RemainderBits: 9, MaxLoad: 1})
			if err != nil {
				b.Fatal(err)
			}
			n := int(load * float64(f.Slots()))
			b.Run(fmt.Sprintf("filter=quotient/r=9/n=%d/load=%v", n, load), func(b *testing.B) {
				for k := f.Len(); k < n; k++ {
					if err := f.InsertHash(hashing.Mix64(uint64(k))); err != nil {
						b.Fatal(err)
					}
				}
				visit(b, f)
			})
		}
	}
}

func BenchmarkContains(b *testing.B) {
	benchmarked(b, func(b *testing.B, f *quotient.Filter) {
		n := uint64(f.Len())
		for _, hit := range []uint64{0, 1} {
			b.Run(fmt.Sprintf("hit=%d", hit), func(b *testing.B) {
				first, k, found := n*(1-hit), uint64(0), 0
				for b.Loop() {
					if f.ContainsHash(hashing.Mix64(first + k)) {
						found++
					}
					if k++; k == n {
						k = 0
					}
				}
				if hit == 1 && found != b.N {
					b.Fatalf("%d of %d keys are lost", b.N-found, b.N)
				}
				b.ReportMetric(float64(f.SizeBytes())*8/float64(n), "bits/item")
			})
		}
	})
}

// BenchmarkInsertDelete deletes a key and inserts another, so that the load stays as it is.
func BenchmarkInsertDelete(b *testing.B) {
	benchmarked(b, func(b *testing.B, f *quotient.Filter) {
		oldest, n := uint64(0), uint64(f.Len())
		for b.Loop() {
			if !f.DeleteHash(hashing.Mix64(oldest)) || f.InsertHash(hashing.Mix64(oldest+n)) != nil {
				b.Fatalf("key %d is lost", oldest)
			}
			oldest++
		}
		// The next measurement begins with the same keys.
		f.Reset()
		for k := range n {
			if err := f.InsertHash(hashing.Mix64(k)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(f.Stats().InsertReach, "slots/insert")
	})
}
