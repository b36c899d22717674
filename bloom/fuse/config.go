package fuse

import (
	"cmp"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
)

// Config says what filter to build. Every field may be zero, but a Filter of fingerprint.Any needs a width or a rate.
type Config struct {
	_ struct{}

	// FingerprintBits is the width of fingerprints of fingerprint.Any: 1 to 32 bits. Of any other type it may be 0.
	FingerprintBits int
	// FalsePositiveRate is the highest rate wanted, above 0 and below 1: 2^-f of f bits. Where FingerprintBits is 0,
	// fingerprints of fingerprint.Any get the fewest bits that keep it; a width that is known is checked.
	FalsePositiveRate float64
	// Segments is the number of slots that a key has, each in a segment of its own: 4 (default) or 3, which takes 5%
	// more memory, is built faster and loads one slot less in a lookup.
	Segments int
	// Hash makes digests from keys. The default is hashing.XXH3(0). With hashing.DigestsOnly the filter answers for
	// digests only: the verbs that take keys panic.
	Hash hashing.Hasher
	// MaxBytes bounds the bytes of the table: [Build] of a larger one returns ErrTooLarge and allocates nothing. The
	// default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// Validate returns an [ErrConfig] with a line for each field that is wrong, or nil. It does not know the type of the
// filter, nor how many keys there will be.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	problems.Check(c.fields())
	return problems.Err()
}

// String returns the fields that are set, such as f=8/hash=xxh3:0; the other keys are fpr, segments and maxbytes.
// [Config.UnmarshalText] reads it back.
func (c Config) String() string { return config.Text(c.fields()) }

// MarshalText returns [Config.String]. It has no error.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names, and validates nothing. A hash with a secret, or one of your own,
// must be in Hash before, and stays if the text has its recipe. An error is [ErrConfig] and leaves c as it was.
func (c *Config) UnmarshalText(text []byte) error {
	return config.Read(pkg, string(text), c, (*Config).fields)
}

// fields returns the table of c.
func (c *Config) fields() []config.Field {
	return []config.Field{
		config.Int("FingerprintBits", "f", &c.FingerprintBits, 1, fingerprint.MaxWidth),
		config.Rate("FalsePositiveRate", "fpr", &c.FalsePositiveRate),
		config.OneOf("Segments", "segments", &c.Segments, 3, 4),
		config.Hash(&c.Hash),
		config.Limit(&c.MaxBytes),
	}
}

// resolve returns c with every default filled in, for fingerprints of the width or, where that is 0, of the one that
// c says.
func (c Config) resolve(width uint) (Config, error) {
	if err := c.Validate(); err != nil {
		return c, err
	}
	p := config.Problems{Package: pkg}
	p.Width(&c.FingerprintBits, width, &c.FalsePositiveRate)
	least := bitsFor(c.FalsePositiveRate)
	c.FingerprintBits = cmp.Or(c.FingerprintBits, least)
	if p.None() && least > c.FingerprintBits || least > fingerprint.MaxWidth {
		p.Wrong("FalsePositiveRate is %v, which takes %d bits, want at most %d", c.FalsePositiveRate, least,
			min(c.FingerprintBits, fingerprint.MaxWidth))
	}
	hash := hashing.NewDigester(c.Hash)
	c.Segments, c.Hash, c.FalsePositiveRate = cmp.Or(c.Segments, 4), hash.Hasher(), 0
	return c, p.Err()
}

// bitsFor returns the fewest bits that keep a rate: 0 of none.
func bitsFor(rate float64) int {
	if rate == 0 {
		return 0
	}
	_, exp := math.Frexp(rate) // rate is 2^exp times at least one half
	return max(1, 1-exp)
}

// table returns the table of a resolved configuration for so many keys, without its bytes.
func (c *Config) table(keys uint64) (table, error) {
	t := table{shape: shape{keys: keys, width: uint64(c.FingerprintBits), four: c.Segments == 4}.sized()}
	size, ok := t.size()
	if limit := config.MaxBytes(c.MaxBytes); !ok || size > limit || t.slots() > min(MaxSlots, math.MaxInt) {
		return t, pkg.Errorf(ErrTooLarge, "%d slots of %d bits, MaxBytes is %d", t.slots(), t.width, limit)
	}
	return t, nil
}

// Plan returns the slots and bytes of the filter that [Build] would make of so many distinct digests, with the width or
// the rate of c. It allocates nothing. The errors are those of Build, and [ErrConfig] for fewer keys than none.
func Plan(c Config, keys int) (slots, sizeBytes int, err error) {
	if keys < 0 {
		return 0, 0, pkg.Errorf(ErrConfig, "%d keys", keys)
	}
	if c, err = c.resolve(0); err != nil {
		return 0, 0, err
	}
	t, err := c.table(uint64(keys))
	if err != nil {
		return 0, 0, err
	}
	sizeBytes, _ = t.size() // table checked it
	return int(t.slots()), sizeBytes, nil
}
