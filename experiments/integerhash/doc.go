// Package integerhash has the two hash families for integers that the code of the cuckoo filter's authors
// offers: two independent multiply-shift and simple tabulation. They are here to repeat experiments. A program
// that stores integers takes hashing.Mix, which is faster and mixes better.
//
// They keep all promises of [hashing.Hasher] but one: they hash keys of 8 bytes only, and panic on others. Package
// hashing does not know them, so a program that opens a file of theirs names the Hasher among the known ones:
//
//	f, err := nest.OpenFile("keys.nest", integerhash.TwoIndependentMultiplyShift(7))
package integerhash

import "github.com/nestfilter/nest/hashing"

// Families returns the families of this package under one seed, sorted by name.
func Families(seed uint64) []hashing.Hasher {
	return []hashing.Hasher{TwoIndependentMultiplyShift(seed), SimpleTabulation(seed)}
}

// Is reports whether h is of this package, so that it panics on keys of other than 8 bytes.
func Is(h hashing.Hasher) bool {
	_, ok := h.(*family)
	return ok
}
