package cuckoo

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/conftext"
	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/limits"
)

// ScalableConfig says what growing filter to make. Every field may be zero, which is its default: use
// ScalableConfig{} if you know nothing about the number of keys.
//
// There is no field for the placement. It is always XOR: only there are the classes of a large table
// parts of those of a small one, on which Delete and Compact rely.
type ScalableConfig struct {
	_ struct{}

	// Capacity is the number of keys that the first sub-filter promises to take. Its buckets are
	// rounded up to a power of two. The default, 0, is 1024. A larger Capacity saves sub-filters,
	// which makes the filter faster.
	Capacity int
	// GrowthFactor is how many times as large as the largest sub-filter the next one is: 2 (default),
	// 4, 8 or 16. A larger factor makes fewer sub-filters, so faster lookups and a lower rate, but
	// leaves more slots empty after each growth.
	GrowthFactor int
	// FalsePositiveRate is the compound rate that all sub-filters together stay below, however full
	// they are. A key that would need a sub-filter beyond it is ErrFull. The default, 0, is the rate
	// of as many sub-filters as there can ever be; [PlanScalable] tells it.
	FalsePositiveRate float64
	// MaxSubFilters bounds the number of sub-filters. The default, 0, is as many as FalsePositiveRate
	// permits.
	MaxSubFilters int
	// MaxBytes bounds the bytes of all tables together. An insert that needs more is ErrFull and
	// ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
	// FingerprintBits is as in Config.
	FingerprintBits int
	// BucketSize is as in Config.
	BucketSize int
	// Layout is as in Config.
	Layout Layout
	// Hash is as in Config.
	Hash hashing.Hasher
	// Kick is as in Config.
	Kick KickPolicy
	// MaxKicks is as in Config. It bounds the work in one sub-filter, and an insert may try several.
	MaxKicks int
	// Seed is as in Config.
	Seed uint64
	// HugePages is as in Config. Each sub-filter is a table of its own, so with HugePagesAuto those of at least
	// 8 MiB ask.
	HugePages HugePages
}

// defaultFirst is the capacity of the first sub-filter where none is said: 2 to 3 KiB at 16 bits,
// little enough for many filters of a few keys.
const defaultFirst = 1024

// sub returns the configuration of a sub-filter with so many buckets; with 0, of one for Capacity.
func (c ScalableConfig) sub(buckets int) Config {
	s := Config{
		Buckets: buckets, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize, Layout: c.Layout, Hash: c.Hash, Placement: XOR, Kick: c.Kick,
		MaxKicks: c.MaxKicks, Seed: c.Seed, MaxBytes: c.MaxBytes, HugePages: c.HugePages,
	}
	if buckets == 0 {
		s.Capacity = c.Capacity
		if s.Capacity == 0 {
			s.Capacity = defaultFirst
		}
	}
	return s
}

// Validate returns an error for everything that is wrong with c, or nil. Each problem has a line of its
// own that names the field, and all are [ErrConfig]. It does not know the width: [PlanScalable] and
// [NewScalable] tell whether fingerprints are wide enough for FalsePositiveRate.
func (c ScalableConfig) Validate() error {
	problems := limits.Problems{Package: pkg}
	wrong := problems.Wrong
	problems.Add(c.sub(0).Validate())
	if c.Layout == PairedSlots {
		wrong("Layout is %v, which a growing filter does not have: a sub-filter takes all bits of the digest but those of the fingerprint "+
			"for its buckets; want another layout", c.Layout)
	}
	if c.Layout == Words {
		wrong("Layout is %v, which a growing filter does not have", c.Layout)
	}
	switch c.GrowthFactor {
	case 0, 2, 4, 8, 16:
	default:
		wrong("GrowthFactor is %d, want 2, 4, 8 or 16", c.GrowthFactor)
	}
	if c.FalsePositiveRate != 0 && !(c.FalsePositiveRate > 0 && c.FalsePositiveRate < 1) {
		wrong("FalsePositiveRate is %g, want a number above 0 and below 1", c.FalsePositiveRate)
	}
	problems.AtLeast0("MaxSubFilters", c.MaxSubFilters)
	return problems.Err()
}

