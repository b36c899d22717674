package ours

import (
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/filtertest"
	"github.com/nestfilter/nest/fingerprint"
)

var (
	bucketSizes = []int{1, 2, 4, 8}
	placements  = []cuckoo.Placement{cuckoo.Additive, cuckoo.XOR, cuckoo.PlainXOR}
	policies    = []cuckoo.KickPolicy{cuckoo.BreadthFirst, cuckoo.RandomWalk, cuckoo.RoundRobin}
)

// All returns an adapter for each kind of filter of this module: cuckoo filters of the widths 4, 8,
// 12, 13, 16 and 32 with every bucket size, in which placements and kick policies take turns; every
// placement with every policy at 10 bits and 4 slots; semi-sorted ones of several widths; both Bloom filters, at two rates; counting
// filters with every width of counters; and quotient filters up to three load factors.
func All() []filtertest.Adapter {
	adapters := append(perBucketSize[fingerprint.Bits4](0), perBucketSize[fingerprint.Bits8](1)...)
	adapters = append(adapters, perBucketSize[fingerprint.Bits12](2)...)
	adapters = append(adapters, perBucketSize[fingerprint.Bits13](3)...)
	adapters = append(adapters, perBucketSize[fingerprint.Bits16](4)...)
	adapters = append(adapters, perBucketSize[fingerprint.Bits32](5)...)
	for _, p := range placements {
		for _, k := range policies {
			adapters = append(adapters, Cuckoo[fingerprint.Bits10](cuckoo.Config{Placement: p, Kick: k, Seed: 1}))
		}
	}
	adapters = append(adapters, semiSorted[fingerprint.Bits5](0), semiSorted[fingerprint.Bits9](1), semiSorted[fingerprint.Bits13](2),
		semiSorted[fingerprint.Bits13](3), semiSorted[fingerprint.Bits17](4), semiSorted[fingerprint.Bits18](5), semiSorted[fingerprint.Bits32](6))
	for _, rate := range []float64{0.01, 0.1} {
		adapters = append(adapters, Bloom(rate), Blocked(rate), SplitBlock(rate))
	}
	for _, bits := range []int{2, 4, 8, 16} {
		adapters = append(adapters, Counting(0.01, bits))
	}
	for _, bits := range []int{1, 2, 4, 16} {
		adapters = append(adapters, DLeft(0.01, bits))
	}
	for _, load := range []float64{0, 0.5, 1} {
		adapters = append(adapters, Quotient(0.01, load))
	}
	return adapters
}

// semiSorted returns the adapter of a cuckoo filter with semi-sorted buckets. The turn says with which
// placement and policy.
func semiSorted[F fingerprint.Width](turn int) filtertest.Adapter {
	return Cuckoo[F](cuckoo.Config{
		Layout:    cuckoo.SemiSorted,
		Placement: placements[turn%len(placements)],
		Kick:      policies[turn/2%len(policies)],
		Seed:      1,
	})
}

// perBucketSize returns an adapter for every bucket size. The turn says with which placement and
// policy to begin.
func perBucketSize[F fingerprint.Width](turn int) (adapters []filtertest.Adapter) {
	for i, b := range bucketSizes {
		adapters = append(adapters, Cuckoo[F](cuckoo.Config{
			BucketSize: b,
			Placement:  placements[(turn+i)%len(placements)],
			Kick:       policies[(turn/2+i)%len(policies)],
			Seed:       1,
		}))
	}
	return adapters
}
