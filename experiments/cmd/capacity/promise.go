package main

import (
	"math"
	"math/bits"

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

// grid returns the numbers of buckets that get a knot: for the search with Additive every small one
// and some between the powers of two.
func (g *goal) grid() (ms []uint64) {
	if g.rule == kick.XOR || g.policy != kick.BreadthFirst {
		for m := uint64(2); m <= maxBuckets; m *= 2 {
			ms = append(ms, m)
		}
		return ms
	}
	every := uint64(16)
	if g.width >= 8 {
		every = 32
	}
	for m := uint64(2); m < every; m++ {
		ms = append(ms, m)
	}
	for m := every; m <= maxBuckets; m *= 2 {
		ms = append(ms, m)
		if g.width < 8 || m >= g.largest {
			continue
		}
		// Odd numbers in between, because even ones have another share of buckets that are
		// paired with themselves.
		for quarter := uint64(1); quarter < 4; quarter++ {
			if quarter == 2 || m < 1024 {
				ms = append(ms, (m+m*quarter/4)|1)
			}
		}
	}
	return ms
}

// knots returns the promise at each number of buckets of the grid.
func (g *goal) knots(sim *simulator) []knot {
	ms := g.grid()
	ks := make([]knot, len(ms))
	var last knot // the largest table simulated
	for at, m := range ms {
		bulk := func(int) float64 { return 0 }
		slots := float64(g.b) * float64(m)
		most := int(g.plateau * slots)
		switch {
		case m > g.largest && g.falling:
			// Small sets of buckets with a number of keys in each are what ends such tables:
			// their number is as m, and the probability of one at least as load to that power.
			fall := math.Pow(float64(last.buckets)/float64(m), 1/g.fewest())
			most = min(most, int(float64(last.keys)/float64(last.buckets)*float64(m)*fall))
		case m > g.largest:
			most = min(most, int(float64(last.keys)/float64(last.buckets)*float64(m)))
		default:
			bulk = g.bulk(sim, m)
		}
		crowds := g.crowdsNear(m, following(ms, at))
		n := largest(0, most, func(n int) bool {
			risk := bulk(n)
			for _, c := range crowds {
				keys := int(float64(n) / float64(m) * float64(c.m))
				risk = max(risk, bulk(n)+g.crowding*c.expected(keys, int(g.b))+g.circling*c.circles(keys, int(g.b)))
			}
			return risk <= g.probability/2
		})
		ks[at] = knot{m, uint64(max(n, int(g.b)))}
		if m <= g.largest {
			last = ks[at]
		}
	}
	return thin(monotone(ks))
}

// following returns the number of buckets behind number at of the grid.
func following(ms []uint64, at int) uint64 {
	if at+1 < len(ms) {
		return ms[at+1]
	}
	return ms[at] + 1
}

// bulk returns the probability, from above, of a refusal within n keys by more than two crowded
// buckets.
func (g *goal) bulk(sim *simulator, m uint64) func(n int) float64 {
	if g.policy == kick.BreadthFirst && (m <= 3 || g.width == 1) {
		// There are no three buckets but all of them, which hold b*m keys; or one fingerprint,
		// which pairs every bucket with one other for good.
		return func(int) float64 { return 0 }
	}
	t := sim.tail(g.shape, m, g.inserts)
	if g.width < 8 || g.policy != kick.BreadthFirst {
		return t.probability
	}
	wide := sim.tail(shape{g.b, 16, g.rule, g.policy}, m, g.inserts)
	return func(n int) float64 {
		simulated := max(t.probability(n), wide.probability(n))
		if m > 64 || simulated <= g.probability/4 {
			return simulated
		}
		// The bound is for equally likely pairs: twice as much covers fingerprints of 8 bits.
		return min(simulated, 2*overfull(m, n, int(g.b)))
	}
}

// crowdsNear returns the crowds of tables of m buckets and of a sample of the numbers up to the
// next of the grid: which buckets share many fingerprints changes irregularly with m.
func (g *goal) crowdsNear(m, next uint64) (cs []*crowd) {
	step := uint64(1)
	if g.rule == kick.XOR {
		next = m + 1
	} else if m > 1<<16 {
		step = (next - m + 1) / 2
	} else {
		step = max(1, (next-m)/16)
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

// monotone lowers promises until no larger table is promised less.
func monotone(ks []knot) []knot {
	for at := len(ks) - 2; at >= 0; at-- {
		ks[at].keys = min(ks[at].keys, ks[at+1].keys)
	}
	return ks
}

// thin drops knots that those around them imply: inside a run of equal keys, and, in large tables,
// where the load does not change any more.
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

// tail is the lower tail of a simulated first refusal.
type tail struct {
	trials int
	within []int // within[n] trials were refused within n keys
	// Below anchor, where fewer than anchorCount trials were refused, probabilities follow a
	// straight line in n on a logarithmic scale.
	anchor   int
	log      float64 // logarithm of the upper limit of the probability at anchor
	gradient float64 // per key
	// power, if not 0, says that probabilities fall at least as n to this power below anchor, too.
	power float64
}

const (
	// anchorCount trials fix a probability to 18%, one standard deviation.
	anchorCount = 30
	// gradientSpan is the ratio of the two probabilities that the gradient is taken from.
	gradientSpan = 20
	// gradientShare of the measured gradient is used: two standard deviations less, about.
	gradientShare = 0.85
)

// newTail turns the counts of firstRefusals into a tail.
//
// The logarithm of the probability falls ever faster as n falls (the part of it that one or two
// crowded buckets make is computed and not simulated), so that the straight line is above it.
func newTail(ended []int, trials int) tail {
	t := tail{trials: trials, within: make([]int, len(ended)+1)}
	for stored, count := range ended {
		t.within[stored+1] = t.within[stored] + count
	}
	high := 0
	for n, count := range t.within {
		if count >= anchorCount && t.anchor == 0 {
			t.anchor = n
		}
		if count >= anchorCount*gradientSpan && high == 0 {
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

// largest returns the largest n in low..high for which ok, which must be true of low and of all
// numbers below one that it is true of.
func largest(low, high int, ok func(n int) bool) int {
	for low < high {
		if mid := low + (high-low+1)/2; ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// row is one row of the table: the promise for a bucket size and all widths from one on.
type row struct {
	b, width uint
	knots    []knot
}

// searchPlateau are the loads promised of large tables under BreadthFirst: far below what is seen,
// see docs/CAPACITY.md.
var searchPlateau = map[uint]float64{2: .86, 3: .93, 4: .96, 5: .975, 6: .98, 7: .983, 8: .985}

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
	for b := uint(2); b <= 8; b++ {
		for _, width := range searchWidths(b) {
			progress(b, width)
			rows = append(rows, row{b, width, searchGoal(rule, b, width).knots(sim)})
		}
	}
	return rows
}

// searchWidths returns the widths that have rows of their own. Up to 12 bits five keys of one class
// end large tables of b = 2; wider buckets leave a difference in small tables only. Buckets of 3, 5, 6 and 7 slots are those of
// the layout Words, which has them for few widths.
func searchWidths(b uint) []uint {
	switch b {
	case 2:
		return upTo(12)
	case 3:
		return []uint{17}
	case 5:
		return []uint{11, 12}
	case 6:
		return []uint{10}
	case 7:
		return []uint{9}
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
