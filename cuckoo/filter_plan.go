package cuckoo

import (
	"cmp"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
)

// Plan returns the configuration that [New] would make of c, and the size of the table in bytes. It needs
// FingerprintBits or a FalsePositiveRate, as a Filter[fingerprint.Any] does. Every default is filled in; Buckets and
// FingerprintBits replace Capacity and FalsePositiveRate. Plan allocates no table, so it also answers for tables that
// do not fit into memory: set MaxBytes to plan tables beyond its default. [Config.PredictRate] then tells the rate.
//
// The errors are those of New.
func Plan(c Config) (resolved Config, sizeBytes int, err error) {
	if c, err = c.resolve(0); err != nil {
		return Config{}, 0, err
	}
	sizeBytes, _ = c.size(uint64(c.Buckets)) // resolve checked it
	return c, sizeBytes, nil
}

// PlanConcurrent is [Plan] for [NewConcurrent].
func PlanConcurrent(c Config) (resolved Config, sizeBytes int, err error) {
	if c, err = c.resolveConcurrent(0); err != nil {
		return Config{}, 0, err
	}
	return c, 8 * c.Buckets, nil
}

// Config returns the configuration with every default filled in, and Buckets and FingerprintBits in place of Capacity
// and FalsePositiveRate: New of it makes an empty filter with the same table, and NewConcurrent that of a [Concurrent].
func (f *fixed) Config() Config { return f.config }

// resolve returns c with every default filled in and Buckets and FingerprintBits in place of Capacity and
// FalsePositiveRate. The width of the type is 0 for fingerprint.Any.
func (c Config) resolve(ofType uint) (Config, error) {
	problems := config.Problems{Package: pkg}
	problems.Add(c.Validate())
	problems.Width(&c.FingerprintBits, ofType, &c.FalsePositiveRate)
	if err := problems.Err(); err != nil {
		return c, err
	}
	c.Hash, c.Kick = cmp.Or(c.Hash, hashing.XXH3(0)), cmp.Or[KickPolicy](c.Kick, BreadthFirst)
	c.MaxKicks = cmp.Or(c.MaxKicks, policyTable[policyOf(c.Kick)].limit, layoutTable[c.Layout].search)
	if c.FingerprintBits == 0 {
		return c.smallest()
	}
	keys, rate := c.Capacity, c.FalsePositiveRate
	c, err := c.sized()
	if err != nil || rate == 0 {
		return c, err
	}
	keys = cmp.Or(keys, c.promise())
	if got := c.PredictRate(keys); got > rate {
		return c, pkg.Errorf(ErrConfig, "FalsePositiveRate is %v, and with %d bits it is %.3g at %d keys",
			rate, c.FingerprintBits, got, keys)
	}
	return c, nil
}

// minPlanned is the fewest bits that a FalsePositiveRate leads to. Narrower fingerprints are refused early, as few of
// them reach few buckets; who wants them says so.
const minPlanned = 6

// smallest returns the resolved configuration with the smallest table of those that keep FalsePositiveRate, and of equal
// ones the widest: 13 bits in Words take as much as 16. Wider fingerprints can need a smaller table, as one of narrow
// ones is filled less.
func (c Config) smallest() (best Config, err error) {
	rate, limit := c.FalsePositiveRate, c.MaxBytes
	size, lowest := math.MaxInt, 1.0
	c.MaxBytes = math.MaxInt
	for width := max(minPlanned, int(c.Layout.minWidth())); width <= fingerprint.MaxWidth; width++ {
		c.FingerprintBits = width
		r, failed := c.sized()
		if failed != nil {
			err = failed
			continue
		}
		got := r.PredictRate(cmp.Or(c.Capacity, r.promise()))
		lowest = min(lowest, got)
		if bytes, _ := r.size(uint64(r.Buckets)); got <= rate && bytes <= size {
			best, size = r, bytes
		}
	}
	best.MaxBytes = limit
	switch {
	case best.Buckets == 0 && lowest == 1:
		return c, err
	case best.Buckets == 0:
		return c, pkg.Errorf(ErrConfig, "FalsePositiveRate is %v, but the lowest that up to %d bits reach is %.3g",
			rate, fingerprint.MaxWidth, lowest)
	case size > config.MaxBytes(limit):
		return c, pkg.Errorf(ErrTooLarge, "FalsePositiveRate %v takes %d bits and %d bytes, MaxBytes is %d",
			rate, best.FingerprintBits, size, config.MaxBytes(limit))
	}
	return best, nil
}

