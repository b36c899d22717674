package cuckoo

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// small explores every state that a small table can be brought into by inserts and deletes.
type small struct {
	f      verbs
	e      *kick.Engine
	cells  uint64         // buckets or, where slots are paired, four places in each
	keys   []uint64       // a digest for every cell and fingerprint, cell by cell
	number []int          // the numbers of their classes
	inSlot []int          // the number of the class of a fingerprint in a slot, slot by slot
	place  map[uint64]int // of each fingerprint among those of a bucket
	class  []class        // by number
	slots  []uint64       // that a class may be in, by number, where slots are paired
	seen   map[string]bool
	todo   []string
	hall   bool // refusals must be unavoidable
	states int
}

// explore visits all states reachable from the empty table and tries every insert and delete in
// each, of the given fingerprints. In the smallest tables it does so with a filter of fingerprint.Any too.
//
// A walk that finds no slot goes round in so few slots. It is given up after twice as many kicks as there are: it has come to each more than
// once by then, or never does.
func explore(t *testing.T, width uint, c Config, fps []uint64) {
	if c.Kick != BreadthFirst {
		c.MaxKicks = 2 * c.Buckets * max(c.BucketSize, 4)
	}
	if c.Buckets*max(c.BucketSize, 4)*int(width) <= 32 && c.Kick == BreadthFirst {
		any := c
		any.FingerprintBits = int(width)
		exploreWith(t, mustNew(t, width, any), width, c, fps)
	}
	exploreWith(t, mustNew(t, width, c), width, c, fps)
}

// exploreWith is explore with a filter of that width and configuration.
func exploreWith(t *testing.T, f verbs, width uint, c Config, fps []uint64) {
	e, _ := f.inner()
	s := &small{f: f, e: e, seen: map[string]bool{}, hall: c.Kick == BreadthFirst, place: map[uint64]int{}}
	s.cells = uint64(c.Buckets)
	if c.Layout == PairedSlots {
		s.cells = uint64(c.Buckets) * 4
	}
	for i := range s.cells {
		for k, fp := range fps {
			s.place[fp] = k
			h := digestOf(t, i, s.cells, fp, width)
			n := slices.Index(s.class, classOf(f, h))
			if n < 0 {
				n = len(s.class)
				s.class = append(s.class, classOf(f, h))
				if c.Layout == PairedSlots {
					s.slots = append(s.slots, classOf(f, h).slots(f))
				}
			}
			s.keys = append(s.keys, h)
			s.number = append(s.number, n)
		}
	}
	for slot := range uint64(f.Slots()) {
		for _, fp := range fps {
			b := uint64(e.Table.Lanes())
			s.inSlot = append(s.inSlot, slices.Index(s.class, classAt(f, slot/b, slot%b, fp)))
		}
	}
	s.visit(string(e.Table.Data()))
	for len(s.todo) > 0 {
		state := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.tryAll(t, state)
	}
	if s.states < 2 {
		t.Errorf("only %d states were reached", s.states)
	}
}

// digestOf returns a digest whose primary bucket is i of m and whose fingerprint is fp.
func digestOf(t *testing.T, i, m, fp uint64, width uint) uint64 {
	t.Helper()
	// The middle of the bucket's share of the high bits, and of the fingerprint's of the low ones.
	high := (2*i + 1) * (1 << 31) / m
	low := (2*fp - 1) * (1 << 31) / (1<<width - 1)
	h := high<<32 | low
	if fingerprint.Bucket(h, m) != i || fingerprint.Of(h, width) != fp {
		t.Fatalf("digest %#x has not bucket %d of %d and fingerprint %d", h, i, m, fp)
	}
	return h
}

func (s *small) visit(state string) {
	if !s.seen[state] {
		s.seen[state] = true
		s.todo = append(s.todo, state)
		s.states++
	}
}

// counts returns how often each class stands in the present table, by its number.
func (s *small) counts() []int {
	c := make([]int, len(s.class))
	fps, lanes := len(s.place), uint64(s.e.Table.Lanes())
	for slot := range s.e.Table.Buckets() * lanes {
		if fp := s.e.Table.Read(slot/lanes, uint(slot%lanes)); fp != 0 {
			c[s.inSlot[int(slot)*fps+s.place[fp]]]++
		}
	}
	return c
}

