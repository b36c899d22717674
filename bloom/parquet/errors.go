package parquet

import "github.com/nestfilter/nest/internal/errs"

// The errors of this package. They are shared by all filter packages, so errors.Is with any of
// their names works on an error from any package. Errors that carry one of them say what and where.
var (
	// ErrConfig: the configuration cannot be built. The error names the field that is wrong.
	ErrConfig = errs.Config
	// ErrMismatch: the filter has another hash than Parquet's, or the configuration another size than
	// the bytes.
	ErrMismatch = errs.Mismatch
	// ErrTooLarge: the bitset is larger than MaxBytes, or than a header can say.
	ErrTooLarge = errs.TooLarge
	// ErrTooShort: the bytes end before the filter does.
	ErrTooShort = errs.TooShort
	// ErrVersion: the header names an algorithm, hash or compression that this package does not know.
	ErrVersion = errs.Version
	// ErrCorrupt: the bytes cannot be a filter.
	ErrCorrupt = errs.Corrupt
)
