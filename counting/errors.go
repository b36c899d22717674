package counting

import "github.com/nestfilter/nest/internal/errs"

// pkg is what the errors of this package begin with.
const pkg = "counting"

// The errors of this package. They are shared by all filter packages, so errors.Is with any of
// their names works on an error from any package. Errors that carry one of them say what and where.
var (
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

// ErrFull: there was no room for an insert, and the filter is as it was before the call. A [DLeft] does not grow: make
// one with a larger Capacity, or use a cuckoo.Filter, which fills its table further because it moves fingerprints.
var ErrFull = errs.Full
