package cuckoo

import (
	"cmp"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/config"
)

// PlanScalable returns the configuration that [NewScalable] would make of c, and the size of its first table in bytes,
// 8 of which are padding after the slots that each doubling doubles. It needs FingerprintBits or a FalsePositiveRate,
// as a Scalable[fingerprint.Any] does. Every default is filled in: FalsePositiveRate of the result is what the filter
// promises, and MaxDoublings how often the table may double within it. It makes no table. The errors are those of
// NewScalable.
//
// A full table that has doubled g times, and was full each time, has the rate 1 - exp(-(1 + g/2) * 2*b / 2^(f-1)),
// where f-1 are the bits of a fingerprint less the one that ends the tail: each generation adds half of what a full
// table that has never doubled has. The log2(1 + g/2) bits that this costs are the log log n bits that an unknown final
// size costs any filter (Pagh, Segev, Wieder, "How to Approximate a Set Without Knowing Its Size In Advance", FOCS
// 2013).
//
// MaxDoublings is at most f-7 + 2^(f-9), rounded down: beyond it, the entries that several buckets have of one key
// would take more than an eighth of the slots. At 14 bits and more, the largest table of 2^32 buckets is the limit.
func PlanScalable(c ScalableConfig) (resolved ScalableConfig, sizeBytes int, err error) {
	if c, err = c.resolve(0); err != nil {
		return ScalableConfig{}, 0, err
	}
	shape := c.shared()
	sizeBytes, _ = shape.size(2 << c.begin()) // resolve checked it
	return c, sizeBytes, nil
}

// fullHits returns the number of entries that a key which was never inserted is expected to match in a full table that
// has never doubled.
func fullHits(width uint, b int) float64 { return math.Ldexp(float64(b), 2-int(width)) }

// rateAfter returns the rate of a full table after g doublings.
func rateAfter(width uint, b, g int) float64 {
	return -math.Expm1(-(1 + float64(g)/2) * fullHits(width, b))
}

// rounding is how much more hits a rate permits than it says, so that a rate which was made from a whole number of
// doublings leads back to it.
const rounding = 1 + 1e-6

// keeps tells whether as many hits are within a rate.
func keeps(rate, hits float64) bool { return hits <= -math.Log1p(-rate)*rounding }

// affordable returns how many doublings are within a rate, -1 if not even a table that has never doubled is.
func affordable(rate float64, width uint, b int) int {
	g := 2 * (-math.Log1p(-rate)*rounding/fullHits(width, b) - 1)
	return int(math.Floor(max(-1, min(g, math.MaxInt32))))
}

// mostDoublings returns how often a table can double from a side of 2^begin buckets on. With tails of t bits, entries
// of keys that others stand for begin to appear at doubling t+1, and after t+e doublings they take e/2^(t+1) of the
// slots.
func mostDoublings(width, begin uint) int {
	t := tailBits(width)
	return int(min(uint64(maxLog-begin), uint64(t)+1<<t/4))
}

// resolve returns c with every default filled in, for the width of a type, which is 0 for fingerprint.Any.
func (c ScalableConfig) resolve(ofType uint) (ScalableConfig, error) {
	problems := config.Problems{Package: pkg}
	problems.Add(c.Validate())
	problems.Width(&c.FingerprintBits, ofType, &c.FalsePositiveRate)
	if err := problems.Err(); err != nil {
		return c, err
	}
	c.Capacity, c.BucketSize = cmp.Or(c.Capacity, defaultFirst), cmp.Or(c.BucketSize, 4)
	begin := c.begin()
	if begin > maxLog {
		return c, pkg.Errorf(ErrTooLarge, "Capacity %d, which is beyond 2^%d buckets of %d slots",
			c.Capacity, maxLog+1, c.BucketSize)
	}
	if c.FingerprintBits == 0 {
		c.FingerprintBits = c.narrowest()
	}
	width := c.width()
	if width < minTailWidth {
		return c, pkg.Errorf(ErrConfig, "fingerprints of %d bits, want %d to %d for a filter that grows: "+
			"%d of a remainder, one of a tail or more, and its end", width, minTailWidth,
			fingerprint.MaxWidth, remainderBits)
	}
	first := c.shared()
	first.Buckets = int(min(2<<begin, math.MaxInt)) // where that is not it, the table is too large anyway
	first, err := first.resolve(0)
	if err != nil {
		return c, err
	}
	c.Hash, c.Kick, c.MaxKicks = first.Hash, first.Kick, first.MaxKicks
	return c.limited()
}

// limited is the last step of resolve: it sets FalsePositiveRate and MaxDoublings.
func (c ScalableConfig) limited() (ScalableConfig, error) {
	width := c.width()
	most := mostDoublings(width, c.begin())
	if c.FalsePositiveRate != 0 {
		most = min(most, affordable(c.FalsePositiveRate, width, c.BucketSize))
	}
	if most < 0 {
		return c, pkg.Errorf(ErrConfig, "FalsePositiveRate is %.3g; full tables of %d bits that never doubled: %.3g",
			c.FalsePositiveRate, width, rateAfter(width, c.BucketSize, 0))
	}
	if c.MaxDoublings == 0 || c.MaxDoublings > most {
		c.MaxDoublings = most
	}
	if c.FalsePositiveRate == 0 {
		c.FalsePositiveRate = portable(rateAfter(width, c.BucketSize, c.MaxDoublings))
	}
	return c, nil
}

// narrowest returns the fewest bits that keep FalsePositiveRate for MaxDoublings or, where that is 0, for as many
// doublings as there can ever be; the most bits if none do.
func (c *ScalableConfig) narrowest() int {
	wanted := maxLog - int(c.begin())
	if c.MaxDoublings != 0 {
		wanted = min(wanted, c.MaxDoublings)
	}
	for width := uint(minTailWidth); width < fingerprint.MaxWidth; width++ {
		if min(mostDoublings(width, c.begin()), affordable(c.FalsePositiveRate, width, c.BucketSize)) >= wanted {
			return int(width)
		}
	}
	return fingerprint.MaxWidth
}

// FalsePositiveRate returns the predicted false-positive rate of the table as it is, after growth and deletes. It
// counts the bits that each fingerprint has left: one that is t bits short is hit 2^t times as often. It is never above
// the FalsePositiveRate of Config.
func (s *scalableReader[F]) FalsePositiveRate() float64 {
	return -math.Expm1(-s.hits(uint64(s.entries()) + s.extraHits))
}
