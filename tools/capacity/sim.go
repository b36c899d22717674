package main

import (
	"math"
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
	paired   bool // the layout PairedSlots
}

// fewest is the number of keys with few homes that at least it takes to end a large table of narrow fingerprints:
// what one or two buckets do not hold and, of RoundRobin, what it runs in circles with.
func (s shape) fewest() float64 {
	if s.policy == kick.RoundRobin {
		return float64(s.b + 1)
	}
	return float64(2*s.b + 1)
}

// engine returns an empty table of m buckets with the default MaxKicks of package cuckoo, and a source of digests.
func (s shape) engine(m, seed uint64) (*kick.Engine, *rand.PCG) {
	e, scheme := new(kick.Engine), kick.NewScheme(s.rule, m)
	switch {
	case s.paired:
		scheme.PairSlots(s.b)
		e.Init(packed.PairedLanes.New(s.width, s.b, m), scheme, s.policy, 20_000, seed)
	case s.policy == kick.BreadthFirst:
		e.Init(packed.Plain.New(s.width, s.b, m), scheme, s.policy, 700, seed)
	default:
		e.Init(packed.Plain.New(s.width, s.b, m), scheme, s.policy, 500, seed)
	}
	return e, rand.NewPCG(seed, m)
}

// insert inserts a random digest and returns its buckets and its fingerprint.
func (s shape) insert(e *kick.Engine, digests *rand.PCG) (i, j, fp uint64, stored bool) {
	h := digests.Uint64()
	fp = fingerprint.Of(h, s.width)
	i, j = e.Scheme.Pair(h, fp)
	return i, j, fp, e.Insert(i, j, e.Scheme.PairOf(h, fp), fp) == kick.Stored
}

// fill inserts up to n random digests, until one is refused, and returns how many were stored.
func (s shape) fill(e *kick.Engine, digests *rand.PCG, n int) (stored int) {
	for ; stored < n; stored++ {
		if _, _, _, ok := s.insert(e, digests); !ok {
			break
		}
	}
	return stored
}

// fills fills a table of m buckets with up to n random digests, until one is refused, as often as asked. It returns how
// many trials ended at each number of stored fingerprints.
func (s shape) fills(m uint64, n, trials int, seed uint64) (ended []int) {
	e, digests := s.engine(m, seed)
	ended = make([]int, n+1)
	for range trials {
		clear(e.Table.Data())
		ended[s.fill(e, digests, n)]++
	}
	return ended
}

// firstRefusals is fills with more digests than a table has slots.
func (s shape) firstRefusals(m uint64, trials int, seed uint64) (ended []int) {
	return s.fills(m, int(uint64(s.b)*m)+1, trials, seed)
}

// broken returns how many of the trials with n digests saw a refusal.
func (s shape) broken(m uint64, n, trials int, seed uint64) (refused int) {
	return trials - s.fills(m, n, trials, seed)[n]
}

// probe fills a table of m buckets to a load and then, probes times, inserts a digest and takes it out again, with the
// given MaxKicks. It returns the number of kicks of the longest insert and the number of refused ones.
func (s shape) probe(m uint64, load float64, limit, probes int, seed uint64) (longest uint64, refused int) {
	full, digests := s.engine(m, seed)
	s.fill(full, digests, int(load*float64(uint64(s.b)*m)))
	e := new(kick.Engine)
	e.Init(full.Table, full.Scheme, s.policy, limit, seed)
	for range probes {
		i, j, fp, ok := s.insert(e, digests)
		if !ok {
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

// tail is the lower tail of a simulated first refusal.
type tail struct {
	trials int
	within []int // within[n] trials were refused within n keys
	// Below anchor, where fewer than anchorCount trials were refused, probabilities follow a straight line in n on a
	// logarithmic scale.
	anchor   int
	log      float64 // logarithm of the upper limit of the probability at anchor
	gradient float64 // per key
	power    float64 // if not 0, probabilities fall at least as n to this power below anchor, too
}

const (
	anchorCount   = 30               // trials that fix a probability to 18%, one standard deviation
	gradientSpan  = 20               // the ratio of the two probabilities that the gradient is taken from
	gradientShare = 0.85             // of the measured gradient is used: two standard deviations less, about
	minTrials     = 40 * anchorCount // enough for the gradient
	walkCost      = 150              // of the refusal that ends a trial, in inserts: a walk of 500 kicks
)

// newTail turns the counts of firstRefusals into a tail. The logarithm of the probability falls ever faster as n falls (the
// part of it that one or two crowded buckets make is computed and not simulated), so that the straight line is above it.
func newTail(ended []int, trials int) tail {
	t := tail{trials: trials, within: make([]int, len(ended)+1)}
	high := 0
	for stored, count := range ended {
		n := stored + 1
		t.within[n] = t.within[stored] + count
		if t.within[n] >= anchorCount && t.anchor == 0 {
			t.anchor = n
		}
		if t.within[n] >= anchorCount*gradientSpan && high == 0 {
			high = n
		}
	}
	t.log = math.Log(t.upper(t.anchor))
	if high > t.anchor {
		ratio := float64(t.within[high]) / float64(t.within[t.anchor])
		t.gradient = gradientShare * math.Log(ratio) / float64(high-t.anchor)
	}
	return t
}

// upper returns the count at n as a probability, three standard deviations more.
func (t *tail) upper(n int) float64 {
	count := float64(t.within[n])
	return min(1, (count+3*math.Sqrt(count))/float64(t.trials))
}

// probability returns an upper limit of the probability of a refusal within n keys.
func (t *tail) probability(n int) float64 {
	switch {
	case n >= len(t.within):
		return 1
	case n >= t.anchor:
		return t.upper(n)
	}
	fall := t.gradient * float64(t.anchor-n)
	if t.power != 0 {
		fall = max(fall, t.power*math.Log(float64(t.anchor)/float64(max(n, 1))))
	}
	return math.Exp(t.log - fall)
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

// tail simulates first refusals of tables of m buckets with about the given number of inserts.
func (s *simulator) tail(of shape, m uint64, inserts int) tail {
	key := simulated{of, m}
	if t, ok := s.tails[key]; ok {
		return t
	}
	slots, most := int(m*uint64(of.b)), 200_000
	cost := slots
	if of.policy != kick.BreadthFirst {
		cost += walkCost
	}
	if of.paired {
		most = 30_000
	}
	trials := min(max(inserts/cost, minTrials), most)
	t := newTail(of.firstRefusals(m, trials, s.seed), trials)
	// What ends tables of narrow fingerprints when they are a third full at most is a set of s buckets and s*b+1 keys;
	// those of one and two are counted, type crowd. As long as up to (s-3)*b+1 keys are expected in it, which is so for
	// 3 buckets and more at such loads, its probability falls as n to the power of 3b at least. RoundRobin needs b+1 keys.
	narrow := of.width <= 5 && 3*t.anchor <= slots
	switch {
	case narrow && of.policy == kick.BreadthFirst:
		t.power = float64(3 * of.b)
	case narrow && of.policy == kick.RoundRobin:
		t.power = of.fewest()
	}
	s.tails[key] = t
	return t
}
