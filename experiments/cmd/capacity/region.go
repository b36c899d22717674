package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/fingerprint"
	"github.com/nestfilter/nest/internal/kick"
)

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
