package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

// A grower is a filter that BenchmarkGrowth fills and asks.
type grower interface {
	InsertHashes(hs []uint64) (int, error)
	SizeBytes() int
}

// growthFilters are filters for n keys: growing ones, made for the default of 1024 keys, and one of the right size.
var growthFilters = []struct {
	name string
	new  func(n int) (grower, error)
}{
	{"right-size", func(n int) (grower, error) { return cuckoo.New[fingerprint.Bits16](cuckoo.Config{Capacity: n}) }},
	{"growing", func(int) (grower, error) { return cuckoo.NewScalable[fingerprint.Bits16](cuckoo.ScalableConfig{}) }},
}

// growthDigests returns the digests of n integers from first on.
func growthDigests(first, n int) []uint64 {
	hs := make([]uint64, n)
	for i := range hs {
		hs[i] = hashing.Mix64(uint64(first + i))
	}
	return hs
}

// BenchmarkGrowth compares growing filters with a filter of the right size: filling, and lookups of absent and of
// present keys, one at a time and in batches of 256. docs/SCALABLE.md has its chart.
func BenchmarkGrowth(b *testing.B) {
	const queries = 1 << 16
	for _, n := range []int{1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20} {
		keys, absent := growthDigests(0, n), growthDigests(n, queries)
		present := make([]uint64, queries)
		for i := range present {
			present[i] = keys[hashing.Mix64(uint64(i))%uint64(n)]
		}
		for _, kind := range growthFilters {
			name := func(verb string) string { return fmt.Sprintf("verb=%s/filter=%s/f=16/b=4/n=%d", verb, kind.name, n) }
			var f grower
			b.Run(name("insert"), func(b *testing.B) {
				for b.Loop() {
					f = growthFilled(b, kind.new, keys)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
				b.ReportMetric(8*float64(f.SizeBytes())/float64(n), "bits/item")
			})
			if f == nil {
				f = growthFilled(b, kind.new, keys)
			}
			for _, hit := range []int{0, 1} {
				hs := [][]uint64{absent, present}[hit]
				for _, batch := range []int{1, 256} {
					b.Run(fmt.Sprintf("%s/hit=%d/batch=%d", name("contains"), hit, batch), func(b *testing.B) { growthLookup(b, f, hs, batch) })
				}
			}
		}
	}
}

// growthFilled returns a filter of the keys.
func growthFilled(b *testing.B, make func(int) (grower, error), keys []uint64) grower {
	f, err := make(len(keys))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.InsertHashes(keys); err != nil {
		b.Fatal(err)
	}
	return f
}

// growthLookup looks all digests up, by the concrete types, so that no interface is in the loop.
func growthLookup(b *testing.B, f grower, hs []uint64, batch int) {
	dst := make([]bool, 256)
	for b.Loop() {
		switch f := f.(type) {
		case *cuckoo.Filter[fingerprint.Bits16]:
			if batch == 1 {
				growthSingle(hs, f.ContainsHash)
				continue
			}
			for at := 0; at < len(hs); at += batch {
				f.ContainsHashes(hs[at:at+batch], dst)
			}
		case *cuckoo.Scalable[fingerprint.Bits16]:
			if batch == 1 {
				growthSingle(hs, f.ContainsHash)
				continue
			}
			for at := 0; at < len(hs); at += batch {
				f.ContainsHashes(hs[at:at+batch], dst)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(hs)), "ns/key")
}

// growthSingle looks digests up one at a time: for both kinds of filter through a function value.
func growthSingle(hs []uint64, contains func(uint64) bool) (found int) {
	for _, h := range hs {
		if contains(h) {
			found++
		}
	}
	return found
}

// BenchmarkGrowthPause inserts 2^25 keys one by one and reports the longest insert, and the longest of those that did not double, in
// microseconds: how long a program waits for a filter that doubles 14 times, in steps and, as under a policy that walks, at once.
func BenchmarkGrowthPause(b *testing.B) {
	const n = 1 << 25
	for _, c := range []struct {
		name string
		kick cuckoo.KickPolicy
	}{{"steps", cuckoo.BreadthFirst}, {"at-once", cuckoo.LookAhead}} {
		b.Run(fmt.Sprintf("growth=%s/f=16/b=4/n=%d", c.name, n), func(b *testing.B) {
			var longest, other time.Duration
			for b.Loop() {
				f, err := cuckoo.NewScalable[fingerprint.Bits16](cuckoo.ScalableConfig{Kick: c.kick})
				if err != nil {
					b.Fatal(err)
				}
				for k := range uint64(n) {
					h, before := hashing.Mix64(k), f.Doublings()
					start := time.Now()
					if err := f.InsertHash(h); err != nil {
						b.Fatal(err)
					}
					took := time.Since(start)
					if f.Doublings() != before {
						longest = max(longest, took)
					} else {
						other = max(other, took)
					}
				}
			}
			b.ReportMetric(float64(longest.Microseconds()), "us/doubling")
			b.ReportMetric(float64(other.Microseconds()), "us/other")
		})
	}
}
