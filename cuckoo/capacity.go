package cuckoo

import (
	"math"
	"math/bits"
	"sort"

	"github.com/nestfilter/nest/fingerprint"
)

// Capacity returns how many distinct keys the filter promises to take, however it was sized. Inserting so many fails,
// with [ErrFull], with at most this probability over sets of keys:
//
//	bucket size   fingerprints      probability
//	4, 8          8 bits or more    1e-6
//	4, 8          fewer             1e-3
//	2             any               1e-3
//	1             any               no promise, a load of 0.4
//
// BreadthFirst promises most keys, then LookAhead, RandomWalk and policies of your own, which have to reach it
// themselves, and RoundRobin: at 1e-3 below 12 bits, and without a promise at b = 2. Semi-sorted buckets promise what
// packed ones do. Paired slots promise a load of .9526 at b = 4 and .961 at b = 8 at most, at 1e-6 from 12 bits on and
// at 1e-3 from 8 bits on; below, and under other policies than BreadthFirst, nothing. The load falls in tables so large
// that more keys of one class than fit become likely.
//
// There is no promise for a MaxKicks below the default, for repeated keys, for keys chosen by somebody who knows the
// hash, and for the placement PlainXOR. docs/results/CAPACITY.md has numbers, method and checks. A call searches up to
// 70 rows.
func (f *fixed) Capacity() int { return f.config.promise() }

// promise returns the number of keys that the buckets of a resolved configuration are promised to take, and 0 of the
// zero one.
func (c *Config) promise() int {
	if c.Buckets == 0 {
		return 0
	}
	return int(min(c.keysFor(uint64(c.Buckets)), math.MaxInt))
}

// knot is a number of buckets and the keys that so many are promised to take.
type knot struct {
	buckets, keys uint64
}

// ceiling is the promise for one bucket size and all widths up to the next row's. Between two
// knots and below the first it is interpolated; after the last the load stays.
type ceiling struct {
	bucketSize int
	minWidth   uint
	knots      []knot
}

// keysFor returns the number of keys that m buckets are promised to take.
func (c Config) keysFor(m uint64) uint64 {
	keys := uint64(math.MaxUint64)
	for _, row := range c.ceilings() {
		keys = min(keys, row.across(m, false))
	}
	return max(keys, c.always())
}

// always returns how many keys fit into one bucket whatever they are: as many as a key has slots there, which is all
// or, where they are paired, two.
func (c Config) always() uint64 {
	if layoutTable[c.Layout].paired {
		return 2
	}
	return uint64(c.BucketSize)
}

// bucketsFor returns the smallest number of buckets that is promised to take n keys, a power of two where the placement
// needs one. It is beyond [fingerprint.MaxBuckets] for n beyond what those take.
func (c Config) bucketsFor(n uint64) uint64 {
	if n <= c.always() {
		return 1
	}
	m := uint64(1)
	for _, row := range c.ceilings() {
		m = max(m, row.across(n, true))
	}
	if m <= fingerprint.MaxBuckets && c.Placement.powerOfTwo() {
		return 1 << bits.Len64(m-1)
	}
	return m
}

// ceilings returns the rows that hold for the configuration: all of them at once. Where slots are paired, only
// BreadthFirst and the placements Additive and XOR have a promise; the others have targets.
func (c Config) ceilings() (rows []*ceiling) {
	sections := [][]ceiling{placementTable[c.Placement].promise, policyTable[policyOf(c.Kick)].promise}
	if layoutTable[c.Layout].paired {
		sections[0] = searchPaired
		if sections[1] != nil {
			sections[1] = pairedWalks
		}
		if c.Placement == PlainXOR {
			sections = append(sections, pairedPlain)
		}
	}
	for _, section := range sections {
		if section != nil {
			rows = append(rows, ceilingOf(section, c.BucketSize, c.width()))
		}
	}
	if c.Placement == PlainXOR {
		loads := plainXOR[bits.Len(uint(c.BucketSize))-1]
		rows = append(rows, &ceiling{knots: []knot{{1000, loads[min(int(c.width()), len(loads))-1]}}})
	}
	return rows
}

// pairedWalks are the loads that walks are given where slots are paired, .03 and more below those at which tables of
// 2^18 slots were seen to refuse, and pairedPlain those of the placement PlainXOR. None of them is a promise.
var (
	pairedWalks = []ceiling{{4, 1, []knot{{1000, 3600}}}, {8, 1, []knot{{1000, 7360}}}}
	pairedPlain = []ceiling{{4, 1, []knot{{1000, 3200}}}, {8, 1, []knot{{1000, 6400}}}}
)

// ceilingOf returns the row for a bucket size and width: the last one that is not for larger buckets or wider
// fingerprints. Every section has a row of width 1 for the bucket sizes 1, 2, 4 and 8. As many buckets of more slots
// take no fewer keys, so the promise for smaller buckets holds for the sizes in between.
func ceilingOf(section []ceiling, b int, width uint) *ceiling {
	found := &section[0]
	for at := range section {
		if row := &section[at]; row.bucketSize <= b && row.minWidth <= width {
			found = row
		}
	}
	return found
}

// across goes from a number of buckets to that of the keys promised, rounded down, or back to the smallest number of
// buckets that so many are promised for, which is math.MaxUint64 where it overflows.
func (c *ceiling) across(n uint64, back bool) uint64 {
	at := func(k int) knot {
		if back {
			return knot{buckets: c.knots[k].keys, keys: c.knots[k].buckets}
		}
		return c.knots[k]
	}
	above := sort.Search(len(c.knots), func(k int) bool { return at(k).buckets > n || back && at(k).buckets == n })
	low := at(max(above, 1) - 1)
	switch {
	case above == 0 || above == len(c.knots):
		return scale(n, low, back)
	case rising(c.knots[above-1], c.knots[above]):
		return min(scale(n, low, back), at(above).keys)
	}
	step := knot{at(above).buckets - low.buckets, at(above).keys - low.keys}
	return low.keys + scale(n-low.buckets, step, back)
}

// rising tells whether the load promised rises from one knot to the next. Then tables in between
// are promised the load of the lower knot, as it rises by ever less; where it falls, the straight
// line between the knots, as it falls by ever less.
func rising(low, high knot) bool {
	lowHi, lowLo := bits.Mul64(low.keys, high.buckets)
	highHi, highLo := bits.Mul64(high.keys, low.buckets)
	return lowHi < highHi || lowHi == highHi && lowLo <= highLo
}

// scale returns x*keys/buckets, rounded down or up; math.MaxUint64 where that overflows.
func scale(x uint64, by knot, up bool) uint64 {
	hi, lo := bits.Mul64(x, by.keys)
	if hi >= by.buckets {
		return math.MaxUint64
	}
	quotient, rest := bits.Div64(hi, lo, by.buckets)
	if up && rest != 0 && quotient != math.MaxUint64 {
		quotient++
	}
	return quotient
}
