package cuckoo

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/conftext"
	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/packed"
)

// ScalableConfig says what growing filter to make. The zero value of every field is a default, so
// ScalableConfig{} is a filter for whoever knows nothing about the number of keys.
//
// The placement is no field: it is XOR, the only one under which the classes of a large table are parts
// of those of a small one, on which Delete and Compact rely.
type ScalableConfig struct {
	_ struct{}

	// Capacity is the number of keys that the first sub-filter promises to take; its buckets are rounded
	// up to a power of two. The default, 0, is 1024. A larger one saves sub-filters, and so time.
	Capacity int
	// GrowthFactor is how many times as large as the largest sub-filter the next one is: 2 (default), 4, 8
	// or 16. A larger factor makes fewer sub-filters, so faster lookups and a lower rate, and more empty
	// slots after each growth.
	GrowthFactor int
	// FalsePositiveRate is the compound rate that all sub-filters together must stay below, however
	// full they are: the sub-filter that would break it is refused with ErrFull. The default, 0, is the
	// rate that holds for as many as there can ever be: see [PlanScalable].
	FalsePositiveRate float64
	// MaxSubFilters bounds the number of sub-filters. The default, 0, is as many as the rate permits.
	MaxSubFilters int
	// MaxBytes bounds the bytes of all tables together: an insert that would need more is ErrFull and
	// ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
	// FingerprintBits is as in Config.
	FingerprintBits int
	// BucketSize is as in Config.
	BucketSize int
	// SemiSort is as in Config.
	SemiSort bool
	// Hash is as in Config.
	Hash hashing.Hasher
	// Kick is as in Config.
	Kick KickPolicy
	// MaxKicks is as in Config. It bounds the work in one sub-filter; an insert tries those with room.
	MaxKicks int
	// Seed is as in Config.
	Seed uint64
	// HugePages is as in Config.
	HugePages HugePages
}

// defaultFirst is the capacity of the first sub-filter where none is said: 2 to 3 KiB at 16 bits,
// little enough for many filters of a few keys.
const defaultFirst = 1024

// sub returns the configuration of a sub-filter with so many buckets; with 0, of one for Capacity.
func (c ScalableConfig) sub(buckets int) Config {
	s := Config{
		Buckets: buckets, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize, SemiSort: c.SemiSort, Hash: c.Hash, Placement: XOR, Kick: c.Kick,
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

// Validate reports everything that is wrong with c, each problem on a line of its own that names the
// field, or nil. All of it is [ErrConfig]. It does not know the width: whether fingerprints are wide
// enough for FalsePositiveRate, [PlanScalable] tells, and [NewScalable].
func (c ScalableConfig) Validate() error {
	var problems []error
	wrong := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("cuckoo: %w: "+format, append([]any{ErrConfig}, args...)...))
	}
	if err := c.sub(0).Validate(); err != nil {
		problems = append(problems, err)
	}
	switch c.GrowthFactor {
	case 0, 2, 4, 8, 16:
	default:
		wrong("GrowthFactor is %d, want 2, 4, 8 or 16", c.GrowthFactor)
	}
	if c.FalsePositiveRate != 0 && !(c.FalsePositiveRate > 0 && c.FalsePositiveRate < 1) {
		wrong("FalsePositiveRate is %g, want a number above 0 and below 1", c.FalsePositiveRate)
	}
	if c.MaxSubFilters < 0 {
		wrong("MaxSubFilters is %d, want at least 0", c.MaxSubFilters)
	}
	return errors.Join(problems...)
}

// PlanScalable returns the configuration that [NewScalable] would resolve c to for fingerprints of width
// bits, with the default of every field; it makes no table. Its FalsePositiveRate is the promise, and
// MaxSubFilters the number of sub-filters that it leaves room for.
//
// A full sub-filter hits an absent key 2b/(2^f-1) times on average, and N of them say yes of it at the rate
// 1 - exp(-N*2b/(2^f-1)). Sub-filters double (or grow by GrowthFactor) up to 2^32 buckets, so there are at
// most 33, or 24 after a first one of the default 512 buckets: N is the logarithm of the final size over the
// first, and the log2(N) bits that it takes are the log log n bits that an unknown final size costs any
// filter (Pagh, Segev, Wieder, "How to Approximate a Set Without Knowing Its Size In Advance", FOCS 2013).
//
// The errors are those of NewScalable; [ErrConfig] too for a width out of range.
func PlanScalable(c ScalableConfig, width uint) (ScalableConfig, error) {
	c, _, err := c.resolve(width)
	return c, err
}

