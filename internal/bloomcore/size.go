package bloomcore

import "math"

// BestHashes returns the number of positions that makes the rate of m cells after n keys smallest, and that rate.
func (kind *Kind) BestHashes(m uint64, n int) (k int, rate float64) {
	k = MaxHashes
	if ideal := float64(m) / float64(max(n, 1)) * math.Ln2; ideal < MaxHashes {
		k = max(1, int(ideal))
	}
	rate = kind.Rate(m, k, n)
	// The rate falls up to the best k and rises after it, which is near the ideal one of independent
	// positions, or below it for a blocked filter.
	for _, step := range []int{1, -1} {
		for next := k + step; next >= 1 && next <= MaxHashes; next += step {
			r := kind.Rate(m, next, n)
			if r >= rate {
				break
			}
			k, rate = next, r
		}
	}
	return k, rate
}

// cellsFor returns the smallest number of cells in whole blocks that n keys fill to a rate of at most eps, and the
// smallest number of positions that does so there: where blocks leave room to spare, fewer positions than the best are
// faster. ok is false where the cells exceed limit.
func (kind *Kind) cellsFor(n int, eps float64, limit uint64) (cells uint64, k int, ok bool) {
	fits := func(blocks uint64) bool {
		_, rate := kind.BestHashes(blocks*kind.Block, n)
		return rate <= eps
	}
	most := limit / kind.Block
	estimate := -float64(n) * math.Log(eps) / (math.Ln2 * math.Ln2) / float64(kind.Block)
	if !(estimate < float64(most)) {
		return 0, 0, false
	}
	low, high := uint64(0), uint64(estimate)+1 // low never fits
	for !fits(high) {
		if high >= most {
			return 0, 0, false
		}
		low, high = high, min(most, high+high/8+1)
	}
	for low+1 < high {
		if mid := low + (high-low)/2; fits(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	cells = high * kind.Block
	k, _ = kind.BestHashes(cells, n)
	for k > 1 && kind.Rate(cells, k-1, n) <= eps {
		k--
	}
	return cells, k, true
}
