package main

import (
	"math"
	"math/bits"
	"sort"

	"github.com/nestfilter/nest/internal/kick"
)

// knot says that a table of that many buckets is promised to take that many keys.
type knot struct{ buckets, keys uint64 }

// goal is what a row of the table promises.
type goal struct {
	shape
	probability float64 // of a refusal
	plateau     float64 // the largest load promised, however large the table
	inserts     int     // simulated for each number of buckets
	largest     uint64  // the largest number of buckets simulated
	falling     bool    // the load promised falls beyond it
	crowds      []uint  // the widths whose crowds are looked at, 0 for ideal fingerprints
	crowding    float64 // how much more often crowded sets of more buckets make their number
	circling    float64 // of pairs that RoundRobin could run in circles in, the share in which it does
}

// maxBuckets is the largest number of buckets of a filter.
const maxBuckets = 1 << 32

// grid returns the numbers of buckets that get a knot: for the search with Additive every small one and some between the
// powers of two.
func (g *goal) grid() (ms []uint64) {
	dense := g.rule == kick.Additive && g.policy == kick.BreadthFirst && !g.paired
	most, every := uint64(maxBuckets), uint64(2)
	switch {
	case g.paired:
		most /= uint64(g.b)
		ms = append(ms, 1)
	case dense && g.width < 8:
		every = 16
	case dense:
		every = 32
	}
	for m := uint64(2); m < every; m++ {
		ms = append(ms, m)
	}
	for m := every; m <= most; m *= 2 {
		ms = append(ms, m)
		if !dense || g.width < 8 || m >= g.largest {
			continue
		}
		// Odd numbers in between, because even ones have another share of buckets that are paired with themselves.
		for quarter := uint64(1); quarter < 4; quarter++ {
			if quarter == 2 || m < 1024 {
				ms = append(ms, (m+m*quarter/4)|1)
			}
		}
	}
	return ms
}

// knots returns the promise at each number of buckets of the grid.
func (g *goal) knots(sim *simulator) (ks []knot) {
	ms := g.grid()
	var last knot // the largest table simulated
	for at, m := range ms {
		next := m + 1
		if at+1 < len(ms) {
			next = ms[at+1]
		}
		slots, most := float64(g.b)*float64(m), 0
		if most = int(g.most(slots) * slots); m > g.largest {
			fall := 1.0
			if g.falling {
				// Small sets of buckets with a number of keys in each are what ends such tables: their number is as m,
				// and the probability of one at least as load to that power.
				fall = math.Pow(float64(last.buckets)/float64(m), 1/g.fewest())
			}
			most = min(most, int(float64(last.keys)/float64(last.buckets)*float64(m)*fall))
		}
		risk := g.risk(sim, m, next)
		n := sort.Search(max(most, 0), func(n int) bool { return risk(n+1) > g.probability/2 })
		k := knot{m, uint64(max(n, int(g.b)))}
		if g.paired {
			k.keys = uint64(max(n, pairedLeast))
			if g.width < 8 { // a target: such tables end for other reasons than are counted
				k.keys = uint64(max(n*2/3, pairedLeast))
			}
		}
		if m <= g.largest {
			last = knot{m, uint64(n)}
		}
		ks = append(ks, k)
	}
	return thin(monotone(ks))
}

// most is the largest load promised of a table of so many slots.
func (g *goal) most(slots float64) float64 {
	if !g.paired {
		return g.plateau
	}
	return g.plateau - pairedFall*max(0, math.Log2(slots)-pairedFlat)
}

// risk returns the probability, from above, of a refusal within n keys by tables of m buckets and of numbers up to the next.
func (g *goal) risk(sim *simulator, m, next uint64) func(n int) float64 {
	if g.paired {
		return g.pairedRisk(sim, m)
	}
	bulk := func(int) float64 { return 0 }
	if m <= g.largest {
		bulk = g.bulk(sim, m)
	}
	crowds, b := g.crowdsNear(m, next), int(g.b)
	return func(n int) float64 {
		most := 0.0
		for _, c := range crowds {
			keys := int(float64(n) / float64(m) * float64(c.m))
			most = max(most, g.crowding*c.expected(keys, b, 2*b)+g.circling*c.circles(keys, b))
		}
		return bulk(n) + most
	}
}

