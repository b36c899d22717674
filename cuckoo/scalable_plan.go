package cuckoo

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/config"
)

// PlanScalable returns the configuration that [NewScalable] would make of c for fingerprints of width
// bits, with every default filled in. It makes no table. FalsePositiveRate of the result is what the
// filter promises, and MaxDoublings how often the table may double within it.
//
// A full table that has doubled g times, and was full each time, has the rate
//
//	1 - exp(-(1 + g/2) * 2*b / 2^(f-1))
//
// where f-1 are the bits of a fingerprint less the one that ends the tail. The keys that came after the last doubling are half of
// all and have full tails, those before them a quarter and one bit less: each generation adds half of what a full table
// that has never doubled has. The log2(1 + g/2) bits that this costs are the log log n bits
// that an unknown final size costs any filter (Pagh, Segev, Wieder, "How to Approximate a Set Without
// Knowing Its Size In Advance", FOCS 2013).
//
// MaxDoublings is at most f-7 + 2^(f-9), rounded down: beyond it, the entries that several buckets have of one key would
// take more than an eighth of the slots. At 14 bits and more, the largest table of 2^32 buckets is the limit.
//
// The errors are those of NewScalable, and [ErrConfig] if the width is out of range.
func PlanScalable(c ScalableConfig, width uint) (ScalableConfig, error) {
	c, _, err := c.resolve(width)
	return c, err
}

// ScalableWidth returns the fewest bits of a fingerprint at which a growing filter of configuration c
// keeps c.FalsePositiveRate for c.MaxDoublings doublings, and at which c.Capacity fits into c.MaxBytes.
// A MaxDoublings of 0 is as many as there can ever be: up to 2^32 buckets. It does not look at c.FingerprintBits.
//
// A rate of 0, or one that no width keeps, is [ErrConfig]. If the first tables of all widths that keep the
// rate are beyond MaxBytes, the error is [ErrTooLarge] and names the smallest of them.
func ScalableWidth(c ScalableConfig) (uint, error) {
	rate, wanted, limit := c.FalsePositiveRate, c.MaxDoublings, config.MaxBytes(c.MaxBytes)
	c.FingerprintBits = 0
	if err := c.Validate(); err != nil {
		return 0, err
	}
	if rate == 0 {
		return 0, fmt.Errorf("cuckoo: %w: FalsePositiveRate is 0, want a number above 0 and below 1", ErrConfig)
	}
	c.FalsePositiveRate, c.MaxDoublings, c.MaxBytes = 0, 0, math.MaxInt
	for width := uint(minTailWidth); width <= fingerprint.MaxWidth; width++ {
		resolved, begin, err := c.resolve(width)
		if err != nil {
			return 0, err
		}
		g := maxLog - int(begin)
		if wanted != 0 {
			g = min(g, wanted)
		}
		if mostDoublings(width, begin) < g || affordable(rate, width, resolved.BucketSize) < g {
			continue
		}
		// Wider ones would need more: the number of buckets does not depend on the width.
		size, _ := resolved.shared().size(width, 2<<begin)
		if size > limit {
			return 0, fmt.Errorf("cuckoo: %w: FalsePositiveRate %g takes %d bits, which for a Capacity of %d are %d bytes, MaxBytes is %d",
				ErrTooLarge, rate, width, resolved.Capacity, size, limit)
		}
		return width, nil
	}
	return 0, fmt.Errorf("cuckoo: %w: FalsePositiveRate is %g, which fingerprints of %d bits do not keep", ErrConfig, rate, fingerprint.MaxWidth)
}

// fullHits returns the number of entries that a key which was never inserted is expected to match in a full table that has
// never doubled.
func fullHits(width uint, b int) float64 { return math.Ldexp(float64(b), 2-int(width)) }

// rateAfter returns the rate of a full table after g doublings.
func rateAfter(width uint, b, g int) float64 {
	return -math.Expm1(-(1 + float64(g)/2) * fullHits(width, b))
}

// rounding is how much more hits a rate permits than it says, so that a rate which was made from a whole number of doublings leads
// back to it.
const rounding = 1 + 1e-6

// keeps tells whether as many hits are within a rate.
func keeps(rate, hits float64) bool { return hits <= -math.Log1p(-rate)*rounding }

// affordable returns how many doublings are within a rate, -1 if not even a table that has never doubled is.
func affordable(rate float64, width uint, b int) int {
	g := 2 * (-math.Log1p(-rate)*rounding/fullHits(width, b) - 1)
	return int(math.Floor(max(-1, min(g, math.MaxInt32))))
}

// mostDoublings returns how often a table can double from a side of 2^begin buckets on. With tails of t bits, entries of keys that
// others stand for begin to appear at doubling t+1, and after t+e doublings they take e/2^(t+1) of the slots.
func mostDoublings(width, begin uint) int {
	t := tailBits(width)
	return int(min(uint64(maxLog-begin), uint64(t)+1<<t/4))
}

// SizeAfter returns the bytes of the table after g doublings, of a configuration that [PlanScalable] returned for fingerprints of
// that width; -1 where an int does not count them, for a g below 0 and for other configurations and widths.
func (c ScalableConfig) SizeAfter(width uint, g int) int {
	if c.Capacity < 1 || c.BucketSize < 1 || width > fingerprint.MaxWidth || g < 0 || g > maxLog {
		return -1
	}
	k := logOf(uint64(c.Capacity), c.BucketSize) + uint(g)
	if k > maxLog {
		return -1
	}
	size, ok := c.shared().size(width, 2<<k)
	if !ok {
		return -1
	}
	return size
}
