package cuckoo

import (
	"errors"
	"math"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/config"
)

// String returns the fields that are set as key=value pairs joined by slashes, in the form that the
// names of benchmarks use, such as
//
//	capacity=1000000/b=4/hash=xxh3:0/placement=xor
//
// [Config.UnmarshalText] reads it back.
func (c Config) String() string { return config.Text(c.fields()) }

// MarshalText returns [Config.String]. It has no error.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText sets the fields that the text names; the others keep their values. A hash with a secret, or one of
// your own, cannot be made from its recipe: set Hash first, and it stays if the text has its recipe. The same is
// true of a kick policy of your own. An error is [ErrConfig], names the key and leaves c as it was. c is not
// validated.
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
		config.Uint64("Seed", "seed", &c.Seed),
		config.Limit(&c.MaxBytes),
	}
}

// policyNamed returns the built-in kick policy of a recipe.
func policyNamed(recipe string) (KickPolicy, error) {
	for b := range policyTable {
		if policyTable[b].name == recipe {
			return builtin(b), nil
		}
	}
	return nil, errors.New("unknown kick policy, want breadth-first, random-walk, round-robin, look-ahead, or set Kick to one of your own before")
}
