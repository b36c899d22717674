// Package catalogue is the list of the filters under measurement: those of the paper's tables, the cuckoo filter with breadth-first search, and
// filters of one's own. Each entry has the name and the style that it has in every table and chart, its parameters, a constructor, and
// loops over its verbs that call them directly.
package catalogue

import (
	"sort"

	"github.com/nestfilter/nest/bloom"
	"github.com/nestfilter/nest/counting"
	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/chart"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/law"
	quotientfilter "github.com/nestfilter/nest/experiments/quotient"
	"github.com/nestfilter/nest/fingerprint"
)

// A Kind is a filter of the paper's tables and figures 5 to 8, with its name, label and style in every chart, its parameters and its loops.
// All of them are made for the same space, 12 bits for each of 2^q slots: 192 MiB at q = 27, as the paper's.
type Kind struct {
	Name  string // as the paper abbreviates it, and as its points are called: "ss-CF"
	Label string // as this module calls it: "semi-sorted cuckoo"
	Made  string // the parameters, for a reader
	// Items is the number of keys that the filter is given, or 0 where it is filled until it refuses one.
	Items func(q int) int
	// Predict is the false-positive rate to expect of so many items.
	Predict func(q, items int) float64
	// open returns an empty filter for 12*2^q bits. The seed is that of its kicks, if it has any.
	open func(q int, seed uint64) (*Loops, error)
	// fullest is the occupancy, in thousandths, up to which the filter is filled step by step, in the paper and here. At 1000 those that
	// refuse keys end before.
	fullest int
	// perItem says that occupancy is a share of the items, not of slots.
	perItem bool
	// keeps says that the filter cannot delete.
	keeps bool
	// ns is what its operations cost, for estimates.
	ns lifeNS
	// Own is set for a filter of one's own, which may refuse a key before it has its items.
	Own *ownTraits
}

const (
	// SlotBits is how many bits each of the 2^q slots stands for.
	SlotBits = 12
	// PaperSlots is q in the paper: 2^27 slots of 12 bits are 192 MiB.
	PaperSlots = 27
	// BloomBits is what the paper gives its Bloom filters: bits an item.
	BloomBits = 13
	// BloomHashes is their k.
	BloomHashes = 9
	// QuotientRemainder is the width of the quotient filter's remainder: three more bits are metadata.
	QuotientRemainder = 9
	// DLeftRemainder is the width of the d-left filter's remainder, which shares the 12 bits of a slot with the counter. The
	// paper does not state how; counters of two bits are those of Bonomi et al. 2006.
	DLeftRemainder = 10
	// DLeftCounter is the width of its counter.
	DLeftCounter = 2
)

// Table3 returns the filters that the paper compares in its Table 3, in that order.
func Table3() []Kind {
	return []Kind{CuckooKind(), SortedKind(), BloomKind(), BlockedKind(), QuotientKind(), DLeftKind()}
}

// untilFull is the items of a filter that is filled until it refuses one.
func untilFull(int) int { return 0 }

// bloomItems is how many items the paper gives Bloom filters.
func bloomItems(q int) int { return (SlotBits << q) / BloomBits }

// CuckooKind is the paper's cuckoo filter, CF.
func CuckooKind() Kind {
	return Kind{
		Name: "CF", Label: "cuckoo", Made: "buckets of 4 slots of 12 bits, XOR placement, random walk of at most 500 kicks",
		fullest: 1000, ns: lifeNS{230, 50, 50, 14, 71, .35},
		Items:   untilFull,
		Predict: func(q, items int) float64 { return law.ExactRate(SlotBits, 4, lab.Quotient(items, 1<<q)) },
		open: func(q int, seed uint64) (*Loops, error) {
			return openCuckoo[fingerprint.Bits12](paperCuckoo(q), seed)
		},
	}
}

// SortedKind is its semi-sorted cuckoo filter, ss-CF.
func SortedKind() Kind {
	return Kind{
		Name: "ss-CF", Label: "semi-sorted cuckoo", Made: "as CF, fingerprints of 13 bits, of which one is saved by sorting",
		fullest: 1000, ns: lifeNS{290, 85, 85, 25, 230, .48},
		Items:   untilFull,
		Predict: func(q, items int) float64 { return law.ExactRate(SlotBits+1, 4, lab.Quotient(items, 1<<q)) },
		open: func(q int, seed uint64) (*Loops, error) {
			c := paperCuckoo(q)
			c.Layout = cuckoo.SemiSorted
			return openCuckoo[fingerprint.Bits13](c, seed)
		},
	}
}

// BloomKind is its Bloom filter, BF.
func BloomKind() Kind {
	return Kind{
		Name: "BF", Label: "Bloom", Made: "13 bits an item, 9 hashes, each of a further step of a generator that starts at the digest",
		fullest: 1000, ns: lifeNS{130, 115, 115, 70, 0, .42}, perItem: true, keeps: true,
		Items:   bloomItems,
		Predict: func(q, items int) float64 { return bloom.PredictRate(SlotBits<<q, BloomHashes, items) },
		open:    func(q int, _ uint64) (*Loops, error) { return openBloom(bloomConfig(q)) },
	}
}

