package bloomcore

import (
	"math"

	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// MaxTableBytes is the limit of every table, whatever the one that is set.
const MaxTableBytes = 1 << 56

// A Sizing is the part of a configuration that decides the shape of a table. Either Capacity and
// Rate are set, or Capacity and Cells, or Cells and Hashes.
type Sizing struct {
	Package   config.Package
	Fields    []config.Field // of the package's Config
	CellsName string         // what that calls Cells
	Capacity  int
	Rate      float64
	Cells     int
	Hashes    int
	MaxBytes  int
	MaxCells  uint64 // a limit of the layout, 0 if it has none
}

// Shape is what a Sizing resolves to.
type Shape struct {
	Cells  uint64
	Hashes int
}

// Check adds to p everything that is wrong with s.
func (s Sizing) Check(p *config.Problems) {
	p.Check(s.Fields)
	if s.Rate > 0 && s.Rate < digestCollision(s.Capacity) && float64(s.Capacity) < 1<<50 {
		// From 2^50 keys on the table is too large first, which Resolve reports.
		p.Wrong("FalsePositiveRate is %v, but %d digests of 64 bits collide with a new one at %.3g",
			s.Rate, s.Capacity, digestCollision(s.Capacity))
	}
	if !s.complete() {
		p.Wrong("Capacity is %d, FalsePositiveRate %v, %s %d, Hashes %d: set Capacity and FalsePositiveRate, "+
			"or Capacity and %[3]s, or %[3]s and Hashes, and no more",
			s.Capacity, s.Rate, s.CellsName, s.Cells, s.Hashes)
	}
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
	problems := config.Problems{Package: s.Package}
	if s.Check(&problems); !problems.None() {
		return Shape{}, problems.Err()
	}
	maxBytes := uint64(config.MaxBytes(s.MaxBytes))
	// Config holds the number of cells as an int, so that bounds it too.
	limit := min(min(maxBytes, MaxTableBytes)/8*(64/cellBits), math.MaxInt)
	if s.MaxCells != 0 {
		limit = min(limit, s.MaxCells)
	}
	if s.Cells == 0 {
		cells, k, ok := CellsFor(model, s.Capacity, s.Rate, granule, limit)
		if !ok {
			return Shape{}, s.Package.Errorf(errs.TooLarge, "Capacity %d at FalsePositiveRate %v needs more than %d %s (MaxBytes %d)",
				s.Capacity, s.Rate, limit, s.CellsName, maxBytes)
		}
		return Shape{cells, k}, nil
	}
	cells := (uint64(s.Cells) + granule - 1) / granule * granule
	if cells > limit {
		return Shape{}, s.Package.Errorf(errs.TooLarge, "%s is %d, at most %d fit (MaxBytes %d)", s.CellsName, s.Cells, limit, maxBytes)
	}
	if s.Hashes != 0 {
		return Shape{cells, s.Hashes}, nil
	}
	k, _ := BestHashes(model, cells, s.Capacity)
	return Shape{cells, k}, nil
}
