package main

import "github.com/nestfilter/nest/internal/kick"

// simulator fills tables, each kind once.
type simulator struct {
	seed  uint64
	tails map[simulated]tail
}

type simulated struct {
	shape
	m uint64
}

const (
	minTrials = 40 * anchorCount // enough for the gradient
	maxTrials = 200_000
	walkCost  = 150 // what the refusal that ends a trial costs, in inserts: a walk of 500 kicks
)

// tail simulates first refusals of tables of m buckets with about the given number of inserts.
func (s *simulator) tail(of shape, m uint64, inserts int) tail {
	key := simulated{of, m}
	t, ok := s.tails[key]
	if !ok {
		cost := int(m * uint64(of.b))
		if of.policy != kick.BreadthFirst {
			cost += walkCost
		}
		trials := min(max(inserts/cost, minTrials), maxTrials)
		t = newTail(of.firstRefusals(m, trials, s.seed), trials)
		// What ends tables of narrow fingerprints when they are a third full at most is a set of s buckets and s*b+1 keys;
		// those of one and two are counted, type crowd. As long as up to (s-3)*b+1 keys are expected in it, which is so
		// for 3 buckets and more at such loads, its probability falls as n to the power of 3b at least. RoundRobin needs
		// b+1 keys.
		if of.width <= 5 && of.policy != kick.RandomWalk && of.policy != kick.LookAhead && 3*t.anchor <= int(m*uint64(of.b)) {
			t.power = float64(3 * of.b)
			if of.policy == kick.RoundRobin {
				t.power = of.fewest()
			}
		}
		s.tails[key] = t
	}
	return t
}

// plainLoad returns the smallest load at which tables of 2^20 slots of the placement PlainXOR
// refused their first key.
func (s *simulator) plainLoad(b, width uint) float64 {
	const slots, trials = 1 << 20, 3
	of := shape{b, width, kick.PlainXOR, kick.BreadthFirst}
	for stored, count := range of.firstRefusals(slots/uint64(b), trials, s.seed) {
		if count > 0 {
			return float64(stored) / slots
		}
	}
	return 0
}
