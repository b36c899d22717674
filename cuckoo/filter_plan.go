package cuckoo

import (
	"fmt"

	"github.com/nestfilter/nest/fingerprint"
)

// Plan returns the configuration that [New] would resolve c to, with the default of every field and
// Buckets in place of Capacity, and the size of the table in bytes, for fingerprints of width bits,
// 1 to fingerprint.MaxWidth. It allocates no table, so it also answers for tables that would not fit
// into memory: raise MaxBytes to plan beyond its default. With [PredictRate] it tells which filter
// to make.
//
// The errors are those of New, and [ErrConfig] for a width out of range, or other than c.FingerprintBits where
// that is set.
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
