package bloomcore

import "math/bits"

const (
	// MaxHashes is the largest number of positions of a key.
	MaxHashes = 64
	// BlockBits is the number of bits in a block of a blocked filter: one cache line of 64 bytes.
	BlockBits = 512
	// BlockWords is the number of 64-bit words in a block.
	BlockWords = BlockBits / 64
	// BlockFields is how many positions in a block, of 9 bits each, one state yields.
	BlockFields = 7
	// BlockField is the number of bits of such a position.
	BlockField = 9
	// MaxBlocks is the largest number of blocks: beyond it a digest has fewer than 32 bits left for
	// the positions in the block.
	MaxBlocks = 1 << 32

	// multiplier is the 64-bit multiplier of best spectral quality in Steele and Vigna, "Computationally easy,
	// spectrally good multipliers" (2021), for generators without an increment. Changing it changes every table.
	multiplier = 0xf1357aea2e62a9c5
)

// Next returns the state after x. The first state of a key is its digest.
func Next(x uint64) uint64 { return bits.RotateLeft64(x, 32) * multiplier }

// Reduce maps a state to 0..m-1 by its high bits, without a division. For m below 2^64 every value
// is equally likely but for one part in 2^64/m.
func Reduce(x, m uint64) uint64 {
	hi, _ := bits.Mul64(x, m)
	return hi
}

// BlockState returns the first state for the positions within a block. The block takes the high
// bits of h; folding them into the low half before the product leaves the low half uniform within
// every block as long as there are at most [MaxBlocks], and the product spreads it over all fields.
func BlockState(h uint64) uint64 { return (h ^ h>>32) * multiplier }
