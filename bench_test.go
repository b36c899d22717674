package nest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/hashing/secret"
)

// overheadKeys is the number of keys in the tables that are timed. They fit into the first cache, so
// that the cost of a call is not hidden behind misses.
const overheadKeys = 1 << 10

// sink keeps answers alive.
var sink int

// A loop is one verb over many digests.
type loop = func(hs []uint64)

// BenchmarkOverhead times a verb through Filter and on the concrete type, in turns on the same table,
// and reports the median of the differences in nanoseconds a call.
func BenchmarkOverhead(b *testing.B) {
	for _, s := range []nest.Spec{
		{Kind: nest.Cuckoo, Capacity: overheadKeys, FingerprintBits: 12},
		{Kind: nest.Bloom, Capacity: overheadKeys, FalsePositiveRate: .01},
		{Kind: nest.BlockedBloom, Capacity: overheadKeys, FalsePositiveRate: .01},
		{Kind: nest.SplitBlock, Capacity: overheadKeys, FalsePositiveRate: .01},
		{Kind: nest.DLeft, Capacity: overheadKeys, FalsePositiveRate: .01},
		{Kind: nest.Counting, Capacity: overheadKeys, FalsePositiveRate: .01},
		{Kind: nest.Scalable, Capacity: overheadKeys, FingerprintBits: 12},
	} {
		f := mustNew(b, s)
		hs := make([]uint64, overheadKeys)
		for k := range hs {
			hs[k] = hashing.Mix64(uint64(k))
		}
		insert, contains := concreteLoops(f)
		b.Run("verb=insert/filter="+string(s.Kind), func(b *testing.B) {
			reportOverhead(b, hs, f.Reset, insert, func(hs []uint64) {
				for _, h := range hs {
					if f.InsertHash(h) != nil {
						sink++
					}
				}
			})
		})
		b.Run("verb=contains/filter="+string(s.Kind), func(b *testing.B) {
			reportOverhead(b, hs, func() {}, contains, func(hs []uint64) {
				for _, h := range hs {
					if f.ContainsHash(h) {
						sink++
					}
				}
			})
		})
	}
}

// concreteLoops returns the loops over the filter in f. They name its type: through an interface or a
// type parameter nothing would be compared, which is why the loops stand here once for each type.
func concreteLoops(f nest.Filter) (insert, contains loop) {
	switch g := f.Unwrap().(type) {
	case *cuckoo.Filter[fingerprint.Any]:
		insert = func(hs []uint64) {
			for _, h := range hs {
				if g.InsertHash(h) != nil {
					sink++
				}
			}
		}
		contains = func(hs []uint64) {
			for _, h := range hs {
				if g.ContainsHash(h) {
					sink++
				}
			}
		}
	case *cuckoo.Scalable[fingerprint.Any]:
		insert = func(hs []uint64) {
			for _, h := range hs {
				if g.InsertHash(h) != nil {
					sink++
				}
			}
		}
		contains = func(hs []uint64) {
			for _, h := range hs {
				if g.ContainsHash(h) {
					sink++
				}
			}
		}
	case *counting.DLeft:
		insert = func(hs []uint64) {
			for _, h := range hs {
				if g.InsertHash(h) != nil {
					sink++
				}
			}
		}
		contains = func(hs []uint64) {
			for _, h := range hs {
				if g.ContainsHash(h) {
					sink++
				}
			}
		}
	default:
		return sureLoops(f)
	}
	return insert, contains
}

// sureLoops is concreteLoops for the filters whose inserts cannot fail.
func sureLoops(f nest.Filter) (insert, contains loop) {
	switch g := f.Unwrap().(type) {
	case *bloom.Filter:
		insert = func(hs []uint64) {
			for _, h := range hs {
				g.InsertHash(h)
			}
		}
		contains = func(hs []uint64) {
			for _, h := range hs {
				if g.ContainsHash(h) {
					sink++
				}
			}
		}
	case *bloom.Blocked:
		insert = func(hs []uint64) {
			for _, h := range hs {
				g.InsertHash(h)
			}
		}
		contains = func(hs []uint64) {
			for _, h := range hs {
				if g.ContainsHash(h) {
					sink++
				}
			}
		}
	case *bloom.SplitBlock:
		insert = func(hs []uint64) {
			for _, h := range hs {
				g.InsertHash(h)
			}
		}
		contains = func(hs []uint64) {
			for _, h := range hs {
				if g.ContainsHash(h) {
					sink++
				}
			}
		}
	case *counting.Filter:
		insert = func(hs []uint64) {
			for _, h := range hs {
				g.InsertHash(h)
			}
		}
		contains = func(hs []uint64) {
			for _, h := range hs {
				if g.ContainsHash(h) {
					sink++
				}
			}
		}
	}
	return insert, contains
}

// reportOverhead runs both loops in turns and reports medians.
func reportOverhead(b *testing.B, hs []uint64, before func(), concrete, dynamic loop) {
	timed := func(run loop) float64 {
		before()
		start := time.Now()
		run(hs)
		return float64(time.Since(start).Nanoseconds()) / float64(len(hs))
	}
	var base, differences []float64
	for b.Loop() {
		c := timed(concrete)
		base = append(base, c)
		differences = append(differences, timed(dynamic)-c)
	}
	b.ReportMetric(0, "ns/op") // the time of both together says nothing
	b.ReportMetric(median(base), "concrete-ns")
	b.ReportMetric(median(differences), "overhead-ns")
}

// median sorts v.
func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// BenchmarkSecret asks a small filter for strings of 16 bytes under the default hash and under a secret key.
func BenchmarkSecret(b *testing.B) {
	const n = 1 << 12
	for _, hash := range []string{"xxh64", "siphash"} {
		b.Run("filter=cuckoo/f=12/hash="+hash, func(b *testing.B) {
			family, err := secret.New(hash)
			if err != nil {
				b.Fatal(err)
			}
			f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{Capacity: n, Hash: family})
			if err != nil {
				b.Fatal(err)
			}
			keys := make([]string, n)
			for i := range keys {
				keys[i] = fmt.Sprintf("key-%012d", i)
				if err := f.InsertString(keys[i]); err != nil {
					b.Fatal(err)
				}
			}
			for i := 0; b.Loop(); i++ {
				if !f.ContainsString(keys[i%n]) {
					b.Fatal("a key is lost")
				}
			}
		})
	}
}
