package main

import (
	"math"

	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
	"gonum.org/v1/gonum/stat/combin"
)

// crowd says how likely sets of slots are to be crowded: by keys that have nowhere else to go.
//
// A key that can live in bucket i alone has a weight of w in w/(2^f-1)/m of all digests; likewise a key that can live in
// buckets i and j alone. More than b such keys for one bucket, or 2b for two, are refused whatever the policy does. Large
// tables of narrow fingerprints and small tables of any end this way; it is too rare for simulation, but the weights can
// be counted. With paired slots a key has four slots, or two where those of its buckets coincide.
type crowd struct {
	m          uint64
	digests    float64         // how many there are
	one, pairs map[int]float64 // how many buckets and pairs of them, or sets of two and of four slots, have each weight
}

// expected returns the expected number of sets with more of n keys than places, so many in one and in pairs: an upper
// bound of the probability that there is one.
func (c *crowd) expected(n, one, pairs int) float64 {
	return c.crowded(c.one, n, one+1) + c.crowded(c.pairs, n, pairs+1)
}

// crowded returns the expected number of those counted that get k or more of n keys.
func (c *crowd) crowded(counts map[int]float64, n, k int) (sum float64) {
	for weight, count := range counts {
		sum += count * math.Exp(logTail(n, k, float64(weight)/c.digests))
	}
	return sum
}

// circles returns the expected number of pairs of buckets in which RoundRobin could run in circles among n keys. With b+1
// fingerprints of one class, b of them in every other slot of the two buckets so that each turn kicks one of them, it kicks
// nothing else until it gives up, although others in the pair could move on. How many of the pairs that have so many are
// such traps, circling says. Both buckets must be full, else nothing is kicked: there are b other keys that have a home in
// one of them.
func (c *crowd) circles(n, b int) float64 {
	return c.crowded(c.pairs, n, b+1) * math.Exp(logTail(n, b, min(1, 4/float64(c.m))))
}

// circling is the largest share of the pairs with b+1 fingerprints or more of one class in which RoundRobin is to be
// expected to run in circles. Simulated, it was 1/10 at b = 4 and 1/200 at b = 8, and less at loads below .8, as both
// buckets must be full; a test holds it.
var circling = map[uint]float64{4: 1.0 / 6, 8: 1.0 / 60}

func newCrowd(m uint64, width uint) *crowd {
	return &crowd{m, (math.Ldexp(1, int(width)) - 1) * float64(m), map[int]float64{}, map[int]float64{}}
}

type crowdKey struct {
	rule  kick.Rule
	width uint
	m     uint64
}

var crowds = map[crowdKey]*crowd{} // the same one serves every bucket size

// crowdOf counts the weights of a table of m buckets.
func crowdOf(rule kick.Rule, width uint, m uint64) *crowd {
	const enumerated = 512 // the largest number of buckets for which all pairs are looked at
	key := crowdKey{rule, width, m}
	if c, ok := crowds[key]; ok {
		return c
	}
	c, scheme := newCrowd(m, width), kick.NewScheme(rule, m)
	// How many fingerprints pair bucket 0 with each bucket: the offset of XOR and the sum of Additive.
	reach := map[uint64]int{}
	for fp := uint64(1); fp < 1<<width; fp++ {
		reach[scheme.Alternate(0, fp)]++
	}
	switch {
	case rule == kick.XOR:
		c.countXOR(reach)
	case m <= enumerated:
		c.countAll(reach)
	default:
		c.countAdditive(reach)
	}
	crowds[key] = c
	return c
}

// countXOR: a fingerprint of offset 0 keeps every bucket to itself, any other offset makes m/2 pairs, each of which can be
// entered from both ends.
func (c *crowd) countXOR(reach map[uint64]int) {
	c.one[reach[0]] += float64(c.m)
	for offset, fps := range reach {
		if offset != 0 {
			c.pairs[2*fps+2*reach[0]] += float64(c.m) / 2
		}
	}
}

// countAll looks at every pair of an Additive table.
func (c *crowd) countAll(reach map[uint64]int) {
	dense := make([]int, c.m)
	for sum, fps := range reach {
		dense[sum] = fps
	}
	for i := range c.m {
		own := dense[2*i%c.m]
		c.one[own]++
		for j := range i {
			c.pairs[2*dense[(i+j)%c.m]+own+dense[2*j%c.m]]++
		}
	}
}

