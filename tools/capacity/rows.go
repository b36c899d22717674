package main

import "github.com/nestfilter/nest/internal/kick"

// row is one row of the table: the promise for a bucket size and all widths from one on.
type row struct {
	b, width uint
	knots    []knot
}

// loadRow is a row of one load for all sizes, to three digits.
func loadRow(b, width uint, load float64) row {
	return row{b, width, []knot{{1000, uint64(load * 1000 * float64(b))}}}
}

// targetLoad is the load of b = 1, where no probability is promised.
const targetLoad = 0.4

// searchPlateau are the loads promised of large tables under BreadthFirst: far below what is seen, see docs/results/CAPACITY.md.
var searchPlateau = map[uint]float64{2: .86, 3: .93, 4: .96, 5: .975, 6: .98, 7: .983, 8: .985}

// walkPlateau are those of the policies that walk, which leave room for the tail of long walks: tables of 2^20 slots and
// b = 4 refused at .958 (RandomWalk), .952 (RoundRobin) and .970 (LookAhead), and each doubling takes .0015 off. In
// millions of inserts at these loads no walk took a quarter of the limit.
var walkPlateau = map[kick.Policy]map[uint]float64{
	kick.RandomWalk: {2: .80, 4: .92, 8: .95},
	kick.RoundRobin: {4: .90, 8: .95},
	kick.LookAhead:  {2: .83, 4: .95, 8: .98},
}

// pairedPlateau are the loads promised of tables with paired slots, of up to 2^pairedFlat slots, .006 and .009 below that at
// which tables of so many slots refuse first. pairedFall is what each doubling beyond takes off, as it does of the load at
// the first refusal or more.
var pairedPlateau = map[uint]float64{4: .9526, 8: .961}

const (
	pairedFlat = 23
	pairedFall = .0006
)

// probability returns the chance of a refusal that rows of a shape allow. RoundRobin runs in circles so often that with
// 1e-6 its tables of 8 bits would take a load of .2 only from a million slots on; with paired slots five keys of one class
// are too frequent below 12 bits.
func (s shape) probability() float64 {
	if s.b == 2 || s.width < 8 || s.width < 12 && (s.paired || s.policy == kick.RoundRobin) {
		return 1e-3
	}
	return 1e-6
}

// upTo returns the widths from 1 to n, and more.
func upTo(n uint, more ...uint) (widths []uint) {
	for width := uint(1); width <= n; width++ {
		widths = append(widths, width)
	}
	return append(widths, more...)
}

// searchWidths are the widths that have rows of their own. Up to 12 bits five keys of one class end large tables of b = 2;
// wider buckets leave a difference in small tables only. Buckets of 3, 5, 6 and 7 slots are those of the layout Words,
// which has them for few widths.
var searchWidths = [9][]uint{2: upTo(12), 3: {17}, 4: upTo(8, 12), 5: {11, 12}, 6: {10}, 7: {9}, 8: upTo(8, 12)}

// searchRows returns the rows of the policy BreadthFirst.
func searchRows(rule kick.Rule) func(*simulator) []row {
	return func(sim *simulator) []row {
		rows := []row{loadRow(1, 1, targetLoad)}
		for b, widths := range searchWidths {
			for _, width := range widths {
				rows = append(rows, row{uint(b), width, searchGoal(rule, uint(b), width).knots(sim)})
			}
		}
		return rows
	}
}

// searchGoal returns what is promised for BreadthFirst.
//
// Where keys that crowd three buckets or more are not much rarer than those that crowd two, which the sums of their
// probabilities tell, the load is made to fall. At f = 5 and b = 4 they add a twentieth, at f = 5 and b = 2 as much again,
// at f = 6 and b = 2 a half.
func searchGoal(rule kick.Rule, b, width uint) *goal {
	g := &goal{
		shape: shape{b: b, width: min(width, 8), rule: rule}, plateau: searchPlateau[b],
		inserts: 1_000_000, largest: 1 << 10, crowds: []uint{width}, crowding: 1,
	}
	g.probability = g.shape.probability()
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

// walkRows returns the ceilings of a policy that walks, which hold together with those of BreadthFirst: the lower ones of
// both placements.
func walkRows(policy kick.Policy) func(*simulator) []row {
	return func(sim *simulator) (rows []row) {
		for _, b := range []uint{1, 2, 4, 8} {
			plateau, promised := walkPlateau[policy][b]
			if !promised {
				rows = append(rows, loadRow(b, 1, []float64{1: targetLoad, 2: .25}[b]))
				continue
			}
			for _, width := range walkWidths(policy, b) {
				g := walkGoal(policy, b, width, plateau)
				xor := g.knots(sim)
				g.rule = kick.Additive
				rows = append(rows, row{b, width, lower(g.knots(sim), xor)})
			}
		}
		return rows
	}
}

// walkWidths returns the widths that have rows of their own. RandomWalk and LookAhead differ from BreadthFirst, whose rows
// hold too, in what they need of the load, which is the same for all widths. RoundRobin does more where many fingerprints
// are alike; of more than 16 bits none are in tables of any size.
func walkWidths(policy kick.Policy, b uint) []uint {
	switch {
	case policy != kick.RoundRobin:
		return []uint{1}
	case b == 4:
		return upTo(16)
	}
	return upTo(5, 8, 12)
}

// walkGoal returns what is promised for a policy that walks, with placement XOR.
func walkGoal(policy kick.Policy, b, width uint, plateau float64) *goal {
	s := shape{b: b, width: 8, rule: kick.XOR, policy: policy}
	g := &goal{shape: s, probability: s.probability(), plateau: plateau, inserts: 2_000_000, largest: 1 << 12}
	if policy == kick.RoundRobin {
		s.width = width
		g.width, g.probability = min(width, 8), s.probability()
		g.crowds, g.crowding, g.circling = []uint{width}, 0, circling[b]
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

// pairedRows returns the rows of BreadthFirst with the layout PairedSlots.
func pairedRows(sim *simulator) (rows []row) {
	for _, b := range []uint{4, 8} {
		for _, width := range upTo(16) {
			s := shape{b: b, width: width, paired: true}
			g := &goal{shape: s, probability: s.probability(), plateau: pairedPlateau[b],
				inserts: 600_000, largest: 1 << 16 / uint64(b), crowding: 2}
			rows = append(rows, row{b, width, g.knots(sim)})
		}
	}
	return rows
}

// plainLoads returns load targets of the placement PlainXOR for buckets of 1, 2, 4 and 8 slots, in keys for a thousand
// buckets, by the width: 3% below the smallest load at which three tables of 2^20 slots refused their first key.
func plainLoads(sim *simulator) [][]uint64 {
	const slots = 1 << 20
	loads := [][]uint64{{loadRow(1, 1, targetLoad).knots[0].keys}}
	for _, b := range []uint{2, 4, 8} {
		var row []uint64
		for _, width := range upTo(16) {
			s := shape{b: b, width: width, rule: kick.PlainXOR}
			stored := least(s.firstRefusals(slots/uint64(b), 3, sim.seed))
			row = append(row, loadRow(b, width, 0.97*(float64(stored)/slots)).knots[0].keys)
		}
		loads = append(loads, row)
	}
	return loads
}
