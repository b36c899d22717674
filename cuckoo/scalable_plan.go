package cuckoo

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/limits"
)

// PlanScalable returns the configuration that [NewScalable] would make of c for fingerprints of width
// bits, with every default filled in. It makes no table. FalsePositiveRate of the result is what the
// filter promises, and MaxSubFilters the number of sub-filters that this rate leaves room for.
//
// A full sub-filter hits an absent key 2b/(2^f-1) times on average, and N of them say yes of it at the
// rate 1 - exp(-N*2b/(2^f-1)). Sub-filters double (or grow by GrowthFactor) up to 2^32 buckets, so
// there are at most 33, or 24 after a first one of the default 512 buckets. N is the logarithm of the
// final size over the first. The log2(N) bits that it costs are the log log n bits that an unknown
// final size costs any filter (Pagh, Segev, Wieder, "How to Approximate a Set Without Knowing Its Size
// In Advance", FOCS 2013).
//
// The errors are those of NewScalable, and [ErrConfig] if the width is out of range.
func PlanScalable(c ScalableConfig, width uint) (ScalableConfig, error) {
	c, _, err := c.resolve(width)
	return c, err
}

// ScalableWidth returns the fewest bits of a fingerprint at which a growing filter of configuration c
// keeps c.FalsePositiveRate for any number of sub-filters up to c.MaxSubFilters, and at which
// c.Capacity fits into c.MaxBytes. A MaxSubFilters of 0 is as many as there can ever be. More bits can
// need a smaller table, because narrow fingerprints fill less of it. It does not look at
// c.FingerprintBits.
//
// A rate of 0, or one that no width keeps, is [ErrConfig]. If the tables of all widths that keep the
// rate are beyond MaxBytes, the error is [ErrTooLarge] and names the smallest of them.
func ScalableWidth(c ScalableConfig) (uint, error) {
	rate, most, limit := c.FalsePositiveRate, c.MaxSubFilters, limits.MaxBytes(c.MaxBytes)
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
	for width := c.Layout.minWidth(); width <= fingerprint.MaxWidth; width++ {
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
