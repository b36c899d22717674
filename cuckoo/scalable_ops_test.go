package cuckoo

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/hashing"
	"github.com/nestfilter/nest/internal/packed"
)

// stored counts the fingerprints of a growing filter by class: the number of buckets, the pair and the
// fingerprint.
func stored[F fingerprint.Width](s *Scalable[F]) map[[4]uint64]int {
	found := map[[4]uint64]int{}
	for n := range s.levels {
		e := &s.levels[n].engine
		var memory [packed.MaxLanes]uint64
		for i := range e.Table.Buckets() {
			for _, fp := range e.Table.ReadAll(i, &memory) {
				if fp != 0 {
					j := e.Scheme.Alternate(i, fp)
					found[[4]uint64{e.Table.Buckets(), min(i, j), max(i, j), fp}]++
				}
			}
		}
	}
	return found
}

// serves tells whether there is a fingerprint for every key, each for one key: a perfect matching, by
// augmenting paths. Only then can every deletion that may come be answered.
func serves[F fingerprint.Width](s *Scalable[F], keys []uint64) bool {
	left, holders := stored(s), map[[4]uint64][]int{}
	classes := make([][][4]uint64, len(keys))
	for k, h := range keys {
		for n := range s.levels {
			l := &s.levels[n]
			m := uint64(l.config.Buckets)
			fp := fingerprint.Of(h, fingerprint.WidthOf[F]())
			i := h >> 32 & (m - 1) // without the code of the verbs
			j := l.engine.Scheme.Alternate(i, fp)
			classes[k] = append(classes[k], [4]uint64{m, min(i, j), max(i, j), fp})
		}
	}
	var visited map[[4]uint64]bool
	var place func(k int) bool
	place = func(k int) bool {
		for _, c := range classes[k] {
			if visited[c] || left[c] == 0 {
				continue
			}
			visited[c] = true
			if len(holders[c]) < left[c] {
				holders[c] = append(holders[c], k)
				return true
			}
			for at, other := range holders[c] {
				if place(other) {
					holders[c][at] = k
					return true
				}
			}
		}
		return false
	}
	for k := range keys {
		visited = map[[4]uint64]bool{}
		if !place(k) {
			return false
		}
	}
	return true
}

// TestScalable_ClassesNest holds the law that Delete rests on: digests of one class in a sub-filter are of
// one class in every smaller one. It tries all fingerprints of 4 bits and all pairs in tables of 1 to 16 buckets.
func TestScalable_ClassesNest(t *testing.T) {
	const top, width = 4, 4
	var at [top + 1]*Filter[fingerprint.Bits4]
	var of [top + 1]level[fingerprint.Bits4]
	s := mustScalable[fingerprint.Bits4](t, ScalableConfig{BucketSize: 4})
	for k := range at {
		l, err := s.newLevel(1 << k)
		if err != nil {
			t.Fatal(err)
		}
		at[k], of[k] = l.Filter, l
	}
	var digests []uint64
	for _, fp := range allFingerprints(width) {
		for i := range uint64(1 << top) {
			digests = append(digests, i<<32|(2*fp-1)<<31/(1<<width-1))
		}
	}
	for _, x := range digests {
		for _, y := range digests {
			for k := top; k > 0; k-- {
				same := classOf(at[k], of[k].digest(x)) == classOf(at[k], of[k].digest(y))
				below := classOf(at[k-1], of[k-1].digest(x)) == classOf(at[k-1], of[k-1].digest(y))
				if same && !below {
					t.Fatalf("%#x and %#x are of one class in %d buckets and of two in half as many", x, y, 1<<k)
				}
			}
		}
	}
}

// scalableWorld explores all states of three sub-filters of 1, 2 and 4 buckets of one slot.
type scalableWorld struct {
	s      *Scalable[fingerprint.Bits2]
	seen   map[string]bool
	states int
}

// state is the keys stored and the bytes of all tables.
func (w *scalableWorld) state(keys []uint64) string {
	out := fmt.Sprint(keys)
	for n := range w.s.levels {
		out += string(w.s.levels[n].engine.Table.Data())
	}
	return out
}

