package kick

import "math/bits"

// Rule names the way a scheme finds the alternate bucket.
type Rule uint8

// The rules. Each is an involution: the alternate of the alternate is the bucket itself.
const (
	// Additive: (c(fp) - i) mod m, for any m.
	Additive Rule = iota
	// XOR: i xor (mix(fp) mod m), for m a power of two.
	XOR
	// PlainXOR: i xor (fp mod m), for m a power of two: the fingerprint itself, not hashed.
	PlainXOR
	// Region: i xor (mix(fp) mod R), for any m. R is the largest power of two, up to
	// MaxRegion, that divides m: both buckets are in the same of the m/R aligned regions.
	Region
	// Foreign: whatever Scheme.Foreign says.
	Foreign
)

// MaxRegion is the largest number of buckets of a region of the rule Region. Larger ones would be
// filled more evenly, but one of 2^14 buckets, 96 KiB at 12 bits and b = 4, still fits into the
// second-level cache of a core.
const MaxRegion = 1 << maxRegionShift

const maxRegionShift = 14

// multiplier spreads fingerprints over a word: 2^64 divided by the golden ratio, made odd (Knuth,
// The Art of Computer Programming, volume 3, section 6.4).
const multiplier = 0x9e3779b97f4a7c15

// sum1 and sum2 are the multipliers of the additive rule, which hashes a fingerprint with two
// multiplications of 32 bits. One is not enough there: it is linear, so sums and differences of c(fp)
// would fall on few values and the cuckoo paths with them. Measured at b = 4, 2^20 slots,
// breadth-first, median load at the first refusal: f = 8 .961 with one multiplication and .974
// with two, f = 6 .953 and .973. Each step is a bijection of 32 bits. The first is 2^32 divided by the
// golden ratio, as above; the second is one of MurmurHash3's finalizer.
const (
	sum1 = 0x9e3779b1
	sum2 = 0x85ebca6b
)

// Scheme pairs buckets: with a bucket and a fingerprint it gives the other bucket that the
// fingerprint may live in. Make one with [NewScheme] or [NewForeign].
type Scheme struct {
	// Buckets is m, the number of buckets.
	Buckets uint64

	rule    Rule
	xor     bool   // the arithmetic of XOR, PlainXOR and Region, which differ in spread and mask alone
	mask    uint64 // m-1, for Region R-1
	spread  uint64
	foreign func(bucket, fp uint64) uint64
}

// NewScheme returns the scheme of a native rule over m buckets. For XOR and PlainXOR m must be a
// power of two, for all 1..2^32; it is not checked.
func NewScheme(rule Rule, m uint64) Scheme {
	s := Scheme{Buckets: m, rule: rule}
	switch rule {
	case XOR:
		s.spread, s.mask = multiplier, m-1
	case Region:
		// Aligned so that the offset is the highest part of frac(fp/phi)*2^32, whose values are
		// spread most evenly. The lowest, which XOR takes, has only 7599 values in 2^14 for all
		// fingerprints of 16 bits.
		shift := regionShift(m)
		s.spread, s.mask = multiplier>>(32-shift), 1<<shift-1
	case PlainXOR:
		// Multiplied by 2^32 and shifted back by as much, the fingerprint stays as it is.
		s.spread, s.mask = 1<<32, m-1
	default:
		return s
	}
	s.xor = true
	return s
}

// RegionSize returns R, the number of buckets of a region, in a table of m under the rule Region.
func RegionSize(m uint64) uint64 { return 1 << regionShift(m) }

// regionShift returns the logarithm of R in a table of m buckets.
func regionShift(m uint64) uint { return min(maxRegionShift, uint(bits.TrailingZeros64(m))) }

// RegionShift returns the number of low bits in which alone the two buckets of any fingerprint can
// differ: i >> RegionShift() is the number of the aligned region that both are in. Under the rule
// Region there are Buckets >> RegionShift() regions; under the others all buckets are one, number
// 0, and the shift is up to 32.
func (s *Scheme) RegionShift() uint {
	if s.rule == Region {
		return regionShift(s.Buckets)
	}
	return uint(bits.Len64(s.Buckets - 1))
}

// NewForeign returns a scheme from elsewhere over m buckets. alternate must be an involution on
// 0..m-1 for every fingerprint.
func NewForeign(m uint64, alternate func(bucket, fp uint64) uint64) Scheme {
	return Scheme{Buckets: m, rule: Foreign, foreign: alternate}
}

// Pair returns the primary and the alternate bucket of a digest whose fingerprint is fp. They may
// be one bucket. The scheme must be native.
//
// It stays within the inliner's budget, cost 71 of 80, because every verb of a filter begins with
// it. That the powers of two of XOR are multiplied like any other m, and not shifted by, is no slower:
// docs/DESIGN.md.
func (s *Scheme) Pair(digest, fp uint64) (i, j uint64) {
	i, _ = bits.Mul64(digest, s.Buckets)
	if s.xor {
		return i, i ^ fp*s.spread>>32&s.mask
	}
	return i, s.additive(i, fp)
}

// Alternate returns the other bucket of fingerprint fp that lives in bucket i. It may be i itself.
func (s *Scheme) Alternate(i, fp uint64) uint64 {
	if s.xor {
		return i ^ fp*s.spread>>32&s.mask
	}
	if s.rule == Additive {
		return s.additive(i, fp)
	}
	return s.foreign(i, fp)
}

// additive returns c(fp)-i modulo m: the two bucket numbers of a pair add up to c(fp), which the
// fingerprint alone determines.
func (s *Scheme) additive(i, fp uint64) uint64 {
	x := uint32(fp) * sum1
	x ^= x >> 16
	c := uint64(x*sum2) * s.Buckets >> 32
	// No branch: which of the two is larger is a coin toss.
	j, borrow := bits.Sub64(c, i, 0)
	return j + s.Buckets&-borrow
}
