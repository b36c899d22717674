package bloomcore

import "math/bits"

const (
	MaxHashes   = 64             // positions of a key
	BlockBits   = 512            // of a block of a blocked filter: one cache line of 64 bytes
	BlockWords  = BlockBits / 64 // 64-bit words of such a block
	BlockFields = 7              // positions in a block that one state yields
	BlockField  = 9              // bits of such a position
	MaxBlocks   = 1 << 32        // beyond it a digest has fewer than 32 bits left for the positions in the block

	// multiplier is the 64-bit multiplier of best spectral quality in Steele and Vigna, "Computationally easy,
	// spectrally good multipliers" (2021), for generators without an increment. Changing it changes every table.
	multiplier = 0xf1357aea2e62a9c5
)

// Next returns the state after x. The first state of a key is its digest.
func Next(x uint64) uint64 { return bits.RotateLeft64(x, 32) * multiplier }

// Reduce maps a state to 0..m-1 by its high bits, without a division, equally likely but for one part in 2^64/m.
func Reduce(x, m uint64) uint64 {
	hi, _ := bits.Mul64(x, m)
	return hi
}

// BlockState returns the first state for the positions within a block. The block takes the high bits of h; folding them
// into the low half leaves that uniform within every block, and the product spreads it over all fields.
func BlockState(h uint64) uint64 { return (h ^ h>>32) * multiplier }
