package kick

import (
	"bytes"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
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
	mark := uint64(uint32(fp)*0xc2b2ae35) >> 27
	p := packed.PairingOf(uint(b))
	i := slot / b
	j := s.Alternate(i, fp)
	set := map[uint64]bool{}
	for place := range uint64(4) {
		k := mark<<2 | place
		if pair := p.Lanes[k]; uint64(pair[0]) != slot%b && uint64(pair[1]) != slot%b {
			continue
		}
		for side, lane := range p.Lanes[k] {
			set[i*b+uint64(lane)], set[j*b+uint64(p.Lanes[p.Across[k]][side])] = true, true
		}
	}
	return set
}

// TestPaired_EverySlotLeadsToTheSame tries every slot and fingerprint of small tables under every rule, and random ones of large
// tables: from each of the slots of a fingerprint the same ones follow, and they are four, or two.
func TestPaired_EverySlotLeadsToTheSame(t *testing.T) {
	tables := map[uint64]packed.Table{4: packed.PairedLanes.New(8, 4, 1), 8: packed.PairedLanes.New(8, 8, 1)}
	check := func(rule Rule, s *Scheme, slot, fp, b uint64) {
		want, e := slotSet(s, slot, fp, b), Engine{Table: tables[b], Scheme: *s}
		for from := range want {
			i, lane := from/b, uint(from%b)
			all, n := e.homes(i, s.Alternate(i, fp), s.PairAt(lane, fp))
			if !want[slot] || n != len(want) || n != 4 && n != 2 {
				t.Fatalf("%s, m = %d, b = %d: fingerprint %d in slot %d has %d slots, want %d", ruleNames[rule], s.Buckets, b, fp, from, n, len(want))
			}
			near, to, far := s.others(position{i, lane}, fp)
			reached := map[position]bool{{i, lane}: true, near: true, to: true, far: true}
			if len(reached) != len(want) || near.bucket != i || near.lane == lane {
				t.Fatalf("%s, m = %d, b = %d: fingerprint %d in slot %d leads to %d, %d and %d, want %v", ruleNames[rule], s.Buckets, b, fp, from, near, to, far, want)
			}
			for _, to := range append(all[:n:n], near, to, far) {
				if !want[to.bucket*b+uint64(to.lane)] || to.bucket >= s.Buckets {
					t.Fatalf("%s, m = %d, b = %d: fingerprint %d in slot %d leads to %d, want one of %v", ruleNames[rule], s.Buckets, b, fp, from, to, want)
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

// TestPlaces_AreTheHomesOfTheDigestsSlot holds what a verb begins with to the place of the digest, which is its share of all places, and
// to what follows from the slots.
func TestPlaces_AreTheHomesOfTheDigestsSlot(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0x5eed))
	for range 50_000 {
		b := uint64(4) << r.UintN(2)
		m := 1 + r.Uint64N(1<<32/b)
		s := pairedScheme(Additive, m, uint(b))
		h := r.Uint64()
		fp := fingerprint.Of(h, 1+r.UintN(32))
		share, _ := bits.Mul64(h, m*4)
		k := s.Place(h, fp)
		for _, lane := range s.pairing.Lanes[k] {
			want := s.PairAt(uint(lane), fp)
			if i, _ := s.Pair(h, fp); i != share/4 || k%4 != share%4 || k%4%(b/2) != want%4 || k/4 != want/4 {
				t.Fatalf("m = %d, b = %d, digest %#x: bucket %d, pair %d, want %d and %d", m, b, h, i, k, share/4, want)
			}
		}
	}
}

// TestMarks_AreSpread counts the marks of all fingerprints of 12 bits: each comes up as often as another, to within five standard
// deviations.
func TestMarks_AreSpread(t *testing.T) {
	const mean = float64(1<<12) / packed.Marks
	count := [packed.Marks]float64{}
	for fp := uint64(1); fp < 1<<12; fp++ {
		count[markOf(fp)]++
	}
	for mark, n := range count {
		if (n-mean)*(n-mean) > 25*mean {
			t.Errorf("mark %d of %v fingerprints, want %.0f", mark, n, mean)
		}
	}
}

// TestBreadthFirstPaired_QueuesASlotOnce fills a table with a search that looks at all of it: no slot is queued twice, and at the
// first refusal every slot that can be reached was looked at.
func TestBreadthFirstPaired_QueuesASlotOnce(t *testing.T) {
	const m, b = 64, 4
	e := new(Engine)
	e.Init(packed.PairedLanes.New(11, b, m), pairedScheme(Additive, m, b), BreadthFirst, m*b, 1)
	r := rand.New(rand.NewPCG(3, 0x5eed))
	for stored := 0; ; stored++ {
		h := r.Uint64()
		fp := fingerprint.Of(h, 11)
		i, j := e.Scheme.Pair(h, fp)
		pair := e.Scheme.Place(h, fp)
		o := e.Insert(i, j, pair, fp)
		if o == Stored {
			continue
		}
		x, found := e.exitPaired(i, j, pair)
		queued := map[position]bool{}
		for _, n := range e.search.queue[:x.head] {
			slot := position{n.bucket(), n.lane()}
			if found || queued[slot] {
				t.Fatalf("slot %d is queued twice, or led to a free one: %t", slot, found)
			}
			queued[slot] = true
		}
		for slot := range queued {
			near, to, far := e.Scheme.others(slot, e.Table.Get(slot.bucket, slot.lane))
			for _, to := range []position{near, to, far} {
				if !queued[to] || e.Table.Get(to.bucket, to.lane) == 0 {
					t.Fatalf("slot %d can be reached from %d and was not looked at", to, slot)
				}
			}
		}
		if e.Insert(i, j, pair, fp) == Stored || *e.search.seenSlots != [seenBuckets]uint8{} {
			t.Fatal("a search stores what another one did not, or leaves slots behind that it takes for queued")
		}
		if load := float64(stored) / (m * b); load < .9 {
			t.Errorf("refused at a load of %.3f", load)
		}
		return
	}
}

// TestKickPaired_OfKernelAndLoop fills tables beyond the first refusal, with a kernel where there is one and with the
// loop, and with searches of few slots too: outcomes, kicks and tables are equal. Every fingerprint that was stored is
// in one of its slots, and a path that find finds is never missed.
func TestKickPaired_OfKernelAndLoop(t *testing.T) {
	type key struct{ i, j, pair, fp uint64 }
	for _, shape := range []struct{ width, b uint }{
		{1, 4}, {3, 8}, {3, 4}, {11, 4}, {11, 8}, {12, 8}, {13, 4}, {16, 4}, {16, 8}, {32, 4},
	} {
		for _, rule := range []Rule{Additive, XOR} {
			for at, m := range []uint64{1, 2, 16, 64, 64, 64, 64, 8192} {
				var got, loop Engine
				for _, e := range []*Engine{&got, &loop} {
					e.Init(packed.PairedLanes.New(shape.width, shape.b, m), pairedScheme(rule, m, shape.b), BreadthFirst,
						[]int{100, 100, 2000, 1, 5, 8, 30, 20000}[at], 1)
				}
				loop.paired.search = nil
				r, stored := rand.New(rand.NewPCG(m, uint64(shape.width))), []key{}
				for refused := 0; refused < 20; {
					h := r.Uint64N(16*m) * 0xd1342543de82ef95
					fp := fingerprint.Of(h, shape.width)
					i, j := got.Scheme.Pair(h, fp)
					k := key{i, j, got.Scheme.Place(h, fp), fp}
					o := got.Insert(k.i, k.j, k.pair, k.fp)
					if want := loop.Insert(k.i, k.j, k.pair, k.fp); o != want || got.Stats != loop.Stats ||
						(m < 100 || o != Stored) && !bytes.Equal(got.Table.Data(), loop.Table.Data()) {
						t.Fatalf("%+v, rule %d, %d buckets: outcome %d, want %d; %+v, want %+v", shape, rule, m, o, want, got.Stats, loop.Stats)
					}
					if o == Stored {
						stored = append(stored, k)
					} else if _, ok := got.find(k.i, k.j, k.pair); ok && o == NoPath {
						t.Fatalf("%+v, rule %d, %d buckets: there is a path, and an insert was refused", shape, rule, m)
					} else {
						refused++
					}
				}
				in := 0
				got.Each(func(_, _, _, _ uint64) bool { in++; return true })
				for _, k := range stored {
					if got.Table.CountIn(k.i, k.pair, k.fp)+got.Table.CountIn(k.j, got.Table.Across(k.pair), k.fp) == 0 || in != len(stored) {
						t.Fatalf("%+v, rule %d, %d buckets: %+v is lost, or one of %d is in %d slots", shape, rule, m, k, len(stored), in)
					}
				}
			}
		}
	}
}
