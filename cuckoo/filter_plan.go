package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/fingerprint"
)

// Plan returns the configuration that [New] would make of c for fingerprints of width bits, 1 to
// fingerprint.MaxWidth, and the size of the table in bytes. Every default is filled in, and Buckets
// replaces Capacity. Plan allocates no table, so it also answers for tables that do not fit into
// memory: set MaxBytes to plan tables beyond its default. Together with [PredictRate] it tells which
// filter to make.
//
// The errors are those of New, and [ErrConfig] if the width is out of range or differs from a
// c.FingerprintBits that is set.
func Plan(c Config, width uint) (resolved Config, sizeBytes int, err error) {
	if width < 1 || width > fingerprint.MaxWidth {
		return Config{}, 0, fmt.Errorf("cuckoo: %w: width is %d, want 1 to %d", ErrConfig, width, fingerprint.MaxWidth)
	}
	resolved, err = c.resolve(width)
	if err != nil {
		return Config{}, 0, err
	}
	sizeBytes, _ = resolved.size(width, uint64(resolved.Buckets)) // resolve checked it
	return resolved, sizeBytes, nil
}
