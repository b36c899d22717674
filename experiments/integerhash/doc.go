// Package integerhash has the two hash families for integers that the code of the cuckoo filter's authors
// offers: two independent multiply-shift and simple tabulation. They are here to repeat experiments. A program
// that stores integers takes hashing.Mix, which is faster and mixes better.
//
// They keep all promises of [hashing.Hasher] but one: they hash keys of 8 bytes only, and panic on others. Package
// hashing does not know them, so a program that opens a file of theirs names the Hasher among the known ones:
//
//	h, err := integerhash.Parse("multiply-shift:7")
//	...
//	f, err := nest.OpenFile("keys.nest", h)
package integerhash

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/hashing"
)

// Families returns the families of this package under one seed, sorted by name.
func Families(seed uint64) []hashing.Hasher {
	return []hashing.Hasher{TwoIndependentMultiplyShift(seed), SimpleTabulation(seed)}
}

// Parse returns the Hasher of this package that has the recipe. The error wraps [hashing.ErrUnknown]. Recipes are
// compared as strings, as hashing.Parse does it.
func Parse(recipe string) (hashing.Hasher, error) {
	_, text, _ := strings.Cut(recipe, ":")
	seed, _ := strconv.ParseUint(text, 10, 64)
	for _, h := range Families(seed) {
		if h.Recipe() == recipe {
			return h, nil
		}
	}
	return nil, fmt.Errorf("integerhash: %w: recipe %q (known: %s:seed, %s:seed)", hashing.ErrUnknown, recipe,
		nameMultiplyShift, nameTabulation)
}

// Is reports whether h is of this package, so that it panics on keys of other than 8 bytes.
func Is(h hashing.Hasher) bool {
	_, ok := h.(*family)
	return ok
}
