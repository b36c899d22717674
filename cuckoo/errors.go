package cuckoo

import "github.com/nestfilter/nest/internal/errs"

// The errors of this package. They are shared by all filter packages, so errors.Is with any of their names works on an
// error from any package. Errors that carry one of them say what and where.
var (
	// ErrFull: no slot was found for the key. The table and Len are as they were, and no key inserted earlier is lost.
	// Use a larger Capacity, the policy BreadthFirst, or a [Scalable]. After 2*b copies of one key the next copy is
	// refused at any load.
	ErrFull     = errs.Full
	ErrConfig   = errs.Config   // the configuration cannot be built; the error names each field that is wrong
	ErrMismatch = errs.Mismatch // two filters differ too much to be merged, or a file holds another filter than wanted
	ErrTooLarge = errs.TooLarge // the table would be larger than MaxBytes; nothing was allocated
	ErrTooShort = errs.TooShort // the bytes of a file end before the filter does
	ErrVersion  = errs.Version  // the file has a format version or a filter type that this package does not know
	ErrCorrupt  = errs.Corrupt  // the bytes of a file contradict each other or their checksum
)

// A refused insert allocates nothing, so its errors exist already.
var (
	errNoPath = pkg.Errorf(ErrFull, "no cuckoo path to a free slot within MaxKicks")
	errCopies = pkg.Errorf(ErrFull, "every slot of the key's buckets holds its fingerprint already; "+
		"integers as digests need hashing.Mix64")
	errUnmade = pkg.Errorf(ErrConfig, "the zero value takes no keys, make one with New or NewScalable")
)
