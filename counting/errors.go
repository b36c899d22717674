package counting

import "github.com/nestfilter/nest/internal/errs"

// pkg is what the errors of this package begin with.
const pkg = "counting"

// The errors of this package. All filter packages share them, so errors.Is with any of their names works on an error
// from any package. Errors that carry one of them say what and where.
var (
	ErrConfig   = errs.Config   // the configuration cannot be built; the error names each field that is wrong
	ErrMismatch = errs.Mismatch // two filters cannot be combined, because they were configured differently
	ErrTooLarge = errs.TooLarge // the table would be larger than MaxBytes; nothing was allocated
	ErrTooShort = errs.TooShort // encoded bytes end before the filter does
	ErrVersion  = errs.Version  // encoded bytes are of a format version that this package does not read
	ErrCorrupt  = errs.Corrupt  // encoded bytes contradict themselves or their checksum
)

// ErrFull: there was no room for an insert, and the filter is as it was before the call. A [DLeft] does not grow: make
// one with a larger Capacity, or use a cuckoo.Filter, which fills its table further because it moves fingerprints.
var ErrFull = errs.Full
