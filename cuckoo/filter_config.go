package cuckoo

import (
	"fmt"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/kick"
)

// Config says what filter to make. Set either Capacity or Buckets. Every other field may be zero, which
// is its default.
//
// The width of the fingerprints is the type parameter of [Filter], unless that is fingerprint.Any.
// Tables of fewer than 6 bits refuse early, because few fingerprints reach few buckets; see
// [Filter.Capacity].
type Config struct {
	_ struct{}

	// Capacity is the number of keys that the filter promises to take; the number of buckets follows
	// from it. With the default policy, b = 4 or 8 and fingerprints of at least 8 bits, the promise
	// fails for at most one in 10^6 sets of distinct keys. [Filter.Capacity] has the other cases.
	Capacity int
	// Buckets is the number of buckets, if you size the table yourself. The placements XOR and
	// PlainXOR need a power of two.
	Buckets int
	// FalsePositiveRate is the rate that the filter stays below as long as it has no more keys than Capacity or, where
	// Buckets is set, than [Filter.Capacity] promises. The width of a Filter[fingerprint.Any] without FingerprintBits
	// follows from it: from 6 bits on, that whose table is smallest. Any other width is checked: New returns ErrConfig if it
	// does not keep the rate. The default, 0, asks for none. No rate below some 10^-9 can be kept, as fingerprints
	// have 32 bits at most.
	FalsePositiveRate float64
	// FingerprintBits is the width of the fingerprints of a Filter[fingerprint.Any], 1 to 32 bits, unless it follows from
	// FalsePositiveRate. For every other type of Filter leave it 0, or set it to the width that the type has.
	FingerprintBits int
	// BucketSize is b, the number of slots of a bucket: 1, 2, 4 (default) or 8. With the layout Words it follows from the
	// width.
	BucketSize int
	// Layout is the way in which a bucket is stored. The default is Packed. SemiSorted saves one bit of
	// each fingerprint and is slower. PairedSlots halves the rate, and takes more slots for as many keys. Words is that of a
	// Concurrent.
	Layout Layout
	// Hash makes digests from keys. The default is hashing.XXH3(0). With hashing.DigestsOnly the
	// filter takes only digests, and the verbs that take keys panic.
	Hash hashing.Hasher
	// Placement pairs the buckets. The default is Additive.
	Placement Placement
	// Kick is the policy that makes room if both buckets of a key are full. The default is
	// BreadthFirst.
	Kick KickPolicy
	// MaxKicks bounds the kicks that are tried for one insert, but for the last one of a path, which ends in a free slot. A walk makes
	// each kick that it tries. BreadthFirst tries one for every full bucket that it comes to, or every full slot with the layout
	// PairedSlots, and makes those of its path. The default, 0, is that of the policy: 500 for walks, and 700 for
	// BreadthFirst, or 20000 with PairedSlots. The largest is 65534. The promise of Capacity is for the default.
	MaxKicks int
	// Seed starts the generator of policies that kick at random. It does not change the hash.
	Seed uint64
	// MaxBytes bounds the bytes of the table: New of a larger one returns ErrTooLarge and allocates
	// nothing. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// pkg is what the errors of this package begin with.
const pkg = "cuckoo"

// Validate returns an error for everything that is wrong with c, or nil. Each problem has a line of its
// own that names the field, and all are [ErrConfig].
//
// It does not know the width. Only [New] and [Plan] can tell that a table is beyond MaxBytes or that
// fingerprints are too narrow for Layout. There is no warning of fingerprints below 6 bits, which New
// accepts: such tables refuse early, and [Filter.Capacity] says how early.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	problems.Check(c.fields())
	wrong := problems.Wrong
	switch {
	case c.Capacity == 0 && c.Buckets == 0:
		wrong("Capacity and Buckets are both 0, want one of them")
	case c.Capacity != 0 && c.Buckets != 0:
		wrong("Capacity %d and Buckets %d are both set, want one of them", c.Capacity, c.Buckets)
	}
	if misfit := c.Layout.fits(c.BucketSize); c.BucketSize != 0 && misfit != "" {
		wrong("BucketSize is %d, %s", c.BucketSize, misfit)
	}
	if misfit := c.Placement.fits(uint64(max(c.Buckets, 0))); c.Buckets > 0 && misfit != "" {
		wrong("Buckets is %d, %s", c.Buckets, misfit)
	}
	if b, ok := c.Kick.(builtin); ok && !b.known() {
		wrong("Kick is %d, which is no policy", uint8(b))
	}
	return problems.Err()
}

