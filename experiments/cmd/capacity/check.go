package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

// policies and placements are the built-in ones under both of their names.
var policies = []struct {
	kick   cuckoo.KickPolicy
	engine kick.Policy
}{
	{cuckoo.BreadthFirst, kick.BreadthFirst},
	{cuckoo.RandomWalk, kick.RandomWalk},
	{cuckoo.RoundRobin, kick.RoundRobin},
	{cuckoo.LookAhead, kick.LookAhead},
}

var placements = []struct {
	placement cuckoo.Placement
	rule      kick.Rule
}{
	{cuckoo.Additive, kick.Additive},
	{cuckoo.XOR, kick.XOR},
}

// checkSmall fills small tables to their promise, each size often, and writes how many were
// refused.
func checkSmall(w io.Writer, seed uint64) error {
	const inserts = 4_000_000 // for each table
	fmt.Fprint(w, "| policy | placement | b | f | fills | refused | promised at most |\n|---|---|---|---|---|---|---|\n")
	for _, p := range policies {
		for _, place := range placements {
			for _, b := range []int{2, 4, 8} {
				if b == 2 && p.kick == cuckoo.RoundRobin {
					continue
				}
				fills, refused := 0, 0
				for m := 2; m <= 256; m += 1 + m/8 {
					if place.rule == kick.XOR && m&(m-1) != 0 {
						continue
					}
					f, err := cuckoo.New[fingerprint.Bits8](cuckoo.Config{
						Buckets: m, BucketSize: b, Placement: place.placement, Kick: p.kick})
					if err != nil {
						return err
					}
					trials := inserts / f.Capacity()
					refused += shape{uint(b), 8, place.rule, p.engine}.broken(uint64(m), f.Capacity(), trials, seed)
					fills += trials
				}
				fmt.Fprintf(w, "| %v | %v | %d | 8 | %d | %d | %.3g |\n", p.kick, place.placement, b, fills, refused,
					float64(fills)*walkProbability(p.engine, uint(b), 8))
			}
		}
	}
	return nil
}

// checkLarge fills tables of 2^24 slots and writes the smallest load at the first refusal.
func checkLarge(w io.Writer, seed uint64) {
	const slots, trials = 1 << 24, 3
	fmt.Fprint(w, "| b | f | promised | smallest first refusal of 3 |\n|---|---|---|---|\n")
	for _, b := range []uint{2, 4, 8} {
		for _, width := range []uint{8, 12} {
			s := shape{b, width, kick.Additive, kick.BreadthFirst}
			ended := s.firstRefusals(slots/uint64(b), trials, seed)
			least := slices.IndexFunc(ended, func(count int) bool { return count > 0 })
			fmt.Fprintf(w, "| %d | %d | %.3f | %.4f |\n", b, width, searchPlateau[b], float64(least)/slots)
		}
	}
}

// checkLimits inserts into tables of 2^20 slots at the largest load promised, and writes how far
// the longest search or walk is from its limit.
func checkLimits(w io.Writer, seed uint64) {
	const slots, tables, probes = 1 << 20, 4, 2_000_000
	fmt.Fprint(w, "| policy | b | load | MaxKicks | inserts | longest path | refused |\n|---|---|---|---|---|---|---|\n")
	line := func(s shape, load float64, limit int) {
		longest, refused := uint64(0), 0
		for table := range uint64(tables) {
			l, r := s.probe(slots/uint64(s.b), load, limit, probes, seed+table)
			longest, refused = max(longest, l), refused+r
		}
		fmt.Fprintf(w, "| %s | %d | %.3f | %d | %d | %d | %d |\n", policies[s.policy].kick.Recipe(), s.b, load, limit,
			tables*probes, longest, refused)
	}
	for _, b := range []uint{2, 4, 8} {
		for _, limit := range []int{50, 100, 200} {
			line(shape{b, 12, kick.Additive, kick.BreadthFirst}, searchPlateau[b], limit)
		}
		for _, policy := range []kick.Policy{kick.RandomWalk, kick.RoundRobin, kick.LookAhead} {
			if load, promised := walkPlateau[policy][b]; promised {
				line(shape{b, 12, kick.Additive, policy}, load, 500)
			}
		}
	}
}

// regions writes the loads that tables of placement Region are promised.
func regions(w io.Writer) error {
	fmt.Fprint(w, "\n## Loads promised under placement Region\n\n"+
		"A region is promised what a whole table of its buckets takes under XOR. A table is promised the number of keys of which\n"+
		"the fullest region gets more with a quarter of the stated probability, computed and not simulated. Policy BreadthFirst, f = 12.\n"+
		"A dash: fewer than 2^18 buckets.\n\n"+
		"| b | probability | n=1000000 | n=3000000 | n=10000000 | n=100000000 | n=1000000000 |\n|---|---|---|---|---|---|---|\n")
	for _, b := range []int{2, 4, 8} {
		fmt.Fprintf(w, "| %d | %g |", b, probability(uint(b), 12))
		for _, n := range []int{1_000_000, 3_000_000, 10_000_000, 100_000_000, 1_000_000_000} {
			c := cuckoo.Config{Capacity: n, BucketSize: b, Placement: cuckoo.Region}
			if err := promised(w, c, 12); err != nil {
				return err
			}
		}
		fmt.Fprintln(w)
	}
	return nil
}

// checkRegions fills tables of placement Region and writes their loads at the first refusal.
func checkRegions(w io.Writer, seed uint64) error {
	fmt.Fprint(w, "| b | f | buckets | regions | promised | first refusal, median of 5 | smallest |\n|---|---|---|---|---|---|---|\n")
	for _, c := range []struct {
		b       uint
		buckets uint64
	}{{4, 1 << 18}, {4, 33 << 13}, {4, 63 << 13}, {4, 1 << 20}, {4, 1 << 22}, {2, 1 << 19}, {8, 1 << 18}} {
		s := shape{c.b, 12, kick.Region, kick.BreadthFirst}
		var loads []float64
		for stored, count := range s.firstRefusals(c.buckets, 5, seed) {
			for range count {
				loads = append(loads, float64(stored)/float64(c.buckets*uint64(c.b)))
			}
		}
		slices.Sort(loads)
		size := kick.RegionSize(c.buckets)
		fmt.Fprintf(w, "| %d | 12 | %d | %d of %d |", c.b, c.buckets, c.buckets/size, size)
		f, err := cuckoo.New[fingerprint.Bits12](cuckoo.Config{
			Buckets: int(c.buckets), BucketSize: int(c.b), Placement: cuckoo.Region})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, " %.3f | %.4f | %.4f |\n", float64(f.Capacity())/float64(f.Slots()), loads[2], loads[0])
	}
	return nil
}
