package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/internal/config"
)

// Placement is the rule that pairs the two buckets of a fingerprint. Each rule is an involution:
// from either bucket and the fingerprint the other follows.
type Placement uint8

const (
	// Additive (the default) pairs i with (c(fp) - i) mod m. It works for any number of buckets m,
	// so a table is never rounded up to a power of two.
	Additive Placement = iota
	// XOR pairs i with i xor (mix(fp) mod m), the paper's rule. It needs m to be a power of two:
	// a Capacity is rounded up, which can nearly double the table. It has the fastest lookup.
	XOR
	// PlainXOR pairs i with i xor (fp mod m), without hashing the fingerprint, which the paper warns of:
	// narrow fingerprints reach only nearby buckets, and the table refuses keys early. Use it for measurements
	// only. It needs m to be a power of two.
	PlainXOR

	placements = iota
)

// placementTable holds what a placement is. Its number is that of the rule that pairs the buckets.
var placementTable = [placements]struct {
	powerOfTwo bool      // the number of buckets must be one
	promise    []ceiling // what BreadthFirst takes
}{
	Additive: {promise: searchAdditive},
	XOR:      {powerOfTwo: true, promise: searchXOR},
	PlainXOR: {powerOfTwo: true, promise: searchXOR},
}

// placementEnum has the names of the placements.
var placementEnum = config.Enum{
	Package: pkg, Name: "Placement", Names: []string{Additive: "additive", XOR: "xor", PlainXOR: "plainxor"},
}

// String returns the name: additive, xor or plainxor.
func (p Placement) String() string { return placementEnum.String(uint8(p)) }

// MarshalText returns the name. An unknown placement is [ErrConfig].
func (p Placement) MarshalText() ([]byte, error) { return placementEnum.Marshal(uint8(p)) }

// UnmarshalText reads a name. An unknown one is [ErrConfig] and leaves p as it was.
func (p *Placement) UnmarshalText(text []byte) error {
	return placementEnum.Unmarshal(text, (*uint8)(p))
}

// powerOfTwo tells whether the placement needs the number of buckets to be a power of two.
func (p Placement) powerOfTwo() bool { return placementTable[p].powerOfTwo }

// fits returns what is wrong with a number of buckets above 0, for a message after "Buckets is m, ", or "".
func (p Placement) fits(buckets uint64) string {
	if p >= placements {
		return "" // which is wrong in another way
	}
	if p.powerOfTwo() && buckets&(buckets-1) != 0 {
		return fmt.Sprintf("want a power of two for placement %v", p)
	}
	return ""
}
