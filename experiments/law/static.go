package law

import "math"

// FuseSlots is the number of fingerprints of a binary fuse filter of n keys in three segments, by the construction's parameters: segments of
// a power of two of slots, which grow with the keys up to 2^18, and 1.125 slots a key or, for few keys, more (Graf and Lemire 2022, section 4).
func FuseSlots(n int) int {
	const arity, longest = 3, 1 << 18
	if n < 2 {
		return 4 * arity
	}
	segment := min(1<<int(math.Log(float64(n))/math.Log(3.33)+2.25), longest)
	slots := int(math.Round(float64(n) * max(1.125, 0.875+0.25*math.Log(1e6)/math.Log(float64(n)))))
	return max(arity, (slots+segment-1)/segment) * segment
}

// FuseWidth is the width of the fingerprints at which a static filter that stores a xor of them has the rate or a lower one: the least
// w with 2^-w <= rate.
func FuseWidth(rate float64) int { return int(math.Ceil(-math.Log2(rate))) }

// FuseBits is the bits per item of a binary fuse filter of n keys with fingerprints of so many bits.
func FuseBits(n, width int) float64 { return float64(width) * float64(FuseSlots(n)) / float64(n) }
