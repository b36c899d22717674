package nest

import (
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// The errors that every package of the toolkit shares: errors.Is works whichever package an error came from. The errors
// that wrap them say what is wrong, and where.
var (
	// ErrFull: there was no room for the key, and the filter is as it was before the call. Filters of
	// kinds that can be full return it: [Kind] says which.
	ErrFull = errs.Full
	// ErrConfig: the filter that a [Spec] asks for cannot be built. The error names each field that is wrong.
	ErrConfig = errs.Config
	// ErrMismatch: two filters cannot be merged, because they are of different kinds or were
	// configured differently, or a file cannot be read, because its hash or kick policy is not known.
	ErrMismatch = errs.Mismatch
	// ErrTooLarge: the table would be larger than Spec.MaxBytes. No table was allocated.
	ErrTooLarge = errs.TooLarge
	// ErrTooShort: encoded bytes end before the filter does.
	ErrTooShort = errs.TooShort
	// ErrVersion: encoded bytes are of a format version that is not read.
	ErrVersion = errs.Version
	// ErrCorrupt: encoded bytes contradict themselves or their checksum.
	ErrCorrupt = errs.Corrupt
)

// pkg is what errors of this package begin with, and those of the packages below where they leave this one.
const pkg = config.Package("nest")
