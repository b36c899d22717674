package uniq

import (
	"errors"
	"fmt"
	"math"

	"github.com/nestfilter/nest"
	"github.com/nestfilter/nest/fingerprint"
)

// highest is the highest rate that is asked of a filter: that of 8 bits. With fewer the promise of
// cuckoo.Filter.Capacity is a thousand times weaker.
const highest = 0.03

// growKicks is MaxKicks of a filter that grows. It then doubles at a load of 93% instead of 96%, and does not spend as much on the last
// 3% of its slots as on the 20% before them.
const growKicks = 64

// An inserter adds the digests that it does not contain and tells which, as the filters of package cuckoo do.
type inserter interface {
	nest.Filter
	InsertUniqueHashes(hs []uint64, added []bool) (n int, err error)
}

// A set is the digests of the lines kept.
type set struct {
	filter   inserter
	capacity int     // the most that it takes
	lost     float64 // expected number of new digests that were taken for repeated ones
}

func newSet(o Options) (*set, error) {
	s := nest.Spec{Kind: nest.Cuckoo, Capacity: o.Capacity, FalsePositiveRate: min(o.FPR, highest), Hasher: o.Hash}
	if o.Grow {
		s.Kind, s.MaxKicks = nest.Scalable, growKicks
	}
	f, err := nest.New(s)
	if o.Grow && errors.Is(err, nest.ErrConfig) {
		s.FingerprintBits = fingerprint.MaxWidth // which keep the rate for a while, and then growth ends
		f, err = nest.New(s)
	}
	if err != nil {
		return nil, fmt.Errorf("no filter for %d lines reaches a rate of %.3g: %w", o.Capacity, o.FPR, err)
	}
	capacity := o.Capacity
	if o.Grow {
		capacity = math.MaxInt
	}
	return &set{filter: f.(inserter), capacity: capacity}, nil
}

// rate returns the probability that a new digest is taken for a repeated one: the share of all classes that the
// filter holds. What it contains is never stored again, so no two digests share a class, and with tails of different lengths no class is
// part of another: shares add up, where the prediction 1-exp(-sum) of the filter is for keys that may share one.
func (s *set) rate() float64 { return -math.Log1p(-s.filter.Stats().FalsePositiveRate) }

// insert adds the digests that are not in the set, in order, and tells of each whether it was
// added. The error says why hs[n] could not be added; it and those behind it
// were not.
func (s *set) insert(hs []uint64, added []bool) (n int, err error) {
	had, before := s.filter.Len(), s.rate()
	defer func() { s.lost += expectedLost(s.filter.Len()-had, before, s.rate()) }()
	for n < len(hs) && err == nil {
		room := min(len(hs)-n, s.capacity-s.filter.Len())
		if room == 0 && !s.filter.ContainsHash(hs[n]) {
			return n, fmt.Errorf("%w: %d distinct lines are kept already", ErrCapacity, s.filter.Len())
		}
		room = max(room, 1) // one that is there is not added
		var done int
		done, err = s.filter.InsertUniqueHashes(hs[n:n+room], added[n:n+room])
		n += done
	}
	if err != nil {
		err = fmt.Errorf("%w: %d distinct lines are kept: %w", ErrCapacity, s.filter.Len(), err)
	}
	return n, err
}

// expectedLost returns how many new digests are expectedly taken for repetitions while n are kept and the rate
// rises evenly between two: the sum of p/(1-p), p being what it was before each.
func expectedLost(n int, before, after float64) float64 {
	if n == 0 {
		return 0
	}
	last := after - (after-before)/float64(n)
	return float64(n) * (before/(1-before) + last/(1-last)) / 2
}

// ErrCapacity reports a new line beyond the capacity of a stream that does not grow, or cannot.
var ErrCapacity = errors.New("the capacity is passed")
