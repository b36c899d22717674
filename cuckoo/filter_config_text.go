package cuckoo

import (
	"errors"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/conftext"
)

// String returns the fields that are set as key=value pairs joined by slashes, in the form that the
// names of benchmarks use, such as
//
//	capacity=1000000/b=4/hash=xxh64:0/placement=xor
//
// [ParseConfig] reads it back.
func (c Config) String() string { return conftext.Text(c.fields(nil)) }

// ParseConfig reads what [Config.String] wrote. Hashers that are not built in, or that hold a secret,
// are found by their recipe among known. A kick policy of your own cannot be read: leave the key kick
// out of the text and set Kick afterwards. An error is [ErrConfig] and names the field. ParseConfig
// does not validate the configuration.
func ParseConfig(s string, known ...hashing.Hasher) (Config, error) {
	var c Config
	if err := conftext.Parse("cuckoo", s, c.fields(known)); err != nil {
		return Config{}, err
	}
	return c, nil
}

// fields returns the text form of c, with pointers into c.
func (c *Config) fields(known []hashing.Hasher) []conftext.Field {
	return []conftext.Field{
		conftext.Int("capacity", &c.Capacity),
		conftext.Int("buckets", &c.Buckets),
		conftext.Int("f", &c.FingerprintBits),
		conftext.Int("b", &c.BucketSize),
		conftext.Name("layout", &c.Layout, parseLayout),
		conftext.Hash("hash", &c.Hash, known),
		conftext.Name("placement", &c.Placement, parsePlacement),
		{Key: "kick", Text: c.kickText, Parse: c.parseKick},
		conftext.Int("maxkicks", &c.MaxKicks),
		conftext.Uint64("seed", &c.Seed),
		conftext.Int("maxbytes", &c.MaxBytes),
	}
}

// kickText returns the recipe of the kick policy, if there is one.
func (c *Config) kickText() string {
	if c.Kick == nil {
		return ""
	}
	return c.Kick.Recipe()
}

// parseKick sets the built-in kick policy of a recipe.
func (c *Config) parseKick(recipe string) error {
	if p, ok := policyNamed(recipe); ok {
		c.Kick = p
		return nil
	}
	return errors.New("unknown kick policy, want breadth-first, random-walk, round-robin, look-ahead; for one of your own leave kick out and set Config.Kick")
}
