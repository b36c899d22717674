package bloom_test

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

// verbs are the verbs of every kind that benchmarks and tests run through one table.
type verbs interface {
	InsertHash(h uint64)
	InsertHashes(hs []uint64)
	ContainsHash(h uint64) bool
	ContainsHashes(hs []uint64, dst []bool)
	Slots() int
}

// benchmarked visits every kind, filled to capacity with digests 0..n-1 (mixed).
func benchmarked(b *testing.B, visit func(b *testing.B, f verbs, n int)) {
	for _, n := range []int{100_000, 1_000_000, 10_000_000} {
		if testing.Short() && n > 100_000 {
			return
		}
		for _, rate := range []float64{0.01, 0.001} {
			c := bloom.Config{Capacity: n, FalsePositiveRate: rate}
			classic, err := bloom.New(c)
			if err != nil {
				b.Fatal(err)
			}
			blocked, err := bloom.NewBlocked(c)
			if err != nil {
				b.Fatal(err)
			}
			split, err := bloom.NewSplitBlock(c)
			if err != nil {
				b.Fatal(err)
			}
			for _, kind := range []struct {
				name string
				f    verbs
			}{{"bloom", classic}, {"blocked", blocked}, {"splitblock", split}} {
				name := fmt.Sprintf("filter=%s/n=%d/fpr=%v", kind.name, n, rate)
				b.Run(name, func(b *testing.B) {
					kind.f.InsertHashes(digests(0, n))
					visit(b, kind.f, n)
				})
			}
		}
	}
}

// digests returns the digests of the integers from..from+n-1.
func digests(from uint64, n int) []uint64 {
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = hashing.Mix64(from + uint64(i))
	}
	return hs
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

var hitShares = []float64{0, 0.5, 1}

func BenchmarkContains(b *testing.B) {
	benchmarked(b, func(b *testing.B, f verbs, n int) {
		for _, hit := range hitShares {
			b.Run(fmt.Sprintf("hit=%v", hit), func(b *testing.B) {
				hs, i := queries(n, hit), 0
				for b.Loop() {
					f.ContainsHash(hs[i])
					if i++; i == n {
						i = 0
					}
				}
				b.ReportMetric(float64(f.Slots())/float64(n), "bits/item")
			})
		}
	})
}

func BenchmarkContainsHashes(b *testing.B) {
	benchmarked(b, func(b *testing.B, f verbs, n int) {
		for _, hit := range hitShares {
			b.Run(fmt.Sprintf("hit=%v", hit), func(b *testing.B) {
				hs, dst := queries(n, hit), make([]bool, 256)
				at := 0
				for b.Loop() {
					f.ContainsHashes(hs[at:at+256], dst)
					if at += 256; at+256 > n {
						at = 0
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(256*b.N), "ns/key")
			})
		}
	})
}

func BenchmarkInsert(b *testing.B) {
	benchmarked(b, func(b *testing.B, f verbs, n int) {
		hs := queries(n, 0)
		i := 0
		for b.Loop() {
			f.InsertHash(hs[i])
			if i++; i == n {
				i = 0
			}
		}
	})
}
