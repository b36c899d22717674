//lint:file-ignore ST1012 the filter packages export these as ErrFull, ErrConfig and so on

// Package errs holds the sentinel errors that every filter package exports under the same names,
// so that errors.Is works whichever package an error came from.
//
// It is the lowest layer: it imports the standard library alone.
package errs

import "errors"

var (
	// Full reports an insert for which there was no room; the filter is as it was before the call.
	Full = errors.New("filter is full")
	// Config reports a configuration that cannot be built.
	Config = errors.New("invalid configuration")
	// Mismatch reports two filters that cannot be combined because they were configured differently.
	Mismatch = errors.New("filters do not match")
	// TooLarge reports a table larger than the limit in force. It is returned before any allocation.
	TooLarge = errors.New("table too large")
	// TooShort reports encoded bytes that end before the filter does.
	TooShort = errors.New("data too short")
	// Version reports encoded bytes of a format version that this package does not read.
	Version = errors.New("unknown format version")
	// Corrupt reports encoded bytes that contradict themselves or their checksum.
	Corrupt = errors.New("data corrupt")
)
