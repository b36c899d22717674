package hashing

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/internal/errs"
)

var (
	// ErrUnknown reports a name or a recipe that no built-in family has.
	ErrUnknown = errors.New("unknown hash family")
	// ErrNotRebuildable reports a recipe from which no Hasher can be made: what it needs, a key or
	// a seed of another process, is not in the recipe.
	ErrNotRebuildable = errors.New("hasher cannot be rebuilt from its recipe")
)

// nameSipHash is the one name that stands in more than one place.
const nameSipHash = "siphash"

// Names returns the names of the families, sorted. [New] makes all of them but siphash, which needs a key. The slice
// is the caller's.
func Names() []string {
	return []string{"fnv1a", "maphash", "metro64", "murmur64a", nameSipHash, "xxh3", "xxh64"}
}

// knownNames is the list of names in errors.
func knownNames() string { return strings.Join(Names(), ", ") }

// New returns the built-in family of that name, one of [Names], with the given seed.
//
// Any other name gives an error that wraps [ErrUnknown] and lists the known ones. MapHash draws a secret of its own
// each time: "maphash" with a seed other than 0 gives an error that says so. So does "siphash", which needs a key:
// New of package hashing/secret draws one, and [SipHash] takes one.
func New(name string, seed uint64) (Hasher, error) {
	switch name {
	case "xxh64":
		return XXH64(seed), nil
	case "metro64":
		return Metro64(seed), nil
	case "fnv1a":
		return FNV1a(seed), nil
	case "murmur64a":
		return Murmur64A(seed), nil
	case "xxh3":
		return XXH3(seed), nil
	case "maphash":
		if seed != 0 {
			return nil, fmt.Errorf("hashing: maphash draws its own seed, so seed must be 0, not %d: %w", seed, errs.Config)
		}
		return MapHash(), nil
	case nameSipHash:
		return nil, fmt.Errorf("hashing: siphash needs a key: SipHash(key) takes one, package hashing/secret draws one: %w",
			errs.Config)
	case "digests":
		return nil, fmt.Errorf("hashing: digests is no hash family, use DigestsOnly: %w", errs.Config)
	}
	return nil, fmt.Errorf("hashing: %w %q (known: %s)", ErrUnknown, name, knownNames())
}

// Parse returns the built-in Hasher that has this recipe, [DigestsOnly] included.
//
// The recipe of a SipHash or a MapHash gives an error that wraps [ErrNotRebuildable] and says what is
// missing. Anything else, the recipe of a user's own family too, gives one that wraps [ErrUnknown];
// recipes are compared as strings, so there is one spelling of each: "xxh64:7", never "xxh64:07".
func Parse(recipe string) (Hasher, error) {
	if recipe == DigestsOnly.Recipe() {
		return DigestsOnly, nil
	}
	name, rest, _ := strings.Cut(recipe, ":")
	switch name {
	case nameSipHash:
		if isMark(rest, "key-") {
			return nil, fmt.Errorf("hashing: %w: %q holds a fingerprint of the key, not the key: use SipHash(key)",
				ErrNotRebuildable, recipe)
		}
	case "maphash":
		if isMark(rest, "process-") {
			return nil, fmt.Errorf("hashing: %w: the seed of %q lived in one process only", ErrNotRebuildable, recipe)
		}
	default:
		seed, err := strconv.ParseUint(rest, 10, 64)
		if err != nil {
			break
		}
		// Only the canonical form: recipes are compared as strings.
		if h, err := New(name, seed); err == nil && h.Recipe() == recipe {
			return h, nil
		}
	}
	return nil, fmt.Errorf("hashing: %w: recipe %q (known: name:seed with a name of %s)", ErrUnknown, recipe, knownNames())
}

// isMark reports whether s is the prefix followed by 16 lower-case hexadecimal digits.
func isMark(s, prefix string) bool {
	digits, ok := strings.CutPrefix(s, prefix)
	return ok && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}