// resolve returns c with every default filled in and Buckets and FingerprintBits in place of Capacity and
// FalsePositiveRate. The width of the type is 0 for fingerprint.Any.
func (c Config) resolve(ofType uint) (Config, error) {
	problems := config.Problems{Package: pkg}
	problems.Add(c.Validate())
	setWidth(&problems, &c.FingerprintBits, c.FalsePositiveRate, ofType)
	if err := problems.Err(); err != nil {
		return c, err
	}
	if c.Hash == nil {
		c.Hash = hashing.XXH3(0)
	}
	if c.Kick == nil {
		c.Kick = BreadthFirst
	}
	if c.MaxKicks == 0 {
		c.MaxKicks = c.defaultKicks()
	}
	if c.FingerprintBits == 0 {
		return c.smallest()
	}
	keys, rate := c.Capacity, c.FalsePositiveRate
	c, err := c.sized()
	if err != nil || rate == 0 {
		return c, err
	}
	if keys == 0 {
		keys = c.promise()
	}
	if got := c.PredictRate(keys); got > rate {
		return c, fmt.Errorf("cuckoo: %w: FalsePositiveRate is %v, and with fingerprints of %d bits it is %.3g at %d keys",
			ErrConfig, rate, c.FingerprintBits, got, keys)
	}
	return c, nil
}

// setWidth sets FingerprintBits to the width of the type, or adds a problem. The width of fingerprint.Any, 0, is what the
// configuration says or what follows from its rate.
func setWidth(problems *config.Problems, bits *int, rate float64, ofType uint) {
	switch {
	case ofType == 0 && *bits == 0 && rate == 0:
		problems.Wrong("FingerprintBits and FalsePositiveRate are both 0, want one of them for fingerprint.Any")
	case ofType != 0 && *bits != 0 && *bits != int(ofType):
		problems.Wrong("FingerprintBits is %d, and the fingerprints have %d bits", *bits, ofType)
	case ofType != 0:
		*bits = int(ofType)
	}
}

// minPlanned is the fewest bits that a FalsePositiveRate leads to. Narrower fingerprints are refused early, as few of them
// reach few buckets; who wants them says so.
const minPlanned = 6

// smallest returns the resolved configuration with the smallest table of those that keep FalsePositiveRate. Wider fingerprints
// can need a smaller one, as a table of narrow ones is filled less.
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
		keys := c.Capacity
		if keys == 0 {
			keys = r.promise()
		}
		got := r.PredictRate(keys)
		lowest = min(lowest, got)
		if bytes, _ := r.size(uint64(r.Buckets)); got <= rate && bytes < size {
			best, size = r, bytes
		}
	}
	best.MaxBytes = limit
	switch {
	case best.Buckets == 0 && lowest == 1:
		return c, err
	case best.Buckets == 0:
		return c, fmt.Errorf("cuckoo: %w: FalsePositiveRate is %v, but the lowest that fingerprints of up to %d bits reach is %.3g",
			ErrConfig, rate, fingerprint.MaxWidth, lowest)
	case size > config.MaxBytes(limit):
		return c, fmt.Errorf("cuckoo: %w: FalsePositiveRate %v takes fingerprints of %d bits and %d bytes, MaxBytes is %d",
			ErrTooLarge, rate, best.FingerprintBits, size, config.MaxBytes(limit))
	}
	return best, nil
}

