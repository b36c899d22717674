package bloomcore

import "math"

// BestHashes returns the number of positions that makes the rate of m cells after n keys smallest,
// and that rate.
func BestHashes(model Model, m uint64, n int) (k int, rate float64) {
	k = MaxHashes
	if ideal := float64(m) / float64(max(n, 1)) * math.Ln2; ideal < MaxHashes {
		k = max(1, int(ideal))
	}
	rate = model(m, k, n)
	// The rate falls up to the best k and rises after it, which is near the ideal one of independent
	// positions, or below it for a blocked filter.
	for _, step := range []int{1, -1} {
		for next := k + step; next >= 1 && next <= MaxHashes; next += step {
			r := model(m, next, n)
			if r >= rate {
				break
			}
			k, rate = next, r
		}
	}
	return k, rate
}

// CellsFor returns the smallest number of cells, a multiple of granule, that n keys fill to a rate
// of at most eps, and the smallest number of positions that does so there: where granules leave room
// to spare, fewer positions than the best are faster. ok is false where the cells exceed limit.
func CellsFor(model Model, n int, eps float64, granule, limit uint64) (cells uint64, k int, ok bool) {
	fits := func(granules uint64) bool {
		_, rate := BestHashes(model, granules*granule, n)
		return rate <= eps
	}
	most := limit / granule
	estimate := -float64(n) * math.Log(eps) / (math.Ln2 * math.Ln2) / float64(granule)
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
	cells = high * granule
	k, _ = BestHashes(model, cells, n)
	for k > 1 && model(cells, k-1, n) <= eps {
		k--
	}
	return cells, k, true
}
