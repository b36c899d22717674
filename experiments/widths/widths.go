// Package widths makes cuckoo filters whose fingerprint width is known at run time only: from a
// flag, a loop over widths or a sizing rule.
//
// They are of type fingerprint.Any, one type for all widths, behind an interface. A call costs some nanoseconds
// more than one of a filter whose width is a type: time batches, and name the type where a single call is timed.
package widths

import (
	"fmt"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/errs"
)

// A Filter is a *cuckoo.Filter of any width; the methods are documented there.
type Filter interface {
	InsertHash(h uint64) error                   // cuckoo.ErrFull leaves the table as it was
	InsertHashes(hs []uint64) (n int, err error) // hs[:n] are in
	InsertUniqueHash(h uint64) (bool, error)     // false: its class was there already
	ContainsHash(h uint64) bool                  // no false negatives
	ContainsHashes(hs []uint64, dst []bool)      // dst at least as long as hs
	DeleteHash(h uint64) bool                    // for inserted keys only
	DeleteHashes(hs []uint64) int                // how many were found
	CountHash(h uint64) int                      // fingerprints of the class of h
	Len() int                                    // fingerprints stored
	Slots() int                                  // cells that exist
	LoadFactor() float64                         // Len / Slots
	SizeBytes() int                              // of the table
	FalsePositiveRate() float64                  // predicted at the present load
	Stats() cuckoo.Stats                         // kicks and refusals
	Config() cuckoo.Config                       // resolved
	Reset()                                      // as new
}

// New returns an empty filter with fingerprints of width bits, 1 to fingerprint.MaxWidth. The errors
// are those of cuckoo.New, and cuckoo.ErrConfig for another width.
func New(width uint, c cuckoo.Config) (Filter, error) {
	if width < 1 || width > fingerprint.MaxWidth {
		return nil, fmt.Errorf("widths: %w: width is %d, want 1 to %d", errs.Config, width, fingerprint.MaxWidth)
	}
	c.FingerprintBits = int(width)
	f, err := cuckoo.New[fingerprint.Any](c)
	if err != nil {
		return nil, err // and not f: a nil *cuckoo.Filter would be a Filter that is not nil
	}
	return f, nil
}
