package cuckoo

import "math"

// sum adds up a number of each sub-filter.
func (s *Scalable[F]) sum(of func(*Filter[F]) int) (n int) {
	for k := range s.levels {
		n += of(s.levels[k].Filter)
	}
	return n
}

// Len returns the number of fingerprints stored: keys inserted less keys deleted.
func (s *Scalable[F]) Len() int { return s.sum((*Filter[F]).Len) }

// Slots returns the number of slots of all sub-filters.
func (s *Scalable[F]) Slots() int { return s.sum((*Filter[F]).Slots) }

// SizeBytes returns the bytes of the tables of all sub-filters. It does not include the scratch memory
// of the kick policy, which the sub-filters share; by default it is at most about 16 KiB.
func (s *Scalable[F]) SizeBytes() int { return s.sum((*Filter[F]).SizeBytes) }

// SubFilters returns the number of sub-filters. An empty filter has 1.
func (s *Scalable[F]) SubFilters() int { return len(s.levels) }

// LoadFactor returns the used slots as a share of all slots, from 0 to 1.
func (s *Scalable[F]) LoadFactor() float64 { return float64(s.Len()) / float64(s.Slots()) }

// FalsePositiveRate returns the predicted compound rate at the present loads: the probability that at
// least one sub-filter says yes of a key that was never inserted, each at the rate of
// [Filter.FalsePositiveRate]. It is never above Config().FalsePositiveRate.
func (s *Scalable[F]) FalsePositiveRate() float64 {
	var log float64 // of the probability that none does
	for k := range s.levels {
		log += math.Log1p(-s.levels[k].FalsePositiveRate())
	}
	return -math.Expm1(log)
}

// Stats returns what the filter has counted. The kicks of Compact and Merge are included. Refusals are
// those of the whole filter: a key that one sub-filter refused and another one took is none.
func (s *Scalable[F]) Stats() Stats {
	all := s.past
	for k := range s.levels {
		all = all.plus(s.levels[k].Stats())
	}
	all.Refusals = s.refusals
	return all
}

// plus adds what another filter counted.
func (a Stats) plus(b Stats) Stats {
	return Stats{Kicks: a.Kicks + b.Kicks, LongestPath: max(a.LongestPath, b.LongestPath), Refusals: a.Refusals + b.Refusals}
}