// countAdditive counts the pairs of a large Additive table that share a fingerprint, first as if no bucket were paired with
// itself, and then those pairs again that have such a bucket, unless there are few of these among all.
func (c *crowd) countAdditive(reach map[uint64]int) {
	own := map[uint64]int{}
	for sum, fps := range reach {
		self := 0
		for _, i := range []uint64{sum / 2, (sum + c.m) / 2} {
			if 2*i%c.m == sum && own[i] == 0 {
				own[i] = fps
				c.one[fps]++
				self++
			}
		}
		c.pairs[2*fps] += float64(c.m-uint64(self)) / 2
	}
	if len(reach) > 512 {
		return
	}
	for i, fps := range own {
		for sum, shared := range reach {
			// Counted twice where both buckets are paired with themselves: on the safe side.
			if j := (sum + c.m - i) % c.m; j != i {
				c.pairs[2*shared+fps+own[j]]++
			}
		}
	}
}

// idealCrowd is the crowd of fingerprints so wide that all pairs of buckets are equally likely.
func idealCrowd(m uint64) *crowd {
	n := float64(m)
	return &crowd{m, n * n, map[int]float64{1: n}, map[int]float64{4: n * (n - 1) / 2}}
}

// pairedCrowd counts the fingerprints that have the same slots of a table with paired slots.
func pairedCrowd(rule kick.Rule, b, width uint, m uint64) *crowd {
	c, s := newCrowd(m*uint64(b), width), kick.NewScheme(rule, m)
	s.PairSlots(b)
	// Fingerprints with the same alternate bucket and the same moves from every lane have the same slots.
	type group struct {
		alternate uint64
		moves     [8]packed.Move
	}
	groups, pairing := map[group]int{}, packed.PairingOf(b)
	for fp := uint64(1); fp < 1<<width; fp++ {
		mark := s.PairAt(0, fp) >> packed.PlaceBits
		groups[group{s.Alternate(0, fp), [8]packed.Move(pairing.Moves[mark*8:])}]++
	}
	for g, fps := range groups {
		// Under XOR all pairs of buckets coincide or none does; under Additive one or two of m do, by m and the sum.
		own := 0.0
		switch {
		case rule == kick.XOR && g.alternate == 0:
			own = float64(m)
		case rule == kick.Additive && m%2 == 1:
			own = 1
		case rule == kick.Additive && g.alternate%2 == 0:
			own = 2
		}
		c.pairs[4*fps] += (float64(m) - own) * float64(b) / 4
		if g.moves[0]>>8&7 == 0 { // the pairs of both homes are one: across from lane 0 is lane 0
			c.one[2*fps] += own * float64(b) / 2
		} else {
			c.pairs[4*fps] += own * float64(b) / 4
		}
	}
	return c
}

// logTail returns the logarithm of the probability that a binomial variable of n trials with probability q is at least k,
// exactly but for rounding; 0 where k is below the mean.
func logTail(n, k int, q float64) float64 {
	switch {
	case k > n || q <= 0:
		return math.Inf(-1)
	case q >= 1 || float64(k) <= float64(n)*q:
		return 0
	}
	log := logChoose(n, k) + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q)
	sum, term := 1.0, 1.0
	for j := k; j < n && term > 1e-12*sum; j++ {
		term *= float64(n-j) / float64(j+1) * q / (1 - q)
		sum += term
	}
	return min(0, log+math.Log(sum))
}

// logChoose returns the logarithm of the binomial coefficient. For k far below n the difference of two huge logarithms
// would lose all digits.
func logChoose(n, k int) (log float64) {
	if k > 64 {
		return combin.LogGeneralizedBinomial(float64(n), float64(k))
	}
	for j := range k {
		log += math.Log(float64(n-j) / float64(k-j))
	}
	return log
}

// overfull returns a bound of the probability that three or more buckets, but not all, are crowded: the expected number of
// sets of s buckets that are the only homes of more than b*s of n keys, for fingerprints so wide that all pairs are equally
// likely.
func overfull(m uint64, n, b int) (sum float64) {
	for s := 3; s < int(m) && b*s < n; s++ {
		share := float64(s) / float64(m)
		sum += math.Exp(logChoose(int(m), s) + logTail(n, b*s+1, share*share))
	}
	return sum
}
