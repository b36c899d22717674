package kick

import "github.com/nestfilter/nest/internal/simd"

// The rules of the arithmetic distance, XOR and PlainXOR, differ in what it multiplies a fingerprint by.

// setXOR makes s the rule XOR.
func (s *Scheme) setXOR() {
	s.spread, s.mask = Multiplier, s.Buckets-1
	s.xor, s.kernel = true, simd.XOR
}

// setPlainXOR makes s the rule PlainXOR. Multiplied by 2^32 and shifted back by as much, the fingerprint stays as it
// is.
func (s *Scheme) setPlainXOR() {
	s.spread, s.mask = 1<<32, s.Buckets-1
	s.xor, s.kernel = true, simd.XOR
}

// distance returns mix(fp), at most the mask: the xor of the two buckets of a pair. The kernel simd.XOR computes the
// same from spread and mask.
func (s *Scheme) distance(fp uint64) uint64 { return fp * s.spread >> 32 & s.mask }
