package hashing

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/internal/errs"
)

var (
	// ErrUnknown reports a name or a recipe that no built-in family has.
	ErrUnknown = errors.New("unknown hash family")
	// ErrNotRebuildable reports a file whose hash needs something that the file does not have: the secret key of
	// SipHash, or the seed of maphash, which ends with its process. Pass the Hasher itself to the function that opens
	// the file.
	ErrNotRebuildable = errors.New("hasher cannot be rebuilt from its recipe")
)

// families has a family for each kind but kindUser, and the function that makes it if a seed is all that this takes.
var families = [...]struct {
	name   string
	ofSeed func(seed uint64) Hasher
}{
	kindXXH3:      {"xxh3", XXH3},
	kindXXH64:     {"xxh64", XXH64},
	kindMetro64:   {"metro64", Metro64},
	kindFNV1a:     {"fnv1a", FNV1a},
	kindSipHash:   {name: "siphash"},
	kindMapHash:   {name: "maphash"},
	kindMurmur64A: {"murmur64a", Murmur64A},
}

// Names returns the names of the families, sorted. [New] makes all of them but siphash, which needs a key. The slice
// is the caller's.
func Names() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

// knownNames is the list of names in errors.
func knownNames() string { return strings.Join(Names(), ", ") }

// New returns the built-in family of that name, one of [Names], with the given seed.
//
// Any other name gives an error that wraps [ErrUnknown] and lists the known ones. An error says why there is no
// "maphash" with a seed other than 0, as it draws its own, and no "siphash", whose key New of package hashing/secret
// draws.
func New(name string, seed uint64) (Hasher, error) {
	for _, f := range families {
		if f.name == name && f.ofSeed != nil {
			return f.ofSeed(seed), nil
		}
	}
	switch name {
	case "maphash":
		if seed != 0 {
			return nil, fmt.Errorf("hashing: maphash draws its own seed, so seed must be 0, not %d: %w",
				seed, errs.Config)
		}
		return MapHash(), nil
	case "siphash":
		return nil, fmt.Errorf("hashing: siphash needs a key: "+
			"SipHash(key) takes one, package hashing/secret draws one: %w", errs.Config)
	case "digests":
		return nil, fmt.Errorf("hashing: digests is no hash family, use DigestsOnly: %w", errs.Config)
	}
	return nil, fmt.Errorf("hashing: %w %q (known: %s)", ErrUnknown, name, knownNames())
}

// Parse returns the built-in Hasher that has this recipe, [DigestsOnly] included.
//
// The recipe of a SipHash or a MapHash gives an error that wraps [ErrNotRebuildable] and says what is missing. Anything
// else, a user's own family too, gives one that wraps [ErrUnknown]. There is one spelling: "xxh64:7", never "xxh64:07".
func Parse(recipe string) (Hasher, error) {
	if recipe == DigestsOnly.Recipe() {
		return DigestsOnly, nil
	}
	name, rest, _ := strings.Cut(recipe, ":")
	switch {
	case name == "siphash" && isMark(rest, "key-"):
		return nil, fmt.Errorf("hashing: %w: %q holds a fingerprint of the key, not the key: use SipHash(key)",
			ErrNotRebuildable, recipe)
	case name == "maphash" && isMark(rest, "process-"):
		return nil, fmt.Errorf("hashing: %w: the seed of %q lived in one process only", ErrNotRebuildable, recipe)
	}
	if seed, err := strconv.ParseUint(rest, 10, 64); err == nil {
		// Only the canonical form: recipes are compared as strings.
		if h, err := New(name, seed); err == nil && h.Recipe() == recipe {
			return h, nil
		}
	}
	return nil, fmt.Errorf("hashing: %w: recipe %q (known: name:seed with a name of %s)",
		ErrUnknown, recipe, knownNames())
}

// isMark reports whether s is the prefix followed by 16 lower-case hexadecimal digits.
func isMark(s, prefix string) bool {
	digits, ok := strings.CutPrefix(s, prefix)
	return ok && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}
