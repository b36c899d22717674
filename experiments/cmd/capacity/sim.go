package main

import (
	"math/rand/v2"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// shape is what decides how a table fills: all of a configuration but its size and its hash.
type shape struct {
	b, width uint
	rule     kick.Rule
	policy   kick.Policy
}

// limit is the default MaxKicks of package cuckoo.
func (s shape) limit() int {
	if s.policy == kick.BreadthFirst {
		return 700
	}
	return 500
}

// fewest is the number of keys with few homes that at least it takes to end a large table of narrow fingerprints:
// what one or two buckets do not hold and, of RoundRobin, what it runs in circles with.
func (s shape) fewest() float64 {
	if s.policy == kick.RoundRobin {
		return float64(s.b + 1)
	}
	return float64(2*s.b + 1)
}

// engine returns an empty table of m buckets and a source of random digests.
func (s shape) engine(m, seed uint64) (*kick.Engine, *rand.PCG) {
	e := new(kick.Engine)
	e.Init(packed.New(s.width, s.b, m), kick.NewScheme(s.rule, m), s.policy, s.limit(), seed)
	return e, rand.NewPCG(seed, m)
}

// draw returns the pair of buckets and the fingerprint of a random digest.
func draw(e *kick.Engine, digests *rand.PCG) (i, j, fp uint64) {
	h := digests.Uint64()
	fp = fingerprint.Of(h, e.Table.Width())
	i, j = e.Scheme.Pair(h, fp)
	return i, j, fp
}

// firstRefusals fills a table of m buckets with random digests until one is refused, as often as
// asked, and returns how many trials ended at each number of stored fingerprints.
func (s shape) firstRefusals(m uint64, trials int, seed uint64) (ended []int) {
	e, digests := s.engine(m, seed)
	slots := int(uint64(s.b) * m)
	ended = make([]int, slots+1)
	for range trials {
		clear(e.Table.Data())
		ended[fill(e, digests, slots+1)]++
	}
	return ended
}

// broken fills a table of m buckets with n random digests, as often as asked, and returns how many
// trials saw a refusal.
func (s shape) broken(m uint64, n, trials int, seed uint64) (refused int) {
	e, digests := s.engine(m, seed)
	for range trials {
		clear(e.Table.Data())
		if fill(e, digests, n) < n {
			refused++
		}
	}
	return refused
}

// fill inserts up to n random digests, until one is refused, and returns how many were stored.
func fill(e *kick.Engine, digests *rand.PCG, n int) (stored int) {
	for stored < n {
		i, j, fp := draw(e, digests)
		if e.Insert(i, j, fp) != kick.Stored {
			break
		}
		stored++
	}
	return stored
}

// probe fills a table of m buckets to a load and then, probes times, inserts a digest and takes it
// out again, with the given MaxKicks. It returns the number of kicks of the longest insert and the
// number of refused ones.
func (s shape) probe(m uint64, load float64, limit, probes int, seed uint64) (longest uint64, refused int) {
	e, digests := s.engine(m, seed)
	fill(e, digests, int(load*float64(uint64(s.b)*m)))
	full := e
	e = new(kick.Engine)
	e.Init(full.Table, full.Scheme, s.policy, limit, seed)
	for range probes {
		i, j, fp := draw(e, digests)
		if e.Insert(i, j, fp) != kick.Stored {
			refused++
			continue
		}
		lane, ok := e.Table.Find(i, fp)
		if !ok {
			i = j
			lane, _ = e.Table.Find(i, fp)
		}
		e.Table.Set(i, lane, 0)
	}
	return e.Stats.LongestPath, refused
}

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
