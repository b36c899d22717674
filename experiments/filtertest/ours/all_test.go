package ours

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
)

var (
	bucketSizes = []int{1, 2, 4, 8}
	placements  = []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.PlainXOR}
	policies    = []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.RandomWalk, cuckoo.RoundRobin}
)

// All returns an adapter for each kind of filter of this module: cuckoo filters of the widths 4, 8, 12, 13, 16 and 32
// with every bucket size, in which placements and kick policies take turns; every placement with every policy at 10
// bits and 4 slots; semi-sorted ones of several widths; the Bloom filters, at two rates; counting filters with every
// width of counters; and quotient filters up to three load factors.
func All() []filtertest.Adapter {
	adapters := slices.Concat(perBucketSize[fingerprint.Bits4](0), perBucketSize[fingerprint.Bits8](1),
		perBucketSize[fingerprint.Bits12](2), perBucketSize[fingerprint.Bits13](3), perBucketSize[fingerprint.Bits16](4),
		perBucketSize[fingerprint.Bits32](5))
	for _, p := range placements {
		for _, k := range policies {
			adapters = append(adapters, Cuckoo[fingerprint.Bits10](cuckoo.Config{Placement: p, Kick: k, Seed: 1}))
		}
	}
	adapters = append(adapters, semiSorted[fingerprint.Bits5](0), semiSorted[fingerprint.Bits9](1),
		semiSorted[fingerprint.Bits13](2), semiSorted[fingerprint.Bits13](3), semiSorted[fingerprint.Bits17](4),
		semiSorted[fingerprint.Bits18](5), semiSorted[fingerprint.Bits32](6))
	for _, rate := range []float64{0.01, 0.1} {
		adapters = append(adapters, Bloom(rate), Blocked(rate), SplitBlock(rate))
	}
	for _, bits := range []int{2, 4, 8, 16} {
		adapters = append(adapters, Counting(0.01, bits))
	}
	for _, bits := range []int{1, 2, 4, 16} {
		adapters = append(adapters, DLeft(0.01, bits))
	}
	adapters = append(adapters, Window[fingerprint.Bits12](14), Window[fingerprint.Bits32](6))
	for _, load := range []float64{0.5, 0.9, 1} {
		adapters = append(adapters, Quotient(0.01, load))
	}
	return adapters
}

// turned returns the adapter of a cuckoo filter with the placement and the policy whose turn it is.
func turned[F fingerprint.Width](c cuckoo.Config, placement, policy int) filtertest.Adapter {
	c.Placement, c.Kick, c.Seed = placements[placement%len(placements)], policies[policy%len(policies)], 1
	return Cuckoo[F](c)
}

// semiSorted returns the adapter of a cuckoo filter with semi-sorted buckets.
func semiSorted[F fingerprint.Width](turn int) filtertest.Adapter {
	return turned[F](cuckoo.Config{Layout: cuckoo.SemiSorted}, turn, turn/2)
}

// perBucketSize returns an adapter for every bucket size, of which the first has that turn.
func perBucketSize[F fingerprint.Width](turn int) (adapters []filtertest.Adapter) {
	for i, b := range bucketSizes {
		adapters = append(adapters, turned[F](cuckoo.Config{BucketSize: b}, turn+i, turn/2+i))
	}
	return adapters
}

// SplitBlock returns the adapter of a split-block Bloom filter with the claimed rate.
func SplitBlock(rate float64) filtertest.Adapter {
	return bloomAdapter("splitblock", rate, bloom.NewSplitBlock)
}

// DLeft returns the adapter of a d-left counting Bloom filter with the claimed rate and counters of that many bits.
func DLeft(rate float64, bits int) filtertest.Adapter {
	name := fmt.Sprintf("dleft/bits=%d/fpr=%v", bits, rate)
	return adapter(name, rate, 1<<bits, (*counting.DLeft).FalsePositiveRate, func(n int) (*counting.DLeft, error) {
		return counting.NewDLeft(counting.DLeftConfig{Capacity: n, FalsePositiveRate: rate, CounterBits: bits})
	})
}

// Quotient returns the adapter of a quotient filter with the claimed rate, filled to at most that load factor. It takes
// digests: keys are hashed here.
func Quotient(rate, maxLoad float64) filtertest.Adapter {
	return filtertest.Adapter{
		Name: fmt.Sprintf("filter=quotient/fpr=%v/maxload=%v", rate, maxLoad), TargetRate: rate, Full: filtertest.Refuses,
		AllocFree: true,
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
		State: func() ([]byte, error) { return fmt.Append(nil, *f), nil },
		Clone: func() *filtertest.Filter { return wrapQuotient(f.Clone(), c) },
		Hashes: &filtertest.Hashes{Digest: h.Sum64, Insert: insert, Contains: f.ContainsHash, Delete: f.DeleteHash,
			ContainsAll: f.ContainsHashes},
	}
}
