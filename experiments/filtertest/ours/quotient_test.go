package ours

import (
	"fmt"

	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/quotient"
)

// Quotient returns the adapter of a quotient filter with the claimed rate, filled to at most that
// load factor, or to its default where that is 0.
func Quotient(rate, maxLoad float64) filtertest.Adapter {
	return adapter(fmt.Sprintf("quotient/fpr=%v/maxload=%v", rate, maxLoad), rate, filtertest.Refuses, func(capacity int) (*quotient.Filter, error) {
		return quotient.New(quotient.Config{Capacity: capacity, FalsePositiveRate: rate, MaxLoad: maxLoad})
	}, wrapQuotient)
}

func wrapQuotient(f *quotient.Filter) *filtertest.Filter {
	to := bind(f, f.FalsePositiveRate, f.Config().Hash, wrapQuotient)
	bindRefuser(to, f)
	to.OnStack = []filtertest.Call{
		{Name: "Insert", Do: func(key [16]byte) { _ = f.Insert(key[:]) }},
		{Name: "InsertUnique", Do: func(key [16]byte) { _, _ = f.InsertUnique(key[:]) }},
		{Name: "Contains", Do: func(key [16]byte) { f.Contains(key[:]) }},
		{Name: "Count", Do: func(key [16]byte) { f.Count(key[:]) }},
		{Name: "Delete", Do: func(key [16]byte) { f.Delete(key[:]) }},
	}
	return to
}
