package ours

import (
	"fmt"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/experiments/filtertest"
)

// DLeft returns the adapter of a d-left counting Bloom filter with the claimed rate and counters of
// that many bits.
func DLeft(rate float64, bits int) filtertest.Adapter {
	return filtertest.Adapter{
		Name: fmt.Sprintf("filter=dleft/bits=%d/fpr=%v", bits, rate),
		New: func(capacity int) (*filtertest.Filter, error) {
			f, err := counting.NewDLeft(counting.DLeftConfig{Capacity: capacity, FalsePositiveRate: rate, CounterBits: bits})
			if err != nil {
				return nil, err
			}
			return wrapDLeft(f), nil
		},
		TargetRate: rate,
		Full:       filtertest.Refuses,
		AllocFree:  true,
		SameState:  same[*counting.DLeft],
	}
}

func wrapDLeft(f *counting.DLeft) *filtertest.Filter {
	to := bind(f, f.FalsePositiveRate, f.Config().Hash, wrapDLeft)
	bindDeleter(to, f)
	to.CountLimit = 1 << f.Config().CounterBits
	to.Insert = func(key []byte) bool { return f.Insert(key) == nil }
	to.Strings.Insert = func(key string) bool { return f.InsertString(key) == nil }
	to.Hashes.Insert = func(h uint64) bool { return f.InsertHash(h) == nil }
	to.Hashes.InsertAll = func(hs []uint64) int { n, _ := f.InsertHashes(hs); return n }
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { _ = f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { _, _ = f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
		{Name: "Count", Do: func(key [16]byte) { f.Count(key[:]) }},
		{Name: "Delete", Do: func(key [16]byte) { f.Delete(key[:]) }},
	}
	return to
}
