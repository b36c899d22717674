package bloomcore

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// Measure returns how many cells are not zero, how many are full, and the false-positive rate to expect of the table
// as it is: of a key whose cells lie anywhere the load factor to the power of k, of blocks the mean of that, and of
// split blocks the mean of the product of the load factors of their lanes. It reads the whole table once. The zero
// Table has no key, or all.
func (t *Table) Measure() (used, full uint64, rate float64) {
	switch t.Layout {
	case Unmade:
		return 0, 0, float64(min(t.Len(), 1))
	case Blocks, SharedBlocks:
		return t.measureBlocks()
	case SplitBlocks:
		return t.measureSplit()
	case Bits:
		used = t.ones()
		full = used
	case Counters:
		used, full = t.tally()
	}
	return used, full, math.Pow(t.Share(used), float64(t.Hashes))
}

func (t *Table) measureBlocks() (used, full uint64, rate float64) {
	var blocks [BlockBits + 1]int // how many have so many bits set
	shared := t.Layout == SharedBlocks
	for w := t.Words; len(w) > 0; w = w[BlockWords:] {
		set := 0
		for k := range (*block)(w) {
			if shared {
				set += bits.OnesCount64(atomic.LoadUint64(&w[k]))
			} else {
				set += bits.OnesCount64(w[k])
			}
		}
		blocks[set]++
	}
	for set, n := range blocks {
		if n > 0 {
			rate += float64(n) * math.Pow(float64(set)/BlockBits, float64(t.Hashes))
			used += uint64(set * n)
		}
	}
	return used, used, rate / float64(t.Blocks)
}

func (t *Table) measureSplit() (used, full uint64, rate float64) {
	const queries = 1 << 40 // the choices of one bit in each lane of a block
	for w := t.Words; len(w) > 0; w = w[SplitWords:] {
		product := uint64(1)
		for _, word := range (*splitBlock)(w) {
			even, odd := bits.OnesCount32(uint32(word)), bits.OnesCount32(uint32(word>>32))
			used += uint64(even + odd)
			product *= uint64(even * odd)
		}
		rate += float64(product)
	}
	return used, used, rate / float64(t.Blocks) / queries
}