// ScalableWidth returns the fewest bits of a fingerprint at which a growing filter of configuration c
// keeps c.FalsePositiveRate for any number of sub-filters up to c.MaxSubFilters, where 0 is as many as there can
// ever be, and c.Capacity fits into c.MaxBytes. Wider fingerprints can need a smaller table, as narrow ones fill less of it.
// It does not look at c.FingerprintBits.
//
// A rate of 0 or one that no width keeps is [ErrConfig]. Where the tables of all widths that keep it are beyond MaxBytes, it
// is [ErrTooLarge], which names the smallest of them.
func ScalableWidth(c ScalableConfig) (uint, error) {
	rate, most, limit := c.FalsePositiveRate, c.MaxSubFilters, c.limit()
	c.FingerprintBits = 0
	if err := c.Validate(); err != nil {
		return 0, err
	}
	if rate == 0 {
		return 0, fmt.Errorf("cuckoo: %w: FalsePositiveRate is 0, want a number above 0 and below 1", ErrConfig)
	}
	c.FalsePositiveRate, c.MaxSubFilters, c.MaxBytes = 0, 0, math.MaxInt
	nearest, least := uint(0), math.MaxInt
	err := fmt.Errorf("cuckoo: %w: FalsePositiveRate is %g, which fingerprints of %d bits do not keep", ErrConfig, rate, fingerprint.MaxWidth)
	for width := uint(1); width <= fingerprint.MaxWidth; width++ {
		if c.SemiSort && width < packed.MinSortedWidth {
			continue
		}
		resolved, first, tooLarge := c.resolve(width)
		if tooLarge != nil && !errors.Is(tooLarge, ErrTooLarge) {
			return 0, tooLarge
		}
		if tooLarge != nil {
			if nearest == 0 {
				err = tooLarge // beyond any MaxBytes
			}
			continue
		}
		n := subFilters(first.Buckets, resolved.GrowthFactor)
		if most != 0 {
			n = min(n, most)
		}
		if affordable(rate, width, resolved.BucketSize) < n {
			continue
		}
		size, _ := first.size(width, uint64(first.Buckets)) // resolve checked it
		if size <= limit {
			return width, nil
		}
		if size < least {
			nearest, least = width, size
			err = fmt.Errorf("cuckoo: %w: of the widths that keep FalsePositiveRate %g, %d bits need least for a Capacity of %d, which is %d bytes, MaxBytes is %d",
				ErrTooLarge, rate, nearest, resolved.Capacity, least, limit)
		}
	}
	return 0, err
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

// limit returns the number of bytes that all tables together may have.
func (c ScalableConfig) limit() int {
	if c.MaxBytes == 0 {
		return defaultMaxBytes
	}
	return c.MaxBytes
}

// fullHits returns the number of fingerprints that a key which was never inserted is expected to
// coincide with in a full table.
func fullHits(width uint, b int) float64 { return 2 * float64(b) / (math.Ldexp(1, int(width)) - 1) }

// affordable returns how many full tables stay below the compound rate.
func affordable(rate float64, width uint, b int) int {
	// A rate that was made from a whole number must lead back to it.
	const rounding = 1 + 1e-6
	n := -math.Log1p(-rate) / fullHits(width, b) * rounding
	return int(min(n, math.MaxInt32))
}

// subFilters returns how many sizes there are from a first number of buckets on.
func subFilters(first, factor int) int {
	const largest = 32 // log2(fingerprint.MaxBuckets)
	return 1 + (largest-bits.TrailingZeros64(uint64(first)))/bits.TrailingZeros64(uint64(factor))
}

// same tells whether two resolved configurations are equal, but for the bytes and pages.
func (c ScalableConfig) same(d ScalableConfig) bool {
	return c.Capacity == d.Capacity && c.GrowthFactor == d.GrowthFactor && c.FalsePositiveRate == d.FalsePositiveRate &&
		c.MaxSubFilters == d.MaxSubFilters && c.sub(1).same(d.sub(1))
}

// String returns the fields that are set as key=value pairs joined by slashes, as [Config.String] does.
func (c ScalableConfig) String() string { return conftext.Text(c.fields(nil)) }

// ParseScalableConfig reads what [ScalableConfig.String] wrote, as [ParseConfig] does.
func ParseScalableConfig(s string, known ...Described) (ScalableConfig, error) {
	var c ScalableConfig
	if err := conftext.Parse("cuckoo", s, c.fields(known)); err != nil {
		return ScalableConfig{}, err
	}
	return c, nil
}

// fields returns the text form of c, with pointers into c.
func (c *ScalableConfig) fields(known []Described) []conftext.Field {
	kick := Config{Kick: c.Kick}
	return []conftext.Field{
		conftext.Int("capacity", &c.Capacity),
		conftext.Int("growth", &c.GrowthFactor),
		conftext.Float("fpr", &c.FalsePositiveRate),
		conftext.Int("maxsubfilters", &c.MaxSubFilters),
		conftext.Int("f", &c.FingerprintBits),
		conftext.Int("b", &c.BucketSize),
		conftext.Bool("semisort", &c.SemiSort),
		conftext.Hash("hash", &c.Hash, known),
		{Key: "kick", Text: kick.kickText, Parse: func(recipe string) (err error) {
			err = kick.parseKick(recipe, known)
			c.Kick = kick.Kick
			return err
		}},
		conftext.Int("maxkicks", &c.MaxKicks),
		conftext.Uint64("seed", &c.Seed),
		conftext.Int("maxbytes", &c.MaxBytes),
		conftext.Name("hugepages", &c.HugePages, hugepage.Parse),
	}
}
