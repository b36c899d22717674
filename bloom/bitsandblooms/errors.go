package bitsandblooms

import "github.com/nestfilter/nest/internal/errs"

// The errors of this package. They are shared by all filter packages, so errors.Is with any of
// their names works on an error from any package. Errors that carry one of them say what and where.
var (
	// ErrConfig: the configuration cannot be built. The error names the field that is wrong.
	ErrConfig = errs.Config
	// ErrMismatch: two filters, or a filter and a configuration, differ in bits or hashes.
	ErrMismatch = errs.Mismatch
	// ErrTooLarge: the table would be larger than MaxBytes, or a key has more than MaxHashes
	// locations. Nothing was allocated.
	ErrTooLarge = errs.TooLarge
	// ErrTooShort: encoded bytes end before the filter does.
	ErrTooShort = errs.TooShort
	// ErrCorrupt: encoded bytes contradict themselves.
	ErrCorrupt = errs.Corrupt
)
