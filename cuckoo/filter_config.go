package cuckoo

import (
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
)

// Config says what filter to make. Set either Capacity or Buckets. Every other field may be zero, which is its default.
//
// The width of the fingerprints is the type parameter of [Filter], unless that is fingerprint.Any. Tables of fewer than
// 6 bits refuse early, because few fingerprints reach few buckets; see [Filter.Capacity].
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
	// follows from it: from 6 bits on, the widest of those whose table is smallest. Any other width is checked: New
	// returns ErrConfig if it does not keep the rate. The default, 0, asks for none. No rate below some 10^-9 can be
	// kept, as fingerprints have 32 bits at most.
	FalsePositiveRate float64
	// FingerprintBits is the width of the fingerprints of a Filter[fingerprint.Any], 1 to 32 bits, unless it follows
	// from FalsePositiveRate. For every other type of Filter leave it 0, or set it to the width that the type has.
	FingerprintBits int
	// BucketSize is b, the number of slots of a bucket: 1, 2, 4 (default) or 8. With the layout Words it follows from
	// the width.
	BucketSize int
	// Layout is the way in which a bucket is stored. The default is Packed. SemiSorted saves one bit of each
	// fingerprint and is slower. PairedSlots halves the rate, and takes more slots for as many keys. Words is that of a
	// Concurrent.
	Layout Layout
	// Hash makes digests from keys. The default is hashing.XXH3(0). With hashing.DigestsOnly the
	// filter takes only digests, and the verbs that take keys panic.
	Hash hashing.Hasher
	// Placement pairs the buckets. The default is Additive.
	Placement Placement
	// Kick is the policy that makes room if both buckets of a key are full. The default is BreadthFirst.
	Kick KickPolicy
	// MaxKicks bounds the kicks that are tried for one insert, except for the last one of a path, which ends in a free
	// slot. A walk makes each kick that it tries. BreadthFirst tries one for every full bucket that it comes to, or
	// every full slot with the layout PairedSlots, and makes those of its path. The default, 0, is that of the policy:
	// 500 for walks, and 700 for BreadthFirst, or 20000 with PairedSlots. The largest is 65534. The promise of Capacity
	// is for the default.
	MaxKicks int
	// Seed starts the generator of policies that kick at random. It does not change the hash.
	Seed uint64
	// MaxBytes bounds the bytes of the table: New of a larger one returns ErrTooLarge and allocates
	// nothing. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// pkg is what the errors of this package begin with.
const pkg = config.Package("cuckoo")

// Validate returns an error for everything that is wrong with c, or nil. Each problem has a line of its own that names
// the field, and all are [ErrConfig]. It does not know the width. Only [New] and [Plan] can tell that a table is beyond
// MaxBytes or that fingerprints are too narrow for Layout.
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

// width returns the bits of a fingerprint, of a configuration that says them.
func (c *Config) width() uint { return uint(c.FingerprintBits) }

// sameTable returns nil if two resolved configurations tell the same keys apart, so that their fingerprints mean the
// same, and otherwise an [ErrMismatch] that names a field.
func (c Config) sameTable(d Config) error {
	return pkg.DifferIn(c.fields(), d.fields(), "Kick", "MaxKicks", "Seed", "MaxBytes")
}

// String returns the fields that are set as key=value pairs joined by slashes, as the names of benchmarks have them,
// such as capacity=1000000/b=4/hash=xxh3:0/placement=xor. [Config.UnmarshalText] reads it back.
func (c Config) String() string { return config.Text(c.fields()) }

// MarshalText returns [Config.String]. It has no error.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names; the others keep their values. A hash with a secret, or one of your
// own, cannot be made from its recipe: set Hash first, and it stays if the text has its recipe. The same is true of a
// kick policy of your own. An error is [ErrConfig], names the key and leaves c as it was. c is not validated.
func (c *Config) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*Config).fields)
}

// fields returns the table of c.
func (c *Config) fields() []config.Field {
	sizes := []int{1, 2, 4, 8}
	if c.Layout == Words {
		sizes = []int{1, 2, 3, 4, 5, 6, 7, 8}
	}
	return []config.Field{
		config.Int("Capacity", "capacity", &c.Capacity, 1, math.MaxInt),
		config.Int("Buckets", "buckets", &c.Buckets, 1, fingerprint.MaxBuckets),
		config.Rate("FalsePositiveRate", "fpr", &c.FalsePositiveRate),
		config.Int("FingerprintBits", "f", &c.FingerprintBits, 1, fingerprint.MaxWidth),
		config.OneOf("BucketSize", "b", &c.BucketSize, sizes...),
		config.Choice("Layout", "layout", &c.Layout, Layout.MarshalText, (*Layout).UnmarshalText),
		config.Hash(&c.Hash),
		config.Choice("Placement", "placement", &c.Placement, Placement.MarshalText, (*Placement).UnmarshalText),
		config.Part("Kick", "kick", &c.Kick, policyNamed),
		config.Int("MaxKicks", "maxkicks", &c.MaxKicks, 1, maxKicksLimit),
		config.Plain("Seed", "seed", &c.Seed),
		config.Limit(&c.MaxBytes),
	}
}
