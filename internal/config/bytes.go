package config

import "math/bits"

// DefaultMaxBytes is the largest table where a configuration sets no MaxBytes: 16 GiB, or 1 GiB where
// that does not fit into an int.
const DefaultMaxBytes = 1 << (30 + 4*(bits.UintSize/64))

// MaxBytes returns the limit that a configuration sets, 0 standing for the default.
func MaxBytes(set int) int {
	if set == 0 {
		return DefaultMaxBytes
	}
	return set
}