// sized is resolve once the width and the other defaults are known. It checks the size of the table.
func (c Config) sized() (Config, error) {
	width := c.width()
	if least := c.Layout.minWidth(); width < least {
		return c, pkg.Errorf(ErrConfig, "Layout %v is for fingerprints of at least %d bits, these have %d",
			c.Layout, least, width)
	}
	b := c.Layout.defaultSize(width)
	c.BucketSize = cmp.Or(c.BucketSize, b)
	if c.Layout == Words && c.BucketSize != b {
		return c, pkg.Errorf(ErrConfig, "BucketSize is %d, want %d: so many fingerprints of %d bits make a word",
			c.BucketSize, b, width)
	}
	limit := config.MaxBytes(c.MaxBytes)
	buckets := uint64(c.Buckets)
	if c.Capacity > 0 {
		buckets = c.bucketsFor(uint64(c.Capacity))
	}
	size, ok := c.size(buckets)
	// Where int has 32 bits, slots of a few bits outgrow it before the bytes do.
	if !ok || size > limit || buckets > fingerprint.MaxBuckets || buckets*uint64(c.BucketSize) > math.MaxInt {
		return c, pkg.Errorf(ErrTooLarge, "%d buckets of %d slots of %d bits, MaxBytes is %d",
			buckets, c.BucketSize, width, limit)
	}
	if misfit := c.Placement.fits(buckets); misfit != "" {
		return c, pkg.Errorf(ErrConfig, "Capacity %d takes %d buckets, %s", c.Capacity, buckets, misfit)
	}
	c.Capacity, c.FalsePositiveRate, c.Buckets = 0, 0, int(buckets)
	return c, nil
}

// resolveConcurrent is resolve for a [Concurrent].
func (c Config) resolveConcurrent(ofType uint) (Config, error) {
	problems := config.Problems{Package: pkg}
	if c.Layout != Packed && c.Layout != Words {
		problems.Wrong("Layout is %v, want words, which is the layout of a Concurrent", c.Layout)
	}
	c.Layout = Words
	problems.Add(c.Validate())
	if c.Kick != nil && c.Kick != KickPolicy(BreadthFirst) {
		problems.Wrong("Kick is %s, want breadth-first: others move fingerprints before there is room", c.Kick.Recipe())
	}
	if c.Seed != 0 {
		problems.Wrong("Seed is %d, want 0: a Concurrent has no kicks at random", c.Seed)
	}
	if err := problems.Err(); err != nil {
		return c, err
	}
	return c.resolve(ofType)
}

// FalsePositiveRate returns the predicted false-positive rate at the present load, 1 - exp(-2*b*alpha/(2^f-1)), or 1 -
// exp(-4*alpha/(2^f-1)) under the layout PairedSlots: the share of keys that were never inserted to which Contains says
// yes.
//
// It follows from the number of classes. m buckets and 2^f-1 fingerprints make m*(2^f-1)/2 classes, and a new key is a
// false positive unless all stored keys miss its class. (The usual bound 1-(1-1/2^f)^(2b) of Fan et al. 2014, section
// 5.1, supposes a full table and no reserved 0.) The prediction is for well-mixed digests and an average over hash
// seeds: one set of queries can see a higher or a lower rate. In a table of few buckets the share of pairs that
// coincide is not exactly 1/m, which changes the rate by a few percent of its value.
func (f *reader[F]) FalsePositiveRate() float64 { return f.config.PredictRate(f.len) }

// PredictRate returns the false-positive rate that [Filter.FalsePositiveRate] predicts for n keys in a filter of a
// configuration that [Plan] or [Filter.Config] returned. It is 0 if n, Buckets or BucketSize is below 1, and else NaN
// for a Layout that is unknown or FingerprintBits that are not 1 to 32.
func (c Config) PredictRate(n int) float64 {
	switch {
	case c.Buckets < 1 || c.BucketSize < 1 || n < 1:
		return 0
	case c.Layout >= layouts || c.FingerprintBits < 1 || c.FingerprintBits > fingerprint.MaxWidth:
		return math.NaN()
	}
	// The share 1/m of pairs coincides: they look into one bucket where others look into two.
	among, looked, shared := float64(c.Buckets), 2.0, 1.0
	if layoutTable[c.Layout].paired {
		// Of four slots that a key looks into, those of both buckets are the same two for 2/b of these pairs.
		among, looked, shared = among*float64(c.BucketSize), 4, 4
	}
	keys := (looked - shared/among) * float64(n) / among
	return -math.Expm1(-keys / (math.Ldexp(1, c.FingerprintBits) - 1))
}
