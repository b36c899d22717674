package cuckoo

import (
	"errors"
	"fmt"
	"slices"

	"github.com/nestfilter/nest/internal/kick"
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
	// PlainXOR pairs i with i xor (fp mod m), without hashing the fingerprint, which the paper
	// warns of: narrow fingerprints reach only nearby buckets, and the table refuses early. It is
	// here to be measured. It needs m to be a power of two.
	PlainXOR

	placements = iota
)

var placementNames = [placements]string{Additive: "additive", XOR: "xor", PlainXOR: "plainxor"}

// placementRules are the internal names of the placements.
var placementRules = [placements]kick.Rule{Additive: kick.Additive, XOR: kick.XOR, PlainXOR: kick.PlainXOR}

// String returns the placement's name: additive, xor or plainxor.
func (p Placement) String() string {
	if p >= placements {
		return fmt.Sprintf("Placement(%d)", uint8(p))
	}
	return placementNames[p]
}

// MarshalText returns the placement's name. An unknown placement is [ErrConfig].
func (p Placement) MarshalText() ([]byte, error) {
	if p >= placements {
		return nil, fmt.Errorf("cuckoo: %w: unknown placement %d", ErrConfig, uint8(p))
	}
	return []byte(placementNames[p]), nil
}

// UnmarshalText reads a placement's name. An unknown name is [ErrConfig] and leaves p as it was.
func (p *Placement) UnmarshalText(text []byte) error {
	read, err := parsePlacement(string(text))
	if err != nil {
		return fmt.Errorf("cuckoo: %w: placement %q: %w", ErrConfig, text, err)
	}
	*p = read
	return nil
}

// parsePlacement returns the placement of a name.
func parsePlacement(name string) (Placement, error) {
	if i := slices.Index(placementNames[:], name); i >= 0 {
		return Placement(i), nil
	}
	return 0, errors.New("unknown placement, want additive, xor or plainxor")
}

// powerOfTwo tells whether the placement needs the number of buckets to be a power of two.
func (p Placement) powerOfTwo() bool { return p == XOR || p == PlainXOR }
