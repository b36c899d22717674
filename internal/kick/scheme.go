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
	// Foreign: whatever Scheme.Foreign says.
	Foreign
)

// multiplier spreads fingerprints over a word: 2^64 divided by the golden ratio, made odd (Knuth,
// The Art of Computer Programming, volume 3, section 6.4).
const multiplier = 0x9e3779b97f4a7c15

// finisher is the second multiplier of the additive rule. One multiplication is not enough there:
// it is linear, so sums and differences of c(fp) would fall on few values and the cuckoo paths
// with them. Measured at b = 4, 2^20 slots, breadth-first, median load at the first refusal:
// f = 8 .961 with one multiplication and .974 with two, f = 6 .953 and .973. The constant is
// that of a published 64-bit mixer (degski's).
const finisher = 0xd6e8feb86659fd93

// Scheme pairs buckets: with a bucket and a fingerprint it gives the other bucket that the
// fingerprint may live in. Make one with [NewScheme] or [NewForeign].
type Scheme struct {
	// Buckets is m, the number of buckets.
	Buckets uint64

	rule    Rule
	xor     bool   // the arithmetic of XOR and PlainXOR, which differ in spread alone
	shift   uint   // 64-log2(m), for the xor arithmetic
	mask    uint64 // m-1, for the xor arithmetic
	spread  uint64
	foreign func(bucket, fp uint64) uint64
}

// NewScheme returns the scheme of a native rule over m buckets. For the xor rules m must be a
// power of two, for all 1..2^32; it is not checked.
func NewScheme(rule Rule, m uint64) Scheme {
	s := Scheme{Buckets: m, rule: rule}
	if m == 1 {
		// All rules agree on a single bucket, and a shift by 64 bits would need a test.
		s.rule = Additive
		return s
	}
	switch rule {
	case XOR:
		s.spread = multiplier
	case PlainXOR:
		// Multiplied by 2^32 and shifted back by as much, the fingerprint stays as it is.
		s.spread = 1 << 32
	default:
		return s
	}
	s.xor = true
	s.shift = uint(bits.LeadingZeros64(m - 1))
	s.mask = m - 1
	return s
}

// NewForeign returns a scheme from elsewhere over m buckets. alternate must be an involution on
// 0..m-1 for every fingerprint.
func NewForeign(m uint64, alternate func(bucket, fp uint64) uint64) Scheme {
	return Scheme{Buckets: m, rule: Foreign, foreign: alternate}
}

// Pair returns the primary and the alternate bucket of a digest whose fingerprint is fp. They may
// be one bucket. The scheme must be native.
//
// It stays within the inliner's budget by one or two points: every verb of a filter begins with it.
func (s *Scheme) Pair(digest, fp uint64) (i, j uint64) {
	if s.xor {
		i = digest >> (s.shift & 63)
		return i, i ^ fp*s.spread>>32&s.mask
	}
	i, _ = bits.Mul64(digest, s.Buckets)
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
	x := fp * multiplier
	c, _ := bits.Mul64((x^x>>32)*finisher, s.Buckets)
	j := c - i
	// A difference below zero has its highest bit set, because both numbers are below 2^32.
	return j + s.Buckets&uint64(int64(j)>>63)
}
