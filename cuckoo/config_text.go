package cuckoo

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/hashing"
)

// Described is a part of a configuration that a recipe describes: a hashing.Hasher or a
// [KickPolicy].
type Described interface {
	// Recipe tells this part from every other of its kind.
	Recipe() string
}

// recipeEscapes keeps a user's recipe from being taken for the fields around it.
var (
	recipeEscapes   = strings.NewReplacer("%", "%25", "/", "%2F", "=", "%3D", " ", "%20")
	recipeUnescapes = strings.NewReplacer("%25", "%", "%2F", "/", "%3D", "=", "%20", " ")
)

// String returns the fields that are set as key=value pairs joined by slashes, in the form that the
// names of benchmarks use, such as
//
//	capacity=1000000/b=4/hash=xxh64:0/placement=xor
//
// [ParseConfig] reads it back.
func (c Config) String() string {
	var fields []string
	add := func(set bool, key string, value any) {
		if set {
			fields = append(fields, fmt.Sprintf("%s=%v", key, value))
		}
	}
	add(c.Capacity != 0, "capacity", c.Capacity)
	add(c.Buckets != 0, "buckets", c.Buckets)
	add(c.BucketSize != 0, "b", c.BucketSize)
	if c.Hash != nil {
		add(true, "hash", recipeEscapes.Replace(c.Hash.Recipe()))
	}
	add(c.Placement != Additive, "placement", c.Placement)
	if c.Kick != nil {
		add(true, "kick", recipeEscapes.Replace(c.Kick.Recipe()))
	}
	add(c.MaxKicks != 0, "maxkicks", c.MaxKicks)
	add(c.Seed != 0, "seed", c.Seed)
	add(c.MaxBytes != 0, "maxbytes", c.MaxBytes)
	return strings.Join(fields, "/")
}

// ParseConfig reads what [Config.String] wrote. Hashers and kick policies that are not built in, or
// that hold a secret, are found by their recipe among known. An error is [ErrConfig] and names the
// field; the configuration is not validated.
func ParseConfig(s string, known ...Described) (Config, error) {
	var c Config
	if s == "" {
		return c, nil
	}
	seen := map[string]bool{}
	for field := range strings.SplitSeq(s, "/") {
		key, value, ok := strings.Cut(field, "=")
		if !ok {
			return Config{}, fmt.Errorf("cuckoo: %w: %q is not key=value", ErrConfig, field)
		}
		err := errors.New("the key comes twice")
		if !seen[key] {
			err = c.set(key, recipeUnescapes.Replace(value), known)
		}
		if err != nil {
			return Config{}, fmt.Errorf("cuckoo: %w: %s=%s: %w", ErrConfig, key, value, err)
		}
		seen[key] = true
	}
	return c, nil
}

// set sets the field that String calls key.
func (c *Config) set(key, value string, known []Described) (err error) {
	switch key {
	case "capacity":
		c.Capacity, err = strconv.Atoi(value)
	case "buckets":
		c.Buckets, err = strconv.Atoi(value)
	case "b":
		c.BucketSize, err = strconv.Atoi(value)
	case "hash":
		c.Hash, err = parseHash(value, known)
	case "placement":
		c.Placement, err = parsePlacement(value)
	case "kick":
		c.Kick, err = parseKick(value, known)
	case "maxkicks":
		c.MaxKicks, err = strconv.Atoi(value)
	case "seed":
		c.Seed, err = strconv.ParseUint(value, 10, 64)
	case "maxbytes":
		c.MaxBytes, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("unknown key, want capacity, buckets, b, hash, placement, kick, maxkicks, seed or maxbytes")
	}
	return err
}

// parseHash returns the hasher of a recipe.
func parseHash(recipe string, known []Described) (hashing.Hasher, error) {
	for _, k := range known {
		if h, ok := k.(hashing.Hasher); ok && h.Recipe() == recipe {
			return h, nil
		}
	}
	return hashing.Parse(recipe)
}

// parseKick returns the kick policy of a recipe.
func parseKick(recipe string, known []Described) (KickPolicy, error) {
	for _, k := range known {
		if p, ok := k.(KickPolicy); ok && p.Recipe() == recipe {
			return p, nil
		}
	}
	for _, b := range []builtin{BreadthFirst, RandomWalk, RoundRobin} {
		if b.Recipe() == recipe {
			return b, nil
		}
	}
	return nil, fmt.Errorf("unknown kick policy, want breadth-first, random-walk, round-robin or one that is passed as known")
}
