package cuckoo

import (
	"fmt"
	"math"
	"slices"

	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/limits"
	"github.com/nestfilter/nest/internal/packed"
)

// Compact gives back memory that deletions have emptied, and returns how many bytes. It moves the
// fingerprints of the largest sub-filter into smaller ones, up to their capacity, and drops it if it is
// then empty; then it does the same with the next one. The first one that does not become empty, or the
// only one that is left, is folded to half its size as often as its fingerprints fit. A fingerprint
// that is moved goes to a coarser class, so no key is lost. Each sub-filter's rate stays at most that
// of a full one.
//
// Compact costs an insert for each fingerprint that it moves. It needs the memory of the folded
// sub-filter beside the old one.
//
// It cannot move anything to a larger sub-filter, and it folds a sub-filter to no less than a quarter
// of the others together: otherwise growing and compacting in turn would make a chain of many small
// ones. The filter's next growth starts from the largest sub-filter that is left.
//
// Copies of a key can find their buckets full in a smaller sub-filter that has room. After the first
// refused copy of a key Compact leaves the others of that key where they are, and it stops filling a
// sub-filter that has refused more than eight keys and one for each 64 that it took. So a filter that
// holds many copies gives back less, and a call that finds nothing to move costs little.
func (s *Scalable[F]) Compact() (freed int) {
	before := s.SizeBytes()
	for n := len(s.levels) - 1; n > 0; n-- {
		from := &s.levels[n]
		for k := n - 1; k >= 0 && from.len > 0; k-- {
			to := &s.levels[k]
			pour(to.Filter, from.Filter, to.free())
		}
		// Where something was left, the smaller ones are at their capacity or full of copies.
		if from.len > 0 {
			s.fold(n)
			break
		}
		s.drop(n)
	}
	if len(s.levels) == 1 {
		s.fold(0)
	}
	for k := range s.levels {
		s.levels[k].full = s.levels[k].Slots()
	}
	slices.SortStableFunc(s.levels, func(a, b level[F]) int { return a.config.Buckets - b.config.Buckets })
	return before - s.SizeBytes()
}

// drop removes an empty sub-filter and keeps what it counted.
func (s *Scalable[F]) drop(n int) {
	s.past = s.past.plus(s.levels[n].Stats())
	s.levels = slices.Delete(s.levels, n, n+1)
}

// fold replaces a sub-filter by the smallest that takes its fingerprints.
func (s *Scalable[F]) fold(n int) {
	l := &s.levels[n]
	others := 0
	for k := range s.levels {
		if k != n {
			others += s.levels[k].config.Buckets
		}
	}
	buckets := l.config.Buckets
	for least := max(s.first.Buckets, others/4); buckets/2 >= least; buckets /= 2 {
		if uint64(l.len) > s.first.keysFor(uint64(buckets/2), s.width()) {
			break
		}
	}
	// A refusal is one in a million: then a table of twice the size takes them.
	for ; buckets < l.config.Buckets; buckets *= 2 {
		small, err := s.newLevel(buckets)
		if err != nil {
			return
		}
		if pourAll(small.Filter, l.Filter) {
			s.past = s.past.plus(l.Stats())
			*l = small
			return
		}
	}
}

// freeRefusals is how many keys a sub-filter may refuse to take over before that is compared with how many it took, and
// refusalShare how many times as many those must be. A refusal costs some hundred times what an insert does.
const (
	freeRefusals = 8
	refusalShare = 64
)

// countable tells whether the slots of all sub-filters together are an int, as Len and Slots are.
func (s *Scalable[F]) countable() bool {
	slots := uint64(0)
	for n := range s.levels {
		slots += uint64(s.levels[n].Slots())
	}
	return slots <= math.MaxInt
}

// pour moves up to limit fingerprints of from to to, which has no more buckets. One that to has no room for stays, and so do
// the other copies of its class. It ends early if to refuses too many.
func pour[F fingerprint.Width](to, from *Filter[F], limit int) {
	var memory [packed.MaxLanes]uint64
	t, s := &from.engine.Table, &from.engine.Scheme
	moved, refused := 0, 0
	for bucket := range t.Buckets() {
		fps := t.ReadAll(bucket, &memory)
		for lane, fp := range fps {
			if fp == 0 || slices.Contains(fps[:lane], fp) {
				continue
			}
			// What is left in a bucket that was gone through was refused.
			if other := s.Alternate(bucket, fp); other < bucket && t.Count(other, fp) != 0 {
				continue
			}
			if moved == limit {
				return
			}
			if !to.adopt(bucket, fp) {
				if refused++; refused > freeRefusals+moved/refusalShare {
					return
				}
				continue
			}
			t.Replace(bucket, fp, 0)
			from.len--
			moved++
			fps[lane] = 0 // and not one that its copies look back at
		}
	}
}

// pourAll inserts all fingerprints of from into to, which has no more buckets, and returns whether it took them.
func pourAll[F fingerprint.Width](to, from *Filter[F]) bool {
	var memory [packed.MaxLanes]uint64
	t := &from.engine.Table
	for bucket := range t.Buckets() {
		for _, fp := range t.ReadAll(bucket, &memory) {
			if fp != 0 && !to.adopt(bucket, fp) {
				return false
			}
		}
	}
	return true
}

// adopt inserts a fingerprint that was in that bucket of a filter with no fewer buckets, and returns whether it did.
func (f *Filter[F]) adopt(bucket, fp uint64) bool {
	i := bucket & (f.engine.Scheme.Buckets - 1)
	return f.kickIn(f.engine.Insert(i, f.engine.Scheme.Alternate(i, fp), fp)) == nil
}

// Merge adds every fingerprint of g to s, as if each key of g had been inserted into s: the multiset
// sum of both. It takes over the sub-filters of g as they are, whatever their sizes, and then compacts.
// g does not change, and may be s itself.
//
// Both filters need the same BucketSize, Layout and Hash and, with fingerprint.Any, the same
// FingerprintBits. Otherwise the error is [ErrMismatch], which names the field. If the sum is beyond
// MaxSubFilters, FalsePositiveRate or MaxBytes, the error is [ErrFull]. After an error s is as it was,
// but for Stats. Merge works on copies, so it needs the memory of both filters meanwhile.
func (s *Scalable[F]) Merge(g *Scalable[F]) error {
	if len(s.levels) == 0 || len(g.levels) == 0 {
		return fmt.Errorf("cuckoo: %w: one of the filters is the zero Scalable", ErrMismatch)
	}
	if err := s.config.sub(1).sameTable(g.config.sub(1)); err != nil {
		return err
	}
	sum := s.Clone()
	for k := range g.levels {
		// Made anew, so that kick policy, limits and seed are those of s.
		l, err := sum.newLevel(g.levels[k].config.Buckets)
		if err != nil {
			return fmt.Errorf("cuckoo: %w: a sub-filter is beyond MaxBytes: %w", ErrFull, err)
		}
		copy(l.engine.Table.Data(), g.levels[k].engine.Table.Data())
		l.len = g.levels[k].len
		sum.levels = append(sum.levels, l)
	}
	slices.SortStableFunc(sum.levels, func(a, b level[F]) int { return a.config.Buckets - b.config.Buckets })
	sum.Compact()
	switch {
	case len(sum.levels) > s.config.MaxSubFilters:
		s.refusals++
		return errSubFilters
	case sum.SizeBytes() > limits.MaxBytes(s.config.MaxBytes), !sum.countable():
		s.refusals++
		return errBytes
	}
	s.levels, s.past, s.scratch = sum.levels, sum.past, sum.scratch
	return nil
}
