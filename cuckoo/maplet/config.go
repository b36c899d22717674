package maplet

import (
	"math"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/packed"
)

// maxValueBits is the largest width of a value.
const maxValueBits = 40

// Config says what map to make. Set ValueBits, and either Capacity or Buckets. Every other field may be zero, which is
// its default.
type Config struct {
	_ struct{}

	// Capacity is the number of pairs of distinct keys that the map promises to take, with the probabilities that
	// cuckoo.Filter.Capacity states for fingerprints of the same width.
	Capacity int
	// Buckets is the number of buckets, if you size the table yourself: any number up to 2^32.
	Buckets int
	// FingerprintBits is the width of the fingerprints of a Map[fingerprint.Any]: 1 to 32 bits. For every other type of
	// Map leave it 0, or set it to the width that the type has.
	FingerprintBits int
	// ValueBits is the width of a value: 1 to 40 bits, and at most 57 together with the fingerprint. There is no
	// default.
	ValueBits int
	// BucketSize is b, the number of slots of a bucket: 1, 2, 4 (default) or 8.
	BucketSize int
	// Hash makes digests from keys. The default is hashing.XXH3(0). With hashing.DigestsOnly the map takes only
	// digests, and the verbs that take keys panic.
	Hash hashing.Hasher
	// MaxBytes bounds the bytes of the table: New of a larger one returns ErrTooLarge and allocates nothing. The
	// default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// pkg is what the errors of this package begin with.
const pkg = config.Package("maplet")

// filter returns the configuration of the filter whose buckets and promises the map has, without a limit on its size.
func (c Config) filter() cuckoo.Config {
	return cuckoo.Config{
		Capacity: c.Capacity, Buckets: c.Buckets, FingerprintBits: c.FingerprintBits, BucketSize: c.BucketSize,
		Hash: c.Hash, MaxBytes: math.MaxInt,
	}
}

// Validate returns an error for everything that is wrong with c, or nil. Each problem has a line of its own that names
// the field, and all are [ErrConfig]. It does not know the width of the fingerprints, unless FingerprintBits says it.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	problems.Add(c.filter().Validate())
	problems.Check(c.fields())
	if c.ValueBits == 0 {
		problems.Wrong("ValueBits is 0, want 1 to %d", maxValueBits)
	}
	if lane := c.FingerprintBits + c.ValueBits; lane > packed.MaxWidth {
		problems.Wrong("FingerprintBits %d and ValueBits %d are %d bits, want at most %d",
			c.FingerprintBits, c.ValueBits, lane, packed.MaxWidth)
	}
	return problems.Err()
}

// resolve returns c with every default filled in and Buckets in place of Capacity, for the width of a type, which is 0
// for fingerprint.Any, and the size of the table in bytes, which it checks.
func (c Config) resolve(ofType uint) (Config, int, error) {
	problems := config.Problems{Package: pkg}
	problems.Width(&c.FingerprintBits, ofType, nil)
	problems.Add(c.Validate())
	if err := problems.Err(); err != nil {
		return Config{}, 0, err
	}
	f, _, err := cuckoo.Plan(c.filter())
	if err != nil {
		return Config{}, 0, pkg.Wrap(err)
	}
	c.Capacity, c.Buckets, c.BucketSize, c.Hash = 0, f.Buckets, f.BucketSize, f.Hash
	lane, limit := uint(c.FingerprintBits+c.ValueBits), config.MaxBytes(c.MaxBytes)
	size, ok := packed.Plain.Size(lane, uint(c.BucketSize), uint64(c.Buckets))
	if !ok || size > limit {
		return Config{}, 0, pkg.Errorf(ErrTooLarge, "%d buckets of %d slots of %d bits, MaxBytes is %d",
			c.Buckets, c.BucketSize, lane, limit)
	}
	return c, size, nil
}

// Plan returns the configuration that [New] would make of c, and the size of the table in bytes. It needs
// FingerprintBits, as a Map[fingerprint.Any] does. It allocates no table: set MaxBytes to plan tables beyond its
// default. The errors are those of New.
func Plan(c Config) (resolved Config, sizeBytes int, err error) { return c.resolve(0) }

// String returns the fields that are set as key=value pairs joined by slashes, such as capacity=1000000/v=36/b=4.
// [Config.UnmarshalText] reads it back.
func (c Config) String() string { return config.Text(c.fields()) }

// MarshalText returns [Config.String]. It has no error.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names, as that of cuckoo.Config does and with the same errors.
func (c *Config) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*Config).fields)
}

// fields returns the table of c.
func (c *Config) fields() []config.Field {
	return []config.Field{
		config.Int("Capacity", "capacity", &c.Capacity, 1, math.MaxInt),
		config.Int("Buckets", "buckets", &c.Buckets, 1, fingerprint.MaxBuckets),
		config.Int("FingerprintBits", "f", &c.FingerprintBits, 1, fingerprint.MaxWidth),
		config.Int("ValueBits", "v", &c.ValueBits, 1, maxValueBits),
		config.OneOf("BucketSize", "b", &c.BucketSize, 1, 2, 4, 8),
		config.Hash(&c.Hash),
		config.Limit(&c.MaxBytes),
	}
}
