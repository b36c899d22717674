package bloomcore

import "math"

const (
	SplitBits  = SplitLanes * splitLane // of a block of a split-block filter
	SplitWords = SplitBits / 64         // 64-bit words of such a block
	SplitLanes = 8                      // lanes of a block, in each of which a key sets a bit
	splitLane  = 32                     // bits
)

// SplitRate is the [Model] of split blocks: with j keys in a block, each lane holds the bit of another key with
// probability 1-(31/32)^j and the eight lanes are independent. The mean of the eighth power is taken over the binomial
// number of keys that share the block of a query. The number of positions is fixed, so k is not looked at.
//
// A query that shares its block and its 32 low bits with a key is lost whatever the lanes say. That
// adds n/blocks/2^32, where [BlockedRate] has n/2^64.
func SplitRate(m uint64, _, n int) float64 {
	blocks := float64(m / SplitBits)
	if n == 0 || blocks < 1 {
		return float64(min(n, 1))
	}
	keys := float64(n)
	if keys > 64*splitLane*blocks {
		return 1 // as in BlockedRate
	}
	rate := mixture(keys, blocks, func(keys float64) float64 {
		fill := -math.Expm1(keys * math.Log1p(-1./splitLane))
		fill *= fill
		fill *= fill
		return fill * fill
	})
	return min(1, rate+keys/blocks/(1<<32))
}

// splitBlock is one block of the table. Lane i is the low half of word i/2 if i is even, else the high half.
type splitBlock = [SplitWords]uint64

// The multipliers of the lanes, fixed by the Parquet format (BloomFilter.md of apache/parquet-format).
const (
	salt0 = 0x47b6137b
	salt1 = 0x44974d91
	salt2 = 0x8824ad5b
	salt3 = 0xa2b7289d
	salt4 = 0x705495c7
	salt5 = 0x2df1424b
	salt6 = 0x9efc4947
	salt7 = 0x5c6bfb31
)

// blockOf returns the block of h. It is not [Reduce]: the product leaves out the low half of h, as the format has it.
func (t *Table) blockOf(h uint64) *splitBlock {
	return (*splitBlock)(t.Words[h>>32*t.Blocks>>32*SplitWords:])
}

// splitPair returns the bits of x in two neighboring lanes.
func splitPair(x, even, odd uint32) uint64 {
	return 1<<(x*even>>27) | 1<<(32+x*odd>>27)
}

// splitSet sets all bits of h and tells whether one of them was clear.
func (t *Table) splitSet(h uint64) bool {
	b, x := t.blockOf(h), uint32(h)
	m0, m1 := splitPair(x, salt0, salt1), splitPair(x, salt2, salt3)
	m2, m3 := splitPair(x, salt4, salt5), splitPair(x, salt6, salt7)
	unset := m0&^b[0] | m1&^b[1] | m2&^b[2] | m3&^b[3]
	b[0] |= m0
	b[1] |= m1
	b[2] |= m2
	b[3] |= m3
	return unset != 0
}

// splitHas tells whether all bits of h are set. All four words are loaded, and no branch depends on them.
func (t *Table) splitHas(h uint64) bool {
	b, x := t.blockOf(h), uint32(h)
	return splitPair(x, salt0, salt1)&^b[0]|splitPair(x, salt2, salt3)&^b[1]|
		splitPair(x, salt4, salt5)&^b[2]|splitPair(x, salt6, salt7)&^b[3] == 0
}