// resolve returns c with every default filled in, and the resolved configuration of the first
// sub-filter.
func (c ScalableConfig) resolve(width uint) (ScalableConfig, Config, error) {
	if err := c.Validate(); err != nil {
		return c, Config{}, err
	}
	first, _, err := Plan(c.sub(0), width)
	if err != nil {
		return c, first, err
	}
	if c.Capacity == 0 {
		c.Capacity = defaultFirst
	}
	if c.GrowthFactor == 0 {
		c.GrowthFactor = 2
	}
	c.BucketSize, c.Hash, c.Kick, c.MaxKicks = first.BucketSize, first.Hash, first.Kick, first.MaxKicks
	most := subFilters(first.Buckets, c.GrowthFactor)
	if c.FalsePositiveRate == 0 {
		if c.MaxSubFilters != 0 {
			most = min(most, c.MaxSubFilters)
		}
		// Fingerprints of a bit or two keep no rate for so many, that a number below 1 could tell from it.
		most = max(1, min(most, affordable(0.999999, width, c.BucketSize)))
		c.FalsePositiveRate = portable(-math.Expm1(-float64(most) * fullHits(width, c.BucketSize)))
	} else if most = affordable(c.FalsePositiveRate, width, c.BucketSize); most == 0 {
		return c, first, fmt.Errorf("cuckoo: %w: FalsePositiveRate is %.3g, and one full sub-filter of fingerprints of %d bits has %.3g",
			ErrConfig, c.FalsePositiveRate, width, -math.Expm1(-fullHits(width, c.BucketSize)))
	}
	if c.MaxSubFilters == 0 || c.MaxSubFilters > most {
		c.MaxSubFilters = most
	}
	return c, first, nil
}

// portable rounds a rate up to 40 bits. Exponentials differ between machines in the last bits, and this one is
// stored in files, which do not.
func portable(rate float64) float64 {
	const dropped = 1<<12 - 1
	return math.Float64frombits((math.Float64bits(rate) | dropped) + 1)
}

// same tells whether two resolved configurations are equal, but for the bytes and pages.
func (c ScalableConfig) same(d ScalableConfig) bool {
	return c.Capacity == d.Capacity && c.GrowthFactor == d.GrowthFactor && c.FalsePositiveRate == d.FalsePositiveRate &&
		c.MaxSubFilters == d.MaxSubFilters && c.sub(1).same(d.sub(1))
}

// String returns the fields that are set as key=value pairs joined by slashes, as [Config.String] does.
func (c ScalableConfig) String() string { return conftext.Text(c.fields(nil)) }

// ParseScalableConfig reads what [ScalableConfig.String] wrote, as [ParseConfig] does.
func ParseScalableConfig(s string, known ...hashing.Hasher) (ScalableConfig, error) {
	var c ScalableConfig
	if err := conftext.Parse("cuckoo", s, c.fields(known)); err != nil {
		return ScalableConfig{}, err
	}
	return c, nil
}

// fields returns the text form of c, with pointers into c.
func (c *ScalableConfig) fields(known []hashing.Hasher) []conftext.Field {
	kick := Config{Kick: c.Kick}
	return []conftext.Field{
		conftext.Int("capacity", &c.Capacity),
		conftext.Int("growth", &c.GrowthFactor),
		conftext.Float("fpr", &c.FalsePositiveRate),
		conftext.Int("maxsubfilters", &c.MaxSubFilters),
		conftext.Int("f", &c.FingerprintBits),
		conftext.Int("b", &c.BucketSize),
		conftext.Name("layout", &c.Layout, parseLayout),
		conftext.Hash("hash", &c.Hash, known),
		{Key: "kick", Text: kick.kickText, Parse: func(recipe string) (err error) {
			err = kick.parseKick(recipe)
			c.Kick = kick.Kick
			return err
		}},
		conftext.Int("maxkicks", &c.MaxKicks),
		conftext.Uint64("seed", &c.Seed),
		conftext.Int("maxbytes", &c.MaxBytes),
		conftext.Name("hugepages", &c.HugePages, hugepage.Parse[HugePages]),
	}
}
