package kick

import (
	"fmt"
	"math/bits"

	"github.com/nestfilter/nest/internal/packed"
	"github.com/nestfilter/nest/internal/simd"
)

// Rule names the way a native scheme finds the alternate bucket. Each rule has a file of its own, rule_*.go, with all of
// its arithmetic.
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

// multiplier spreads fingerprints over a word: 2^64 divided by the golden ratio, made odd (Knuth,
// The Art of Computer Programming, volume 3, section 6.4).
const multiplier = 0x9e3779b97f4a7c15

// Scheme pairs buckets: with a bucket and a fingerprint it gives the other bucket that the
// fingerprint may live in. Make one with [NewScheme] or [NewForeign].
type Scheme struct {
	// Buckets is m, the number of buckets.
	Buckets uint64

	// The alternate bucket is computed by distance where xor is set, by call where that is set, which it is not in native
	// schemes, and else by additive.
	xor          bool
	kernel       simd.Arithmetic // None unless the rule names one
	slotBits     uint8           // the bits of lastSlot
	spread, mask uint64          // of distance and of the kernel
	call         func(bucket, fp uint64) uint64

	// Where slots are paired, the number of the last slot of a bucket, one less than a power of two, and which are pairs.
	lastSlot uint64
	pairing  *packed.Pairing
}

// NewScheme returns the scheme of a native rule over m buckets. For XOR and PlainXOR m must be a
// power of two, for all 1..2^32; it is not checked.
func NewScheme(rule Rule, m uint64) Scheme {
	s := Scheme{Buckets: m}
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
	if s.call != nil {
		panic(fmt.Sprintf("kick: Pair does not know the arithmetic of rule %d", rule))
	}
	return s
}

// Pair returns the primary and the alternate bucket of a digest whose fingerprint is fp. They may
// be one bucket. The scheme must be native.
//
// It stays within the inliner's budget, cost 79 of 80, because every verb of a filter begins with
// it. So it knows distance and additive, and calls nothing: a test in each verb of whether there is a function to call
// made inserts and deletes 3% slower. That the powers of two of XOR are multiplied like any other m, and not
// shifted by, is no slower: docs/DESIGN.md.
func (s *Scheme) Pair(digest, fp uint64) (i, j uint64) {
	i, _ = bits.Mul64(digest, s.Buckets)
	if s.xor {
		return i, i ^ s.distance(fp)
	}
	return i, s.additive(i, fp)
}

// Alternate returns the other bucket of fingerprint fp that lives in bucket i. It may be i itself.
func (s *Scheme) Alternate(i, fp uint64) uint64 {
	if s.xor {
		return i ^ s.distance(fp)
	}
	if s.call == nil {
		return s.additive(i, fp)
	}
	return s.call(i, fp)
}
