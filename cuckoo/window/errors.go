package window

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
)

// ErrFull: no slot was found for a new key. Keys, ages and Len are as they were. Use a larger Capacity, or
// Config.ForgetEarly.
var ErrFull = cuckoo.ErrFull

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
	errNoPath = fmt.Errorf("window: %w: no cuckoo path to a free slot", ErrFull)
	errUnmade = fmt.Errorf("window: %w: the zero Filter takes no keys, make one with New", ErrConfig)
)