// feasible tells whether any placement could hold the classes: by Hall's theorem it exists unless
// some set of buckets has more fingerprints that may live nowhere else than it has slots.
func (s *small) feasible(counts []int) bool {
	if s.slots != nil {
		return s.feasibleSlots(counts)
	}
	for set := range uint64(1) << s.e.Table.Buckets() {
		bound, slots := 0, 0
		for n, c := range s.class {
			if set>>c.i&1 == 1 && set>>c.j&1 == 1 {
				bound += counts[n]
			}
		}
		for i := range s.e.Table.Buckets() {
			slots += int(set>>i&1) * int(s.e.Table.Lanes())
		}
		if bound > slots {
			return false
		}
	}
	return true
}

// feasibleSlots is feasible where slots are paired, of sets of slots.
func (s *small) feasibleSlots(counts []int) bool {
	for set := range uint64(1) << s.f.Slots() {
		bound := 0
		for n, slots := range s.slots {
			if slots&^set == 0 {
				bound += counts[n]
			}
		}
		if bound > bits.OnesCount64(set) {
			return false
		}
	}
	return true
}

// tryAll inserts and deletes every key in one state.
func (s *small) tryAll(t *testing.T, state string) {
	copy(s.e.Table.Data(), state)
	before := s.counts()
	for k, h := range s.keys {
		c := s.number[k]
		if got := s.f.CountHash(h); got != before[c] || s.f.ContainsHash(h) != (before[c] > 0) {
			t.Fatalf("%#v\nclass %v: Count %d, want %d", s.f, s.class[c], got, before[c])
		}
		err := s.f.InsertHash(h)
		before[c]++
		s.settled(t, state, before, err)
		if err != nil && s.hall && s.feasible(before) {
			t.Fatalf("%#v\nclass %v was refused although there is a placement", s.f, s.class[c])
		}
		before[c]--
		copy(s.e.Table.Data(), state)
		if deleted := s.f.DeleteHash(h); deleted != (before[c] > 0) {
			t.Fatalf("%#v\nclass %v: Delete is %t", s.f, s.class[c], deleted)
		} else if deleted {
			before[c]--
			s.settled(t, state, before, nil)
			before[c]++
		}
		copy(s.e.Table.Data(), state)
	}
}

// settled holds the table after an operation against the wanted counts, or against the state before
// if the operation failed, and notes the new state.
func (s *small) settled(t *testing.T, state string, want []int, err error) {
	now := string(s.e.Table.Data())
	if err != nil {
		if now != state {
			t.Fatalf("%#v\na refused insert changed the table", s.f)
		}
		return
	}
	if got := s.counts(); !slices.Equal(got, want) {
		t.Fatalf("%#v\nclasses %v stand in the table %v times, want %v", s.f, s.class, got, want)
	}
	s.visit(now)
}

// TestWorlds_Exhaustive explores tables of 1, 2, 4 and 6 buckets completely: in every state that can
// be reached, every insert and delete does what the exact model says, a refused insert changes
// nothing, and the breadth-first policy refuses only where no placement exists.
func TestWorlds_Exhaustive(t *testing.T) {
	for _, shape := range []struct {
		width      uint
		buckets, b int
	}{
		{1, 1, 8}, {1, 2, 4}, {1, 4, 4}, {2, 1, 4}, {2, 2, 1}, {2, 2, 2}, {2, 4, 1}, {3, 1, 2}, {3, 2, 1}, {3, 2, 2}, {3, 4, 1}, {2, 4, 2},
		{1, 6, 1}, {1, 6, 2}, {2, 6, 1}, // three regions
	} {
		for p := range Placement(placements) {
			for _, k := range []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead} {
				bits := shape.buckets * shape.b * int(shape.width)
				if bits >= 12 && (testing.Short() || k != BreadthFirst) || bits > 12 && p == PlainXOR {
					continue
				}
				if p.powerOfTwo() && shape.buckets&(shape.buckets-1) != 0 {
					continue
				}
				name := fmt.Sprintf("f=%d/b=%d/m=%d/%v/%v", shape.width, shape.b, shape.buckets, p, k)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					explore(t, shape.width, Config{Buckets: shape.buckets, BucketSize: shape.b, Placement: p, Kick: k}, allFingerprints(shape.width))
				})
			}
		}
	}
}

// allFingerprints returns the fingerprints of a width.
func allFingerprints(width uint) (fps []uint64) {
	for fp := uint64(1); fp < 1<<width; fp++ {
		fps = append(fps, fp)
	}
	return fps
}

