package experiments

import (
	"math"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
)

// A sixKind is one of the six filters that the paper compares in its Table 3 and figures 5 to 8. All
// of them are made for the same space, 12 bits for each of 2^q slots: 192 MiB at q = 27, as the paper's.
type sixKind struct {
	name  string // as the paper abbreviates it, and as its points are called: "ss-CF"
	label string // as this module calls it: "semi-sorted cuckoo"
	made  string // the parameters, for a reader
	// items is the number of keys that the filter is given, or 0 where it is filled until it refuses one.
	items func(q int) int
	// predict is the false-positive rate to expect of so many items.
	predict func(q, items int) float64
	// open returns an empty filter for 12*2^q bits. The seed is that of its kicks, if it has any.
	open func(q int, seed uint64) (*sixFilter, error)
	// own is set for a filter of one's own, which may refuse a key before it has its items.
	own *ownTraits
}

const (
	// sixSlotBits is how many bits each of the 2^q slots stands for.
	sixSlotBits = 12
	// paperSlots is q in the paper: 2^27 slots of 12 bits are 192 MiB.
	paperSlots = 27
	// sixBloomBits and sixBloomHashes are what the paper gives its Bloom filters: bits an item, k.
	sixBloomBits   = 13
	sixBloomHashes = 9
	// sixRemainder is the width of the quotient filter's remainder: three more bits are metadata.
	sixRemainder = 9
	// sixDLeftRemainder and sixDLeftCounter share the 12 bits of a slot of the d-left counting Bloom
	// filter. The paper does not state how; counters of two bits are those of Bonomi et al. 2006.
	sixDLeftRemainder = 10
	sixDLeftCounter   = 2
)

// sixKinds returns the filters in the order of the paper's Table 3.
func sixKinds() []sixKind {
	return []sixKind{cuckooKind(), sortedKind(), bloomKind(), blockedKind(), quotientKind(), dleftKind()}
}

// untilFull is the items of a filter that is filled until it refuses one.
func untilFull(int) int { return 0 }

// bloomItems is how many items the paper gives Bloom filters.
func bloomItems(q int) int { return (sixSlotBits << q) / sixBloomBits }

func cuckooKind() sixKind {
	return sixKind{
		name: "CF", label: "cuckoo", made: "buckets of 4 slots of 12 bits, XOR placement, random walk of at most 500 kicks",
		items:   untilFull,
		predict: func(q, items int) float64 { return ExactRate(sixSlotBits, 4, quotient(items, 1<<q)) },
		open: func(q int, seed uint64) (*sixFilter, error) {
			return sixCuckoo[fingerprint.Bits12](paperCuckoo(q), seed)
		},
	}
}

func sortedKind() sixKind {
	return sixKind{
		name: "ss-CF", label: "semi-sorted cuckoo", made: "as CF, fingerprints of 13 bits, of which one is saved by sorting",
		items:   untilFull,
		predict: func(q, items int) float64 { return ExactRate(sixSlotBits+1, 4, quotient(items, 1<<q)) },
		open: func(q int, seed uint64) (*sixFilter, error) {
			c := paperCuckoo(q)
			c.Layout = cuckoo.SemiSorted
			return sixCuckoo[fingerprint.Bits13](c, seed)
		},
	}
}

func bloomKind() sixKind {
	return sixKind{
		name: "BF", label: "Bloom", made: "13 bits an item, 9 hashes, each of a further step of a generator that starts at the digest",
		items:   bloomItems,
		predict: func(q, items int) float64 { return bloom.PredictRate(sixSlotBits<<q, sixBloomHashes, items) },
		open:    func(q int, _ uint64) (*sixFilter, error) { return sixBloom(sixBloomConfig(q)) },
	}
}

func blockedKind() sixKind {
	return sixKind{
		name: "blk-BF", label: "blocked Bloom", made: "13 bits an item, 9 independent bits in one block of 64 bytes",
		items:   bloomItems,
		predict: func(q, items int) float64 { return bloom.PredictBlockedRate(sixSlotBits<<q, sixBloomHashes, items) },
		open:    func(q int, _ uint64) (*sixFilter, error) { return sixBlocked(sixBloomConfig(q)) },
	}
}

func quotientKind() sixKind {
	return sixKind{
		name: "QF", label: "quotient", made: "remainders of 9 bits, 3 bits of metadata, filled to 90%",
		items:   func(q int) int { return int(9 * (uint64(1) << q) / 10) },
		predict: func(q, items int) float64 { return -math.Expm1(-math.Ldexp(float64(items), -q-sixRemainder)) },
		open: func(q int, _ uint64) (*sixFilter, error) {
			return sixQuotient(quotientfilter.Config{QuotientBits: q, RemainderBits: sixRemainder})
		},
	}
}

func dleftKind() sixKind {
	config := func(q int) counting.DLeftConfig {
		return counting.DLeftConfig{
			Buckets:       1 << q / (counting.DLeftTables * counting.DLeftBucketSize),
			RemainderBits: sixDLeftRemainder, CounterBits: sixDLeftCounter,
		}
	}
	return sixKind{
		name: "dl-CBF", label: "d-left counting Bloom", made: "4 tables, buckets of 4 slots of a 10-bit remainder and a 2-bit counter",
		items: untilFull,
		predict: func(q, items int) float64 {
			return counting.PredictDLeftRate(config(q).Buckets, sixDLeftRemainder, items)
		},
		open: func(q int, _ uint64) (*sixFilter, error) { return sixDLeft(config(q)) },
	}
}

// paperCuckoo is the paper's cuckoo filter of 2^q slots, whatever its fingerprints.
func paperCuckoo(q int) cuckoo.Config {
	return cuckoo.Config{Buckets: 1 << q / 4, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk}
}

func sixBloomConfig(q int) bloom.Config {
	return bloom.Config{Bits: sixSlotBits << q, Hashes: sixBloomHashes}
}

// sixNamed returns the kind of that name in the paper, the counting Bloom filter of its Table 1 included.
func sixNamed(name string) (sixKind, bool) {
	for _, k := range append(sixKinds(), countingKind()) {
		if k.name == name {
			return k, true
		}
	}
	return sixKind{}, false
}

// countingCells is the width of a counter of the counting Bloom filter, the usual one and that of Fan et
// al. 2000.
const countingCells = 4

// countingKind is the counting Bloom filter of the paper's Table 1, which is not among the six: as many
// counters an item as the Bloom filter has bits.
func countingKind() sixKind {
	config := func(q int) counting.Config {
		return counting.Config{Counters: (sixSlotBits << q) / countingCells, Hashes: sixBloomHashes, CounterBits: countingCells}
	}
	return sixKind{
		name: "CBF", label: "counting Bloom", made: "13 counters of 4 bits an item, 9 hashes",
		items:   func(q int) int { return config(q).Counters / sixBloomBits },
		predict: func(q, items int) float64 { return bloom.PredictRate(config(q).Counters, sixBloomHashes, items) },
		open:    func(q int, _ uint64) (*sixFilter, error) { return sixCounting(config(q)) },
	}
}
