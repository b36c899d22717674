// Package widths makes cuckoo filters whose fingerprint width is known at run time only: from a
// flag, a loop over widths or a sizing rule.
//
// The width of a cuckoo.Filter is a type parameter, so each of the 32 is separate code. This package
// instantiates all of them and hands them out behind one interface. A call through the interface
// costs a few nanoseconds more than one on the concrete type: time batches, not single digests.
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

// A maker holds the constructors of one width.
type maker struct {
	empty func(cuckoo.Config) (Filter, error)
	build func(cuckoo.Config, []uint64) (Filter, error)
}

// New returns an empty filter with fingerprints of width bits, 1 to fingerprint.MaxWidth. The errors
// are those of cuckoo.New, and cuckoo.ErrConfig for another width.
func New(width uint, c cuckoo.Config) (Filter, error) {
	m, err := makerOf(width)
	if err != nil {
		return nil, err
	}
	return m.empty(c)
}

// Build is New followed by the bulk construction of cuckoo.Build, whose errors it returns.
func Build(width uint, c cuckoo.Config, hs []uint64) (Filter, error) {
	m, err := makerOf(width)
	if err != nil {
		return nil, err
	}
	return m.build(c, hs)
}

func makerOf(width uint) (maker, error) {
	if width < 1 || width > fingerprint.MaxWidth {
		return maker{}, fmt.Errorf("widths: %w: width is %d, want 1 to %d", errs.Config, width, fingerprint.MaxWidth)
	}
	return makers[width-1], nil
}

// of returns the constructors of one width. A nil *cuckoo.Filter must not become a Filter that is
// not nil, hence the two checks.
func of[F fingerprint.Width]() maker {
	return maker{
		empty: func(c cuckoo.Config) (Filter, error) {
			f, err := cuckoo.New[F](c)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
		build: func(c cuckoo.Config, hs []uint64) (Filter, error) {
			f, err := cuckoo.Build[F](c, hs)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
	}
}

// makers holds width w at index w-1.
var makers = [fingerprint.MaxWidth]maker{
	of[fingerprint.Bits1](), of[fingerprint.Bits2](), of[fingerprint.Bits3](), of[fingerprint.Bits4](),
	of[fingerprint.Bits5](), of[fingerprint.Bits6](), of[fingerprint.Bits7](), of[fingerprint.Bits8](),
	of[fingerprint.Bits9](), of[fingerprint.Bits10](), of[fingerprint.Bits11](), of[fingerprint.Bits12](),
	of[fingerprint.Bits13](), of[fingerprint.Bits14](), of[fingerprint.Bits15](), of[fingerprint.Bits16](),
	of[fingerprint.Bits17](), of[fingerprint.Bits18](), of[fingerprint.Bits19](), of[fingerprint.Bits20](),
	of[fingerprint.Bits21](), of[fingerprint.Bits22](), of[fingerprint.Bits23](), of[fingerprint.Bits24](),
	of[fingerprint.Bits25](), of[fingerprint.Bits26](), of[fingerprint.Bits27](), of[fingerprint.Bits28](),
	of[fingerprint.Bits29](), of[fingerprint.Bits30](), of[fingerprint.Bits31](), of[fingerprint.Bits32](),
}
