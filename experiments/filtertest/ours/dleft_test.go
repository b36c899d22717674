package ours

import (
	"fmt"

	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/experiments/filtertest"
)

// DLeft returns the adapter of a d-left counting Bloom filter with the claimed rate and counters of
// that many bits.
func DLeft(rate float64, bits int) filtertest.Adapter {
	return adapter(fmt.Sprintf("dleft/bits=%d/fpr=%v", bits, rate), rate, filtertest.Refuses,
		func(capacity int) (*counting.DLeft, error) {
			return counting.NewDLeft(counting.DLeftConfig{Capacity: capacity, FalsePositiveRate: rate, CounterBits: bits})
		}, wrapDLeft)
}

func wrapDLeft(f *counting.DLeft) *filtertest.Filter {
	to := bind(f, f.FalsePositiveRate, f.Config().Hash, wrapDLeft)
	bindRefuser(to, f)
	to.CountLimit = 1 << f.Config().CounterBits
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { _ = f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { _, _ = f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
		{Name: "Count", Do: func(key [16]byte) { f.Count(key[:]) }},
		{Name: "Delete", Do: func(key [16]byte) { f.Delete(key[:]) }},
	}
	return to
}
