package ours

import (
	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/experiments/filtertest"
)

// SplitBlock returns the adapter of a split-block Bloom filter with the claimed rate.
func SplitBlock(rate float64) filtertest.Adapter {
	return bloomAdapter("splitblock", rate, bloom.NewSplitBlock, wrapSplitBlock)
}

func wrapSplitBlock(f *bloom.SplitBlock) *filtertest.Filter {
	to := bind(f, func() float64 { return f.Stats().FalsePositiveRate }, f.Config().Hash, wrapSplitBlock)
	bindAbsorber(to, f)
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
	}
	return to
}
