package cuckoo

import (
	"errors"
	"fmt"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/packed"
)

// The width of a filter's fingerprints is a constant of its type or, with fingerprint.Any, what its table
// says. In code for Bits1 to Bits32 the functions below fold to constants, so that Any costs those types
// nothing.

// widthIn returns the width of the fingerprints in a table, given that of the type. (Were the type its own
// parameter, the verbs would load its dictionary.)
func widthIn(t *packed.Table, ofType uint) uint {
	if ofType != 0 {
		return ofType
	}
	return t.Width()
}

// widthFor returns the width that F or, for Any, FingerprintBits says.
func widthFor[F fingerprint.Width](configured int) uint {
	if w := fingerprint.WidthOf[F](); w != 0 {
		return w
	}
	return uint(configured)
}

// storedBits returns FingerprintBits of a resolved configuration.
func storedBits[F fingerprint.Width](width uint) int {
	if fingerprint.WidthOf[F]() != 0 {
		return 0 // so that the configuration serves filters of every type
	}
	return int(width)
}

// checkBits holds FingerprintBits to say a width where the type F does not. Whether it is in range, and
// that of the type, resolve checks. Of other problems it returns those too.
func checkBits[F fingerprint.Width, C interface{ Validate() error }](c C, configured int) error {
	if fingerprint.WidthOf[F]() != 0 || configured != 0 {
		return nil
	}
	return errors.Join(fmt.Errorf("cuckoo: %w: FingerprintBits is 0, want 1 to %d for fingerprint.Any", ErrConfig, fingerprint.MaxWidth), c.Validate())
}

// typeName returns the name of F.
func typeName[F fingerprint.Width]() string {
	if w := fingerprint.WidthOf[F](); w != 0 {
		return fmt.Sprintf("Bits%d", w)
	}
	return "Any"
}

// width returns the bits of a fingerprint.
func (f *reader[F]) width() uint { return widthIn(&f.engine.Table, fingerprint.WidthOf[F]()) }

// width returns the bits of a fingerprint.
func (s *scalableReader[F]) width() uint { return widthIn(&s.engine.Table, fingerprint.WidthOf[F]()) }
