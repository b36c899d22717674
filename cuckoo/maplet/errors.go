package maplet

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/internal/errs"
)

// The errors of this package. All but ErrValue are those of package cuckoo under the same names.
var (
	// ErrFull: no slot was found for the pair. The table and Len are as they were. Use a larger Capacity, or [Map.Grow].
	ErrFull = errs.Full
	// ErrConfig: the configuration cannot be built. The error names each field that is wrong.
	ErrConfig = errs.Config
	// ErrMismatch: a file holds something else than the reader asks for.
	ErrMismatch = errs.Mismatch
	// ErrTooLarge: the table would be larger than MaxBytes. Nothing was allocated.
	ErrTooLarge = errs.TooLarge
	// ErrTooShort: the bytes of a file end before the map does.
	ErrTooShort = errs.TooShort
	// ErrVersion: the file has a format version or a type that this package does not know.
	ErrVersion = errs.Version
	// ErrCorrupt: the bytes of a file contradict each other or their checksum.
	ErrCorrupt = errs.Corrupt
	// ErrValue: the value has more bits than Config.ValueBits. Nothing was changed.
	ErrValue = errors.New("value too wide")
)

// A refused insert allocates nothing, so its errors exist already.
var (
	errNoPath = fmt.Errorf("maplet: %w: no cuckoo path to a free slot", ErrFull)
	errClass  = fmt.Errorf("maplet: %w: every slot of the key's buckets holds its fingerprint already; integers as digests need hashing.Mix64", ErrFull)
	errUnmade = fmt.Errorf("maplet: %w: the zero Map takes no pairs, make one with New", ErrConfig)
	errWide   = fmt.Errorf("maplet: %w: it does not fit into Config.ValueBits", ErrValue)
	errBatch  = fmt.Errorf("maplet: %w: there are not as many values as digests", ErrConfig)
)
