package main

import (
	"math"
	"math/rand/v2"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// The layout PairedSlots. A key has four slots, or two where those of its buckets coincide, so five keys of one class are refused, or
// three: type classes counts how likely that is. All else that ends a table is simulated, as elsewhere.

// pairedPlateau are the loads promised of tables of up to 2^pairedFlat slots at most, .006 and .009 below that at which tables of so many
// slots refuse first. pairedFall is what each doubling beyond takes off, as it does of the load at the first refusal or more.
const (
	pairedFlat = 23
	pairedFall = .0006
)

var pairedPlateau = map[uint]float64{4: .9526, 8: .961}

// pairedProbability returns the chance of a refusal that rows of a width allow: five keys of one class are too frequent below 12 bits.
func pairedProbability(width uint) float64 {
	if width < 12 {
		return 1e-3
	}
	return 1e-6
}

// classes says how many groups of fingerprints have the same slots, by how many there are in a group: those of 4 slots, and those of
// 2 slots, whose bucket is its own alternate.
type classes struct {
	m, b   uint64
	values float64
	four   map[int]float64 // classes of 4 slots, by fingerprints that share them
	two    map[int]float64 // likewise of 2 slots
}

// classesOf counts the classes of a table of m buckets.
func classesOf(rule kick.Rule, b, width uint, m uint64) *classes {
	c := &classes{m: m, b: uint64(b), values: math.Ldexp(1, int(width)) - 1, four: map[int]float64{}, two: map[int]float64{}}
	s := kick.NewScheme(rule, m)
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
		c.four[fps] += (float64(m) - own) * float64(b) / 4
		if g.moves[0]>>8&7 == 0 { // the pairs of both homes are one: across from lane 0 is lane 0
			c.two[fps] += own * float64(b) / 2
		} else {
			c.four[fps] += own * float64(b) / 4
		}
	}
	return c
}

// expected returns the expected number of classes with more keys than slots among n keys.
func (c *classes) expected(n int) float64 {
	digests, sum := c.values*float64(c.m*c.b), 0.0
	for fps, count := range c.four {
		sum += count * math.Exp(logTail(n, 5, 4*float64(fps)/digests))
	}
	for fps, count := range c.two {
		sum += count * math.Exp(logTail(n, 3, 2*float64(fps)/digests))
	}
	return sum
}

// pairedRefusals is firstRefusals of a table with paired slots.
func pairedRefusals(rule kick.Rule, b, width uint, m uint64, trials int, seed uint64) (ended []int) {
	e := new(kick.Engine)
	s := kick.NewScheme(rule, m)
	s.PairSlots(b)
	e.Init(packed.NewPaired(width, b, m, hugepage.Off), s, kick.BreadthFirst, 20_000, seed)
	slots := int(uint64(b) * m)
	ended = make([]int, slots+1)
	digests := rand.NewPCG(seed, m)
	for range trials {
		clear(e.Table.Data())
		stored := 0
		for ; stored <= slots; stored++ {
			h := digests.Uint64()
			fp := fingerprint.Of(h, width)
			i, j := e.Scheme.Pair(h, fp)
			if e.InsertPaired(i, j, e.Scheme.Place(h, fp), fp) != kick.Stored {
				break
			}
		}
		ended[stored]++
	}
	return ended
}

// pairedRows returns the rows of BreadthFirst with the layout PairedSlots.
func pairedRows(seed uint64, progress func(b, width uint)) (rows []row) {
	for _, b := range []uint{4, 8} {
		tails := pairedTails(seed, b)
		for width := uint(1); width <= 16; width++ {
			progress(b, width)
			rows = append(rows, row{b, width, pairedKnots(b, width, tails)})
		}
	}
	return rows
}

// pairedLargest is the largest number of slots simulated.
const pairedLargest = 1 << 16

// pairedTails simulates the first refusals of tables of 12 bits under both rules.
func pairedTails(seed uint64, b uint) map[uint64][]tail {
	tails := map[uint64][]tail{}
	for m := uint64(2); m*uint64(b) <= pairedLargest; m *= 2 {
		trials := min(max(600_000/int(m*uint64(b)), minTrials), 30_000)
		for _, rule := range []kick.Rule{kick.Additive, kick.XOR} {
			tails[m] = append(tails[m], newTail(pairedRefusals(rule, b, 12, m, trials, seed), trials))
		}
	}
	return tails
}

// pairedKnots returns the promise at powers of two. Fingerprints below 8 bits, whose tables end for other reasons than are
// counted, get a target: two thirds of the keys at which the classes alone are too many.
func pairedKnots(b, width uint, tails map[uint64][]tail) []knot {
	var ks []knot
	var last knot
	for m := uint64(2); m <= maxBuckets/uint64(b); m *= 2 {
		slots := float64(m * uint64(b))
		most := int((pairedPlateau[b] - pairedFall*max(0, math.Log2(slots)-pairedFlat)) * slots)
		if slots > pairedLargest {
			most = min(most, int(float64(last.keys)/float64(last.buckets)*float64(m)))
		}
		counts := []*classes{classesOf(kick.Additive, b, width, m), classesOf(kick.Additive, b, width, m|1), classesOf(kick.XOR, b, width, m)}
		n := largest(0, most, func(n int) bool {
			risk := 0.0
			for _, c := range counts {
				risk = max(risk, 2*c.expected(n))
			}
			for _, t := range tails[m] {
				risk = max(risk, 2*counts[0].expected(n)+t.probability(n))
			}
			return risk <= pairedProbability(width)/2
		})
		if slots <= pairedLargest {
			last = knot{m, uint64(n)}
		}
		if width < 8 {
			n = n * 2 / 3
		}
		ks = append(ks, knot{m, uint64(max(n, 4))})
	}
	return thin(monotone(ks))
}
