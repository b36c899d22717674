package bloomcore

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/errs"
	"github.com/nestfilter/nest/internal/hugepage"
)

// DefaultMaxBytes is the limit of a table where none is set: 16 GiB, or 1 GiB where that does not
// fit into an int.
const DefaultMaxBytes = 1 << (30 + 4*(bits.UintSize/64))

// MaxTableBytes is the limit of every table, whatever the one that is set.
const MaxTableBytes = 1 << 56

// A Sizing is the part of a configuration that decides the shape of a table. Either Capacity and
// Rate are set, or Capacity and Cells, or Cells and Hashes.
type Sizing struct {
	Package   string // the prefix of errors
	CellsName string // what the package's Config calls Cells
	Capacity  int
	Rate      float64
	Cells     int
	Hashes    int
	MaxBytes  int
	MaxCells  uint64 // a limit of the layout, 0 if it has none
	HugePages hugepage.Mode
}

// Shape is what a Sizing resolves to.
type Shape struct {
	Cells  uint64
	Hashes int
}

// Problems returns everything that is wrong with s, each problem an errs.Config that names field
// and value.
func (s Sizing) Problems() []error {
	var problems []error
	wrong := func(format string, args ...any) {
		problems = append(problems, s.errorf(errs.Config, format, args...))
	}
	for _, field := range []struct {
		name  string
		value int
	}{{"Capacity", s.Capacity}, {s.CellsName, s.Cells}, {"Hashes", s.Hashes}, {"MaxBytes", s.MaxBytes}} {
		if field.value < 0 {
			wrong("%s is %d, want at least 0", field.name, field.value)
		}
	}
	if s.Hashes > MaxHashes {
		wrong("Hashes is %d, want at most %d", s.Hashes, MaxHashes)
	}
	if s.Rate != 0 && !(s.Rate > 0 && s.Rate < 1) {
		wrong("FalsePositiveRate is %v, want a number between 0 and 1", s.Rate)
	} else if s.Rate != 0 && s.Rate < digestCollision(s.Capacity) && float64(s.Capacity) < 1<<50 {
		// From 2^50 keys on the table is too large first, which Resolve reports.
		wrong("FalsePositiveRate is %v, but %d digests of 64 bits collide with a new one at %.3g",
			s.Rate, s.Capacity, digestCollision(s.Capacity))
	}
	if !s.HugePages.Valid() {
		wrong("HugePages is %d, want HugePagesAuto, HugePagesOn or HugePagesOff", uint8(s.HugePages))
	}
	if !s.complete() {
		wrong("Capacity is %d, FalsePositiveRate %v, %s %d, Hashes %d: set Capacity and FalsePositiveRate, "+
			"or Capacity and %[3]s, or %[3]s and Hashes, and no more",
			s.Capacity, s.Rate, s.CellsName, s.Cells, s.Hashes)
	}
	return problems
}

// complete tells whether exactly one of the three pairs of fields is set.
func (s Sizing) complete() bool {
	pair := [4]bool{s.Capacity != 0, s.Rate != 0, s.Cells != 0, s.Hashes != 0}
	switch pair {
	case [4]bool{true, true, false, false}, [4]bool{true, false, true, false}, [4]bool{false, false, true, true}:
		return true
	}
	return false
}

// Resolve returns the shape of the table, whose cells have cellBits bits and come in multiples of
// granule, or an error: errs.Config, or errs.TooLarge before anything was allocated.
func (s Sizing) Resolve(model Model, cellBits, granule uint64) (Shape, error) {
	if problems := s.Problems(); problems != nil {
		return Shape{}, errors.Join(problems...)
	}
	maxBytes := uint64(s.MaxBytes)
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	// Config holds the number of cells as an int, so that bounds it too.
	limit := min(min(maxBytes, MaxTableBytes)/8*(64/cellBits), math.MaxInt)
	if s.MaxCells != 0 {
		limit = min(limit, s.MaxCells)
	}
	if s.Cells == 0 {
		cells, k, ok := CellsFor(model, s.Capacity, s.Rate, granule, limit)
		if !ok {
			return Shape{}, s.errorf(errs.TooLarge, "Capacity %d at FalsePositiveRate %v needs more than %d %s (MaxBytes %d)",
				s.Capacity, s.Rate, limit, s.CellsName, maxBytes)
		}
		return Shape{cells, k}, nil
	}
	cells := (uint64(s.Cells) + granule - 1) / granule * granule
	if cells > limit {
		return Shape{}, s.errorf(errs.TooLarge, "%s is %d, at most %d fit (MaxBytes %d)", s.CellsName, s.Cells, limit, maxBytes)
	}
	if s.Hashes != 0 {
		return Shape{cells, s.Hashes}, nil
	}
	k, _ := BestHashes(model, cells, s.Capacity)
	return Shape{cells, k}, nil
}

// errorf returns an error of the given kind in the package's name.
func (s Sizing) errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", s.Package, kind, fmt.Sprintf(format, args...))
}