// TestWorlds_SemiSortedExhaustive explores tables of semi-sorted buckets in the same way: one bucket
// with all fingerprints of 5 bits, more buckets with some that differ in their prefixes, in the rest and
// in both.
func TestWorlds_SemiSortedExhaustive(t *testing.T) {
	for _, shape := range []struct {
		width   uint
		buckets int
		fps     []uint64
	}{
		{5, 1, allFingerprints(5)}, {5, 2, []uint64{1, 2, 3, 31}}, {13, 2, []uint64{1, 1 << 9, 8191}}, {17, 3, []uint64{1, 1<<17 - 1}},
		{31, 4, []uint64{1 << 30, 1<<30 + 1}},
	} {
		for p := range Placement(placements) {
			for _, k := range []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead, selfish{}} {
				large := shape.buckets == 1 || shape.buckets == 4
				if testing.Short() && (large || shape.width == 5) || large && (k != BreadthFirst || p > XOR) || p.powerOfTwo() && shape.buckets == 3 {
					continue
				}
				t.Run(fmt.Sprintf("f=%d/m=%d/%v/%s", shape.width, shape.buckets, p, k.Recipe()), func(t *testing.T) {
					t.Parallel()
					explore(t, shape.width, Config{Buckets: shape.buckets, Layout: SemiSorted, Placement: p, Kick: k}, shape.fps)
				})
			}
		}
	}
}

// TestWorlds_PairedExhaustive explores tables with paired slots in the same way. All that they ask of a fingerprint is its matching and its
// turn, so a world has one of each kind: one bucket of 4 slots all six, two buckets any two of them, one bucket of 8 each of 32 alone.
func TestWorlds_PairedExhaustive(t *testing.T) {
	kinds4, kinds8 := oneOfEach(4, 4), oneOfEach(6, 8)
	worlds := []pairedWorld{
		{4, 1, 4, kinds4, true}, {2, 1, 4, allFingerprints(2), true}, {1, 2, 4, allFingerprints(1), true}, {1, 3, 4, allFingerprints(1), true},
		{9, 1, 8, []uint64{5, 511}, false}, {16, 2, 4, []uint64{7, 65535}, false}, {17, 2, 4, []uint64{3, 1 << 16}, false},
	}
	for n, fp := range kinds8 {
		worlds = append(worlds, pairedWorld{6, 1, 8, []uint64{fp}, n%8 == 0})
	}
	for n, fp := range kinds4 {
		for k, other := range kinds4[:n] {
			if n%2 == 1 && k == n-1 || !testing.Short() {
				worlds = append(worlds, pairedWorld{4, 2, 4, []uint64{other, fp}, false})
			}
		}
	}
	for _, w := range worlds {
		for p := range Placement(placements) {
			if w.buckets == 1 && p != Additive { // one bucket is its own alternate under each of them
				continue
			}
			if !w.walks && (p > XOR || p == XOR && testing.Short()) || p.powerOfTwo() && w.buckets == 3 {
				continue
			}
			for _, k := range []KickPolicy{BreadthFirst, RandomWalk, RoundRobin, LookAhead, selfish{}} {
				if k != BreadthFirst && (!w.walks || testing.Short() && w.buckets == 3) {
					continue
				}
				t.Run(fmt.Sprintf("f=%d/b=%d/m=%d/fps=%v/%v/%s", w.width, w.b, w.buckets, w.fps, p, k.Recipe()), func(t *testing.T) {
					t.Parallel()
					explore(t, w.width, Config{Buckets: w.buckets, BucketSize: w.b, Layout: PairedSlots, Placement: p, Kick: k}, w.fps)
				})
			}
		}
	}
}

// A pairedWorld is a table with paired slots and the fingerprints that it is explored with, by the walks too where walks says so.
type pairedWorld struct {
	width      uint
	buckets, b int
	fps        []uint64
	walks      bool
}

// oneOfEach returns, of the fingerprints of a width, the first one of each matching and turn of buckets of b slots.
func oneOfEach(width uint, b int) (fps []uint64) {
	pairing := packed.PairingOf(uint(b))
	scheme := kick.NewScheme(kick.Additive, 1)
	scheme.PairSlots(uint(b))
	seen := map[string]bool{}
	for fp := range uint64(1) << width {
		kind := ""
		for lane := range uint(b) {
			pair := scheme.PairAt(lane, fp)
			kind += fmt.Sprint(pairing.Lanes[pair], pairing.Lanes[pairing.Across[pair]])
		}
		if fp > 0 && !seen[kind] {
			seen[kind] = true
			fps = append(fps, fp)
		}
	}
	return fps
}
