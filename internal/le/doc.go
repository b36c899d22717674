// Package le reads and writes little-endian words at any byte offset of a slice. It is the only
// place in the module that reads a table through package unsafe.
//
// Two implementations share one face: unaligned machine loads without bounds checks where the
// architecture allows them, and encoding/binary everywhere else and under the build tag purego.
// A differential fuzz test holds the two together.
//
// The functions do not check that the word lies inside the slice: the caller keeps 8 bytes of
// padding behind its table. Builds with -race or the tag invariants check it.
package le
