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