// sized is resolve once the width and the other defaults are known. It checks the size of the table.
func (c Config) sized() (Config, error) {
	width := c.width()
	if least := c.Layout.minWidth(); width < least {
		return c, fmt.Errorf("cuckoo: %w: Layout %v is for fingerprints of at least %d bits, these have %d", ErrConfig, c.Layout, least, width)
	}
	b := c.Layout.defaultSize(width)
	if c.BucketSize == 0 {
		c.BucketSize = b
	}
	if c.Layout == Words && c.BucketSize != b {
		return c, fmt.Errorf("cuckoo: %w: BucketSize is %d, want %d, which is how many fingerprints of %d bits layout words has in a bucket",
			ErrConfig, c.BucketSize, b, width)
	}
	limit := config.MaxBytes(c.MaxBytes)
	buckets := uint64(c.Buckets)
	if c.Capacity > 0 {
		buckets = c.bucketsFor(uint64(c.Capacity))
	}
	size, ok := c.size(buckets)
	if !ok || size > limit || buckets > fingerprint.MaxBuckets {
		return c, fmt.Errorf("cuckoo: %w: %d buckets of %d slots of %d bits, MaxBytes is %d",
			ErrTooLarge, buckets, c.BucketSize, width, limit)
	}
	// Where int has 32 bits, slots of a few bits outgrow it before the bytes do.
	if buckets*uint64(c.BucketSize) > math.MaxInt {
		return c, fmt.Errorf("cuckoo: %w: %d buckets of %d slots, more slots than an int counts",
			ErrTooLarge, buckets, c.BucketSize)
	}
	if misfit := c.Placement.fits(buckets); misfit != "" {
		return c, fmt.Errorf("cuckoo: %w: Capacity %d takes %d buckets, %s", ErrConfig, c.Capacity, buckets, misfit)
	}
	c.Capacity, c.FalsePositiveRate, c.Buckets = 0, 0, int(buckets)
	return c, nil
}

// width returns the bits of a fingerprint, of a configuration that says them.
func (c *Config) width() uint { return uint(c.FingerprintBits) }

// defaultKicks returns the default of MaxKicks.
func (c *Config) defaultKicks() int {
	policy, limit := policyOf(c.Kick)
	if policy == kick.BreadthFirst {
		return layoutTable[c.Layout].search
	}
	return limit
}

// sameTable tells whether two resolved configurations tell the same keys apart, so that their
// fingerprints mean the same: all but the kick policy, its limit and seed, and MaxBytes.
func (c Config) sameTable(d Config) error {
	const p = config.Package(pkg)
	switch {
	case c.Buckets != d.Buckets:
		return p.Differ("Buckets", c.Buckets, d.Buckets)
	case c.FingerprintBits != d.FingerprintBits:
		return p.Differ("FingerprintBits", c.FingerprintBits, d.FingerprintBits)
	case c.Buckets == 0: // of zero filters, which have no hash either
		return nil
	case c.BucketSize != d.BucketSize:
		return p.Differ("BucketSize", c.BucketSize, d.BucketSize)
	case c.Layout != d.Layout:
		return p.Differ("Layout", c.Layout, d.Layout)
	case c.Placement != d.Placement:
		return p.Differ("Placement", c.Placement, d.Placement)
	case c.Hash.Recipe() != d.Hash.Recipe():
		return p.Differ("Hash", c.Hash.Recipe(), d.Hash.Recipe())
	}
	return nil
}

// same tells whether two resolved configurations are equal, parts that have a recipe by that.
// MaxBytes is about making a filter and no properties of it.
func (c Config) same(d Config) bool {
	return c.sameTable(d) == nil && (c.Buckets == 0 || c.Kick.Recipe() == d.Kick.Recipe() && c.MaxKicks == d.MaxKicks && c.Seed == d.Seed)
}
