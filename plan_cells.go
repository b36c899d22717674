package nest

import (
	"math"

	"github.com/nestfilter/nest/internal/bloomcore"
	"github.com/nestfilter/nest/internal/config"
)

// A cellular kind of filter is a table of bits or counters in which a key has several: what the
// Bloom filters have in common when they are planned.
type cellular struct {
	cells   func(capacity int, rate float64) (int, error)
	hashes  func(cells, n int) int
	predict func(cells, hashes, n int) float64
	// granule is what the number of cells is a multiple of.
	granule int
	// oneLine says that all cells of a key lie in one cache line.
	oneLine bool
	// counters says that a cell is a counter and not a bit.
	counters bool
	// fixed is the number of hashes where that is no choice.
	fixed int
	// most is the largest number of cells, or 0 where MaxBytes alone limits it.
	most uint64
}

// plan returns the filter for s: the smallest that keeps its rate, with the fewest hashes that do,
// or the lowest rate in its bits, or the table that it gives.
func (c cellular) plan(s Spec) (Plan, error) {
	cells, hashes := s.Slots, s.Hashes
	var err error
	switch {
	case s.FalsePositiveRate != 0:
		if cells, err = c.cells(s.Capacity, s.FalsePositiveRate); err != nil {
			return Plan{}, front.Wrap(err)
		}
		hashes = c.fewestHashes(cells, s)
	case s.BitsPerItem != 0:
		if cells, err = c.cellsWithin(s); err != nil {
			return Plan{}, err
		}
		hashes = c.hashes(cells, s.Capacity)
	default:
		if cells > math.MaxInt-c.granule {
			return Plan{}, errorf(ErrTooLarge, "Slots is %d", cells)
		}
		cells = (cells + c.granule - 1) / c.granule * c.granule
	}
	words := (uint64(cells)-1)/(64/c.cellBits(s)) + 1
	limit := min(uint64(config.MaxBytes(s.MaxBytes)), bloomcore.MaxTableBytes)
	if words > limit/8 || c.most != 0 && uint64(cells) > c.most {
		return Plan{}, errorf(ErrTooLarge, "Kind %s needs %d slots, more than it has or than fit into MaxBytes %d",
			s.Kind, cells, limit)
	}
	p := Plan{SizeBytes: int(8 * words)}
	p.Spec = Spec{Kind: s.Kind, Slots: cells, Hashes: hashes, CounterBits: s.CounterBits, MaxBytes: s.MaxBytes}
	if s.Capacity != 0 {
		p.FalsePositiveRate = c.predict(cells, hashes, s.Capacity)
	}
	p.LinesHit, p.LinesMiss = c.linesOf(p)
	return p, nil
}

// cellBits returns the width of a cell.
func (c cellular) cellBits(s Spec) uint64 {
	if c.counters {
		return uint64(s.CounterBits)
	}
	return 1
}

// fewestHashes returns the smallest number of hashes around the best one that keeps the rate.
func (c cellular) fewestHashes(cells int, s Spec) int {
	k := c.hashes(cells, s.Capacity)
	for c.fixed == 0 && k > 1 && c.predict(cells, k-1, s.Capacity) <= s.FalsePositiveRate {
		k--
	}
	return k
}

// cellsWithin returns the number of cells that BitsPerItem leaves room for.
func (c cellular) cellsWithin(s Spec) (int, error) {
	cells := math.Floor(float64(s.BitsPerItem*float64(s.Capacity)) / float64(c.cellBits(s)))
	cells = math.Floor(cells/float64(c.granule)) * float64(c.granule)
	switch {
	case cells < 1:
		return 0, errorf(ErrConfig, "BitsPerItem is %v, which for a Capacity of %d leaves Kind %s no slot",
			s.BitsPerItem, s.Capacity, s.Kind)
	case cells >= math.MaxInt:
		return 0, errorf(ErrTooLarge, "BitsPerItem %v for a Capacity of %d is more slots than an int counts",
			s.BitsPerItem, s.Capacity)
	}
	return int(cells), nil
}

// linesOf returns the cache lines that a hit and a miss touch.
func (c cellular) linesOf(p Plan) (hit, miss int) {
	if c.oneLine {
		return 1, 1
	}
	// Each cell looked at is taken with the probability of the load, and a free one ends the lookup.
	load := math.Pow(p.FalsePositiveRate, 1/float64(p.Spec.Hashes))
	if load == 1 {
		return p.Spec.Hashes, p.Spec.Hashes
	}
	return p.Spec.Hashes, min(p.Spec.Hashes, int(math.Round(1/(1-load))))
}
