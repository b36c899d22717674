package ours

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/quotient"
)

// Quotient returns the adapter of a quotient filter with the claimed rate, filled to at most that
// load factor, or to its default where that is 0.
func Quotient(rate, maxLoad float64) filtertest.Adapter {
	return filtertest.Adapter{
		Name: fmt.Sprintf("filter=quotient/fpr=%v/maxload=%v", rate, maxLoad),
		New: func(capacity int) (*filtertest.Filter, error) {
			f, err := quotient.New(quotient.Config{Capacity: capacity, FalsePositiveRate: rate, MaxLoad: maxLoad})
			if err != nil {
				return nil, err
			}
			return wrapQuotient(f), nil
		},
		TargetRate: rate,
		Full:       filtertest.Refuses,
		AllocFree:  true,
		SameState:  same[*quotient.Filter],
	}
}

func wrapQuotient(f *quotient.Filter) *filtertest.Filter {
	to := bind(f, f.FalsePositiveRate, f.Config().Hash, wrapQuotient)
	bindDeleter(to, f)
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