// visit tries all deletes and inserts from the present state, each on a copy.
func (w *scalableWorld) visit(t *testing.T, keys, universe []uint64) {
	slices.Sort(keys)
	name := w.state(keys)
	if w.seen[name] {
		return
	}
	w.seen[name] = true
	w.states++
	for _, h := range keys {
		if !w.s.ContainsHash(h) {
			t.Fatalf("%v: digest %#x of %#x is lost", w.s, h, keys)
		}
	}
	if !serves(w.s, keys) {
		t.Fatalf("%v: some order of deletions of %#x fails", w.s, keys)
	}
	here := w.s
	for k, h := range keys {
		w.s = here.Clone()
		if !w.s.DeleteHash(h) {
			t.Fatalf("%v: digest %#x of %#x cannot be deleted", w.s, h, keys)
		}
		w.visit(t, slices.Delete(slices.Clone(keys), k, k+1), universe)
	}
	for _, h := range universe {
		for n := range here.levels {
			w.s = here.Clone()
			// Into each sub-filter, whichever the insert would take.
			if l := &w.s.levels[n]; l.InsertHash(l.digest(h)) == nil {
				w.visit(t, append(slices.Clone(keys), h), universe)
			}
		}
	}
	w.s = here.Clone()
	w.s.Compact()
	w.visit(t, slices.Clone(keys), universe)
	w.s = here
}

// TestScalable_WorldsExhaustive explores, for digests that share fingerprints and so classes of the smaller tables,
// every state that inserts into any sub-filter, deletions of inserted keys and Compact lead to: no key is denied in any,
// and every key can be deleted in any order.
func TestScalable_WorldsExhaustive(t *testing.T) {
	t.Parallel()
	universe := []uint64{0, 1 << 32, 2 << 32, 3 << 32}
	if !testing.Short() {
		universe = append(universe, 1<<31)
	}
	w := &scalableWorld{seen: map[string]bool{}}
	w.s = mustScalable[fingerprint.Bits2](t, ScalableConfig{Capacity: 1, BucketSize: 1})
	for _, m := range []int{2, 4} {
		l, err := w.s.newLevel(m)
		if err != nil {
			t.Fatal(err)
		}
		w.s.levels = append(w.s.levels, l)
	}
	w.visit(t, nil, universe)
	if w.states < 500 {
		t.Errorf("only %d states", w.states)
	}
	t.Logf("%d states", w.states)
}

// runScalable decodes bytes into operations, two bytes each, on a growing filter of narrow fingerprints, and holds
// it against the exact multiset of keys.
func runScalable(t *testing.T, c ScalableConfig, mode uint8, ops []byte) {
	s := mustScalable[fingerprint.Bits6](t, c)
	var keys []uint64
	for len(ops) >= 2 {
		op, operand := ops[0], ops[1]
		ops = ops[2:]
		h := digests(mode, operand) ^ uint64(op>>4)<<33&uint64(mode)<<33
		before := len(keys)
		switch op % 8 {
		case 0, 1, 2, 3:
			if s.InsertHash(h) == nil {
				keys = append(keys, h)
			}
		case 4:
			if ok, err := s.InsertUniqueHash(h); ok && err == nil {
				keys = append(keys, h)
			}
		case 5, 6:
			if before > 0 {
				k := int(operand) * before / 256
				if !s.DeleteHash(keys[k]) {
					t.Fatalf("%v: digest %#x cannot be deleted", s, keys[k])
				}
				keys = slices.Delete(keys, k, k+1)
			}
		case 7:
			keys = rareOperation(t, s, keys, op>>3)
		}
		if s.Len() != len(keys) || s.FalsePositiveRate() > s.config.FalsePositiveRate {
			t.Fatalf("%v: Len %d, want %d", s, s.Len(), len(keys))
		}
	}
	if !serves(s, keys) {
		t.Fatalf("%v: some key is denied, or will be", s)
	}
	for _, h := range keys {
		if !s.ContainsHash(h) || s.CountHash(h) < 1 {
			t.Fatalf("%v: digest %#x is lost", s, h)
		}
	}
	if n := s.DeleteHashes(keys); n != len(keys) || s.Len() != 0 {
		t.Fatalf("%v: %d of %d keys were deleted", s, n, len(keys))
	}
}

