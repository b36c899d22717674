package foreign

import (
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// The errors of this package. They are shared by all filter packages, so errors.Is with any of
// their names works on an error from any package. Errors that carry one of them say what and where.
var (
	// ErrFull: no slot was found for the key. The table and Len are as they were, unless Config.Lossy
	// asked for the other module's failure. Make a larger filter, as the dump's size cannot change.
	ErrFull = errs.Full
	// ErrConfig: the configuration cannot be built. The error names the field that is wrong.
	ErrConfig = errs.Config
	// ErrMismatch: the configuration asks for another size than the dump has, or two filters to be merged differ in
	// format, buckets or hash.
	ErrMismatch = errs.Mismatch
	// ErrTooLarge: the table would be larger than MaxBytes. Nothing was allocated.
	ErrTooLarge = errs.TooLarge
	// ErrTooShort: the bytes are less than one bucket.
	ErrTooShort = errs.TooShort
	// ErrCorrupt: the bytes are not what a filter of the format writes.
	ErrCorrupt = errs.Corrupt
)

// A refused insert allocates nothing, so its errors exist already.
var (
	errNoPath = fmt.Errorf("foreign: %w: no cuckoo path to a free slot", ErrFull)
	errCopies = fmt.Errorf("foreign: %w: every slot of the key's buckets holds its fingerprint already", ErrFull)
	errUnmade = fmt.Errorf("foreign: %w: the zero Filter takes no keys, make one with New or Decode", ErrConfig)
	errLost   = fmt.Errorf("foreign: %w: the key was stored and, as Lossy asks, another one lost", ErrFull)
)
