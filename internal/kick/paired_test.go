package kick

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/hugepage"
	"github.com/nestfilter/nest/internal/packed"
)

// pairedScheme returns the scheme of a rule over m buckets of b paired slots.
func pairedScheme(rule Rule, m uint64, b uint) Scheme {
	s := NewScheme(rule, m)
	s.PairSlots(b)
	return s
}

// slotSet returns the slots of a fingerprint that is in a slot, by the definition.
func slotSet(s *Scheme, slot, fp, b uint64) map[uint64]bool {
	y := uint64(uint32(fp) * turner)
	a, x := 1+y*(b-1)>>32, y>>16%b
	i, p := slot/b, slot%b
	j := s.Alternate(i, fp)
	return map[uint64]bool{i*b + p: true, i*b + p ^ a: true, j*b + p ^ x: true, j*b + p ^ x ^ a: true}
}

// TestPaired_EverySlotLeadsToTheSame tries every slot and fingerprint of small tables under every rule, and random ones of large
// tables: from each of the slots of a fingerprint the same ones follow, they are four, or two, and others leaves out one.
func TestPaired_EverySlotLeadsToTheSame(t *testing.T) {
	check := func(rule Rule, s *Scheme, slot, fp, b uint64) {
		want := slotSet(s, slot, fp, b)
		for from := range want {
			i, lane := s.laneOf(from)
			k, l := s.Homes(lane, fp)
			all, n := s.slots(i, s.Alternate(i, fp), k, l)
			others, left := s.others(from, fp)
			if n != len(want) || left != n-1 || n != 4 && n != 2 {
				t.Fatalf("%s, m = %d, b = %d: fingerprint %d in slot %d has %d slots and %d others, want %d", ruleNames[rule], s.Buckets, b, fp, from, n, left, len(want))
			}
			for at, slot := range append(all[:n:n], others[:left]...) {
				if !want[slot] || at >= n && slot == from || slot/b >= s.Buckets {
					t.Fatalf("%s, m = %d, b = %d: fingerprint %d in slot %d leads to %d, want one of %v", ruleNames[rule], s.Buckets, b, fp, from, slot, want)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 0x5eed))
	for _, rule := range native {
		for _, b := range []uint64{4, 8} {
			for m := uint64(1); m <= 18; m++ {
				if !fits(rule, m) {
					continue
				}
				s := pairedScheme(rule, m, uint(b))
				for slot := range m * b {
					for fp := uint64(1); fp < 256; fp++ {
						check(rule, &s, slot, fp, b)
					}
				}
			}
			for range 5000 {
				m := uint64(1) << r.UintN(33-uint(bits.Len64(b-1)))
				if fits(rule, 3) {
					m = 1 + r.Uint64N(m)
				}
				s := pairedScheme(rule, m, uint(b))
				check(rule, &s, r.Uint64N(m*b), 1+r.Uint64N(1<<32-1), b)
			}
		}
	}
}

// TestPlaces_AreTheHomesOfTheDigestsSlot holds what a verb begins with to the slot of the digest, which is its share of all slots.
func TestPlaces_AreTheHomesOfTheDigestsSlot(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0x5eed))
	for range 50_000 {
		b := uint64(4) << r.UintN(2)
		m := 1 + r.Uint64N(1<<32/b)
		s := pairedScheme(Additive, m, uint(b))
		h := r.Uint64()
		fp := fingerprint.Of(h, 1+r.UintN(32))
		slot, _ := bits.Mul64(h, m*b)
		k, l := s.Places(h, fp)
		wantK, wantL := s.Homes(uint(slot%b), fp)
		if i, _ := s.Pair(h, fp); i != slot/b || k != wantK || l != wantL {
			t.Fatalf("m = %d, b = %d, digest %#x: bucket %d, pairs %d and %d, want %d, %d and %d", m, b, h, i, k, l, slot/b, wantK, wantL)
		}
	}
}

// TestPaired_DistancesAndTurnsAreSpread counts them over all fingerprints of 12 bits: each of the pairs that there are comes up as
// often as another, to within five standard deviations.
func TestPaired_DistancesAndTurnsAreSpread(t *testing.T) {
	for _, b := range []uint64{4, 8} {
		s := pairedScheme(Additive, 1000, uint(b))
		count := map[[2]uint64]int{}
		for fp := uint64(1); fp < 1<<12; fp++ {
			a, x := s.turn(fp)
			if a < 1 || a >= b || x >= b {
				t.Fatalf("b = %d: fingerprint %d has distance %d and turn %d", b, fp, a, x)
			}
			count[[2]uint64{a, x}]++
		}
		mean := float64(1<<12) / float64(b*(b-1))
		for a := uint64(1); a < b; a++ {
			for x := range b {
				if n := float64(count[[2]uint64{a, x}]); (n-mean)*(n-mean) > 25*mean {
					t.Errorf("b = %d: distance %d and turn %d of %v fingerprints, want %.0f", b, a, x, n, mean)
				}
			}
		}
	}
}

// TestBreadthFirstPaired_QueuesASlotOnce fills a table with a search that looks at all of it: no slot is queued twice, and at the
// first refusal every slot that can be reached was looked at.
func TestBreadthFirstPaired_QueuesASlotOnce(t *testing.T) {
	const m, b = 64, 4
	e := new(Engine)
	e.Init(packed.NewPaired(11, b, m, hugepage.Off), pairedScheme(Additive, m, b), BreadthFirst, m*b, 1)
	r := rand.New(rand.NewPCG(3, 0x5eed))
	for stored := 0; ; stored++ {
		h := r.Uint64()
		fp := fingerprint.Of(h, 11)
		i, j := e.Scheme.Pair(h, fp)
		k, l := e.Scheme.Places(h, fp)
		o := e.InsertPaired(i, j, k, l, fp)
		queued := map[uint64]bool{}
		for _, n := range e.search.queue {
			if queued[n.bucket] {
				t.Fatalf("slot %d is queued twice", n.bucket)
			}
			queued[n.bucket] = true
		}
		if o == Stored {
			continue
		}
		for slot := range queued {
			others, n := e.Scheme.others(slot, e.inSlot(slot))
			for _, to := range others[:n] {
				if !queued[to] || e.inSlot(to) == 0 {
					t.Fatalf("slot %d can be reached from %d and was not looked at", to, slot)
				}
			}
		}
		if load := float64(stored) / (m * b); load < .9 {
			t.Errorf("refused at a load of %.3f", load)
		}
		return
	}
}
