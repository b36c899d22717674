package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/internal/config"
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
	// PlainXOR pairs i with i xor (fp mod m), without hashing the fingerprint, which the paper warns of:
	// narrow fingerprints reach only nearby buckets, and the table refuses keys early. Use it for measurements
	// only. It needs m to be a power of two.
	PlainXOR
	// Region pairs i with i xor (mix(fp) mod R): both buckets lie in one aligned region of R
	// buckets, number i/R (the "alternate range" of Wang et al. 2019, the vacuum filter), so that a
	// large table can be built or split region by region. R is the larger of 2^14 and 2^13 that
	// divides the number of buckets. One of them must; from 2^19 buckets on it must be 2^14, whose
	// rounding then costs less than 3%. A Capacity is rounded up to the fewest buckets that will do.
	//
	// The fullest region refuses first, so a Capacity takes 2.5% more slots than under Additive,
	// and a table of fewer than 2^18 buckets (a million slots at b = 4) is [ErrConfig].
	Region

	placements = iota
)

// placementTable holds what a placement is.
var placementTable = [placements]struct {
	rule       kick.Rule
	powerOfTwo bool                        // the number of buckets must be one
	misfit     func(buckets uint64) string // what else is wrong with a number of buckets, as fits says it; nil if nothing is
	promises   [][]ceiling                 // what BreadthFirst takes: all of them hold
	regions    bool                        // the promises hold for each region, as capacity_region.go computes it
}{
	Additive: {rule: kick.Additive, promises: [][]ceiling{searchAdditive}},
	XOR:      {rule: kick.XOR, powerOfTwo: true, promises: [][]ceiling{searchXOR}},
	PlainXOR: {rule: kick.PlainXOR, powerOfTwo: true, promises: [][]ceiling{searchXOR, plainXOR}},
	Region:   {rule: kick.Region, misfit: regionMisfit, promises: [][]ceiling{searchXOR}, regions: true},
}

// placementEnum has the names of the placements.
var placementEnum = config.Enum{Package: pkg, Name: "Placement", Names: []string{Additive: "additive", XOR: "xor", PlainXOR: "plainxor", Region: "region"}}

// String returns the name: additive, xor, plainxor or region.
func (p Placement) String() string { return placementEnum.String(uint8(p)) }

// MarshalText returns the name. An unknown placement is [ErrConfig].
func (p Placement) MarshalText() ([]byte, error) { return placementEnum.Marshal(uint8(p)) }

// UnmarshalText reads a name. An unknown one is [ErrConfig] and leaves p as it was.
func (p *Placement) UnmarshalText(text []byte) error {
	read, err := placementEnum.Unmarshal(text)
	if err == nil {
		*p = Placement(read)
	}
	return err
}

// rule returns the rule that pairs the buckets.
func (p Placement) rule() kick.Rule { return placementTable[p].rule }

// powerOfTwo tells whether the placement needs the number of buckets to be a power of two.
func (p Placement) powerOfTwo() bool { return placementTable[p].powerOfTwo }

// fits returns what is wrong with a number of buckets above 0, for a message after "Buckets is m, ",
// or "".
func (p Placement) fits(buckets uint64) string {
	if p >= placements {
		return "" // which is wrong in another way
	}
	row := &placementTable[p]
	switch {
	case row.powerOfTwo && buckets&(buckets-1) != 0:
		return fmt.Sprintf("want a power of two for placement %v", p)
	case row.misfit != nil:
		return row.misfit(buckets)
	}
	return ""
}

// Tables of the placement Region consist of whole regions. The fullest decides how many keys fit, and
// smaller ones differ more in how full they are: at b = 4 and 2^20 slots the first key is refused at a
// load of .970 with regions of 2^14 buckets, .965 with 2^13 and .960 with 2^12 (median of 5 seeds,
// f = 16, BreadthFirst; one of those at .951). So 2^13 is for tables that could pay more than 3% for
// rounding to 2^14, and those that could for 2^13 are refused.
const (
	minRegion        = kick.MaxRegion / 2
	minRegionBuckets = 32 * minRegion
)

// regionSizes are the numbers of buckets that a region can have.
var regionSizes = [...]uint64{minRegion, kick.MaxRegion}

// regionMisfit is the misfit of Region.
func regionMisfit(buckets uint64) string {
	switch {
	case buckets < minRegionBuckets:
		return fmt.Sprintf("want at least %d for placement region: the fullest region of a smaller table refuses early, "+
			"and placement additive does not", minRegionBuckets)
	case buckets%regionFor(buckets) != 0:
		return fmt.Sprintf("want a multiple of %d for placement region", regionFor(buckets))
	}
	return ""
}

// regionFor returns the smallest region that a table of so many buckets may have.
func regionFor(buckets uint64) uint64 {
	if buckets < 32*kick.MaxRegion {
		return minRegion
	}
	return kick.MaxRegion
}
