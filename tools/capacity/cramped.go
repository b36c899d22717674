package main

import (
	"math"
	"math/bits"

	"github.com/nestfilter/nest/internal/kick"
	"github.com/nestfilter/nest/internal/packed"
)

// pairedExact is the largest number of paired slots of which all sets are looked at.
const pairedExact = 16

// cramped are the sets of slots of a small table with paired slots that keys can be confined to: how many sets of so
// many slots have each share of all digests. A table takes keys exactly if no set of slots is the only home of more of
// them than it has slots (Hall 1935): a search that looks at all slots finds room until then.
type cramped [pairedExact]map[float64]int

// crampedOf counts the sets of slots of a table of m buckets, of up to pairedExact slots. It looks at every digest.
func crampedOf(rule kick.Rule, b, width uint, m uint64) *cramped {
	s := kick.NewScheme(rule, m)
	s.PairSlots(b)
	slots := uint(m) * b
	// How many digests have their slots in a set: first those whose slots are the set.
	within := make([]uint64, 1<<slots)
	for fp := uint64(1); fp < 1<<width; fp++ {
		for i := range m {
			for place := range b / 2 {
				within[slotsOf(&s, b, i, uint64(place), fp)]++
			}
		}
	}
	for slot := range slots {
		for set := range within {
			if set>>slot&1 != 0 {
				within[set] += within[set&^(1<<slot)]
			}
		}
	}
	c := new(cramped)
	digests := float64(within[len(within)-1])
	for set, count := range within[:len(within)-1] {
		if n := bits.OnesCount(uint(set)); count > 0 {
			if c[n] == nil {
				c[n] = map[float64]int{}
			}
			c[n][float64(count)/digests]++
		}
	}
	return c
}

// slotsOf returns the set of slots of a fingerprint whose primary bucket is i, where its pair has that place.
func slotsOf(s *kick.Scheme, b uint, i, place, fp uint64) (set uint64) {
	pairing := packed.PairingOf(b)
	pair := s.PairAt(0, fp)&^(1<<packed.PlaceBits-1) | place
	j := s.Alternate(i, fp)
	for side := range 2 {
		set |= 1 << (i*uint64(b) + uint64(pairing.Lanes[pair][side]))
		set |= 1 << (j*uint64(b) + uint64(pairing.Lanes[pairing.Across[pair]][side]))
	}
	return set
}

// expected returns the expected number of sets that are the only home of more of n keys than they have slots: at least
// the probability that a key is refused.
func (c *cramped) expected(n int) (sum float64) {
	for size, shares := range c[:min(n, pairedExact)] {
		for share, count := range shares {
			sum += float64(count) * math.Exp(logTail(n, size+1, share))
		}
	}
	return sum
}
