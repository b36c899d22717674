package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/internal/simd"
)

// MaxRegion is the largest number of buckets of a region of the rule Region. Larger ones would be
// filled more evenly, but one of 2^14 buckets, 96 KiB at 12 bits and b = 4, still fits into the
// second-level cache of a core.
const MaxRegion = 1 << maxRegionShift

const maxRegionShift = 14

// setRegion makes s the rule Region, with the arithmetic of the rule XOR.
func (s *Scheme) setRegion() {
	// Aligned so that the offset is the highest part of frac(fp/phi)*2^32, whose values are
	// spread most evenly. The lowest, which XOR takes, has only 7599 values in 2^14 for all
	// fingerprints of 16 bits.
	shift := regionShift(s.Buckets)
	s.spread, s.mask = multiplier>>(32-shift), 1<<shift-1
	s.regionShift = uint8(shift)
	s.xor, s.kernel = true, simd.XOR
}

// RegionSize returns R, the number of buckets of a region, in a table of m under the rule Region.
func RegionSize(m uint64) uint64 { return 1 << regionShift(m) }

// regionShift returns the logarithm of R in a table of m buckets.
func regionShift(m uint64) uint { return min(maxRegionShift, uint(bits.TrailingZeros64(m))) }
