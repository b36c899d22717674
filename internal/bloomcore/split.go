package bloomcore

import "math"

const (
	// SplitBits is the number of bits in a block of a split-block filter: eight lanes of 32.
	SplitBits = SplitLanes * splitLane
	// SplitWords is the number of 64-bit words in such a block.
	SplitWords = SplitBits / 64
	// SplitLanes is the number of lanes of a block, and of the bits that a key sets: one in each.
	SplitLanes = 8

	splitLane = 32 // bits
)

// SplitRate is the [Model] of split blocks: with j keys in a block, each lane holds the bit of
// another key with probability 1-(31/32)^j and the eight lanes are independent. The mean of the
// eighth power is taken over the binomial number of keys that share the block of a query. The number
// of positions is fixed, so k is not looked at.
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