// bulk returns the probability, from above, of a refusal within n keys by more than two crowded buckets.
func (g *goal) bulk(sim *simulator, m uint64) func(n int) float64 {
	if g.policy == kick.BreadthFirst && (m <= 3 || g.width == 1) {
		// There are no three buckets but all of them, which hold b*m keys; or one fingerprint, which pairs every bucket
		// with one other for good.
		return func(int) float64 { return 0 }
	}
	t := sim.tail(g.shape, m, g.inserts)
	if g.width < 8 || g.policy != kick.BreadthFirst {
		return t.probability
	}
	s := g.shape
	s.width = 16
	wide := sim.tail(s, m, g.inserts)
	return func(n int) float64 {
		simulated := max(t.probability(n), wide.probability(n))
		if m > 64 || simulated <= g.probability/4 {
			return simulated
		}
		// The bound is for equally likely pairs: twice as much covers fingerprints of 8 bits.
		return min(simulated, 2*overfull(m, n, int(g.b)))
	}
}

// crowdsNear returns the crowds of tables of m buckets and of a sample of the numbers up to the next of the grid: which
// buckets share many fingerprints changes irregularly with m.
func (g *goal) crowdsNear(m, next uint64) (cs []*crowd) {
	step := max(1, (next-m)/16)
	switch {
	case g.rule == kick.XOR:
		next = m + 1
	case m > 1<<16:
		step = (next - m + 1) / 2
	}
	for _, width := range g.crowds {
		if width == 0 {
			cs = append(cs, idealCrowd(m))
			continue
		}
		for near := m; near < next; near += step | 1 {
			cs = append(cs, crowdOf(g.rule, width, near))
		}
	}
	return cs
}

// pairedLeast is how many keys fit with paired slots whatever they are: each key has two slots or more.
const pairedLeast = 2

// pairedRisk is risk with paired slots, for both rules: in tables so small that all sets of their slots can be looked at
// it is counted, in others what may crowd four slots is counted and all else is simulated with fingerprints of 12 bits.
func (g *goal) pairedRisk(sim *simulator, m uint64) func(n int) float64 {
	if m*uint64(g.b) <= pairedExact {
		additive, xor := crampedOf(kick.Additive, g.b, g.width, m), crampedOf(kick.XOR, g.b, g.width, m)
		return func(n int) float64 { return max(additive.expected(n), xor.expected(n)) }
	}
	var tails []tail
	for _, rule := range []kick.Rule{kick.Additive, kick.XOR} {
		if m <= g.largest {
			tails = append(tails, sim.tail(shape{g.b, 12, rule, kick.BreadthFirst, true}, m, g.inserts))
		}
	}
	even, odd := pairedCrowd(kick.Additive, g.b, g.width, m), pairedCrowd(kick.Additive, g.b, g.width, m|1)
	xor := pairedCrowd(kick.XOR, g.b, g.width, m)
	return func(n int) float64 {
		first := g.crowding * even.expected(n, 2, 4)
		risk := max(first, g.crowding*odd.expected(n, 2, 4), g.crowding*xor.expected(n, 2, 4))
		for _, t := range tails {
			risk = max(risk, first+t.probability(n))
		}
		return risk
	}
}

// monotone lowers promises until no larger table is promised less.
func monotone(ks []knot) []knot {
	for at := len(ks) - 2; at >= 0; at-- {
		ks[at].keys = min(ks[at].keys, ks[at+1].keys)
	}
	return ks
}

// thin drops knots that those around them imply: inside a run of equal keys, and, in large tables, where the load does not
// change any more.
func thin(ks []knot) []knot {
	kept := ks[:1]
	for at := 1; at < len(ks); at++ {
		k, before := ks[at], kept[len(kept)-1]
		end := at+1 == len(ks)
		if !end && before.keys == k.keys && k.keys == ks[at+1].keys {
			continue
		}
		if k.buckets > 64 && sameLoad(before, k) && (end || sameLoad(k, ks[at+1])) {
			continue
		}
		kept = append(kept, k)
	}
	return kept
}

// sameLoad tells whether two knots promise the same load to within the rounding of the smaller.
func sameLoad(a, b knot) bool {
	hi, lo := bits.Mul64(a.keys, b.buckets)
	share, _ := bits.Div64(hi, lo, a.buckets) // what a's load means for b
	slack := b.buckets/a.buckets + 1
	return b.keys <= share+slack && b.keys+slack >= share
}
