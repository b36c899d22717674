package rediscf

import (
	"fmt"
	"testing"

	"github.com/nestfilter/nest/hashing"
)

const benchItems = 1 << 20

// BenchmarkAdd fills empty filters of 2^21 slots to half, and of 2^17, which grow to several sub-filters.
func BenchmarkAdd(b *testing.B) {
	keys, hs := benchKeys()
	for _, capacity := range []int{2 * benchItems, benchItems / 8} {
		for _, form := range []string{"digest", "string"} {
			b.Run(fmt.Sprintf("filter=rediscf/n=%d/capacity=%d/form=%s", benchItems, capacity, form),
				func(b *testing.B) {
					var f *Filter
					for k := 0; b.Loop(); k++ {
						if k %= benchItems; k == 0 {
							b.StopTimer()
							f = mustNew(b, Config{Capacity: capacity, Expansion: 2})
							b.StartTimer()
						}
						if form == "digest" && f.AddHash(hs[2*k]) != nil || form == "string" &&
							f.AddString(keys[2*k]) != nil {
							b.Fatal("refused")
						}
					}
					b.ReportMetric(float64(f.Info().Filters), "filters")
				})
		}
	}
}

// BenchmarkExists looks up keys of which every other is there, with one sub-filter and with several.
func BenchmarkExists(b *testing.B) {
	keys, hs := benchKeys()
	for _, capacity := range []int{4 * benchItems, benchItems / 8} {
		f := mustNew(b, Config{Capacity: capacity, Expansion: 2})
		for k := range benchItems {
			if err := f.AddHash(hs[2*k]); err != nil {
				b.Fatal(err)
			}
		}
		for _, form := range []string{"digest", "string"} {
			b.Run(fmt.Sprintf("filter=rediscf/n=%d/filters=%d/form=%s/hit=0.5", benchItems, f.Info().Filters, form),
				func(b *testing.B) {
					k, found := 0, 0
					for b.Loop() {
						k = (k + 1) % (2 * benchItems) // keys in order, buckets in none
						if form == "digest" && f.ExistsHash(hs[k]) || form == "string" && f.ExistsString(keys[k]) {
							found++
						}
					}
					b.ReportMetric(float64(found)/float64(b.N), "found")
				})
		}
	}
}

// BenchmarkLarge adds to a filter of 256 MiB, in the memory of which every key misses the caches, and looks
// up keys of which half are there. Run it for 2^26 rounds, which fill a quarter of the slots.
func BenchmarkLarge(b *testing.B) {
	f := mustNew(b, Config{Capacity: 1 << 28, BucketSize: 4})
	b.Run("filter=rediscf/op=add/slots=268435456/form=digest", func(b *testing.B) {
		for b.Loop() {
			if err := f.AddHash(hashing.Mix64(f.items)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("filter=rediscf/op=exists/slots=268435456/form=digest/hit=0.5", func(b *testing.B) {
		k, end := uint64(0), 2*f.items
		for b.Loop() {
			k = (k + 1) % end
			f.ExistsHash(hashing.Mix64(k))
		}
	})
}

func benchKeys() (keys []string, hs []uint64) {
	keys, hs = make([]string, 2*benchItems), make([]uint64, 2*benchItems)
	for k := range keys {
		keys[k] = fmt.Sprintf("user:%012d", k)
		hs[k] = DigestString(keys[k])
	}
	return keys, hs
}
