package ours

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/hashing"
)

// Quotient returns the adapter of a quotient filter with the claimed rate, filled to at most that
// load factor. It takes digests: keys are hashed here.
func Quotient(rate, maxLoad float64) filtertest.Adapter {
	return filtertest.Adapter{
		Name: fmt.Sprintf("filter=quotient/fpr=%v/maxload=%v", rate, maxLoad), TargetRate: rate, Full: filtertest.Refuses,
		AllocFree: true,
		SameState: func(a, b any) bool { return a.(*quotient.Filter).Equal(b.(*quotient.Filter)) },
		New: func(capacity int) (*filtertest.Filter, error) {
			c := quotient.Config{QuotientBits: 1, RemainderBits: 1, MaxLoad: maxLoad}
			for maxLoad > 0 && max(1, math.Floor(math.Ldexp(maxLoad, c.QuotientBits))) < float64(capacity) {
				c.QuotientBits++
			}
			for quotient.Predict(capacity, c.QuotientBits+c.RemainderBits) > rate {
				c.RemainderBits++
			}
			f, err := quotient.New(c)
			if err != nil {
				return nil, err
			}
			return wrapQuotient(f, c), nil
		},
	}
}

func wrapQuotient(f *quotient.Filter, c quotient.Config) *filtertest.Filter {
	h := hashing.NewDigester(nil)
	insert := func(h uint64) bool { return f.InsertHash(h) == nil }
	return &filtertest.Filter{
		Insert:   func(key []byte) bool { return insert(h.Sum64(key)) },
		Contains: func(key []byte) bool { return f.ContainsHash(h.Sum64(key)) },
		Delete:   func(key []byte) bool { return f.DeleteHash(h.Sum64(key)) },
		Len:      f.Len, Slots: f.Slots, SizeBytes: f.SizeBytes, Reset: f.Reset,
		Rate:  func() float64 { return quotient.Predict(f.Len(), c.QuotientBits+c.RemainderBits) },
		State: func() any { return f.Clone() },
		Clone: func() *filtertest.Filter { return wrapQuotient(f.Clone(), c) },
		Hashes: &filtertest.Hashes{Digest: h.Sum64, Insert: insert, Contains: f.ContainsHash, Delete: f.DeleteHash,
			ContainsAll: f.ContainsHashes},
	}
}