// rareOperation compacts, merges or resets the filter and returns the keys that it then holds.
func rareOperation(t *testing.T, s *Scalable[fingerprint.Bits6], keys []uint64, which byte) []uint64 {
	switch which {
	case 0, 1, 2, 3, 4, 5:
		before := s.SizeBytes()
		if freed := s.Compact(); freed < 0 || s.SizeBytes() != before-freed {
			t.Fatalf("%v: %d bytes freed of %d", s, freed, before)
		}
	case 6:
		if len(keys) > 200 {
			return keys // each one doubles them
		}
		before := s.Clone()
		err := s.Merge(s)
		if err == nil {
			return append(keys, keys...)
		}
		if !errors.Is(err, ErrFull) || !s.Equal(before) {
			t.Fatalf("%v: %v", s, err)
		}
	case 7:
		if len(keys) > 200 {
			return keys
		}
		other := mustScalable[fingerprint.Bits6](t, ScalableConfig{Capacity: 1, BucketSize: s.config.BucketSize})
		for k := range uint64(9) {
			if err := other.InsertHash(digests(0, byte(k))); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Merge(other); err == nil {
			for k := range uint64(9) {
				keys = append(keys, digests(0, byte(k)))
			}
		}
	case 8:
		if s.Reset(); s.SubFilters() != 1 || !s.Equal(mustScalable[fingerprint.Bits6](t, s.config)) {
			t.Fatalf("%v: not as it was made", s)
		}
		return nil
	}
	return keys
}

// scalableShapes are configurations of small first sub-filters.
var scalableShapes = []ScalableConfig{
	{Capacity: 1}, {Capacity: 1, GrowthFactor: 4, BucketSize: 2}, {Capacity: 4, BucketSize: 1, Kick: RandomWalk},
	{Capacity: 9, Layout: SemiSorted}, {Capacity: 20, MaxSubFilters: 2}, {Capacity: 30, BucketSize: 8, MaxBytes: 300}, {Capacity: 2, Kick: selfish{}},
}

func FuzzScalable(f *testing.F) {
	r := rand.New(rand.NewPCG(8, 0x5eed))
	for n := range 4 * len(scalableShapes) {
		ops := make([]byte, 1000)
		for i := range ops {
			ops[i] = byte(r.Uint32())
		}
		f.Add(uint8(n), uint8(n/len(scalableShapes)), ops)
	}
	f.Fuzz(func(t *testing.T, shape, mode uint8, ops []byte) {
		runScalable(t, scalableShapes[int(shape)%len(scalableShapes)], mode, ops[:min(len(ops), 3000)])
	})
}

// TestScalable_CompactGivesBack deletes most keys and compacts: what is left fits a fraction of the memory.
func TestScalable_CompactGivesBack(t *testing.T) {
	s := grown[fingerprint.Bits12](t, ScalableConfig{}, 9, 100_000)
	r := rand.New(rand.NewPCG(9, 0x5eed))
	var keep []uint64
	for n := range 100_000 {
		h := r.Uint64()
		if n%10 == 0 {
			keep = append(keep, h)
		} else if !s.DeleteHash(h) {
			t.Fatalf("key %d is lost", n)
		}
	}
	bytes, filters := s.SizeBytes(), s.SubFilters()
	freed := s.Compact()
	bits := 8 * float64(s.SizeBytes()) / float64(s.Len())
	if s.SizeBytes() != bytes-freed || s.SubFilters() >= filters || bits > 2*12/0.95 {
		t.Errorf("%v after freeing %d bytes of %d: %.1f bits per item", s, freed, bytes, bits)
	}
	for _, h := range keep {
		if !s.ContainsHash(h) {
			t.Fatalf("digest %#x is lost", h)
		}
	}
	if n := s.DeleteHashes(keep); n != len(keep) || s.Len() != 0 {
		t.Errorf("%d of %d keys were deleted after compacting", n, len(keep))
	}
	s.Compact()
	if s.SubFilters() != 1 {
		t.Errorf("empty, and yet %v", s)
	}
}

// TestScalable_GrowingAndCompactingInTurn holds the number of sub-filters to a logarithm when every growth is
// followed by a Compact.
func TestScalable_GrowingAndCompactingInTurn(t *testing.T) {
	s := mustScalable[fingerprint.Bits16](t, ScalableConfig{Capacity: 64})
	r := rand.New(rand.NewPCG(10, 0x5eed))
	for n, filters := 0, 1; n < 60_000; n++ {
		if err := s.InsertHash(r.Uint64()); err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		if s.SubFilters() != filters {
			s.Compact()
			filters = s.SubFilters()
		}
	}
	// 60,000 of 64 is 2^9.9, and a quarter more each time is 3.1 steps a doubling.
	if s.SubFilters() > 31 {
		t.Errorf("%v", s)
	}
	t.Logf("%v", s)
}

// copiesOf returns a growing filter that holds each of so many keys the given number of times, as far as it takes them.
func copiesOf(t testing.TB, keys, copies int) *Scalable[fingerprint.Bits12] {
	s := mustScalable[fingerprint.Bits12](t, ScalableConfig{})
	for range copies {
		for k := range uint64(keys) {
			_ = s.InsertHash(hashing.Mix64(k))
		}
	}
	return s
}

// TestScalable_CompactOfCopiesSearchesLittle bounds the searches in vain of Compact and Merge in filters of copies, where
// most fingerprints find their buckets full in a smaller sub-filter.
func TestScalable_CompactOfCopiesSearchesLittle(t *testing.T) {
	refusals := func(s *Scalable[fingerprint.Bits12]) (n uint64) {
		for k := range s.levels {
			n += s.levels[k].Stats().Refusals
		}
		return n + s.past.Refusals
	}
	for _, copies := range []int{2, 6, 8, 16, 24} {
		const keys = 3000
		s := copiesOf(t, keys, copies)
		counts := make([]int, keys)
		for k := range counts {
			counts[k] = s.CountHash(hashing.Mix64(uint64(k)))
		}
		stored, merged := s.Len(), s.Clone()
		for call := range 3 {
			before, levels := refusals(s), uint64(s.SubFilters())
			s.Compact()
			most := freeRefusals * levels * levels // no more than that is free
			if call < 2 {                          // the second finds room that the first has made
				most += uint64(stored) / refusalShare
			}
			if n := refusals(s) - before; n > most {
				t.Errorf("%d copies, call %d: %d searches in vain, want at most %d: %v", copies, call, n, most, s)
			}
		}
		if s.Len() != stored {
			t.Fatalf("%d copies: Len was %d and is %d", copies, stored, s.Len())
		}
		for k, n := range counts {
			if got := s.CountHash(hashing.Mix64(uint64(k))); got < n {
				t.Fatalf("%d copies of key %d were stored, and %d are left", n, k, got)
			}
		}
		before := refusals(merged)
		if err := merged.Merge(merged); err != nil || merged.Len() != 2*stored {
			t.Fatalf("%v: %v", merged, err)
		}
		levels := uint64(2 * s.SubFilters())
		if n, most := refusals(merged)-before, freeRefusals*levels*levels+uint64(stored)/refusalShare; n > most {
			t.Errorf("%d copies: %d searches in vain in a merge, want at most %d", copies, n, most)
		}
	}
}

// BenchmarkScalableCompact compacts filters of 100,000 fingerprints, again and again.
func BenchmarkScalableCompact(b *testing.B) {
	for _, copies := range []int{1, 8, 16, 24} {
		s := copiesOf(b, 100_000/copies, copies)
		b.Run(fmt.Sprintf("copies=%d", copies), func(b *testing.B) {
			for b.Loop() {
				c := s.Clone()
				c.Compact()
				c.Compact()
			}
		})
	}
}
