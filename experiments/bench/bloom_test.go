package bench

import (
	"fmt"
	"os"
	"testing"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/hashing"
)

// bloomBits are the bits per item of the block filters here: those of the split-block filter in the
// field's benchmark (fastfilter_cpp), 32 bytes for 24 keys.
const bloomBits = 32. / 3

// bloomBatch is the number of digests of a batch.
const bloomBatch = 256

// A blockFilter is one filter with its loops, each over the integer keys from..to-1 with their hash.
// The loops are functions of the concrete type: a call through an interface for every key would be
// part of what they measure.
type blockFilter struct {
	kind           string
	reset          func()
	insert         func(from, to uint64)
	insertHashes   func(hs []uint64)
	contains       func(from, to uint64) (found int)
	containsHashes func(hs []uint64, dst []bool)
}

// blockFilters returns empty filters for n keys.
func blockFilters(tb testing.TB, n int) []blockFilter {
	c := bloom.Config{Capacity: n, Bits: int(bloomBits * float64(n))}
	s, err := bloom.NewSplitBlock(c)
	if err != nil {
		tb.Fatal(err)
	}
	l, err := bloom.NewBlocked(c)
	if err != nil {
		tb.Fatal(err)
	}
	return []blockFilter{{
		kind: "splitblock", reset: s.Reset, insertHashes: s.InsertHashes, containsHashes: s.ContainsHashes,
		insert: func(from, to uint64) {
			for k := from; k < to; k++ {
				s.InsertHash(hashing.Mix64(k))
			}
		},
		contains: func(from, to uint64) (found int) {
			for k := from; k < to; k++ {
				if s.ContainsHash(hashing.Mix64(k)) {
					found++
				}
			}
			return found
		},
	}, {
		kind: "blocked", reset: l.Reset, insertHashes: l.InsertHashes, containsHashes: l.ContainsHashes,
		insert: func(from, to uint64) {
			for k := from; k < to; k++ {
				l.InsertHash(hashing.Mix64(k))
			}
		},
		contains: func(from, to uint64) (found int) {
			for k := from; k < to; k++ {
				if l.ContainsHash(hashing.Mix64(k)) {
					found++
				}
			}
			return found
		},
	}}
}

// batches calls do with the digests of the keys from..to-1, bloomBatch a time.
func batches(from, to uint64, do func(hs []uint64)) {
	var hs [bloomBatch]uint64
	for from < to {
		n := min(to-from, bloomBatch)
		for i := range hs[:n] {
			hs[i] = hashing.Mix64(from + uint64(i))
		}
		do(hs[:n])
		from += n
	}
}

// eachBlockFilter runs a benchmark for every kind and size. run goes over n keys once and says how
// many it handled; ns/key is the time of one.
func eachBlockFilter(b *testing.B, rest string, prepare func(b *testing.B, f blockFilter, n uint64), run func(b *testing.B, f blockFilter, n uint64)) {
	sizes := []int{125_000, 1_000_000}
	if os.Getenv("NEST_BENCH_LARGE") != "" {
		sizes = append(sizes, 8_000_000)
	}
	for _, n := range sizes {
		for _, f := range blockFilters(b, n) {
			b.Run(fmt.Sprintf("filter=%s/n=%d%s", f.kind, n, rest), func(b *testing.B) {
				prepare(b, f, uint64(n))
				rounds := 0
				for b.Loop() {
					run(b, f, uint64(n))
					rounds++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rounds)/float64(n), "ns/key")
			})
		}
	}
}

func fillBlocks(_ *testing.B, f blockFilter, n uint64) {
	f.reset()
	batches(0, n, f.insertHashes)
}

// BenchmarkBlockContains looks up integer keys one a time.
func BenchmarkBlockContains(b *testing.B) {
	for hit := range uint64(2) {
		eachBlockFilter(b, fmt.Sprintf("/hit=%d", hit), fillBlocks, func(b *testing.B, f blockFilter, n uint64) {
			from := n * (1 - hit)
			if found := f.contains(from, from+n); hit == 1 && found != int(n) {
				b.Fatalf("%d keys of %d are lost", int(n)-found, n)
			}
		})
	}
}

// BenchmarkBlockContainsHashes looks up the same keys in batches.
func BenchmarkBlockContainsHashes(b *testing.B) {
	for hit := range uint64(2) {
		eachBlockFilter(b, fmt.Sprintf("/hit=%d/batch=%d", hit, bloomBatch), fillBlocks, func(_ *testing.B, f blockFilter, n uint64) {
			var dst [bloomBatch]bool
			from := n * (1 - hit)
			batches(from, from+n, func(hs []uint64) { f.containsHashes(hs, dst[:]) })
		})
	}
}

func noPreparation(*testing.B, blockFilter, uint64) {}

// BenchmarkBlockInsert inserts integer keys one a time into an empty filter.
func BenchmarkBlockInsert(b *testing.B) {
	eachBlockFilter(b, "", noPreparation, func(_ *testing.B, f blockFilter, n uint64) {
		f.reset()
		f.insert(0, n)
	})
}

// BenchmarkBlockInsertHashes inserts the same keys in batches.
func BenchmarkBlockInsertHashes(b *testing.B) {
	eachBlockFilter(b, fmt.Sprintf("/batch=%d", bloomBatch), fillBlocks, func(_ *testing.B, f blockFilter, n uint64) {
		f.reset()
		batches(0, n, f.insertHashes)
	})
}
