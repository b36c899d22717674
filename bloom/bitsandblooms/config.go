package bitsandblooms

import (
	"math"

	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// pkg is what errors begin with.
const pkg = config.Package("bitsandblooms")

// MaxHashes is the largest number of locations of a key. The other module has no limit. Decode refuses a
// file with more, because the time of a query grows with the number.
const MaxHashes = 1024

// Config says what filter to make. Package bloom's planning finds Bits and Hashes for a rate.
type Config struct {
	_ struct{}

	// Bits is the number of bits of the table, m.
	Bits int
	// Hashes is the number of locations of a key, k: 1 to MaxHashes.
	Hashes int
	// MaxBytes is the largest table, in bytes, that may be allocated; beyond it the error is
	// bloom.ErrTooLarge. The default, 0, is 16 GiB, and 1 GiB where int has 32 bits.
	MaxBytes int
}

// Validate reports everything that is wrong with c for New, each problem on a line of its own, or
// nil. All of it is bloom.ErrConfig.
func (c Config) Validate() error {
	problems := config.Problems{Package: pkg}
	wrong := problems.Wrong
	if c.Bits < 1 {
		wrong("Bits is %d, want at least 1", c.Bits)
	}
	if c.Hashes < 1 || c.Hashes > MaxHashes {
		wrong("Hashes is %d, want 1 to %d", c.Hashes, MaxHashes)
	}
	if c.MaxBytes < 0 {
		wrong("MaxBytes is %d, want at least 0", c.MaxBytes)
	}
	return problems.Err()
}

// fits returns bloom.ErrTooLarge for more bits than allowed.
func (c Config) fits(bits uint64) error {
	limit := uint64(config.MaxBytes(c.MaxBytes))
	if bits > min(limit, bloomcore.MaxTableBytes)*8 || bits > math.MaxInt {
		return pkg.Errorf(errs.TooLarge, "%d bits, MaxBytes is %d", bits, limit)
	}
	return nil
}
