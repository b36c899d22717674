package nest

import "math"

// A cellular kind of filter is a table of bits or counters in which a key has several.
type cellular struct {
	// resolve returns the plan, without rate and lines, for Capacity and a rate, Capacity and Slots, or Slots and Hashes.
	resolve func(Spec) (Plan, error)
	predict func(cells, hashes, n int) float64
	// granule is what the number of cells is a multiple of.
	granule int
	// oneLine says that all cells of a key lie in one cache line.
	oneLine bool
}

// plan returns the filter for s: the smallest that keeps its rate, the lowest rate in its bits, or the table it gives.
func (c cellular) plan(s Spec) (p Plan, err error) {
	if s.BitsPerItem != 0 {
		if s.Slots, err = c.cellsWithin(s); err != nil {
			return p, err
		}
	}
	if p, err = c.resolve(s); err != nil {
		return p, err
	}
	if p.Spec.Kind = s.Kind; s.Capacity != 0 {
		p.FalsePositiveRate = c.predict(p.Spec.Slots, p.Spec.Hashes, s.Capacity)
	}
	p.LinesHit, p.LinesMiss = c.linesOf(p)
	return p, nil
}

// cellsWithin returns the number of cells that BitsPerItem leaves room for.
func (c cellular) cellsWithin(s Spec) (int, error) {
	cells := math.Floor(float64(s.BitsPerItem*float64(s.Capacity)) / float64(max(1, s.CounterBits)))
	cells = math.Floor(cells/float64(c.granule)) * float64(c.granule)
	switch {
	case cells < 1:
		return 0, pkg.Errorf(ErrConfig, "BitsPerItem is %v, which for a Capacity of %d leaves Kind %s no slot",
			s.BitsPerItem, s.Capacity, s.Kind)
	case cells >= math.MaxInt:
		return 0, pkg.Errorf(ErrTooLarge, "BitsPerItem %v for a Capacity of %d is more slots than an int counts",
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
