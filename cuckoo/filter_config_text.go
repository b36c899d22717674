package cuckoo

import (
	"errors"
	"slices"

	"github.com/nestfilter/nest/internal/conftext"
)

// Described is a part of a configuration that a recipe describes: a hashing.Hasher or a
// [KickPolicy].
type Described interface {
	// Recipe tells this part from every other of its kind.
	Recipe() string
}

// String returns the fields that are set as key=value pairs joined by slashes, in the form that the
// names of benchmarks use, such as
//
//	capacity=1000000/b=4/hash=xxh64:0/placement=xor
//
// [ParseConfig] reads it back.
func (c Config) String() string { return conftext.Text(c.fields(nil)) }

// ParseConfig reads what [Config.String] wrote. Hashers and kick policies that are not built in, or
// that hold a secret, are found by their recipe among known. An error is [ErrConfig] and names the
// field; the configuration is not validated.
func ParseConfig(s string, known ...Described) (Config, error) {
	var c Config
	if err := conftext.Parse("cuckoo", s, c.fields(known)); err != nil {
		return Config{}, err
	}
	return c, nil
}

// fields returns the text form of c, with pointers into c.
func (c *Config) fields(known []Described) []conftext.Field {
	return []conftext.Field{
		conftext.Int("capacity", &c.Capacity),
		conftext.Int("buckets", &c.Buckets),
		conftext.Int("f", &c.FingerprintBits),
		conftext.Int("b", &c.BucketSize),
		conftext.Bool("semisort", &c.SemiSort),
		conftext.Hash("hash", &c.Hash, known),
		{Key: "placement", Text: c.placementText, Parse: c.parsePlacement},
		{Key: "kick", Text: c.kickText, Parse: func(recipe string) error { return c.parseKick(recipe, known) }},
		conftext.Int("maxkicks", &c.MaxKicks),
		conftext.Uint64("seed", &c.Seed),
		conftext.Int("maxbytes", &c.MaxBytes),
		conftext.Name("hugepages", &c.HugePages, parseHugePages),
	}
}

// placementText returns the name of a placement that is not the default.
func (c *Config) placementText() string {
	if c.Placement == Additive {
		return ""
	}
	return c.Placement.String()
}

// parsePlacement sets the placement of a name.
func (c *Config) parsePlacement(name string) (err error) {
	c.Placement, err = parsePlacement(name)
	return err
}

// kickText returns the recipe of the kick policy, if there is one.
func (c *Config) kickText() string {
	if c.Kick == nil {
		return ""
	}
	return c.Kick.Recipe()
}

// parseKick sets the kick policy of a recipe.
func (c *Config) parseKick(recipe string, known []Described) error {
	if p, ok := conftext.Find[KickPolicy](recipe, known); ok {
		c.Kick = p
		return nil
	}
	if at := slices.Index(policyNames[:], recipe); at >= 0 {
		c.Kick = builtin(at)
		return nil
	}
	return errors.New("unknown kick policy, want breadth-first, random-walk, round-robin, look-ahead or one that is passed as known")
}
