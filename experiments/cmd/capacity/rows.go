package main

import (
	"github.com/nestfilter/nest/internal/kick"
)

// row is one row of the table: the promise for a bucket size and all widths from one on.
type row struct {
	b, width uint
	knots    []knot
}

// searchPlateau are the loads promised of large tables under BreadthFirst: far below what is seen,
// see docs/CAPACITY.md.
var searchPlateau = map[uint]float64{2: .86, 4: .96, 8: .985}

// walkPlateau are those of the policies that walk, which leave room for the tail of long walks: tables of
// 2^20 slots and b = 4 refused at .958 (RandomWalk), .952 (RoundRobin) and .970 (LookAhead), and each
// doubling takes .0015 off. In millions of inserts at these loads no walk took a quarter of the limit.
var walkPlateau = map[kick.Policy]map[uint]float64{
	kick.RandomWalk: {2: .80, 4: .92, 8: .95},
	kick.RoundRobin: {4: .90, 8: .95},
	kick.LookAhead:  {2: .83, 4: .95, 8: .98},
}

// targetLoad is the load of b = 1, where no probability is promised.
const targetLoad = 0.4

// probability returns the chance of a refusal that rows of the bucket size and width allow.
func probability(b, width uint) float64 {
	if b == 2 || width < 8 {
		return 1e-3
	}
	return 1e-6
}

// walkProbability is probability for the policies that walk. RoundRobin runs in circles so often that with 1e-6
// its tables of 8 bits would take a load of .2 only from a million slots on.
func walkProbability(policy kick.Policy, b, width uint) float64 {
	if policy == kick.RoundRobin && width < 12 {
		return 1e-3
	}
	return probability(b, width)
}

// searchRows returns the rows of the policy BreadthFirst.
func searchRows(sim *simulator, rule kick.Rule, progress func(b, width uint)) []row {
	rows := []row{loadRow(1, 1, targetLoad)}
	for _, b := range []uint{2, 4, 8} {
		for _, width := range searchWidths(b) {
			progress(b, width)
			rows = append(rows, row{b, width, searchGoal(rule, b, width).knots(sim)})
		}
	}
	return rows
}

// searchWidths returns the widths that have rows of their own. Up to 12 bits five keys of one class
// end large tables of b = 2; wider buckets leave a difference in small tables only.
func searchWidths(b uint) []uint {
	if b == 2 {
		return upTo(12)
	}
	return append(upTo(8), 12)
}

// upTo returns the widths from 1 to n.
func upTo(n uint) (widths []uint) {
	for width := uint(1); width <= n; width++ {
		widths = append(widths, width)
	}
	return widths
}

// searchGoal returns what is promised for BreadthFirst.
//
// Where keys that crowd three buckets or more are not much rarer than those that crowd two, which
// the sums of their probabilities tell, the load is made to fall. At f = 5 and b = 4 they add a
// twentieth, at f = 5 and b = 2 as much again, at f = 6 and b = 2 a half.
func searchGoal(rule kick.Rule, b, width uint) *goal {
	g := &goal{
		shape:       shape{b, min(width, 8), rule, kick.BreadthFirst},
		probability: probability(b, width), plateau: searchPlateau[b],
		inserts: 1_000_000, largest: 1 << 10, crowds: []uint{width}, crowding: 1,
	}
	switch {
	case width == 1:
	case width < 4 && b > 2:
		g.falling, g.inserts = true, 10_000_000
	case width < 4, width == 4 && b == 2:
		g.falling, g.inserts = true, 20_000_000 // few of them made, as such tables are refused early
	case width == 4:
		g.largest, g.falling = 1<<12, true
	case width == 5:
		g.falling, g.crowding = b == 2, 4
	case width < 8:
		g.crowding = 2
	case b == 2:
		g.inserts, g.largest = 3_000_000, 1<<12
		g.crowds, g.crowding = append(g.crowds, 0), 1.5
	default:
		g.inserts, g.largest = 3_000_000, 1<<15/uint64(b)
		g.crowds = []uint{width, width + 1, width + 2, 0}
	}
	return g
}

// walkRows returns the ceilings of a policy that walks, which hold together with those of
// BreadthFirst.
func walkRows(sim *simulator, policy kick.Policy, progress func(b, width uint)) (rows []row) {
	for _, b := range []uint{1, 2, 4, 8} {
		plateau, promised := walkPlateau[policy][b]
		if !promised {
			rows = append(rows, loadRow(b, 1, map[uint]float64{1: targetLoad, 2: .25}[b]))
			continue
		}
		for _, width := range walkWidths(policy, b) {
			progress(b, width)
			g := walkGoal(policy, b, width, plateau)
			xor := g.knots(sim)
			g.rule = kick.Additive
			rows = append(rows, row{b, width, lower(g.knots(sim), xor)})
		}
	}
	return rows
}

// walkWidths returns the widths that have rows of their own. RandomWalk and LookAhead differ from BreadthFirst, whose
// rows hold too, in what they need of the load, which is the same for all widths. RoundRobin does more where many
// fingerprints are alike; of more than 16 bits none are in tables of any size.
func walkWidths(policy kick.Policy, b uint) []uint {
	switch {
	case policy != kick.RoundRobin:
		return []uint{1}
	case b == 4:
		return upTo(16)
	default:
		return append(upTo(5), 8, 12)
	}
}

// walkGoal returns what is promised for a policy that walks, with placement XOR.
func walkGoal(policy kick.Policy, b, width uint, plateau float64) *goal {
	g := &goal{
		shape: shape{b, 8, kick.XOR, policy}, probability: walkProbability(policy, b, 8), plateau: plateau,
		inserts: 2_000_000, largest: 1 << 12,
	}
	if policy == kick.RoundRobin {
		g.width, g.probability = min(width, 8), walkProbability(policy, b, width)
		g.crowds, g.circling = []uint{width}, circling[b]
		if width < 6 {
			g.falling, g.inserts = true, 10_000_000
		}
	}
	return g
}

// lower drops from a row what another row promises less of, at the numbers of buckets of the other.
func lower(ks, other []knot) []knot {
	for at := range ks {
		for _, o := range other {
			if o.buckets == ks[at].buckets {
				ks[at].keys = min(ks[at].keys, o.keys)
			}
		}
	}
	return monotone(ks)
}

// plainRows returns load targets of the placement PlainXOR, 3% below what was seen.
func plainRows(sim *simulator, progress func(b, width uint)) (rows []row) {
	rows = append(rows, loadRow(1, 1, targetLoad))
	for _, b := range []uint{2, 4, 8} {
		for _, width := range upTo(16) {
			progress(b, width)
			rows = append(rows, loadRow(b, width, 0.97*sim.plainLoad(b, width)))
		}
	}
	return rows
}

// loadRow is a row of one load for all sizes, to three digits.
func loadRow(b, width uint, load float64) row {
	return row{b, width, []knot{{1000, uint64(load * 1000 * float64(b))}}}
}
