package bloomcore

import (
	"math"

	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/config"
	"github.com/nestfilter/nest/internal/errs"
)

// MaxTableBytes is the limit of every table, whatever the one that is set.
const MaxTableBytes = 1 << 56

// A Sizing is the part of a configuration that decides the shape of a table. Either Capacity and
// Rate are set, or Capacity and Cells, or Cells and Hashes.
type Sizing struct {
	Package  config.Package
	Fields   []config.Field // of the package's Config
	Capacity int
	Rate     float64
	Cells    int
	Hashes   int
	CellBits int
	Hash     hashing.Hasher
	MaxBytes int
}

// Check adds to p everything that is wrong with s.
func (s Sizing) Check(p *config.Problems) {
	p.Check(s.Fields)
	if s.Rate > 0 && s.Rate < digestCollision(s.Capacity) && float64(s.Capacity) < 1<<50 {
		// From 2^50 keys on the table is too large first, which Resolve reports.
		p.Wrong("FalsePositiveRate is %v, but %d digests of 64 bits collide with a new one at %.3g",
			s.Rate, s.Capacity, digestCollision(s.Capacity))
	}
	switch [4]bool{s.Capacity != 0, s.Rate != 0, s.Cells != 0, s.Hashes != 0} {
	case [4]bool{true, true, false, false}, [4]bool{true, false, true, false}, [4]bool{false, false, true, true}:
	default:
		p.Wrong("Capacity is %d, FalsePositiveRate %v, Slots %d, Hashes %d: set Capacity and FalsePositiveRate, "+
			"or Capacity and Slots, or Slots and Hashes, and no more",
			s.Capacity, s.Rate, s.Cells, s.Hashes)
	}
}

// Resolve returns the table that s asks for, without its words, and the bytes that those take, or an error:
// errs.Config, or errs.TooLarge before anything was allocated.
func (k *Kind) Resolve(s Sizing) (t Table, sizeBytes int, err error) {
	problems := config.Problems{Package: s.Package}
	if k.Hashes != 0 {
		if s.Hashes != 0 && s.Hashes != k.Hashes {
			problems.Wrong("Hashes is %d, want %d, or 0 for it", s.Hashes, k.Hashes)
		}
		if s.Hashes = 0; s.Capacity == 0 && s.Rate == 0 && s.Cells != 0 {
			s.Hashes = k.Hashes
		}
	}
	if s.Check(&problems); !problems.None() {
		return t, 0, problems.Err()
	}
	maxBytes := uint64(config.MaxBytes(s.MaxBytes))
	// Config holds the number of cells as an int, so that bounds it too.
	limit := min(min(maxBytes, MaxTableBytes)/8*uint64(64/s.CellBits), math.MaxInt)
	if k.MostBlocks != 0 {
		limit = min(limit, k.MostBlocks*k.Block)
	}
	cells, hashes, ok := k.WholeBlocks(s.Cells), s.Hashes, true
	switch {
	case s.Cells == 0:
		if cells, hashes, ok = k.cellsFor(s.Capacity, s.Rate, limit); !ok {
			return t, 0, s.Package.Errorf(errs.TooLarge,
				"Capacity %d at FalsePositiveRate %v needs more than %d slots (MaxBytes %d)",
				s.Capacity, s.Rate, limit, maxBytes)
		}
	case cells > limit:
		return t, 0, s.Package.Errorf(errs.TooLarge,
			"Slots is %d, at most %d fit (MaxBytes %d)", s.Cells, limit, maxBytes)
	case hashes == 0:
		hashes, _ = k.BestHashes(cells, s.Capacity)
	}
	if k.Hashes != 0 {
		hashes = k.Hashes
	}
	hash := hashing.NewDigester(s.Hash)
	t = Table{Slots: cells, Hashes: hashes, CellBits: uint(s.CellBits), Hash: hash, MaxBytes: s.MaxBytes}
	return t, int(8 * t.words()), nil
}

// WholeBlocks returns the number of cells, at least one, rounded up to whole blocks.
func (k *Kind) WholeBlocks(cells int) uint64 {
	return (uint64(max(cells, 1)) + k.Block - 1) / k.Block * k.Block
}
