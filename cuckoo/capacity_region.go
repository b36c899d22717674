package cuckoo

import (
	"math"
	"math/bits"
	"sort"

	"github.com/nestfilter/nest/fingerprint"
)

// Placement Region: a table of G regions takes n keys as long as no region gets more than a table of
// R buckets is promised to take. How many keys a region gets is a binomial variable of n trials with
// probability 1/G, so the promise is made for the fullest of G. A quarter of the stated probability of
// a refusal goes to that, the rest to what can happen inside the regions: docs/CAPACITY.md.

// quantiles are those of the normal distribution for the probabilities 2^-12, 2^-13, ..., 2^-42,
// in thousandths of a standard deviation, rounded up.
var quantiles = [...]uint64{
	3488, 3669, 3842, 4009, 4170, 4325, 4476, 4622, 4764, 4901, 5036, 5167, 5295, 5420, 5543, 5663,
	5781, 5896, 6010, 6121, 6231, 6338, 6444, 6549, 6652, 6753, 6853, 6951, 7048, 7144, 7239,
}

// regionKeys returns the number of keys that the regions of size buckets in a table of m are promised
// to take. It grows with m.
func (c Config) regionKeys(m, size uint64, width uint) uint64 {
	room := uint64(math.MaxUint64) // of one region
	for _, row := range c.ceilings(width) {
		room = min(room, row.keys(size))
	}
	regions := m / size
	level := uint(bits.Len64(regions - 1))
	if level == 0 {
		return room
	}
	// One quantile serves all G up to a power of two. Where it steps, more regions are promised no
	// less than that power of two.
	return max(regions*mean(room, c.quantile(level, width)), 1<<(level-1)*mean(room, c.quantile(level-1, width)))
}

// quantile returns the quantile for a quarter of the probability of a refusal, divided among up to
// 2^level regions.
func (c Config) quantile(level, width uint) uint64 {
	if c.BucketSize > 2 && width >= 8 {
		level += 10 // 1e-6/4 is above 2^-22, 1e-3/4 above 2^-12
	}
	return quantiles[min(level, uint(len(quantiles)-1))]
}

// mean returns the largest mean of keys in a region at which more than room of them are as unlikely
// as the quantile says. All of it is integer arithmetic, so that a table has the same size
// on every machine.
//
// Poisson's distribution, above the binomial one, exceeds mean + z*sqrt(mean) + z*z/6 with the
// probability that the normal distribution gives to z, to the order that matters here (Cornish and
// Fisher 1937); a test compares it with the exact sum.
func mean(room, quantile uint64) uint64 {
	skew := quantile*quantile/6_000_000 + 2
	beyond := sort.Search(int(room)+1, func(keys int) bool {
		spare := int64(room) - int64(keys) - int64(skew)
		// spare < z*sqrt(keys), squared.
		return spare < 0 || uint64(spare)*uint64(spare)*1_000_000 < quantile*quantile*uint64(keys)
	})
	return uint64(max(beyond-1, 0))
}

// regionBuckets returns the smallest number of buckets, at least m, that consists of whole regions
// which are promised to take n keys.
func (c Config) regionBuckets(n, m uint64, width uint) uint64 {
	fewest := uint64(math.MaxUint64)
	for _, size := range regionSizes {
		least := (m + size - 1) / size
		most := fingerprint.MaxBuckets / size
		more := sort.Search(int(most+1-least), func(more int) bool {
			return c.regionKeys((least+uint64(more))*size, size, width) >= n
		})
		if buckets := (least + uint64(more)) * size; regionFor(buckets) <= size {
			fewest = min(fewest, buckets)
		}
	}
	return fewest
}
