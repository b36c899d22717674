package maplet

import (
	"errors"

	"github.com/nestfilter/nest/cuckoo"
)

var (
	// ErrFull: no slot was found for the pair. The table and Len are as they were. Use a larger Capacity, or
	// [Map.Grow].
	ErrFull = cuckoo.ErrFull
	// ErrValue: the value has more bits than Config.ValueBits. Nothing was changed.
	ErrValue = errors.New("value too wide")
)

// These are the errors of package cuckoo: a wrong configuration, maps that cannot be merged, a table beyond MaxBytes,
// and files that are too short, of another version, or damaged.
var (
	ErrConfig   = cuckoo.ErrConfig
	ErrMismatch = cuckoo.ErrMismatch
	ErrTooLarge = cuckoo.ErrTooLarge
	ErrTooShort = cuckoo.ErrTooShort
	ErrVersion  = cuckoo.ErrVersion
	ErrCorrupt  = cuckoo.ErrCorrupt
)

// A refused insert allocates nothing, so its errors exist already.
var (
	errNoPath = pkg.Errorf(ErrFull, "no cuckoo path to a free slot")
	errClass  = pkg.Errorf(ErrFull, "every slot of the key's buckets holds its fingerprint already; "+
		"integers as digests need hashing.Mix64")
	errUnmade = pkg.Errorf(ErrConfig, "the zero Map takes no pairs, make one with New")
	errWide   = pkg.Errorf(ErrValue, "it does not fit into Config.ValueBits")
	errBatch  = pkg.Errorf(ErrConfig, "there are not as many values as digests")
)
