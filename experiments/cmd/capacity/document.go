package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/nestfilter/nest/cuckoo"
)

const preamble = `<!-- Written by go run ./experiments/cmd/capacity -doc; do not edit. -->

# Capacity: how many keys a cuckoo filter promises to take

A filter made with ` + "`Config{Capacity: n}`" + ` takes n distinct keys. With a small probability
over hash seeds, given below, it refuses one of them. A filter made with ` + "`Buckets`" + ` promises
` + "`Capacity()`" + ` keys in the same sense.

| bucket size | width | probability of a refusal, at most |
|---|---|---|
| 4, 8 | 8 bits and more | 1e-6 |
| 4, 8 | 1 to 7 bits | 1e-3 |
| 2 | any | 1e-3 |
| 1 | any | none: load 0.4 is a target, three keys of one class end it |

This holds for BreadthFirst, LookAhead and RandomWalk with their default MaxKicks. LookAhead and RandomWalk get larger
tables. A policy of your own gets the tables of RandomWalk; whether it fills them is up to it. Nothing is promised for a
smaller MaxKicks, for repeated keys, for keys chosen by an adversary who knows the hash, and for PlainXOR.
PlainXOR gets the load that it was seen to reach at 2^20 slots, less 3%.

RoundRobin kicks in a circle if b + 1 fingerprints of one class are in every other slot of their two buckets: it then kicks
no others, although others could move. This is likelier with fewer fingerprints and with more buckets. RoundRobin therefore gets
larger tables, which depend on the width. Its probability is 1e-3 below 12 bits and 1e-6 from 12 bits on. With b = 2 a load of
0.25 is a target and not a promise.

Semi-sorted buckets get the tables of plain ones. Where a fingerprint fits does not depend on the order in a bucket, so
BreadthFirst refuses at the same loads (b = 4, 2^17 slots, f = 8, additive, median of 12 seeds: .9750 and .9749 plain). The walks kick
other victims and refuse no earlier: RandomWalk at .9645 (.9632 plain), LookAhead .9736 (.9736), RoundRobin .9634 (.9589).

The layout PairedSlots has a table of its own, for BreadthFirst with 20000 slots examined: 1e-6 for fingerprints of 12 bits and more,
1e-3 for 8 to 11 bits. That five keys have the same four slots, or three the same two, is counted. It is why narrower fingerprints
are not promised 1e-6: a million keys in 2^20 slots at b = 4 have 4e-4 such classes at 8 bits, and eight million have 8e-7 at 11
bits. All else is simulated with fingerprints of 12 bits in tables of up to 2^16 slots. Larger tables get the load of those, at most .9526
(b = 4) or .961 (b = 8) up to 2^23 slots, and .0006 less for each doubling beyond. Tables of 2^20 slots were seen to refuse first at .9602
and .9707, of 2^23 slots at .9585 and .9699 (11 bits, Additive, one fill each). Below 8 bits, for other policies and for PlainXOR, Capacity
is a target and no promise.

The package comment of experiments/cmd/capacity describes the method. In short: the probability that one or
two buckets are crowded is computed from the number of fingerprints. The probability of every other refusal is simulated,
and extrapolated downwards on the safe side. The tables are made for half of the stated probability.

`

// document checks the compiled table and returns docs/CAPACITY.md.
func document(seed uint64) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(preamble)
	if err := sizes(&b); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n## Checked: small tables\n\nTables of up to 256 buckets filled with as many random digests as they promise to take, seed %d.\n\n", seed)
	if err := checkSmall(&b, seed); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n## Checked: large tables\n\nLoads of tables of 2^24 slots at the first refusal, BreadthFirst, Additive, seed %d.\n\n", seed)
	checkLarge(&b, seed)
	fmt.Fprintf(&b, "\n## Checked: placement Region\n\nLoads at the first refusal, BreadthFirst, seed %d.\n\n", seed)
	if err := checkRegions(&b, seed); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n## Checked: limits\n\nInserts, each taken back, into tables of 2^20 slots at the largest load promised, f = 12, seeds from %d:\n"+
		"how much of MaxKicks they need. For BreadthFirst also with less than the default of 700.\n\n", seed)
	checkLimits(&b, seed)
	return b.Bytes(), nil
}

// sizes writes the bits per item of filters made for some numbers of keys, and the loads of large
// ones.
func sizes(w io.Writer) error {
	fmt.Fprint(w, "## Bits per item\n\nPolicy BreadthFirst, table of f bits a slot for n keys, without the 8 bytes of padding.\n"+
		"XOR needs a power of two, so what it takes depends on n more than on anything else.\n\n")
	fmt.Fprint(w, "| placement | b | f | probability | n=10 | n=100 | n=1000 | n=10000 | n=100000 | n=1000000 |\n"+
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, place := range placements {
		for _, b := range []int{2, 4, 8} {
			for _, width := range []uint{8, 12, 16} {
				fmt.Fprintf(w, "| %v | %d | %d | %g |", place.placement, b, width, probability(uint(b), width))
				for n := 10; n <= 1_000_000; n *= 10 {
					slots, err := slotsFor(cuckoo.Config{Capacity: n, BucketSize: b, Placement: place.placement}, width)
					if err != nil {
						return err
					}
					fmt.Fprintf(w, " %.2f |", slots*float64(width)/float64(n))
				}
				fmt.Fprintln(w)
			}
		}
	}
	return loads(w)
}

// loads writes the loads that large tables are promised.
func loads(w io.Writer) error {
	fmt.Fprint(w, "\n## Loads promised to large tables\n\nPlacement Additive. A dash: more than 2^32 buckets.\n\n"+
		"| policy | b | f | probability | n=100000 | n=1000000 | n=10000000 | n=100000000 | n=1000000000 |\n"+
		"|---|---|---|---|---|---|---|---|---|\n")
	for _, p := range policies {
		for _, b := range []int{2, 4, 8} {
			for _, width := range []uint{4, 5, 6, 7, 8, 10, 12, 16} {
				robin := p.kick == cuckoo.RoundRobin
				if p.kick != cuckoo.BreadthFirst && !robin && width != 12 || robin && b == 2 {
					continue
				}
				fmt.Fprintf(w, "| %v | %d | %d | %g |", p.kick, b, width, walkProbability(p.engine, uint(b), width))
				for n := 100_000; n <= 1_000_000_000; n *= 10 {
					if err := promised(w, cuckoo.Config{Capacity: n, BucketSize: b, Kick: p.kick}, width); err != nil {
						return err
					}
				}
				fmt.Fprintln(w)
			}
		}
	}
	return regions(w)
}

// promised writes the load that the table made for c is promised, a dash where there is no such table.
func promised(w io.Writer, c cuckoo.Config, width uint) error {
	slots, err := slotsFor(c, width)
	switch {
	case errors.Is(err, cuckoo.ErrTooLarge), errors.Is(err, cuckoo.ErrConfig):
		fmt.Fprint(w, " - |")
	case err != nil:
		return err
	default:
		fmt.Fprintf(w, " %.3f |", float64(c.Capacity)/slots)
	}
	return nil
}

// slotsFor returns the slots of the table that a configuration asks for.
func slotsFor(c cuckoo.Config, width uint) (float64, error) {
	c.MaxBytes = math.MaxInt
	resolved, _, err := cuckoo.Plan(c, width)
	return float64(resolved.Buckets) * float64(resolved.BucketSize), err
}
