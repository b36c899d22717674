package kick

import (
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/simd"
)

// maskedSums is the least number of buckets with which the rule Additive masks sums, and does not scale them. A mask
// leaves 2^floor(log2 m) sums of m. The fewer sums, the more fingerprints share a pair of buckets, and in small tables
// more keys of a pair than it has slots are what ends a fill.
const maskedSums = 1 << 12

// setAdditive makes s the rule Additive.
func (s *Scheme) setAdditive() {
	s.spread, s.mask, s.scaled = Multiplier, 1<<32-1, s.Buckets < maskedSums
	if !s.scaled {
		s.mask = 1<<(bits.Len64(s.Buckets)-1) - 1
	}
	s.kernel = simd.Additive
}

// additive returns c(fp)-i modulo m: the two bucket numbers of a pair add up to c(fp), which the fingerprint alone
// determines. It xors the halves of the product: the product itself is linear, so that sums and differences of c(fp)
// would fall on few values and the cuckoo paths with them.
//
// The compiler makes no move of a choice that goes into an address, but a branch that nobody can foresee, 1.8 times as
// long a lookup. It does not see that this one does, behind the two results of Sub64. Nor must the choice load anything.
func (s *Scheme) additive(i, fp uint64) (c uint64) {
	m := s.Buckets
	c = fp * s.spread
	c ^= c >> 32
	c &= s.mask
	if s.scaled { // always or never, so the processor predicts it
		c = uint64(uint32(c)) * m >> 32
	}
	if c < i {
		c += m
	}
	c, _ = bits.Sub64(c, i, 0)
	return c
}

// PairAdditive is [Scheme.Pair] of the rule Additive, for code that has no other rule.
func (s *Scheme) PairAdditive(h, fp uint64) (i, j uint64) {
	i = fingerprint.Bucket(h, s.Buckets)
	return i, s.additive(i, fp)
}
