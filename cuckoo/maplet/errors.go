package maplet

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
)

var (
	// ErrFull: no slot was found for the pair. The table and Len are as they were. Use a larger Capacity, or
	// [Map.Grow].
	ErrFull = cuckoo.ErrFull
	// ErrValue: the value has more bits than Config.ValueBits. Nothing was changed.
	ErrValue = errors.New("value too wide")
)

// Package cuckoo says of these what they mean.
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
	errNoPath = fmt.Errorf("maplet: %w: no cuckoo path to a free slot", ErrFull)
	errClass  = fmt.Errorf("maplet: %w: every slot of the key's buckets holds its fingerprint already; integers as digests need hashing.Mix64", ErrFull)
	errUnmade = fmt.Errorf("maplet: %w: the zero Map takes no pairs, make one with New", ErrConfig)
	errWide   = fmt.Errorf("maplet: %w: it does not fit into Config.ValueBits", ErrValue)
	errBatch  = fmt.Errorf("maplet: %w: there are not as many values as digests", ErrConfig)
)
