package kick

import (
	"fmt"
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// Rule names the way a native scheme finds the alternate bucket. Each rule has a file of its own, rule_*.go, with all
// of its arithmetic.
type Rule uint8

// The rules. Each is an involution: the alternate of the alternate is the bucket itself.
const (
	// Additive: (c(fp) - i) mod m, for any m.
	Additive Rule = iota
	// XOR: i xor (mix(fp) mod m), for m a power of two.
	XOR
	// PlainXOR: i xor (fp mod m), for m a power of two: the fingerprint itself, not hashed.
	PlainXOR

	rules = iota
)

// Multiplier spreads fingerprints over a word: 2^64 divided by the golden ratio, made odd (Knuth,
// The Art of Computer Programming, volume 3, section 6.4).
const Multiplier = 0x9e3779b97f4a7c15

// Scheme pairs buckets: with a bucket and a fingerprint it gives the other bucket that the
// fingerprint may live in. Make one with [NewScheme], [NewSides] or [NewForeign].
type Scheme struct {
	// Buckets is m, the number of buckets.
	Buckets uint64

	// The alternate bucket is computed by call where that is set, by distance where xor is set, and else by additive,
	// which scales its sums or masks them.
	call         func(bucket, lane uint64) uint64
	xor, scaled  bool
	kernel       simd.Arithmetic // None unless the rule names one
	spread, mask uint64          // of distance and of the kernel

	// The fingerprint that a lane holds is lane&keep>>drop: all of the lane, unless NewSides or Within says otherwise.
	// Under sides, distance takes bits of the product from shift on, not from 32, and the pair differs by top too.
	keep, top   uint64
	drop, shift uint8

	// Where slots are paired, which are pairs, and how many bits the number of a slot in its bucket has.
	pairing  *packed.Pairing
	slotBits uint8
}

// NewScheme returns the scheme of a native rule over m buckets. For XOR and PlainXOR m must be a
// power of two, for all 1..2^32; it is not checked.
func NewScheme(rule Rule, m uint64) Scheme {
	s := Scheme{Buckets: m, keep: ^uint64(0), shift: 32}
	switch rule {
	case Additive:
		s.setAdditive()
	case XOR:
		s.setXOR()
	case PlainXOR:
		s.setPlainXOR()
	default:
		panic(fmt.Sprintf("kick: no rule %d", rule))
	}
	return s
}

// Within returns the scheme for lanes of which only the lowest bits, so many, are the fingerprint. What pairs the
// buckets of a digest does not change.
func (s Scheme) Within(width uint) Scheme {
	s.keep, s.kernel = 1<<width-1, simd.None
	return s
}

// Pair returns the primary and the alternate bucket of a digest whose fingerprint is fp. They may
// be one bucket. The scheme must be of [NewScheme].
//
// It stays within the inliner's budget, cost 80 of 80, because every verb of a filter begins with
// it. So it knows distance and additive, and calls nothing: a test in each verb of whether there is a function to call
// made inserts and deletes 3% slower. That the powers of two of XOR are multiplied like any other m, and not
// shifted by, is no slower: docs/DESIGN.md.
func (s *Scheme) Pair(digest, fp uint64) (i, j uint64) {
	i, _ = bits.Mul64(digest, s.Buckets)
	if s.xor {
		return i, i ^ fp*s.spread>>32&s.mask
	}
	return i, s.additive(i, fp)
}

// Alternate returns the other bucket of a fingerprint in bucket i, given the lane that holds it. It may be i itself.
func (s *Scheme) Alternate(i, lane uint64) uint64 {
	if s.call == nil {
		return s.alternate(i, s.of(lane))
	}
	return s.call(i, lane)
}

// of returns the fingerprint that a lane holds.
func (s *Scheme) of(lane uint64) (fp uint64) { return lane & s.keep >> (s.drop & 63) }

// alternate is Alternate of a fingerprint and a scheme without a function. It is inlined, as of is.
func (s *Scheme) alternate(i, fp uint64) uint64 {
	if s.xor {
		return i ^ (fp*s.spread>>(s.shift&63)&s.mask | s.top)
	}
	return s.additive(i, fp)
}
