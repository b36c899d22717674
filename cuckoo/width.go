package cuckoo

import "github.com/nestfilter/nest/internal/packed"

// The width of a filter's fingerprints is a constant of its type or, with fingerprint.Any, what its table
// says.

// widthIn returns the width of the fingerprints in a table, given that of the type. In code for Bits1 to Bits32 it folds to a
// constant, so that Any costs those types nothing. (Were the type its own parameter, the verbs would load its dictionary.)
func widthIn(t *packed.Table, ofType uint) uint {
	if ofType != 0 {
		return ofType
	}
	return t.Width()
}
