package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// The errors of this package. They are shared by all filter packages, so errors.Is with any of
// their names works on an error from any package. Errors that carry one of them say what and where.
var (
	// ErrFull: no slot was found for the key. The table and Len are as they were, and no key
	// inserted earlier is lost. Take a larger Capacity, the policy BreadthFirst, or a filter that
	// grows. A key inserted 2*b times is refused its next copy at any load.
	ErrFull = errs.Full
	// ErrConfig: the configuration cannot be built. The error names each field that is wrong.
	ErrConfig = errs.Config
	// ErrMismatch: two filters cannot be combined, because they were configured differently.
	ErrMismatch = errs.Mismatch
	// ErrTooLarge: the table would be larger than MaxBytes. Nothing was allocated.
	ErrTooLarge = errs.TooLarge
	// ErrTooShort: encoded bytes end before the filter does.
	ErrTooShort = errs.TooShort
	// ErrVersion: encoded bytes are of a format version that this package does not read.
	ErrVersion = errs.Version
	// ErrCorrupt: encoded bytes contradict themselves or their checksum.
	ErrCorrupt = errs.Corrupt
)

// A refused insert allocates nothing, so its two errors exist already.
var (
	errNoPath = fmt.Errorf("cuckoo: %w: no cuckoo path to a free slot within MaxKicks", ErrFull)
	errCopies = fmt.Errorf("cuckoo: %w: every slot of the key's buckets holds its fingerprint already; integers as digests need hashing.Mix64", ErrFull)
)

// errUnmade is what the zero value of a filter refuses keys with.
var errUnmade = fmt.Errorf("cuckoo: %w: the zero value takes no keys, make one with New or NewScalable", ErrConfig)
