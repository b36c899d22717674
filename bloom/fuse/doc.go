// Package fuse is the binary fuse filter, the smallest filter of this module. All keys must be known before the filter
// is made.
//
//	f, err := fuse.Build[fingerprint.Bits8](fuse.Config{}, digests)
//	ok := f.ContainsHash(digest)
//
// A filter of f bits takes 1.08 f bits a key at a million keys, and its rate is 2^-f, whatever the number of keys.
// Nothing can be inserted, deleted or counted, and two filters cannot be merged: [Build] another one. The filter mixes
// digests itself, so distinct integers may be given as digests as they are.
//
// # How it works
//
// The table is an array of fingerprints. A key has four slots in it (or three, [Config].Segments), one in each of as
// many neighbouring segments, and [Build] chooses the fingerprints so that those of a key's slots, combined by
// exclusive or, give the key's own fingerprint. A lookup does the same and compares.
//
//	segments  |  0  |  1  |  2  |  3  |  4  |  5  |  6  | ...
//	a key's              a     b     c     d                     a ^ b ^ c ^ d = fingerprint
//
// To find the fingerprints, Build looks for a slot that one key alone has, takes the key away, and goes on. In the
// opposite order it then sets the slot of each key. Keys are thickest in the middle of the array, so this begins at
// both its ends and works inwards. That is what two goroutines share. If keys are left that have no slot alone, Build
// begins anew with another seed.
//
// Sizes and segments are those of Graf and Lemire 2022, "Binary fuse filters: fast and smaller than xor filters",
// arXiv 2201.01174.
//
// # Size
//
// Slots for each key, with four and with three segments:
//
//	keys    10    100   1000  10^4  10^5  10^6   10^7   10^8
//	four    2.80  1.68  1.38  1.23  1.13  1.077  1.076  1.075
//	three   4.80  1.92  1.41  1.28  1.19  1.130  1.127  1.126
//
// It is not for small sets: for 100 keys at 1% it takes 11.8 bits a key with 7 bits a slot, and a Bloom filter takes
// 9.6.
package fuse

import (
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// pkg is what the errors of this package begin with.
const pkg = config.Package("fuse")

// The errors of this package. They are shared by all filter packages, so errors.Is with any of their names works on
// an error from any package. Errors that carry one of them say what and where.
var (
	ErrConfig   = errs.Config   // the configuration cannot be built, and the error names each field that is wrong
	ErrMismatch = errs.Mismatch // a file is of another type or width, or its hash is not known
	ErrTooLarge = errs.TooLarge // the table would be larger than MaxBytes: nothing was allocated
	ErrTooShort = errs.TooShort // encoded bytes end before the filter does
	ErrVersion  = errs.Version  // encoded bytes are of a format version that this package does not read
	ErrCorrupt  = errs.Corrupt  // encoded bytes contradict themselves or their checksum
)
