package rediscf

import (
	"errors"

	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// The errors of this package. Those that other filter packages have too are shared with them, so
// errors.Is works with any of their names.
var (
	// ErrFull: no slot was found for the key, and the filter may not grow ([NoGrowth]). It is unchanged.
	ErrFull = errs.Full
	// ErrConfig: a parameter is out of the server's range, which the error names.
	ErrConfig = errs.Config
	// ErrTooLarge: [Limits] forbid it. Nothing was allocated and the filter is unchanged.
	ErrTooLarge = errs.TooLarge
	// ErrCorrupt: a header or a chunk of a dump cannot be one. What was loaded before is unchanged.
	ErrCorrupt = errs.Corrupt
	// ErrExpansions: the filter has 32 sub-filters or more, at which the server refuses every
	// inserting command, free slots or not. Deletes and Compact can bring it below. The filter is unchanged.
	ErrExpansions = errors.New("maximum expansions reached")
	// ErrIncomplete: chunks of a dump are missing. Lookups in such a filter would deny keys that are in it.
	ErrIncomplete = errors.New("dump incomplete")
	// ErrExists: a filter was reserved, or a header loaded, where one is already.
	ErrExists = errors.New("filter exists")
	// ErrNotFound: an insert with InsertOptions.NoCreate into a filter that was not reserved, or a
	// chunk before the header.
	ErrNotFound = errors.New("filter not found")
)

// What errors begin with: the package, and the command where it matters.
const (
	pkg          = config.Package("rediscf")
	loadErrors   = config.Package("rediscf: load")
	headerErrors = config.Package("rediscf: header")
	scanErrors   = config.Package("rediscf: scan")
)

// A refused insert allocates nothing, so its errors exist already.
var (
	errFull = pkg.Errorf(ErrFull, "no free slot within MaxIterations, and the filter does not grow")
	errMost = pkg.Errorf(ErrExpansions, "inserts are refused at %d sub-filters", maxFilters)
)