// BlockedKind is its blocked Bloom filter, blk-BF.
func BlockedKind() Kind {
	return Kind{
		Name: "blk-BF", Label: "blocked Bloom", Made: "13 bits an item, 9 independent bits in one block of 64 bytes",
		fullest: 1000, ns: lifeNS{48, 45, 45, 10, 0, .92}, perItem: true, keeps: true,
		Items:   bloomItems,
		Predict: func(q, items int) float64 { return bloom.PredictBlockedRate(SlotBits<<q, BloomHashes, items) },
		open:    func(q int, _ uint64) (*Loops, error) { return openBlocked(bloomConfig(q)) },
	}
}

// QuotientKind is its quotient filter, QF.
func QuotientKind() Kind {
	return Kind{
		Name: "QF", Label: "quotient", Made: "remainders of 9 bits, 3 bits of metadata, filled to 90%",
		fullest: 950, ns: lifeNS{205, 140, 560, 280, 170, 1.34}, // filled on to 95% in figures 6 and 7
		Items:   func(q int) int { return int(9 * (uint64(1) << q) / 10) },
		Predict: func(q, items int) float64 { return quotientfilter.Predict(items, q+QuotientRemainder) },
		open: func(q int, _ uint64) (*Loops, error) {
			return openQuotient(quotientfilter.Config{QuotientBits: q, RemainderBits: QuotientRemainder, MaxLoad: 0.95})
		},
	}
}

// DLeftKind is its d-left counting Bloom filter, dl-CBF.
func DLeftKind() Kind {
	config := func(q int) counting.DLeftConfig {
		return counting.DLeftConfig{
			Buckets:       1 << q / (counting.DLeftTables * counting.DLeftBucketSize),
			RemainderBits: DLeftRemainder, CounterBits: DLeftCounter,
		}
	}
	return Kind{
		Name: "dl-CBF", Label: "d-left counting Bloom", Made: "4 tables, buckets of 4 slots of a 10-bit remainder and a 2-bit counter",
		fullest: 800, ns: lifeNS{172, 85, 85, 25, 140, .43},
		Items: untilFull,
		Predict: func(q, items int) float64 {
			return counting.PredictDLeftRate(config(q).Buckets, DLeftRemainder, items)
		},
		open: func(q int, _ uint64) (*Loops, error) { return openDLeft(config(q)) },
	}
}

// paperCuckoo is the paper's cuckoo filter of 2^q slots, whatever its fingerprints.
func paperCuckoo(q int) cuckoo.Config {
	return cuckoo.Config{Buckets: 1 << q / 4, Placement: cuckoo.XOR, Kick: cuckoo.RandomWalk}
}

func bloomConfig(q int) bloom.Config {
	return bloom.Config{Bits: SlotBits << q, Hashes: BloomHashes}
}

// All returns every filter that an experiment of this module has: those of Table 3, the cuckoo filter with breadth-first search and the counting
// Bloom filter of Table 1.
func All() []Kind { return append(WithBreadthFirst(), CountingKind()) }

// Find returns the filter of that name.
func Find(name string) (Kind, bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// UntilFull tells whether the filter is filled until it refuses a key.
func (k Kind) UntilFull() bool { return k.Items(1) == 0 }

// Style is what the filter looks like in every chart.
func (k Kind) Style() chart.Style {
	switch {
	case k.Own != nil:
		return OwnStyle(k.Own.Number)
	case k.Name == BreadthFirstSeries:
		return chart.Numbered(4) // no filter of the paper has it
	}
	return chart.StyleFor(k.Label)
}

// countingCells is the width of a counter of the counting Bloom filter, the usual one and that of Fan et
// al. 2000.
const countingCells = 4

// CountingKind is the counting Bloom filter of the paper's Table 1: as many
// counters an item as the Bloom filter has bits.
func CountingKind() Kind {
	config := func(q int) counting.Config {
		return counting.Config{Counters: (SlotBits << q) / countingCells, Hashes: BloomHashes, CounterBits: countingCells}
	}
	return Kind{
		Name: "CBF", Label: "counting Bloom", Made: "13 counters of 4 bits an item, 9 hashes",
		ns:      lifeNS{Full: 50},
		Items:   func(q int) int { return config(q).Counters / BloomBits },
		Predict: func(q, items int) float64 { return bloom.PredictRate(config(q).Counters, BloomHashes, items) },
		open:    func(q int, _ uint64) (*Loops, error) { return openCounting(config(q)) },
	}
}

// panelWidth is the width of the fingerprints of the panels of space and of overload, and panelRate
// the rate for which the other filters there are made: that of such a cuckoo filter at load .95, b = 4.
const (
	PanelWidth = 12
	PanelRate  = 0.001855
)

// MostKeys returns the largest Capacity of a cuckoo filter of so many slots, under XOR.
func MostKeys(slots int) (int, error) {
	var failed error
	n := sort.Search(slots, func(n int) bool {
		c, _, err := cuckoo.Plan(cuckoo.Config{Capacity: n + 1, Placement: cuckoo.XOR}, PanelWidth)
		if err != nil {
			failed = err
		}
		return 4*c.Buckets > slots
	})
	return n, failed
}
